/*
 * Writes the values of a JSON document in the order of the YAML text. Private to this folder.
 *
 * The nodes of a YAML document are counted before its values are made, so that a document takes two
 * allocations, which matters because streams hold hundreds of small documents. The array of values
 * grows only when aliases expand. All other code uses json/builder.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/yaml/yaml_number.h"

struct json_doc;
struct yyjson_val;

struct manifest_out {
    struct json_doc *doc; /* gets the values at the end */
    struct yyjson_val *values;
    size_t count, capacity;
    size_t open; /* index of the innermost open container */
    char *room;  /* in the document, for the texts that were counted */
};

/* Allocates for this many values and this many bytes of text; a NUL per text is added. */
void manifest_out_init(struct manifest_out *out, size_t values, size_t text);
void manifest_out_done(struct manifest_out *out);

void manifest_out_open(struct manifest_out *out, bool object);
void manifest_out_close(struct manifest_out *out);

/* Adds text that was counted. The text is copied into the document once and *text points there. */
void manifest_out_str(struct manifest_out *out, struct str *text, bool *is_moved);
void manifest_out_key(struct manifest_out *out, struct str *text, bool *is_moved);

/* Adds any other text; returns the copy. Bytes that are not UTF-8 become U+FFFD. */
struct str manifest_out_copy_str(struct manifest_out *out, struct str text);
void manifest_out_copy_key(struct manifest_out *out, struct str text);

void manifest_out_null(struct manifest_out *out);
void manifest_out_bool(struct manifest_out *out, bool truth);
void manifest_out_number(struct manifest_out *out, struct scalar_number number);

/* Returns the document. The last of several members with one name wins. */
struct json_doc *manifest_out_finish(struct manifest_out *out);
