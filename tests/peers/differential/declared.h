/*
 * Differences that are known, one a line: five patterns of the shell and words, divided by " | ".
 *
 *     METHOD | PATH | PLACE | TEXT | why it is so
 *
 * PATH is a path with {{ns}} in it; PLACE and TEXT are what is printed of a difference. Lines that
 * begin with "#" and empty ones are none. An entry that was never met is unused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "json/json.h"
#include "peers/conformance/difference.h"

struct declared_entry {
    const char *method, *path, *place, *text, *reason;
    size_t met;
};

struct declared {
    struct arena arena;
    struct declared_entry *items;
    size_t count, capacity;
};

void declared_done(struct declared *declared);

/* ERROR_INVALID names the line. */
MUST_USE struct error *declared_read(struct declared *declared, struct str text);

/* Whether the difference is known; it counts for the first entry that says so. */
bool declared_has(struct declared *declared, const struct json_value *step,
                  const struct difference *difference);

/* How often each was met, and on request which are unused. Returns how many were met. */
size_t declared_print(FILE *out, const struct declared *declared, bool with_unused);
