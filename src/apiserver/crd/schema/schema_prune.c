/* Fields that a schema does not know are removed. */
#include "apiserver/crd/schema/schema_rewrite.h"

/* Of the object itself and of embedded resources. */
static struct part judge_meta(const struct rewrite_frame *frame, struct str key,
                              const struct json_value *value)
{
    if (!frame->is_root && str_eq(key, STR("metadata")))
        return (struct part){PART_DESCEND, schema_object_meta(), value};
    return (struct part){PART_KEEP, NULL, value};
}

static struct part judge_member(const struct rewrite_frame *frame, struct str key,
                                const struct json_value *value)
{
    const struct schema_node *node = frame->node;
    const bool is_resource = frame->is_root || (node && node->embedded);
    if (is_resource && schema_is_meta_name(key))
        return judge_meta(frame, key, value);
    if (!node)
        return (struct part){PART_DROP, NULL, value};
    const struct schema_property *property = schema_find_property(node, key);
    if (property)
        return (struct part){PART_DESCEND, property->node, value};
    if (node->additional || node->allows_additional)
        return (struct part){PART_DESCEND, node->additional, value};
    return (struct part){node->preserve ? PART_KEEP : PART_DROP, NULL, value};
}

static struct part judge(const struct rewrite_frame *frame, struct str key,
                         const struct json_value *value)
{
    const struct schema_node *node = frame->node;
    if (json_type(frame->value) == JSON_OBJECT)
        return judge_member(frame, key, value);
    if (node && node->preserve && !node->items)
        return (struct part){PART_KEEP, NULL, value};
    return (struct part){PART_DESCEND, node ? node->items : NULL, value};
}

static void take_note(void *data, struct str path)
{
    struct schema_unknown *unknown = data;
    if (unknown->count == SCHEMA_UNKNOWN_MAX)
        return;
    if (unknown->count == unknown->capacity) {
        unknown->capacity = unknown->capacity ? unknown->capacity * 2 : 8;
        struct str *paths = arena_alloc_array(unknown->arena, unknown->capacity, sizeof(paths[0]));
        if (unknown->count)
            memcpy(paths, unknown->paths, unknown->count * sizeof(paths[0]));
        unknown->paths = paths;
    }
    unknown->paths[unknown->count++] = arena_str(unknown->arena, path);
}

static int path_cmp(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct error *schema_prune(const struct schema *schema, struct json_doc *doc,
                           struct schema_unknown *unknown, struct json_doc **ret_doc)
{
    const struct rewrite rewrite = {
        .judge = judge, .dropped = unknown ? take_note : NULL, .data = unknown};
    TRY(rewrite_doc(&rewrite, schema->root, doc, ret_doc));
    if (unknown && unknown->count)
        qsort(unknown->paths, unknown->count, sizeof(unknown->paths[0]), path_cmp);
    return NULL;
}

bool schema_has_unknown(const struct schema_node *node, const struct json_value *value)
{
    const struct rewrite rewrite = {.judge = judge};
    return rewrite_changes(&rewrite, node, value, false);
}
