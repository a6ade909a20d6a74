/*
 * The compiled form of a schema: a tree of struct schema_node in the schema's arena. Private to
 * schema*.c.
 *
 * A node has what pruning, defaulting and server-side apply need. Keywords that few nodes have are
 * in a struct schema_limits, which most nodes do without. Nodes are immutable once schema_compile()
 * returns; schema_object_meta.c has some as constants.
 */
#pragma once

#include <stdint.h>

#include "apiserver/crd/schema/schema.h"
#include "base/regexp/regexp.h"

enum schema_type {
    TYPE_ARRAY = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INTEGER = 4,
    TYPE_NUMBER = 8,
    TYPE_OBJECT = 16,
    TYPE_STRING = 32,
};

struct schema_property {
    struct str name;
    const struct schema_node *node;
};

struct schema_nodes {
    const struct schema_node **items;
    size_t count;
};

struct schema_names {
    struct str *items;
    size_t count;
};

/* Keywords that few nodes have. Lengths and counts that are absent are -1. */
struct schema_limits {
    bool has_minimum, has_maximum, has_multiple_of;
    bool exclusive_minimum, exclusive_maximum;
    double minimum, maximum, multiple_of;
    int64_t min_length, max_length, min_items, max_items, min_properties, max_properties;
    struct str pattern_text;
    const struct regexp *pattern;
    struct schema_nodes all_of, any_of, one_of;
    const struct schema_node *not_of;
    const struct json_value *enumeration;
    struct schema_names enum_texts; /* the same, sorted; empty unless it is many texts */
};

struct schema_node {
    uint8_t types; /* of enum schema_type; 0 for any */
    uint8_t list_type;
    bool nullable : 1, int_or_string : 1, embedded : 1, preserve : 1, atomic_map : 1;
    bool allows_additional : 1, forbids_additional : 1; /* additionalProperties: true, false */
    bool is_logic : 1;                                  /* inside of allOf, anyOf, oneOf or not */
    bool is_below_additional : 1; /* of additionalProperties: any default is taken there */
    struct str format;
    const struct schema_property *properties; /* sorted by name */
    size_t property_count;
    const struct schema_node *additional, *items;
    struct schema_names required, list_keys;
    const struct json_value *default_value;
    const struct schema_limits *limits; /* NULL for none */
};

struct schema {
    size_t references;
    struct arena arena;
    struct json_doc *constants; /* values of enum and default */
    const struct schema_node *root;
    bool has_rules;
};

const struct schema_property *schema_find_property(const struct schema_node *node, struct str name);

/*
 * Errors that the keywords of one node show. Called when the node has been read. A condition has
 * no type, unless it is one of the two that say "integer or string".
 */
void schema_check_node(const struct json_value *json, const struct schema_node *node,
                       struct str path, bool may_have_type, struct field_errors *errors);

/* Errors that only the root can have. */
void schema_check_root(const struct json_value *json, const struct schema_node *node,
                       struct str path, struct field_errors *errors);

/* Errors that involve properties, items or defaults. Called when all nodes have been read. */
void schema_check_parts(const struct json_value *json, const struct schema_node *node,
                        struct str path, struct field_errors *errors);

/* The bit of a type name; false for any other text. */
bool schema_type_from_name(struct str name, uint8_t *ret_type);

/* The schema of an embedded resource's metadata. */
const struct schema_node *schema_object_meta(void);

/* True for "apiVersion", "kind" and "metadata". */
bool schema_is_meta_name(struct str name);

/*
 * Validates a value against a node. The field of an error starts with the prefix, its message does
 * not: "status.phase: Invalid value: "": phase in body should be at least 1 chars long".
 */
void schema_validate_value(const struct schema_node *node, const struct json_value *value,
                           struct str prefix, struct field_errors *errors);

/* Checks embedded resources, and lists that are sets or maps, anywhere in an object. */
void schema_validate_embedded(const struct schema_node *root, const struct json_value *object,
                              struct field_errors *errors);
void schema_validate_lists(const struct schema_node *root, const struct json_value *object,
                           struct field_errors *errors);

/* Whether a text has the format. True for a format that schema_format.c does not list. */
bool schema_format_holds(struct str format, struct str text);

/* Whether pruning would change a value. */
bool schema_has_unknown(const struct schema_node *node, const struct json_value *value);
