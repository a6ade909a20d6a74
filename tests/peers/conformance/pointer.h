/*
 * Pointers into recorded answers: RFC 6901, and three things more.
 *
 *     /status/conditions/[type=Ready]/status   the element whose member has that value
 *     /items/[metadata.name=a]                 dots go deeper; the value is text or JSON
 *     /ports/{*}/protocol                      without the braces: any one token
 *     {**}/spec/strategy                       without the braces: the rest begins anywhere
 *
 * The first two find values, the last two are patterns, which also cover all that is below.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/json.h"

struct pointer {
    struct str *tokens; /* escapes undone, except in [...] */
    size_t count;
};

struct pointer pointer_read(struct arena *arena, struct str text);

/* NULL when there is nothing. */
const struct json_value *pointer_find(const struct json_value *value, struct str text);

bool pointer_covers(const struct pointer *pattern, const struct str *path, size_t depth);
