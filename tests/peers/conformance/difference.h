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

void differences_add(struct differences *differences, struct str place, struct str text);

/* The same with a format. */
#define DIFFERENCES_PRINT(differences, place, ...) \
    differences_add(differences, place, arena_print((differences)->arena, __VA_ARGS__))

/* A value as JSON text, cut at a length that fits a terminal; "nothing" for NULL. */
struct str difference_show(struct arena *arena, const struct json_value *value);

/* The elements of an array, objects by type and name: enough to see which one is missing. */
struct str difference_show_elements(struct arena *arena, const struct json_value *array);
struct str difference_show_str(struct arena *arena, struct str text);
