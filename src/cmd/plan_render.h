/*
 * The output of corset plan: a table with a line for each change of a group of clusters, the
 * changes as a diff, or JSON.
 *
 * Values that must stay secret are "(secret 1)", "(secret 2)" in the order in which they are
 * written; equal ones have the same number. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct preview;
struct preview_object;
struct preview_secrets;

struct plan_render {
    const struct preview *preview; /* sorted */
    struct preview_secrets *secrets;
    bool has_color;
    size_t *shown; /* numbers that are written, by the numbers of the secrets; 0: not yet */
    size_t shown_count, capacity;
};

void plan_render_done(struct plan_render *render);

void plan_render_table(struct plan_render *render, struct buf *out);
void plan_render_diff(struct plan_render *render, struct buf *out);
MUST_USE struct error *plan_render_json(struct plan_render *render, struct buf *out);

/* What would become of one object, a line for each change: "    ~ spec.replicas: 7 -> 2". */
void plan_render_object(struct plan_render *render, const struct preview_object *object,
                        struct buf *out);
