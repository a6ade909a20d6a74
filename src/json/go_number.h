/*
 * JSON numbers as Go and Kubernetes see them. Private to this folder.
 *
 * A number is stored either natively or as the text that was read. Its token is that text, or the
 * text that Go writes for a native number. Merge patches and JSON patch tests compare tokens, so 1
 * and 1.0 differ. Its value is a 64-bit integer when the token is one, else a double.
 */
#pragma once

#include "json/json_internal.h"

enum go_number_kind {
    GO_NUMBER_INT,  /* fits int64_t */
    GO_NUMBER_UINT, /* above INT64_MAX */
    GO_NUMBER_REAL,
};

struct go_number {
    enum go_number_kind kind;
    int64_t i;
    uint64_t u;
    double d;
};

/* Enough for every double and 64-bit integer. */
#define GO_NUMBER_TEXT_MAX 40

struct go_number go_number_read(const yyjson_val *val);

/* True for text that is too large for a double, such as 1e400. */
bool go_number_is_infinite(struct str token);

/* A quick test that is false for nearly all numbers: without an exponent it takes 309 digits. */
static inline bool go_number_may_be_infinite(struct str token)
{
    for (size_t i = 0; i < token.len; i++)
        if ((token.ptr[i] | 0x20) == 'e')
            return true;
    return token.len >= 309;
}

/* Go's form: 'f' unless the exponent is below -6 or at least 21, then 'e'. */
struct str go_number_write_double(double value, char text[static GO_NUMBER_TEXT_MAX]);

/* The token, and the form in which encoding/json writes the number's value. */
struct str go_number_token(const yyjson_val *val, char text[static GO_NUMBER_TEXT_MAX]);
struct str go_number_text(const yyjson_val *val, char text[static GO_NUMBER_TEXT_MAX]);

/*
 * Equality of tokens, and of values: 1 equals 1.0 and 1e0, -0.0 equals 0. An integer and a double
 * are otherwise equal when Go writes the same text for both.
 */
bool go_number_has_token_of(const yyjson_val *a, const yyjson_val *b);
bool go_number_equals(const yyjson_val *a, const yyjson_val *b);
