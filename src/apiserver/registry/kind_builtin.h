/*
 * The steps of kind.h for built-in kinds; kinds_all() gives them to every one of its rows.
 */
#pragma once

#include "apiserver/registry/kind.h"

extern const struct kind_ops kind_builtin_ops;

/*
 * A document as Go's decoder and encoder would pass it through the kind's type: members the type
 * does not have vanish, so do null and zero values that are optional; required ones and structs
 * appear even if they are empty, kind and apiVersion always. Times, quantities and base64 are
 * written in their one form. No member is null: where Go writes one (times, empty lists), there is
 * none.
 *
 * Unknown fields are named in the order of the document. A value of the wrong type is
 * ERROR_BAD_REQUEST with the decoder's words alone (json: cannot unmarshal number into Go struct
 * field ConfigMap.data of type string); callers put in front of it: ConfigMap in version "v1"
 * cannot be handled as a ConfigMap.
 */
MUST_USE struct error *kind_builtin_decode(const struct kind *kind, struct json_doc *doc,
                                           struct json_warnings *unknown,
                                           struct json_doc **ret_doc);

/*
 * Defaults of the types wherever they occur, on a decoded document: members it does not know are
 * not copied. Doing it twice changes nothing.
 */
MUST_USE struct error *kind_builtin_default(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);

/*
 * On a create the caller has set metadata.name and metadata.uid before: a Job finds its pods by
 * its uid, a Namespace is labelled with its name. On /status the spec is that of the old object,
 * labels and annotations only for the kinds whose upstream does so. Does not do what admission
 * plugins do: tolerations and priority of pods, for one.
 */
MUST_USE struct error *kind_builtin_prepare(const struct kind *kind, const struct kind_write *write,
                                            struct json_doc *doc, struct json_doc **ret_doc);

/*
 * Of a write to /status the status is judged, of all others everything else. Metadata is left to
 * metadata_check(), apart from the few names and annotations that a kind has an opinion on.
 */
void kind_builtin_validate(const struct kind *kind, const struct kind_write *write,
                           const struct json_value *object, struct field_errors *errors);

/* Events are stored as whichever of their two forms was written, and shown as the one asked for. */
MUST_USE struct error *kind_builtin_present(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);

/*
 * Warnings for the answer to a create or update that succeeds: TLS secrets without certificates.
 * Upstream checks that key and certificate belong together, too; that is left to those who use
 * them.
 */
void kind_builtin_warn(const struct kind *kind, const struct json_value *object,
                       struct json_warnings *warnings);

/* The cells of a row; see kind_columns.c. */
void kind_builtin_cells(const struct kind *kind, const struct json_value *object, timestamp now,
                        struct json_builder *out);
