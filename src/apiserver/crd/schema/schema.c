/*
 * Life cycle and accessors of schemas. Properties are sorted by name, so that lookups are binary
 * searches. The predicates schema_is_...() are true for nodes of exactly that type.
 */
#include "apiserver/crd/schema/schema.h"

#include "apiserver/crd/schema/schema_internal.h"
#include "base/memory.h"

struct schema *schema_ref(struct schema *schema)
{
    schema->references++;
    return schema;
}

void schema_free(struct schema *schema)
{
    if (!schema || --schema->references)
        return;
    json_doc_free(schema->constants);
    arena_done(&schema->arena);
    mem_free(schema);
}

static int property_cmp(const void *key, const void *item)
{
    const struct str *name = key;
    const struct schema_property *property = item;
    return str_cmp(*name, property->name);
}

const struct schema_property *schema_find_property(const struct schema_node *node, struct str name)
{
    if (node->property_count == 0)
        return NULL;
    return bsearch(&name, node->properties, node->property_count, sizeof(node->properties[0]),
                   property_cmp);
}

bool schema_is_meta_name(struct str name)
{
    return str_eq(name, STR("apiVersion")) || str_eq(name, STR("kind")) ||
           str_eq(name, STR("metadata"));
}

const struct schema_node *schema_root(const struct schema *schema)
{
    return schema ? schema->root : NULL;
}

bool schema_has_rules(const struct schema *schema)
{
    return schema->has_rules;
}

/* An embedded resource that does not describe its metadata gets the schema of ObjectMeta. */
const struct schema_node *schema_member(const struct schema_node *node, struct str name)
{
    if (!node)
        return NULL;
    const struct schema_property *property = schema_find_property(node, name);
    if (property)
        return property->node;
    if (node->embedded && str_eq(name, STR("metadata")))
        return schema_object_meta();
    return node->additional;
}

bool schema_has_properties(const struct schema_node *node)
{
    return node && node->property_count > 0;
}

bool schema_has_property(const struct schema_node *node, struct str name)
{
    return node && schema_find_property(node, name);
}

/* True with x-kubernetes-preserve-unknown-fields or additionalProperties. */
bool schema_has_any_member(const struct schema_node *node)
{
    return node && (node->preserve || node->additional || node->allows_additional);
}

const struct schema_node *schema_items(const struct schema_node *node)
{
    return node ? node->items : NULL;
}

bool schema_is_array(const struct schema_node *node)
{
    return node && node->types == TYPE_ARRAY;
}

bool schema_is_object(const struct schema_node *node)
{
    return node && node->types == TYPE_OBJECT;
}

bool schema_is_number(const struct schema_node *node)
{
    return node && (node->types == TYPE_INTEGER || node->types == TYPE_NUMBER);
}

bool schema_is_string(const struct schema_node *node)
{
    return node && node->types == TYPE_STRING;
}

bool schema_is_boolean(const struct schema_node *node)
{
    return node && node->types == TYPE_BOOLEAN;
}

bool schema_is_int_or_string(const struct schema_node *node)
{
    return node && node->int_or_string;
}

bool schema_is_embedded_resource(const struct schema_node *node)
{
    return node && node->embedded;
}

bool schema_preserves_unknown_fields(const struct schema_node *node)
{
    return node && node->preserve;
}

enum schema_list_type schema_list_type(const struct schema_node *node)
{
    return node ? (enum schema_list_type)node->list_type : SCHEMA_LIST_ATOMIC;
}

const struct str *schema_list_keys(const struct schema_node *node, size_t *ret_count)
{
    *ret_count = node ? node->list_keys.count : 0;
    return node ? node->list_keys.items : NULL;
}

bool schema_is_atomic_map(const struct schema_node *node)
{
    return node && node->atomic_map;
}

const struct json_value *schema_default_value(const struct schema_node *node)
{
    return node ? node->default_value : NULL;
}
