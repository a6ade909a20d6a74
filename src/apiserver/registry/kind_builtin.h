/*
 * struct kind_ops for built-in kinds. All rows of kinds_all() share these functions; tables in the
 * sources say in what kinds differ.
 */
#pragma once

#include "apiserver/registry/kind.h"

extern const struct kind_ops kind_builtin_ops;

/*
 * Passes a document through the kind's Go type, as decoding and encoding it would. Members that the
 * type does not have are dropped. Null and optional zero values are dropped too. Required members
 * and structs are written even if they are empty, kind and apiVersion always. Times, quantities and
 * base64 are written in their canonical form. The result has no null members: where Go writes null
 * (times, empty lists), the member is absent.
 *
 * Unknown fields are named in the order of the document. A value of the wrong type is
 * ERROR_BAD_REQUEST with the message of Go's decoder alone (json: cannot unmarshal number into Go
 * struct field ConfigMap.data of type string). Callers add the prefix: ConfigMap in version "v1"
 * cannot be handled as a ConfigMap.
 */
MUST_USE struct error *kind_builtin_decode(const struct kind *kind, struct json_doc *doc,
                                           struct json_warnings *unknown,
                                           struct json_doc **ret_doc);

/*
 * Fills in the defaults of all types in a decoded document. The document must have been decoded:
 * members that are not in the type would be dropped. Defaulting twice changes nothing more.
 */
MUST_USE struct error *kind_builtin_default(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);

/*
 * PrepareForCreate and PrepareForUpdate of upstream's strategies. On create the caller must have
 * set metadata.name and metadata.uid: the selector of a Job contains the uid, and a Namespace gets
 * its name as a label. On a write to /status the spec is that of the old object; labels and
 * annotations are too for those kinds whose strategy does so. Admission plugins are not part of
 * this: pods get no default tolerations and no priority.
 */
MUST_USE struct error *kind_builtin_prepare(const struct kind *kind, const struct kind_write *write,
                                            struct json_doc *doc, struct json_doc **ret_doc);

/*
 * A write to /status validates the status, any other write everything else. Metadata is checked by
 * metadata_check(), except for the few names and annotations that a kind has rules for.
 */
void kind_builtin_validate(const struct kind *kind, const struct kind_write *write,
                           const struct json_value *object, struct field_errors *errors);

/*
 * Converts an Event between its two API groups, and a HorizontalPodAutoscaler to autoscaling/v1.
 * Events are stored in the group they were written in, HorizontalPodAutoscalers in v2.
 */
MUST_USE struct error *kind_builtin_present(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);

/*
 * What kube-apiserver warns of, and what this server does not enforce. Unlike upstream, this does
 * not look into the certificate and the key of a Secret.
 */
void kind_builtin_warn(const struct kind *kind, const struct kind_write *write,
                       const struct json_value *object, struct json_warnings *warnings);

/* Adds the cells of a Table row; see kind_columns.c. */
void kind_builtin_cells(const struct kind *kind, const struct json_value *object, timestamp now,
                        struct json_builder *out);

/*
 * The paths of what a write to the object, or to a subresource, does not change, so that it does
 * not own it either.
 */
size_t kind_builtin_resets(const struct kind *kind, struct str subresource,
                           const char *const **ret_paths);
