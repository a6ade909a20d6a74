/*
 * What is not as recorded: a list of places, each with what was expected and what came.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "json/json.h"

struct difference {
    struct str place; /* a JSON pointer, "status", "header Warning" */
    struct str text;
};

/* The caller sets the arena; everything lives in it. */
struct differences {
    struct arena *arena;
    struct difference *items;
    size_t count, capacity;
};

void differences_add(struct differences *differences, struct str place, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* A value as JSON text, cut at a length that fits a terminal; "nothing" for NULL. */
struct str difference_show(struct arena *arena, const struct json_value *value);
struct str difference_show_str(struct arena *arena, struct str text);
