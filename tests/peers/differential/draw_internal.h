/* Private to the drawing. */
#pragma once

#include "base/random.h"
#include "peers/differential/draw.h"

struct draw {
    struct random random;
    struct arena arena; /* of one sequence */
};

/* One of a table of C strings. */
#define DRAW_ONE(draw, table) str_from_c((table)[draw_below(draw, COUNT(table))])

size_t draw_below(struct draw *draw, size_t count);
bool draw_chance(struct draw *draw, unsigned percent);

/* draw_body.c: texts of bodies. The name is that of the object, as a path has it. */
struct str draw_object(struct draw *draw, const struct resource *resource, struct str name,
                       struct str variable, bool is_status);
struct str draw_merge(struct draw *draw, const struct resource *resource, struct str variable,
                      bool is_status, bool is_strategic);
struct str draw_json_patch(struct draw *draw, const struct resource *resource);
struct str draw_scale(struct draw *draw, struct str name, struct str variable);
struct str draw_delete_options(struct draw *draw, struct str variable);

/* draw_value.c: a value for the schema, as text of JSON. */
struct str draw_value(struct draw *draw, const struct resource *resource,
                      const struct json_value *schema);
