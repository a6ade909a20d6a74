/*
 * The problems of a configuration, joined into one error. Private to this folder.
 *
 * Only the first problems are kept and the others are counted, because a hostile text can have any
 * number of them.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

struct problems {
    struct error *err;
    size_t count;
};

void problems_done(struct problems *problems);

/* Takes the error. NULL is not a problem. */
void problems_add(struct problems *problems, struct error *err);

/* Takes the error of a field and puts "place.field: " in front of its message. */
void problems_add_at(struct problems *problems, struct str place, const char *field,
                     struct error *err);

/* ERROR_INVALID, "invalid configuration: …", with all problems; NULL if there are none. */
MUST_USE struct error *problems_take(struct problems *problems);
