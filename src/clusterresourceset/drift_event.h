/*
 * An event of a watch (drift_watch.h), judged for each set that has something on the cluster.
 *
 * The object is compared with what was applied, as a check does it. What has drifted is left to the
 * placement as a finding at once. Whatever an event alone cannot answer is left to a check: it is
 * due when nothing is remembered of the placement, when not all is applied there, when
 * drift is recorded already, or when a line could not be read.
 */
#pragma once

#include <stdint.h>

#include "apimachinery/key.h"
#include "base/str.h"
#include "client/watch.h"

struct crs_controllers;

struct drift_event {
    struct crs_controllers *controllers;
    struct key cluster;
    struct str kind;                 /* "apps/Deployment" */
    const struct watch_event *event; /* NULL: one that could not be read */
    int64_t check_at;                /* the earliest time of a check */
};

/* Does not suspend. */
void drift_event_take(const struct drift_event *event);
