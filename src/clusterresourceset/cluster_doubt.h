/*
 * Doubts about a cluster: the last attempt to apply something there failed because of the cluster
 * itself, not because of an object. The cluster was silent, broke the connection, answered with
 * nonsense or with too much, or had no connection at all.
 *
 * When a set changes, its placements on such clusters begin CLUSTER_DOUBT_PAUSE later than those on
 * other clusters. What clusters in trouble cost, in megabytes of answers and in records of
 * failures, is then paid after the others have got what they should. A new connection, a retry and
 * an event of the Cluster do not wait. The cluster index keeps the doubts.
 */
#pragma once

#include <stdbool.h>

#include "base/duration.h"
#include "base/error.h"

/*
 * Clusters nearby are done within this time. Those that take longer lose less than a tenth of their
 * time to the others.
 */
#define CLUSTER_DOUBT_PAUSE (200 * MILLISECOND)

/* True if an object that fails with this code casts doubt on its cluster. */
bool cluster_doubt_is_cast_by(enum error_code code);
