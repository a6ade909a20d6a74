/*
 * Pruning: removes fields that a schema does not specify. Upstream:
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 *
 * decide_part() is called for every member and element (schema_rewrite.h). A member is kept if it
 * is a property, is mentioned by additionalProperties, or if its object preserves unknown fields.
 * What is inside a preserved field is not looked at, unless a property describes it. A value
 * without a schema is an object of which no field is known.
 */
#include "apiserver/crd/schema/schema_rewrite.h"
#include "base/array.h"

/*
 * apiVersion, kind and metadata of the object itself, or of an embedded resource. The object's own
 * metadata is pruned when it is decoded, see crd_metadata.c.
 */
static struct part decide_meta(const struct rewrite_frame *frame, struct str key,
                               const struct json_value *value)
{
    if (!frame->is_root && str_eq(key, STR("metadata")))
        return (struct part){PART_DESCEND, schema_object_meta(), value};
    return (struct part){PART_KEEP, NULL, value};
}

static struct part decide_member(const struct rewrite_frame *frame, struct str key,
                                 const struct json_value *value)
{
    const struct schema_node *node = frame->node;
    const bool is_resource = frame->is_root || (node && node->embedded);
    if (is_resource && schema_is_meta_name(key))
        return decide_meta(frame, key, value);
    if (!node)
        return (struct part){PART_DROP, NULL, value};
    const struct schema_property *property = schema_find_property(node, key);
    if (property)
        return (struct part){PART_DESCEND, property->node, value};
    if (node->additional || node->allows_additional || node->forbids_additional)
        return (struct part){PART_DESCEND, node->additional, value};
    return (struct part){node->preserve ? PART_KEEP : PART_DROP, NULL, value};
}

static struct part decide_part(const struct rewrite_frame *frame, struct str key,
                               const struct json_value *value)
{
    const struct schema_node *node = frame->node;
    if (json_type(frame->value) == JSON_OBJECT)
        return decide_member(frame, key, value);
    if (node && node->preserve && !node->items)
        return (struct part){PART_KEEP, NULL, value};
    return (struct part){PART_DESCEND, node ? node->items : NULL, value};
}

void schema_unknown_add(struct schema_unknown *unknown, struct str path)
{
    if (unknown->count < SCHEMA_UNKNOWN_MAX)
        ARENA_ARRAY_PUSH(unknown->arena, unknown->paths, unknown->count, unknown->capacity,
                         arena_str(unknown->arena, path));
}

/* The callback form of schema_unknown_add(). */
static void note_dropped(void *data, struct str path)
{
    schema_unknown_add(data, path);
}

static int path_cmp(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct error *schema_prune(const struct schema *schema, struct json_doc *doc,
                           struct schema_unknown *unknown, struct json_doc **ret_doc)
{
    const struct rewrite rewrite = {
        .decide = decide_part, .dropped = unknown ? note_dropped : NULL, .data = unknown};
    TRY(rewrite_doc(&rewrite, schema->root, doc, ret_doc));
    if (unknown && unknown->count)
        qsort(unknown->paths, unknown->count, sizeof(unknown->paths[0]), path_cmp);
    return NULL;
}

bool schema_has_unknown(const struct schema_node *node, const struct json_value *value)
{
    const struct rewrite rewrite = {.decide = decide_part};
    return rewrite_changes(&rewrite, node, value, false);
}
