/*
 * New objects along a type: two merged into one, and one with fields taken out.
 *
 * Merging mirrors typed/merge.go, taking out typed/remove.go of
 * sigs.k8s.io/structured-merge-diff/v4. Both write straight into a JSON builder while they walk.
 * The result lives in the arena of the walk.
 */
#include "apiserver/managedfields/field_walk_internal.h"
#include "json/builder.h"

/* The value that was built, held by the arena of the walk. */
static struct error *finish_value(struct field_walk *walk, struct json_builder *builder,
                                  const struct json_value **ret_value)
{
    struct json_doc *doc = NULL;
    TRY(json_builder_finish(builder, &doc));
    json_doc_hold(walk->arena, doc);
    *ret_value = json_doc_root(doc);
    return NULL;
}

struct maker {
    struct field_walk *walk;
    struct json_builder *builder;
};

/* Writes one value, whatever happens. */
static void merge_values(struct maker *maker, struct field_type type, const struct json_value *base,
                         const struct json_value *patch, size_t depth);

static void merge_members(struct maker *maker, struct field_type type,
                          const struct json_value *base, const struct json_value *patch,
                          size_t depth)
{
    const struct field_pairs pairs = field_pairs_of(maker->walk->arena, base, patch);
    json_builder_object(maker->builder);
    for (size_t i = 0; i < pairs.count; i++) {
        const struct field_pair *pair = &pairs.items[i];
        json_builder_key(maker->builder, pair->step.text);
        merge_values(maker, field_member_of(type, pair->step.text).type, pair->before, pair->after,
                     depth + 1);
    }
    json_builder_end(maker->builder);
}

/* Two lists on the way into one. */
struct weaver {
    struct maker *maker;
    struct field_type element;
    struct field_items base, patch;
    bool *woven;   /* elements of the patch that were written */
    size_t shared; /* the next element of the patch that the base has, too */
    size_t depth;
};

/* The first element of the patch from a place on that the base has, too. */
static size_t next_shared(const struct weaver *weaver, size_t from)
{
    while (from < weaver->patch.count &&
           field_items_find(&weaver->base, weaver->patch.items[from].step) == STR_NONE)
        from++;
    return from;
}

/* Elements that the base has several times are replaced. */
static void weave_patch(struct weaver *weaver, size_t at)
{
    const struct field_item *item = &weaver->patch.items[at];
    const size_t found = field_items_find(&weaver->base, item->step);
    const struct field_item *base = found == STR_NONE ? NULL : &weaver->base.items[found];
    weaver->woven[item->first] = true;
    merge_values(weaver->maker, weaver->element, base && base->same == 1 ? base->value : NULL,
                 item->value, weaver->depth + 1);
    if (weaver->shared == at)
        weaver->shared = next_shared(weaver, at + 1);
}

/*
 * The order of a merged list: elements of the patch in the order of the patch, elements that only
 * the base has stay in front of the shared element that they preceded.
 */
static void weave_lists(struct weaver *weaver)
{
    size_t old = 0, new = 0;
    while (old < weaver->base.count || new < weaver->patch.count) {
        if (old < weaver->base.count) {
            const struct field_item *item = &weaver->base.items[old];
            const size_t found = field_items_find(&weaver->patch, item->step);
            const bool left = new < weaver->patch.count;
            if (found == STR_NONE) {
                json_builder_value(weaver->maker->builder, item->value);
                old++;
                continue;
            }
            if (left && field_step_eq(item->step, weaver->patch.items[new].step)) {
                weave_patch(weaver, new ++);
                old++;
                continue;
            }
            const bool wanted = weaver->shared < weaver->patch.count &&
                                field_step_eq(weaver->patch.items[weaver->shared].step, item->step);
            if (left && weaver->shared < weaver->patch.count && !wanted) {
                old++;
                continue;
            }
            if (weaver->woven[found])
                old++;
        }
        if (new < weaver->patch.count)
            weave_patch(weaver, new ++);
    }
}

static void merge_items(struct maker *maker, struct field_type type, const struct json_value *base,
                        const struct json_value *patch, size_t depth)
{
    struct weaver weaver = {
        .maker = maker,
        .element = field_type_element(type),
        .base = field_items_read(maker->walk, type, base),
        .patch = field_items_read(maker->walk, type, patch),
        .depth = depth,
    };
    weaver.woven = arena_alloc_array(maker->walk->arena, weaver.patch.count, sizeof(bool));
    weaver.shared = next_shared(&weaver, 0);
    json_builder_array(maker->builder);
    weave_lists(&weaver);
    json_builder_end(maker->builder);
}

