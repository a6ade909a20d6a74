/*
 * write_lost() walks the tree of what was applied and looks every member up in the tree of the live
 * object. A member that is missing there is told; what is below it went with it.
 */
#include "clusterresourceset/apply/ownership_loss.h"

#include "clusterresourceset/apply/ignored.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/apply/ownership_walk.h"
#include "json/json.h"
#include "json/path.h"

#define FIELDS_SHOWN ((size_t)5)

/* The walk through what was applied. */
struct loss_walk {
    const struct object *live;
    const struct json_value *ours; /* fields of our live entry; NULL: there is none */
    struct str manager;
    bool is_secret;
    const struct delivery_policy_texts *adopt; /* NULL: what was lost is looked for */
    struct ownership_walk fields;
    size_t count;
    struct buf *out;
};

/* Another manager that has the field; empty: nobody. */
static struct str find_holder(const struct loss_walk *walk)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_get(object_metadata(walk->live), STR("managedFields"))) {
        const struct str manager = json_path_str(entry, "manager");
        if (walk->adopt && ownership_is_adopted(entry, walk->adopt))
            continue;
        if (!str_eq(manager, walk->manager) &&
            ownership_walk_find(&walk->fields, json_get(entry, STR("fieldsV1"))))
            return manager;
    }
    return STR("");
}

static void write_field(struct loss_walk *walk)
{
    if (walk->count++ >= FIELDS_SHOWN)
        return;
    const struct str holder = find_holder(walk);
    buf_add(walk->out, walk->count > 1 ? STR(", ") : STR(""));
    ownership_walk_write_path(&walk->fields, walk->is_secret, walk->out);
    if (walk->adopt)
        return;
    if (holder.len)
        buf_print(walk->out, " changed by %.*s", STR_ARG(holder));
    else
        buf_add(walk->out, STR(" removed"));
}

/* Of a field that would be adopted a trace of ours, or another holder, is enough to keep it. */
static bool is_lost(const struct loss_walk *walk, const struct json_value *node)
{
    const struct json_value *ours = ownership_walk_find(&walk->fields, walk->ours);
    if (!ownership_walk_is_member(node))
        return false;
    return walk->adopt ? !ours && !find_holder(walk).len : !ownership_walk_is_member(ours);
}

static void write_lost(struct loss_walk *walk, const struct json_value *applied)
{
    ownership_walk_init(&walk->fields, applied);
    for (const struct json_value *node; (node = ownership_walk_next(&walk->fields));) {
        if (!is_lost(walk, node))
            continue;
        write_field(walk);
        ownership_walk_skip(&walk->fields);
    }
    if (walk->count > FIELDS_SHOWN)
        buf_print(walk->out, " and %zu more", walk->count - FIELDS_SHOWN);
}

/* For an object of which no field is ours: whoever else is named first. */
static void write_taken(const struct object *live, struct buf *out)
{
    const struct json_value *entries = json_get(object_metadata(live), STR("managedFields"));
    const struct str first = json_path_str(json_at(entries, 0), "manager");
    if (first.len)
        buf_print(out, "made anew, or taken, by %.*s", STR_ARG(first));
    else
        buf_add(out, STR("its managedFields were removed"));
}

void ownership_loss_write(const struct ownership_loss *loss, struct buf *out)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) left = NULL;
    if (!loss->live) {
        buf_add(out, STR("deleted"));
        return;
    }
    struct loss_walk walk = {
        .live = loss->live,
        .ours = ownership_fields(loss->live, loss->manager),
        .manager = loss->manager,
        .is_secret = loss->is_secret,
        .out = out,
    };
    if (!walk.ours) {
        write_taken(loss->live, out);
        return;
    }
    const struct json_value *applied = ownership_fields(loss->applied, loss->manager);
    if (loss->ignored && loss->ignored->count) {
        ignored_write_fields(applied, loss->ignored, &text);
        error_free(json_read(buf_str(&text), &left));
    }
    write_lost(&walk, left ? json_doc_root(left) : applied);
    if (!walk.count)
        buf_add(out, STR("made anew"));
}

void ownership_loss_write_adopted(const struct ownership_loss *loss,
                                  const struct delivery_policy_texts *adopt, struct buf *out)
{
    OWNED(json_doc) joined = NULL;
    struct loss_walk walk = {
        .live = loss->applied,
        .ours = ownership_fields(loss->applied, loss->manager),
        .manager = loss->manager,
        .is_secret = loss->is_secret,
        .adopt = adopt,
        .out = out,
    };
    error_free(ownership_join(loss->applied, loss->manager, adopt, &joined));
    write_lost(&walk, json_doc_root(joined));
}
