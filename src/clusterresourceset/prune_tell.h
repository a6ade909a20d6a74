/*
 * What is told of prune beside conditions: events, and the metrics corset_prune_deleted_total,
 * which is counted as it happens, and corset_prune_held_objects, which is counted when it is shown.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/str.h"

struct crs_controllers;
struct crs_set;
struct prune_run;

/* Without options.metrics these do nothing. */
void prune_tell_add(struct crs_controllers *controllers);
void prune_tell_remove(struct crs_controllers *controllers);

/* One object of this kind ("ConfigMap") is gone. */
void prune_tell_deleted(struct crs_controllers *controllers, struct str kind);

/* What a run deleted, gave up and kept, on the Cluster; nothing if it deleted and gave up nothing.
 */
void prune_tell_run(const struct crs_set *set, const struct object *cluster,
                    const struct prune_run *run);

/* Prune is held, with the words of the record: on the Cluster, or on the set if that is NULL. */
void prune_tell_held(const struct crs_set *set, const struct object *cluster, struct str message);

/* A warning on the Cluster; reason is a word of docs/reference/events.md. */
void prune_tell_warning(const struct crs_set *set, const struct object *cluster, const char *reason,
                        struct str text);
