/*
 * Parts of the validation of definitions. Private to definition*.c.
 *
 * Kubernetes validates its older form of definitions, in which what all versions have in common
 * stands once, beside the versions. Paths in messages are those of that form.
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

/* What a version may say of its own or share with the others; path is that of the holder. */
void definition_check_schema(const struct json_value *schema, bool has_status, struct str path,
                             struct field_errors *errors);
void definition_check_subresources(const struct json_value *subresources, struct str path,
                                   struct field_errors *errors);
void definition_check_columns(const struct json_value *columns, struct str path,
                              struct field_errors *errors);
void definition_check_selectable(const struct json_value *fields, const struct json_value *schema,
                                 struct str path, struct field_errors *errors);

/* x-kubernetes-validations anywhere in a schema that compiles. */
void definition_check_rules(const struct json_value *openapi, struct str path,
                            struct field_errors *errors);

/* A group that belongs to Kubernetes needs an annotation; one without it may stay so. */
void definition_check_approval(const struct json_value *definition, const struct json_value *old,
                               struct field_errors *errors);

void definition_check_conversion(const struct json_value *conversion, struct field_errors *errors);

/* All messages of a check in one, as upstream joins them. Adds nothing when there are none. */
void definition_add_syntax(struct field_errors *errors, struct str path, struct str value,
                           struct validation found, const char *before);
