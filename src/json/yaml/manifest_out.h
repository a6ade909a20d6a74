/*
 * The values of a document in the order in which they are met. Private to this folder.
 *
 * The nodes of a YAML document are counted before its values are made, so that a document takes two
 * allocations, however small: it matters, because streams hold hundreds of small ones. Room grows
 * only where aliases expand. json/builder.h is the tool for everybody else.
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

/* Room for so many values and for the text of so many bytes, each text with a NUL. */
void manifest_out_init(struct manifest_out *out, size_t values, size_t text);
void manifest_out_done(struct manifest_out *out);

void manifest_out_open(struct manifest_out *out, bool object);
void manifest_out_close(struct manifest_out *out);

/* Text that was counted. It moves into the document; the caller's view is where it is then. */
void manifest_out_str(struct manifest_out *out, struct str *text, bool *is_moved);
void manifest_out_key(struct manifest_out *out, struct str *text, bool *is_moved);

/* Any other text; returns where it is in the document. Bytes that are not UTF-8 become U+FFFD. */
struct str manifest_out_copy_str(struct manifest_out *out, struct str text);
void manifest_out_copy_key(struct manifest_out *out, struct str text);

void manifest_out_null(struct manifest_out *out);
void manifest_out_bool(struct manifest_out *out, bool truth);
void manifest_out_number(struct manifest_out *out, struct scalar_number number);

/* Of members with one name the last stays. */
struct json_doc *manifest_out_finish(struct manifest_out *out);
