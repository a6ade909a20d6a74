/*
 * Structural schemas of custom resources: compiled once, shared, asked often.
 *
 *     OWNED(schema) schema = NULL;
 *     struct field_errors errors = {.arena = arena};
 *     schema = schema_compile(openapi, STR("spec.validation.openAPIV3Schema"), &errors);
 *     if (!schema)
 *         return status_invalid(gvk, name, &errors);
 *     TRY(schema_prune(schema, doc, &unknown, &pruned), "prune object");
 *     TRY(schema_default(schema, pruned, &defaulted), "fill in defaults");
 *     schema_validate(schema, json_doc_root(defaulted), SCHEMA_OBJECT, &errors);
 *
 * apiVersion, kind and metadata of the object itself are known to every schema and checked
 * elsewhere. Nothing here recurses with the depth of a document. References are counted on one
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/field_error.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "json/json.h"

struct schema;
struct schema_node;

/* Deeper schemas are refused, because every node has a path; so are, within, conditions (allOf,
 * anyOf, oneOf and not) that nest deeper in one another. */
#define SCHEMA_DEPTH_MAX 500
#define SCHEMA_LOGIC_MAX 8

/*
 * From an openAPIV3Schema. What is wrong with it is added to the errors below the path, and NULL
 * comes back then.
 */
MUST_USE struct schema *schema_compile(const struct json_value *openapi, struct str path,
                                       struct field_errors *errors);

struct schema *schema_ref(struct schema *schema);
void schema_free(struct schema *schema); /* gives one reference back */
DEFINE_OWNED(schema)

/* Validation, in the words and the order of Kubernetes. */

enum schema_scope {
    SCHEMA_OBJECT, /* a create or an update of the whole */
    SCHEMA_STATUS, /* an update of the subresource: only the status is held to the schema */
};

/*
 * Adds what is wrong with an object. Where the schema has rules (x-kubernetes-validations) and
 * something keeps them from being checked, it says so too, as Kubernetes does; what was found
 * before, in the metadata, counts for that.
 */
void schema_validate(const struct schema *schema, const struct json_value *object,
                     enum schema_scope scope, struct field_errors *errors);

/* Rules there are; their evaluation follows a validation that schema_blocks_rules() lets pass. */
bool schema_has_rules(const struct schema *schema);
bool schema_blocks_rules(const struct field_errors *errors);

/* Pruning and defaulting give the same document, with a reference more, when nothing changes. */

/* Paths of fields that were removed: "spec.x", "spec.items[0].y"; sorted, in the arena. */
struct schema_unknown {
    struct arena *arena;
    struct str *paths;
    size_t count, capacity; /* capacity is private */
};

/* More are removed but not named. */
#define SCHEMA_UNKNOWN_MAX 1000

/* Takes a copy of a path; one beyond the limit is left out. */
void schema_unknown_add(struct schema_unknown *unknown, struct str path);

/* Removes fields that the schema does not know. NULL for unknown asks for no paths. */
MUST_USE struct error *schema_prune(const struct schema *schema, struct json_doc *doc,
                                    struct schema_unknown *unknown, struct json_doc **ret_doc);

/* Fills in defaults; null where it is not allowed is replaced by the default or removed. */
MUST_USE struct error *schema_default(const struct schema *schema, struct json_doc *doc,
                                      struct json_doc **ret_doc);

/* The parts of a schema, for server-side apply and for rules. All accept NULL and give NULL. */

enum schema_list_type {
    SCHEMA_LIST_ATOMIC,
    SCHEMA_LIST_SET,
    SCHEMA_LIST_MAP,
};

const struct schema_node *schema_root(const struct schema *schema);

/* Of a member, by properties or additionalProperties; of the elements. NULL when undescribed. */
const struct schema_node *schema_member(const struct schema_node *node, struct str name);
const struct schema_node *schema_items(const struct schema_node *node);

/* Whether there are properties, and one of this name; whether members of any name are fine,
 * described or not. */
bool schema_has_properties(const struct schema_node *node);
bool schema_has_property(const struct schema_node *node, struct str name);
bool schema_has_any_member(const struct schema_node *node);

bool schema_is_array(const struct schema_node *node);
bool schema_is_object(const struct schema_node *node);
bool schema_is_number(const struct schema_node *node); /* integer or number */
bool schema_is_string(const struct schema_node *node);
bool schema_is_boolean(const struct schema_node *node);
bool schema_is_int_or_string(const struct schema_node *node);
bool schema_is_embedded_resource(const struct schema_node *node);
bool schema_preserves_unknown_fields(const struct schema_node *node);

enum schema_list_type schema_list_type(const struct schema_node *node);
const struct str *schema_list_keys(const struct schema_node *node, size_t *ret_count);
bool schema_is_atomic_map(const struct schema_node *node);

/* The keyword default, or NULL. */
const struct json_value *schema_default_value(const struct schema_node *node);
