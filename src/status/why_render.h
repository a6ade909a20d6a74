/*
 * The text of corset why: what came of each object of a set on a cluster. Pure.
 *
 * Clusters of which the same is to be said are told together.
 */
#pragma once

#include "base/buf.h"
#include "base/timestamp.h"
#include "status/status_model.h"

/* One set on one cluster, whatever its state. */
void why_render_cell(const struct status_cluster *cluster, const struct status_cell *cell,
                     timestamp now, struct buf *out);

/* The same, and then of the sets that come first there and that it waits for, and so on. */
void why_render_chain(const struct status_model *model, const struct status_cluster *cluster,
                      const struct status_cell *cell, timestamp now, struct buf *out);

/* A set or a cluster: its state, then where something is not as it should be. */
void why_render_set(const struct status_model *model, const struct status_set *set,
                    struct buf *out);
void why_render_cluster(const struct status_cluster *cluster, timestamp now, struct buf *out);
