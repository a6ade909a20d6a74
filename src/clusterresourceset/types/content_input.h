/*
 * What content_read() reads of a ConfigMap or Secret: its values, not decoded, in the order of
 * their keys. content_size() and content_digest() go by the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/owned.h"
#include "base/str.h"

/* Text behind gzip, of all values of a resource. */
#define CONTENT_UNPACKED_MAX (16 * MEGABYTE)

/* The first bytes of gzip. */
#define CONTENT_GZIP_START "\x1f\x8b\x08"

/* A member of data or binaryData; borrowed from the resource. */
struct content_value {
    struct str key, text;
    bool is_base64;
};

struct content_input {
    struct content_value *values;
    size_t count;
    bool is_secret;
};

/*
 * False if there are no values, or one that no server would send. *ret_input is to be given back
 * in any case.
 */
bool content_input_find(const struct object *resource, struct content_input *ret_input);
void content_input_done(struct content_input *input);

/* The name in the annotation CONTENT_DEFAULT_NAMESPACE. */
bool content_input_find_namespace(const struct object *resource, struct str *ret_name);
