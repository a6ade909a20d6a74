/*
 * Operations of a JSON patch, between the source that reads them and the one that applies them.
 */
#pragma once

#include "json/json_internal.h"
#include "json/json_patch.h"

struct operation {
    struct str op; /* "unknown" when absent or null, as in the library's messages */
    struct str path, from;
    bool has_path, has_from;
    const yyjson_val *value; /* NULL when absent */
};

struct json_patch {
    struct json_doc *doc; /* holds all strings and values */
    struct operation *operations;
    size_t count;
};
