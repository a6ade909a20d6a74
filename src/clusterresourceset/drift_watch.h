/*
 * The watches of one cluster, with `--drift-check watch`: one stream of metadata for each kind that
 * sets with a policy have there.
 *
 * Streams have no fiber (client/watch_stream.h). The reconcile of the cluster in the queue of drift
 * (drift_check.h) lists the kinds, opens the streams from the versions of the lists, and opens them
 * again. Events are judged as they come (drift_event.h). A stream that ends enqueues the cluster:
 * one that ended as agreed goes on from its last version, after anything else the cluster is listed
 * anew. Streams belong to one connection of the ClusterCache; with another one all begins anew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

struct cluster_connection;
struct crs_controllers;
struct drift_watch;

/* NULL: the cluster is not watched. */
struct drift_watch *drift_watch_find(const struct crs_controllers *controllers, struct key cluster);

/* The watches through this connection; those through another one are closed. */
struct drift_watch *drift_watch_begin(struct crs_controllers *controllers, struct key cluster,
                                      struct cluster_connection *connection);
void drift_watch_end(struct crs_controllers *controllers, struct key cluster);
void drift_watch_end_all(void *data); /* a struct crs_controllers */

/* Whether nothing was missed since the last check. False before the first one. */
bool drift_watch_is_current(const struct drift_watch *watch);

/* Whether everything is watched. What is not has to be checked at the interval. */
bool drift_watch_is_whole(const struct drift_watch *watch);

/* When the last check was over; 0: never. */
int64_t drift_watch_checked_at(const struct drift_watch *watch);

/*
 * A check has listed everything: it begins to tell of it, names each kind with the version of its
 * list, or says that one cannot be watched. Then it is over, and the streams of other kinds are
 * closed.
 */
void drift_watch_begin_kinds(struct drift_watch *watch);
void drift_watch_note_kind(struct drift_watch *watch, struct str name, struct gvr gvr,
                           struct str version);
void drift_watch_note_unwatched(struct drift_watch *watch);
void drift_watch_note_checked(struct drift_watch *watch);

/*
 * Opens the streams that are not open. A kind that may not be watched is left out. Suspends. An
 * error is one to try again after.
 */
MUST_USE struct error *drift_watch_open_streams(struct drift_watch *watch);

/* The pause after so many streams in a row that failed, or ended soon. Pure. */
duration drift_watch_pause(size_t failures);

/* Streams that are open now, of all clusters. */
size_t drift_watch_count_open(const struct crs_controllers *controllers);
