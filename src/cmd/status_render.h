/*
 * The text of corset status. Pure: a model in, text out, for a given width and height.
 *
 * Where rows do not fit, problems come first and the rest is a number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/timestamp.h"
#include "status/status_model.h"

struct status_view {
    size_t width;  /* 0: no limit, nothing is cut */
    size_t height; /* maximal number of lines; 0: no limit */
    bool is_wide;  /* show all columns */
    bool has_color;
    bool all_namespaces; /* show a column of namespaces */
    timestamp now;
};

void status_render_all(const struct status_model *model, const struct status_view *view,
                       struct buf *out);
void status_render_set(const struct status_model *model, const struct status_set *set,
                       const struct status_view *view, struct buf *out);
void status_render_cluster(const struct status_model *model, const struct status_cluster *cluster,
                           const struct status_view *view, struct buf *out);

/* The table of clusters alone, for corset cluster list. */
void status_render_clusters(const struct status_model *model, const struct status_view *view,
                            struct buf *out);
