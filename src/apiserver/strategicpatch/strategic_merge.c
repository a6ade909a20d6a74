/*
 * Strategic merge patch: one object and its patch, member by member.
 *
 * It mirrors mergeMap() of k8s.io/apimachinery/pkg/util/strategicpatch. The work is a stack of
 * tasks; a task is one object of the original and the part of the patch that belongs to it. A task
 * does its steps in this order:
 *
 * 1. "$patch" replaces or deletes the object, and ends the task,
 * 2. "$retainKeys" drops the members that it does not name,
 * 3. "$setElementOrder/<list>" merges and orders the lists that it names (strategic_objects.c),
 * 4. all other members are merged: scalars are replaced, objects become tasks, lists are merged or
 *    replaced as their field says (strategic_list.c).
 *
 * Objects that a patch brings anew pass merge_clean() and are taken as they are. Nothing recurses
 * along a document, so that the depth of a request cannot overflow the stack of a fiber.
 */
#include "apiserver/strategicpatch/strategic_merge.h"

#include "apiserver/strategicpatch/strategic_merge_internal.h"
#include "base/array.h"

#define PATCH       STR("$patch")
#define RETAIN      STR("$retainKeys")
#define DELETE_FROM STR("$deleteFromPrimitiveList")
#define SET_ORDER   STR("$setElementOrder")

static void merge_done(struct merge *merge)
{
    mem_free(merge->tasks);
    merge_tree_done(&merge->tree);
}

void merge_push(struct merge *merge, struct merge_node *object, const struct json_value *patch,
                struct strategic_schema schema)
{
    ARRAY_PUSH(merge->tasks, merge->count, merge->capacity,
               (struct merge_task){.object = object, .patch = patch, .schema = schema});
}

struct error *merge_error_type(enum go_kind expected, enum go_kind actual)
{
    return error_new(ERROR_INTERNAL, "expected a %s, but received a %s", go_kind_name(expected),
                     go_kind_name(actual));
}

/* "$patch" in an object: it takes the place of the original, or empties it. */
static struct error *apply_directive(struct merge *merge, const struct merge_task *task,
                                     const struct json_value *directive)
{
    const struct str word = json_to_str(directive);
    SCOPED(buf) shown = {.limit = STRATEGIC_PRINT_MAX};
    if (str_eq(word, STR("replace"))) {
        merge_tree_replace(&merge->tree, task->object, task->patch);
        map_remove(&task->object->members, PATCH);
        return NULL;
    }
    if (str_eq(word, STR("delete"))) {
        merge_tree_replace(&merge->tree, task->object, NULL);
        return NULL;
    }
    buf_add(&shown, STR("unknown patch type: "));
    if (go_kind(directive) != GO_KIND_STRING)
        buf_print(&shown, "%%!s(%s=", go_kind_name(go_kind(directive)));
    strategic_print(&shown, directive);
    buf_add(&shown, go_kind(directive) != GO_KIND_STRING ? STR(") in map: ") : STR(" in map: "));
    strategic_print(&shown, task->patch);
    return error_new(ERROR_INTERNAL, "%.*s", STR_ARG(buf_str(&shown)));
}

/* The patch must bring nothing that it does not name as retained. */
static bool retains_all(const struct json_value *patch, const struct map *retained)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, patch)
        if (json_type(value) != JSON_NULL && !str_eq(key, RETAIN) && !map_has(retained, key) &&
            !str_starts_with(key, DELETE_FROM) && !str_starts_with(key, SET_ORDER))
            return false;
    return true;
}

/* "$retainKeys": members that it does not name go. */
static struct error *apply_retain(struct merge *merge, const struct merge_task *task)
{
    const struct json_value *list = json_get(task->patch, RETAIN), *value;
    SCOPED(map) retained = {.release = NULL};
    if (!list)
        return NULL;
    JSON_FOREACH (key, value, list)
        if (json_type(value) == JSON_STRING)
            map_put(&retained, json_to_str(value), NULL);
    if (json_type(list) != JSON_ARRAY || !retains_all(task->patch, &retained))
        return error_new(ERROR_BAD_REQUEST, "invalid patch format of retainKeys");
    merge_tree_open(&merge->tree, task->object);
    MAP_FOREACH (entry, &task->object->members)
        if (!map_has(&retained, map_key(entry)))
            map_remove(&task->object->members, map_key(entry));
    return NULL;
}

/* "<directive>/<name>"; false when there is no name. */
static bool directive_name(struct str key, struct str directive, struct str *ret_name)
{
    struct str word;
    *ret_name = key;
    return str_cut(ret_name, '/', &word) && str_eq(word, directive);
}

/* "$setElementOrder/<list>": the lists it names are done here, so members skip them later. */
static struct error *apply_orders(struct merge *merge, const struct merge_task *task,
                                  struct map *ret_ordered)
{
    const struct json_value *order;
    JSON_FOREACH (key, order, task->patch) {
        struct str name;
        if (!str_starts_with(key, SET_ORDER))
            continue;
        if (json_type(order) != JSON_ARRAY)
            return merge_error_type(GO_KIND_SLICE, go_kind(order));
        if (!directive_name(key, SET_ORDER, &name))
            return error_new(ERROR_BAD_REQUEST, "invalid patch format of setElementOrder list");
        TRY(merge_set_order(merge, task->object, task->patch, name, order, task->schema));
        map_put(ret_ordered, name, NULL);
    }
    return NULL;
}

