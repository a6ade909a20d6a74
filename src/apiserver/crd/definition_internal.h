/*
 * Parts of the validation of definitions. Private to definition*.c.
 *
 * Kubernetes converts a definition to its internal type before it validates. That type follows
 * v1beta1: a schema, subresources, columns or selectable fields that all versions have in common
 * stand once, beside the versions (spec.validation, spec.subresources, ...). Paths in messages are
 * those of the internal type.
 */
#pragma once

#include "apiserver/crd/definition.h"

/* Whether a member that is a boolean is true. */
bool definition_flag(const struct json_value *value, const char *member);

/* Whether one of the strings of a list is this text. */
bool definition_has_text(const struct json_value *list, struct str text);

/* "path.name" and "path[3]", in the arena of the errors. */
struct str definition_path(struct field_errors *errors, struct str path, const char *name);
struct str definition_path_index(struct field_errors *errors, struct str path, size_t index);

/*
 * The four parts that a version has for itself or shares with all others. The path is that of the
 * part itself: "spec.versions[0].schema", or "spec.validation" when it is shared.
 */
void definition_check_schema(const struct json_value *schema, bool has_status, struct str path,
                             struct field_errors *errors);
void definition_check_subresources(const struct json_value *subresources, struct str path,
                                   struct field_errors *errors);
void definition_check_columns(const struct json_value *columns, struct str path,
                              struct field_errors *errors);
void definition_check_selectable(const struct json_value *fields, const struct json_value *schema,
                                 struct str path, struct field_errors *errors);

/* Checks x-kubernetes-validations anywhere in a schema that compiles. */
void definition_check_rules(const struct json_value *openapi, struct str path,
                            struct field_errors *errors);

/*
 * A definition in a group that belongs to Kubernetes needs the annotation
 * api-approved.kubernetes.io. An update need not add what the old object did not have.
 */
void definition_check_approval(const struct json_value *definition, const struct json_value *old,
                               struct field_errors *errors);

void definition_check_conversion(const struct json_value *conversion, struct field_errors *errors);

/*
 * Adds one error with all messages of a syntax check, joined with commas as upstream does, behind
 * the text `before`. Adds nothing when there are no messages.
 */
void definition_add_syntax(struct field_errors *errors, struct str path, struct str value,
                           struct validation found, const char *before);
