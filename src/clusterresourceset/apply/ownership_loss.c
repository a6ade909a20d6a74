/*
 * The sets of fields (fieldsV1) are trees of JSON objects. A node is a member of the set if it is
 * empty or has the member "."; the others only lead to members. write_lost() walks the tree of what
 * was applied and looks every member up in the tree of the live object. A member that is missing
 * there is told; what is below it went with it.
 */
#include "clusterresourceset/apply/ownership_loss.h"

#include "clusterresourceset/apply/ignored.h"
#include "clusterresourceset/apply/ownership.h"
#include "json/json.h"
#include "json/path.h"

#define FIELDS_SHOWN ((size_t)5)

/* Fields that are nested deeper are told by their ancestor. */
#define DEPTH_MAX ((size_t)48)

/* A place in a tree of fields. */
struct field_path {
    struct str steps[DEPTH_MAX]; /* "f:spec" */
    size_t depth;
};

/* The walk through what was applied. */
struct loss_walk {
    const struct object *live;
    const struct json_value *ours; /* fields of our live entry; NULL: there is none */
    struct str manager;
    bool is_secret;
    const struct delivery_policy_texts *adopt; /* NULL: what was lost is looked for */
    struct field_path path;
    size_t count;
    struct buf *out;
};

static const struct json_value *find_node(const struct json_value *fields,
                                          const struct field_path *path)
{
    for (size_t i = 0; i < path->depth; i++)
        fields = json_get(fields, path->steps[i]);
    return fields;
}

static bool is_member(const struct json_value *node)
{
    return json_type(node) == JSON_OBJECT && (!json_count(node) || json_get(node, STR(".")));
}

/* Another manager that has the field; empty: nobody. */
static struct str find_holder(const struct loss_walk *walk)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_get(object_metadata(walk->live), STR("managedFields"))) {
        const struct str manager = json_path_str(entry, "manager");
        if (walk->adopt && ownership_is_adopted(entry, walk->adopt))
            continue;
        if (!str_eq(manager, walk->manager) &&
            find_node(json_get(entry, STR("fieldsV1")), &walk->path))
            return manager;
    }
    return STR("");
}

/* The keys of a list item, {"port":80,"protocol":"TCP"}, become [80,TCP]. */
static void write_item_keys(struct str keys, struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(keys, &doc);
    const struct json_value *value, *root = json_doc_root(doc);
    const char *separator = "";
    if (json_type(root) != JSON_OBJECT) {
        if (json_type(root) == JSON_STRING)
            buf_add(out, json_to_str(root));
        else
            buf_add(out, keys);
        return;
    }
    JSON_FOREACH (key, value, root) {
        buf_print(out, "%s", separator);
        separator = ",";
        if (json_type(value) == JSON_STRING)
            buf_add(out, json_to_str(value));
        else
            json_write(out, value);
    }
}

/* "f:spec" "f:ports" "k:{\"port\":80}" is written spec.ports[80]. */
static void write_path(const struct loss_walk *walk, struct buf *out)
{
    const size_t begin = out->len;
    for (size_t i = 0; i < walk->path.depth; i++) {
        const struct str step = walk->path.steps[i];
        if (str_starts_with(step, STR("f:"))) {
            buf_add(out, out->len > begin ? STR(".") : STR(""));
            buf_add(out, str_skip(step, 2));
            continue;
        }
        buf_add_char(out, '[');
        if (walk->is_secret)
            buf_add(out, STR("…"));
        else
            write_item_keys(str_skip(step, step.len > 2 ? 2 : step.len), out);
        buf_add_char(out, ']');
    }
}

static void write_field(struct loss_walk *walk)
{
    if (walk->count++ >= FIELDS_SHOWN)
        return;
    const struct str holder = find_holder(walk);
    buf_add(walk->out, walk->count > 1 ? STR(", ") : STR(""));
    write_path(walk, walk->out);
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
    const struct json_value *ours = find_node(walk->ours, &walk->path);
    if (!is_member(node))
        return false;
    return walk->adopt ? !ours && !find_holder(walk).len : !is_member(ours);
}

/* True if there may be lost members below the node at the path. Tells of the node itself. */
static bool look_at_node(struct loss_walk *walk, const struct json_value *node)
{
    if (is_lost(walk, node)) {
        write_field(walk);
        return false;
    }
    return json_type(node) == JSON_OBJECT && walk->path.depth < DEPTH_MAX;
}

/* Depth first, without recursion: a server decides how deep the tree is. */
static void write_lost(struct loss_walk *walk, const struct json_value *applied)
{
    struct json_iter levels[DEPTH_MAX + 1];
    size_t level = 0;
    levels[0] = (struct json_iter){.container = applied};
    for (;;) {
        const struct json_value *node;
        struct str step;
        if (!json_next(&levels[level], &step, &node)) {
            if (!level--)
                break;
            walk->path.depth--;
            continue;
        }
        if (str_eq(step, STR(".")))
            continue;
        walk->path.steps[walk->path.depth++] = step;
        if (look_at_node(walk, node))
            levels[++level] = (struct json_iter){.container = node};
        else
            walk->path.depth--;
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