/*
 * What the patch says wins. Atomic values and values of another form are replaced; maps and lists
 * are merged part by part.
 */
static void merge_values(struct maker *maker, struct field_type type, const struct json_value *base,
                         const struct json_value *patch, size_t depth)
{
    const struct field_shape shape = field_type_shape(type);
    const enum field_form form = field_form_of(shape, patch);
    const enum json_type wanted = form == FIELD_MAP ? JSON_OBJECT : JSON_ARRAY;
    const size_t had = json_type(base) == wanted ? json_count(base) : 0;
    const size_t has = json_type(patch) == wanted ? json_count(patch) : 0;
    if (!base || !patch)
        json_builder_value(maker->builder, patch ? patch : base);
    else if (field_form_is_atomic(shape, form) || (had == 0 && has == 0) ||
             depth >= FIELD_DEPTH_MAX)
        json_builder_value(maker->builder, patch);
    else if (form == FIELD_MAP)
        merge_members(maker, type, base, patch, depth);
    else
        merge_items(maker, type, base, patch, depth);
}

struct error *field_walk_merge(struct field_walk *walk, struct field_type type,
                               const struct json_value *base, const struct json_value *patch,
                               const struct json_value **ret_value)
{
    SCOPED(json_builder) builder = {.limit = 0};
    merge_values(&(struct maker){walk, &builder}, type, base, patch, 0);
    return finish_value(walk, &builder, ret_value);
}

static void take_out(struct maker *maker, struct field_type type, const struct json_value *value,
                     const struct field_set *fields, size_t depth);

/* An element or member that stays, whole or in part. */
static void keep_child(struct maker *maker, struct field_type type, const struct json_value *value,
                       const struct field_set *fields, size_t depth)
{
    if (fields)
        take_out(maker, type, value, fields, depth + 1);
    else
        json_builder_value(maker->builder, value);
}

/* False when nothing is left; nothing is written then. */
static bool take_out_members(struct maker *maker, struct field_type type,
                             const struct json_value *value, const struct field_set *fields,
                             size_t depth)
{
    const struct json_value *child;
    bool is_open = false;
    JSON_FOREACH (key, child, value) {
        const struct field_set *below =
            field_set_find(fields, (struct field_step){key, FIELD_STEP_MEMBER});
        if (below && below->member)
            continue;
        if (!is_open)
            json_builder_object(maker->builder);
        is_open = true;
        json_builder_key(maker->builder, key);
        keep_child(maker, field_member_of(type, key).type, child, below, depth);
    }
    if (is_open)
        json_builder_end(maker->builder);
    return is_open;
}

static bool take_out_items(struct maker *maker, struct field_type type,
                           const struct json_value *value, const struct field_set *fields,
                           size_t depth)
{
    const struct field_items items = field_items_read(maker->walk, type, value);
    bool is_open = false;
    for (size_t i = 0; i < items.count; i++) {
        const struct field_set *below = field_set_find(fields, items.items[i].step);
        if (below && below->member)
            continue;
        if (!is_open)
            json_builder_array(maker->builder);
        is_open = true;
        keep_child(maker, field_type_element(type), items.items[i].value, below, depth);
    }
    if (is_open)
        json_builder_end(maker->builder);
    return is_open;
}

/* A container that loses all it had becomes null: its owners still own it. */
static void take_out(struct maker *maker, struct field_type type, const struct json_value *value,
                     const struct field_set *fields, size_t depth)
{
    const struct field_shape shape = field_type_shape(type);
    const enum field_form form = field_form_of(shape, value);
    const enum json_type kind = json_type(value);
    bool written = false;
    if (form == FIELD_SCALAR || depth >= FIELD_DEPTH_MAX) {
        json_builder_value(maker->builder, value);
        return;
    }
    if (!field_form_is_atomic(shape, form)) {
        if (form == FIELD_MAP && kind == JSON_OBJECT)
            written = take_out_members(maker, type, value, fields, depth);
        else if (form == FIELD_LIST && kind == JSON_ARRAY)
            written = take_out_items(maker, type, value, fields, depth);
    }
    if (!written)
        json_builder_null(maker->builder);
}

struct error *field_walk_remove(struct field_walk *walk, struct field_type type,
                                const struct json_value *value, const struct field_set *fields,
                                const struct json_value **ret_value)
{
    if (field_set_is_empty(fields)) {
        *ret_value = value;
        return NULL;
    }
    SCOPED(json_builder) builder = {.limit = 0};
    take_out(&(struct maker){walk, &builder}, type, value, fields, 0);
    return finish_value(walk, &builder, ret_value);
}
