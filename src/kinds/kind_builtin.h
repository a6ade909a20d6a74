/*
 * The steps of kind.h for built-in kinds; kinds_all() gives them to every one of its rows.
 */
#pragma once

#include "kinds/kind.h"

extern const struct kind_ops kind_builtin_ops;

/*
 * A document as Go's decoder and encoder would pass it through the kind's type: members the type
 * does not have vanish, so do null and zero values that are optional; required ones appear.
 */
MUST_USE struct error *kind_builtin_decode(const struct kind *kind, struct json_doc *doc,
                                           struct json_warnings *unknown,
                                           struct json_doc **ret_doc);
MUST_USE struct error *kind_builtin_default(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);
MUST_USE struct error *kind_builtin_prepare(const struct kind *kind, const struct kind_write *write,
                                            struct json_doc *doc, struct json_doc **ret_doc);
void kind_builtin_validate(const struct kind *kind, const struct kind_write *write,
                           const struct json_value *object, struct field_errors *errors);

/* Events are stored as whichever of their two forms was written, and shown as the one asked for. */
MUST_USE struct error *kind_builtin_present(const struct kind *kind, struct json_doc *doc,
                                            struct json_doc **ret_doc);

/* The cells of a row; see kind_columns.c. */
void kind_builtin_cells(const struct kind *kind, const struct json_value *object, timestamp now,
                        struct json_builder *out);
