/*
 * SINCE: when a set, a cluster or a set on a cluster came into the state that the model found.
 *
 * Pure, and for the model alone. A state that lasts (failed, unreachable, waiting, paused,
 * deleting) is as old as its beginning, applied is as old as the newest application. 0: it is not
 * known.
 */
#pragma once

#include "status/status_model.h"

/* Remembers what a set's or a Cluster's own status says of times. */
void status_since_read_set(struct status_set *set, const struct object *object);
void status_since_read_cluster(struct status_cluster *cluster, const struct object *object);

/* When the state began that the binding records. The cell has a record. */
timestamp status_since_of_record(const struct status_cell *cell);

/* In this order, once the states are known. The first also notes the time in its set. */
void status_since_judge_cell(const struct status_cluster *cluster, struct status_cell *cell);
void status_since_judge_cluster(struct status_cluster *cluster);
void status_since_judge_set(struct status_set *set);
