/*
 * Checks of the metadata of an object, as an API server makes them on create and update.
 *
 * Each function adds the errors it finds, below the path it is given ("metadata.labels"). Absent
 * values are valid, except for a name.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "apimachinery/validation.h"

/* The rule for the names of a kind: validation_dns1123_subdomain for most. */
typedef struct validation name_check_fn(struct str value);

/* The limit for all keys and values together, in bytes. */
#define ANNOTATIONS_SIZE_MAX (256 * KILOBYTE)

void metadata_check_labels(struct field_errors *errors, struct str path,
                           const struct json_value *labels);
void metadata_check_annotations(struct field_errors *errors, struct str path,
                                const struct json_value *annotations);
void metadata_check_finalizers(struct field_errors *errors, struct str path,
                               const struct json_value *finalizers);

/* Checks the required fields, and that at most one owner is the controller. */
void metadata_check_owner_references(struct field_errors *errors, struct str path,
                                     const struct json_value *owners);

void metadata_check_name(struct field_errors *errors, struct str path, struct str name,
                         name_check_fn *check);

/* An empty prefix is valid. So is a dash at the end, since the generated part follows it. */
void metadata_check_generate_name(struct field_errors *errors, struct str path, struct str prefix,
                                  name_check_fn *check);

/* All of the above for a metadata object, in the order in which an API server reports them. */
void metadata_check(struct field_errors *errors, const struct json_value *metadata,
                    name_check_fn *check);
