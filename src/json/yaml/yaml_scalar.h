/*
 * Resolves the text of a YAML scalar to a value, by the rules of YAML 1.1 as go-yaml v2 applies
 * them.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "json/yaml/yaml_number.h"

/* An explicit tag. Tags unknown to go-yaml are SCALAR_TAG_OTHER; the scalar stays text. */
enum scalar_tag {
    SCALAR_TAG_NONE,
    SCALAR_TAG_STR,
    SCALAR_TAG_INT,
    SCALAR_TAG_FLOAT,
    SCALAR_TAG_BOOL,
    SCALAR_TAG_NULL,
    SCALAR_TAG_TIMESTAMP,
    SCALAR_TAG_BINARY,
    SCALAR_TAG_MERGE,
    SCALAR_TAG_OTHER,
};

enum scalar_type {
    SCALAR_STRING, /* the text itself */
    SCALAR_NULL,
    SCALAR_BOOL,
    SCALAR_NUMBER,
    SCALAR_NOT_FINITE, /* .inf, .nan: real holds which */
    SCALAR_TIMESTAMP,  /* the text itself */
    SCALAR_BINARY,     /* base64 of the value */
};

struct scalar {
    enum scalar_type type;
    union {
        bool boolean;
        struct scalar_number number;
        double real;
    };
};

/* From the full form ("tag:yaml.org,2002:int"). */
enum scalar_tag scalar_tag_from(struct str tag);

/* As a document writes it: "!!int". */
const char *scalar_tag_name(enum scalar_tag tag);
const char *scalar_type_name(const struct scalar *scalar);

/*
 * Resolves a scalar; plain means that it has no quotes. False when the tag does not fit the text:
 * ret_scalar is then the value of the text without the tag.
 */
bool scalar_resolve(enum scalar_tag tag, bool plain, struct str text, struct scalar *ret_scalar);

/* The date and time forms that go-yaml accepts for !!timestamp. */
bool scalar_is_timestamp(struct str text);
