/*
 * Numbers for values that must not be shown: equal values have the same number, and nothing else
 * can be told from it.
 *
 * Of a value nothing is kept but a digest, which never leaves the table. Pure.
 */
#pragma once

#include <stddef.h>

#include "base/map.h"
#include "json/json.h"

struct preview_secrets {
    struct map digests; /* digest -> number */
};

void preview_secrets_done(struct preview_secrets *secrets);

/* The number of a value, from 1. An absent value has the number 0. */
size_t preview_secrets_number(struct preview_secrets *secrets, const struct json_value *value);
