/*
 * Types of custom resources: a cursor over the compiled schema of a CustomResourceDefinition.
 *
 * The root of an object has typed metadata, whatever its schema says. x-kubernetes-preserve-
 * unknown-fields is inherited by everything below it that the schema does not describe. The
 * functions at the end of this file are the interface of all field types; they call the operations
 * of the schema or of field_builtin.c.
 */
#include "apiserver/managedfields/field_type.h"

#include "apiserver/managedfields/field_type_internal.h"

/* Flags of a place in a schema. */
enum {
    AT_ROOT = 1,
    PRESERVING = 2, /* here or further out unknown fields are preserved */
};

static const struct field_shape unknown_shape = {
    .forms = FIELD_MAP | FIELD_SCALAR | FIELD_LIST,
    .list = SCHEMA_LIST_ATOMIC,
};

static const struct field_type_ops schema_ops;

static struct field_type place(const struct schema_node *node, unsigned flags)
{
    if (!node)
        return (struct field_type){.ops = NULL};
    if (schema_preserves_unknown_fields(node))
        flags |= PRESERVING;
    return (struct field_type){.ops = &schema_ops, .node = node, .flags = flags};
}

/* A node without a type may hold anything; lists in it are atomic. */
static struct field_shape schema_shape(struct field_type type)
{
    const struct schema_node *node = type.node;
    struct field_shape shape = unknown_shape;
    shape.list = schema_list_type(node);
    shape.atomic_map = schema_is_atomic_map(node);
    if (!node || schema_is_int_or_string(node)) {
        shape.forms = node ? FIELD_SCALAR : shape.forms;
    } else if (schema_is_object(node)) {
        shape.forms = FIELD_MAP;
    } else if (schema_is_array(node)) {
        shape.forms = FIELD_LIST;
    } else if (schema_is_number(node)) {
        shape.forms = FIELD_SCALAR;
        shape.scalar = FIELD_SCALAR_NUMBER;
    } else if (schema_is_string(node)) {
        shape.forms = FIELD_SCALAR;
        shape.scalar = FIELD_SCALAR_STRING;
    } else if (schema_is_boolean(node)) {
        shape.forms = FIELD_SCALAR;
        shape.scalar = FIELD_SCALAR_BOOL;
    }
    return shape;
}

/* apiVersion, kind and metadata of an object. */
static bool meta_member(struct str name, struct field_member *ret_member)
{
    const bool is_metadata = str_eq(name, STR("metadata"));
    if (!is_metadata && !str_eq(name, STR("kind")) && !str_eq(name, STR("apiVersion")))
        return false;
    *ret_member = (struct field_member){
        .type = is_metadata ? field_builtin_metadata() : field_builtin_string(),
        .declared = true,
    };
    return true;
}

/*
 * Declared members, then the schema of additional properties, then whether unknown members are
 * preserved.
 */
static bool schema_type_member(struct field_type type, struct str name,
                               struct field_member *ret_member)
{
    const struct schema_node *node = type.node;
    if (((type.flags & AT_ROOT) || schema_is_embedded_resource(node)) &&
        meta_member(name, ret_member))
        return true;
    const struct schema_node *member = schema_member(node, name);
    const bool declared = schema_has_property(node, name);
    /* An object of which nothing at all is said may have any member, unless it is a resource. */
    const bool is_free = schema_is_object(node) && !schema_has_properties(node);
    const bool open = !node || (type.flags & PRESERVING) || schema_has_any_member(node) ||
                      (is_free && !(type.flags & AT_ROOT));
    *ret_member = (struct field_member){
        .type = place(member, type.flags & PRESERVING),
        .declared = declared,
    };
    return member || open;
}

static struct field_type schema_element(struct field_type type)
{
    return place(schema_items(type.node), type.flags & PRESERVING);
}

static size_t schema_key_count(struct field_type type)
{
    size_t count;
    schema_list_keys(type.node, &count);
    return count;
}

static struct str schema_key(struct field_type type, size_t index)
{
    size_t count;
    return schema_list_keys(type.node, &count)[index];
}

/*
 * A key of a list may have a default in the schema of its elements. An element that leaves the key
 * out is found by it.
 */
static bool schema_key_default(struct field_type type, struct str key, struct buf *out)
{
    const struct json_value *value =
        schema_default_value(schema_member(schema_items(type.node), key));
    if (value)
        json_write(out, value);
    return value != NULL;
}

static const struct field_type_ops schema_ops = {
    .shape = schema_shape,
    .member = schema_type_member,
    .element = schema_element,
    .key_count = schema_key_count,
    .key = schema_key,
    .key_default = schema_key_default,
};

/* Without a schema everything but the metadata is untyped. */
struct field_type field_type_of_schema(const struct schema *schema)
{
    const struct schema_node *root = schema_root(schema);
    struct field_type type = place(root, AT_ROOT);
    if (!root)
        type = (struct field_type){.ops = &schema_ops, .flags = AT_ROOT};
    return type;
}

struct field_shape field_type_shape(struct field_type type)
{
    return type.ops ? type.ops->shape(type) : unknown_shape;
}

bool field_type_member(struct field_type type, struct str name, struct field_member *ret_member)
{
    if (type.ops)
        return type.ops->member(type, name, ret_member);
    *ret_member = (struct field_member){.declared = false};
    return true;
}

struct field_type field_type_element(struct field_type type)
{
    return type.ops ? type.ops->element(type) : type;
}

size_t field_type_key_count(struct field_type type)
{
    return type.ops ? type.ops->key_count(type) : 0;
}

struct str field_type_key(struct field_type type, size_t index)
{
    return type.ops->key(type, index);
}

bool field_type_key_default(struct field_type type, struct str key, struct buf *out)
{
    return type.ops && type.ops->key_default(type, key, out);
}
