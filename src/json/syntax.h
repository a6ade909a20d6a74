/*
 * Finds the first syntax error of a JSON text and words it as Go's encoding/json does. Private to
 * this folder.
 *
 * Clients of a Kubernetes API see Go's message when a body does not parse, so ours is the same.
 * Only text that yyjson has refused is scanned here; speed does not matter.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct syntax_error {
    size_t offset; /* of the offending byte, or the length of the text */
    char message[96];
};

/* False when Go's scanner accepts the text. It checks neither UTF-8 nor surrogates. */
bool syntax_find_error(struct str text, struct syntax_error *ret_error);
