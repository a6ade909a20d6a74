/*
 * Structural schemas of custom resources: compiled once, shared by reference, applied to many
 * objects.
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
 * Every schema knows apiVersion, kind and metadata of the object itself; they are checked
 * elsewhere. No function recurses with the depth of a document. References are counted on one
 * thread.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema (structural schemas, pruning,
 * defaulting) and k8s.io/kube-openapi/pkg/validation (validation of values).
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

/*
 * Deeper schemas are refused: every node of a schema has a path, whose length grows with the depth.
 * SCHEMA_LOGIC_MAX is how deep allOf, anyOf, oneOf and not may nest in one another. Validation
 * recurses into them.
 */
#define SCHEMA_DEPTH_MAX 500
#define SCHEMA_LOGIC_MAX 8

/*
 * What is shown of the path around a node: a long name around many nodes is not copied for each of
 * them.
 */
struct str schema_path_around(struct str path);

/*
 * Compiles an openAPIV3Schema. Returns NULL when the schema is not valid or not structural, and
 * adds all reasons to the errors, at paths below `path`.
 */
MUST_USE struct schema *schema_compile(const struct json_value *openapi, struct str path,
                                       struct field_errors *errors);

struct schema *schema_ref(struct schema *schema);
void schema_free(struct schema *schema); /* gives one reference back */
DEFINE_OWNED(schema)

/* Validation, with the messages of Kubernetes and in its order. */

enum schema_scope {
    SCHEMA_OBJECT, /* a create or an update of the whole */
    SCHEMA_STATUS, /* an update of /status: values of the status only, lists of the whole object */
};

/*
 * Adds the errors of an object. If the schema has rules (x-kubernetes-validations), and errors of
 * some types keep Kubernetes from evaluating them, one more error says so. Errors that are in the
 * list already, from the metadata, count for that.
 */
void schema_validate(const struct schema *schema, const struct json_value *object,
                     enum schema_scope scope, struct field_errors *errors);

bool schema_has_rules(const struct schema *schema);

/* Whether values of the type ("string", "integer", ...; empty for any) are checked for a format. */
bool schema_knows_format(struct str type, struct str format);

/* Whether Kubernetes would not evaluate rules after these errors. */
bool schema_blocks_rules(const struct field_errors *errors);

/* Pruning and defaulting return the same document, with one more reference, if nothing changes. */

/* Paths of fields that pruning removed, "spec.x" or "spec.items[0].y", sorted, in the arena. */
struct schema_unknown {
    struct arena *arena;
    struct str *paths;
    size_t count, capacity; /* capacity is private */
};

/* Fields beyond this number are removed, but their paths are not recorded. */
#define SCHEMA_UNKNOWN_MAX 1000

/* Records a copy of a path, unless there are SCHEMA_UNKNOWN_MAX already. */
void schema_unknown_add(struct schema_unknown *unknown, struct str path);

/* Removes fields that the schema does not know. Their paths go to unknown, if it is not NULL. */
MUST_USE struct error *schema_prune(const struct schema *schema, struct json_doc *doc,
                                    struct schema_unknown *unknown, struct json_doc **ret_doc);

/* Fills in defaults. A null where the schema does not allow it is replaced by the default, or
 * removed if there is none. */
MUST_USE struct error *schema_default(const struct schema *schema, struct json_doc *doc,
                                      struct json_doc **ret_doc);

/* The same for an applied object: a null without a default stays, for the validation to refuse. */
MUST_USE struct error *schema_default_applied(const struct schema *schema, struct json_doc *doc,
                                              struct json_doc **ret_doc);

/* The nodes of a schema, for server-side apply. All functions accept NULL for a node. */

enum schema_list_type {
    SCHEMA_LIST_ATOMIC,
    SCHEMA_LIST_SET,
    SCHEMA_LIST_MAP,
};

const struct schema_node *schema_root(const struct schema *schema);

/* The node of a member, from properties or additionalProperties; the node of the elements of an
 * array. NULL when the schema describes neither. */
const struct schema_node *schema_member(const struct schema_node *node, struct str name);
const struct schema_node *schema_items(const struct schema_node *node);

/* Whether the node has properties; one of this name; whether it allows members of any name. */
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
