/*
 * What "corset status" shows, as text. Pure: a model in, text out, for a given width and height.
 *
 * Where there is more than fits, what needs a person comes first and the rest is a number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/timestamp.h"
#include "cmd/status_model.h"

struct status_view {
    size_t width;
    size_t height; /* lines at most; 0: any number */
    bool is_wide;  /* all columns there are */
    bool has_color;
    bool all_namespaces; /* so they are told apart */
    timestamp now;
};

void status_render_all(const struct status_model *model, const struct status_view *view,
                       struct buf *out);
void status_render_set(const struct status_model *model, const struct status_set *set,
                       const struct status_view *view, struct buf *out);
void status_render_cluster(const struct status_cluster *cluster, const struct status_view *view,
                           struct buf *out);

/* The clusters alone, as "corset cluster list" has them. */
void status_render_clusters(const struct status_model *model, const struct status_view *view,
                            struct buf *out);

/* For programs. ERROR_TOO_LARGE. */
MUST_USE struct error *status_render_json(const struct status_model *model,
                                          struct json_doc **ret_doc);
