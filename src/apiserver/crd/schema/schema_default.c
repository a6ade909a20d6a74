/*
 * Defaulting: absent properties get their defaults, at all depths, and so do members of a default
 * that is filled in. A null where the schema does not allow it counts as absent. Upstream:
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/algorithm.go, Default() and
 * PruneNonNullableNullsWithoutDefaults().
 */
#include "apiserver/crd/schema/schema_rewrite.h"
#include "base/memory.h"

/* An undescribed value is kept as it is. may_drop is false for elements, see decide_member(). */
static struct part decide_described(const struct schema_node *node, const struct json_value *value,
                                    bool may_drop)
{
    if (!node)
        return (struct part){PART_KEEP, NULL, value};
    if (json_type(value) != JSON_NULL || node->nullable)
        return (struct part){PART_DESCEND, node, value};
    if (node->default_value)
        return (struct part){PART_DESCEND, node, node->default_value};
    return (struct part){may_drop ? PART_DROP : PART_KEEP, NULL, value};
}

static struct part decide_member(const struct rewrite_frame *frame, struct str key,
                                 const struct json_value *value, bool may_drop)
{
    /* A null element stays: removing it would renumber the others. */
    if (json_type(frame->value) == JSON_ARRAY)
        return decide_described(frame->node->items, value, false);
    if ((frame->is_root || frame->node->embedded) && schema_is_meta_name(key))
        return (struct part){PART_KEEP, NULL, value};
    const struct schema_property *property = schema_find_property(frame->node, key);
    return decide_described(property ? property->node : frame->node->additional, value, may_drop);
}

static struct part decide_part(const struct rewrite_frame *frame, struct str key,
                               const struct json_value *value)
{
    return decide_member(frame, key, value, true);
}

static struct part decide_applied(const struct rewrite_frame *frame, struct str key,
                                  const struct json_value *value)
{
    return decide_member(frame, key, value, false);
}

/* Objects and schemas with fewer members are searched for each property. */
#define PRESENT_MIN 16

/* Which properties the object has, found in one look at its members. */
static bool *find_present(const struct rewrite_frame *frame)
{
    const struct schema_node *node = frame->node;
    bool *present = mem_realloc_array(NULL, node->property_count, sizeof(*present));
    const struct json_value *value;
    memset(present, 0, node->property_count * sizeof(*present));
    JSON_FOREACH (key, value, frame->value) {
        const struct schema_property *property = schema_find_property(node, key);
        if (property)
            present[property - node->properties] = true;
    }
    return present;
}

static bool is_present(struct rewrite_frame *frame, size_t index)
{
    const struct schema_node *node = frame->node;
    if (node->property_count < PRESENT_MIN || json_count(frame->value) < PRESENT_MIN)
        return json_get(frame->value, node->properties[index].name);
    if (!frame->present)
        frame->present = find_present(frame);
    return frame->present[index];
}

/* The next property that has a default and is absent from the object. */
static const struct schema_property *next_missing(struct rewrite_frame *frame)
{
    if (json_type(frame->value) != JSON_OBJECT)
        return NULL;
    while (frame->next_property < frame->node->property_count) {
        const size_t index = frame->next_property++;
        const struct schema_property *property = &frame->node->properties[index];
        if (property->node->default_value && !is_present(frame, index))
            return property;
    }
    return NULL;
}

struct error *schema_default(const struct schema *schema, struct json_doc *doc,
                             struct json_doc **ret_doc)
{
    const struct rewrite rewrite = {.decide = decide_part, .missing = next_missing};
    return rewrite_doc(&rewrite, schema->root, doc, ret_doc);
}

struct error *schema_default_applied(const struct schema *schema, struct json_doc *doc,
                                     struct json_doc **ret_doc)
{
    const struct rewrite rewrite = {.decide = decide_applied, .missing = next_missing};
    return rewrite_doc(&rewrite, schema->root, doc, ret_doc);
}