/*
 * A member that the original lacks, or has in another form. Directives and nulls inside of the
 * patch mean nothing there and are left out.
 */
static struct error *put_member(struct merge *merge, struct merge_node *object, struct str name,
                                const struct json_value *patch)
{
    const struct json_value *value;
    TRY(merge_clean(merge, patch, CLEAN_DIRECTIVES | CLEAN_NULLS, &value));
    if (value)
        map_put(&object->members, name, merge_tree_new(&merge->tree, value));
    else
        map_remove(&object->members, name);
    return NULL;
}

/*
 * A member whose value is taken from the patch as it stands, nulls included, as the API server
 * does.
 */
static void put_raw(struct merge *merge, struct merge_node *object, struct str name,
                    const struct json_value *value)
{
    map_put(&object->members, name, merge_tree_new(&merge->tree, value));
}

/* Both sides have an object. A field of the strategy "replace" is taken whole. */
static struct error *merge_object(struct merge *merge, const struct merge_task *task,
                                  struct str name, struct merge_node *old,
                                  const struct json_value *patch)
{
    struct strategic_schema member;
    TRY(strategic_schema_member(task->schema, name, &member));
    if (member.field->flags & GO_REPLACE)
        put_raw(merge, task->object, name, patch);
    else
        merge_push(merge, old, patch, member);
    return NULL;
}

/*
 * Both sides have a list. Only fields of the strategy "merge" are merged; a list of another field
 * is replaced.
 */
static struct error *merge_array(struct merge *merge, const struct merge_task *task,
                                 struct str name, struct merge_node *old,
                                 const struct json_value *patch, bool is_delete)
{
    struct strategic_schema elements;
    TRY(strategic_schema_elements(task->schema, name, &elements));
    if (is_delete)
        return merge_list_delete(merge, old, patch, elements);
    if (elements.field->flags & GO_MERGE)
        return merge_list(merge, old, patch, elements);
    put_raw(merge, task->object, name, patch);
    return NULL;
}

/*
 * One member of the patch against the original. Null removes it. Values of different forms are not
 * merged: the new one wins.
 */
static struct error *merge_member(struct merge *merge, const struct merge_task *task,
                                  struct str name, const struct json_value *patch, bool is_delete)
{
    struct map *members = &task->object->members;
    const enum go_kind type = go_kind(patch);
    if (type == GO_KIND_NIL) {
        map_remove(members, name);
        return NULL;
    }
    struct merge_node *old = map_find(members, name);
    if (!old || go_kind_of_node(old) != type)
        return is_delete ? NULL : put_member(merge, task->object, name, patch);
    if (type == GO_KIND_MAP)
        return merge_object(merge, task, name, old, patch);
    if (type == GO_KIND_SLICE)
        return merge_array(merge, task, name, old, patch, is_delete);
    put_raw(merge, task->object, name, patch);
    return NULL;
}

/* Step 4: every member of the patch that no directive has dealt with. */
static struct error *merge_members(struct merge *merge, const struct merge_task *task,
                                   const struct map *ordered)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, task->patch) {
        struct str name = key;
        const bool is_delete = str_starts_with(key, DELETE_FROM);
        if (str_eq(key, RETAIN) || str_starts_with(key, SET_ORDER) || map_has(ordered, key))
            continue;
        if (is_delete && !directive_name(key, DELETE_FROM, &name))
            return error_new(ERROR_BAD_REQUEST, "invalid patch format of primitive list");
        TRY(merge_member(merge, task, name, value, is_delete));
    }
    return merge_tree_check(&merge->tree);
}

/* One task, in the four steps above. */
static struct error *merge_task_run(struct merge *merge, const struct merge_task *task)
{
    SCOPED(map) ordered = {.release = NULL};
    const struct json_value *directive = json_get(task->patch, PATCH);
    if (directive)
        return apply_directive(merge, task, directive);
    merge_tree_open(&merge->tree, task->object);
    TRY(apply_retain(merge, task));
    TRY(apply_orders(merge, task, &ordered));
    return merge_members(merge, task, &ordered);
}

/* Tasks that a task added are done in the order it added them, and before all others. */
static void reverse_tasks(struct merge *merge, size_t from)
{
    for (size_t to = merge->count; from + 1 < to; from++) {
        const struct merge_task task = merge->tasks[from];
        merge->tasks[from] = merge->tasks[--to];
        merge->tasks[to] = task;
    }
}

struct error *strategic_merge_apply(const struct go_type *type, const struct json_value *original,
                                    const struct json_value *patch, struct json_doc **ret_doc)
{
    SCOPED(merge) merge = {.count = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    if (json_type(patch) != JSON_OBJECT || json_type(original) != JSON_OBJECT)
        return error_new(ERROR_BAD_REQUEST, "invalid JSON document");
    struct merge_node *root = merge_tree_new(&merge.tree, original);
    merge_push(&merge, root, patch, (struct strategic_schema){.root = type});
    while (merge.count > 0) {
        const struct merge_task task = merge.tasks[--merge.count];
        const size_t before = merge.count;
        TRY(merge_task_run(&merge, &task));
        reverse_tasks(&merge, before);
    }
    merge_tree_write(root, &builder);
    return json_builder_finish(&builder, ret_doc);
}
