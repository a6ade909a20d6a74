/*
 * Requests that are played one after the other, in the form of recorded ones (see request.h of
 * tests/peers/conformance): {{ns}} is the namespace of the playing, {{rv:x}} and {{uid:x}} are what
 * the server said last of the object x, {{continue}} is its last token of a list.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "json/json.h"

struct sequence {
    struct json_doc **steps;
    size_t count, capacity;
};

void sequence_done(struct sequence *sequence);
void sequence_add(struct sequence *sequence, struct json_doc *step); /* takes it */

/* A copy that shares its steps; one of them, or none (STR_NONE), is left out. */
void sequence_copy(const struct sequence *sequence, size_t without, struct sequence *ret_copy);

/* A line for each step, as one would type it in. */
void sequence_print(FILE *out, const struct sequence *sequence);
