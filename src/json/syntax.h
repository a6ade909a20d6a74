/*
 * Finds what is wrong with a JSON text, in the words of Go's encoding/json. Private to this folder.
 *
 * Clients of a Kubernetes API see these words when a body does not parse, so ours are the same.
 * Only text that the reader already refused comes here; speed does not matter.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct syntax_error {
    size_t offset; /* of the offending byte, or the length of the text */
    char message[96];
};

/* False when Go's scanner has nothing to say, which does not look into UTF-8 or surrogates. */
bool syntax_find_error(struct str text, struct syntax_error *ret_error);
