/*
 * Which older states of a store can still be listed. kube-apiserver compacts etcd in the same way:
 * at the end of each interval it forgets all states that are older than the newest one at the
 * interval's beginning. A state can be listed for one to two intervals, then for good no more,
 * whatever the history still knows.
 *
 * Nothing has to happen at the end of an interval, so that an idle store needs no timer: the
 * revision between two calls of store_compaction_advance() is known.
 */
#pragma once

#include <stdint.h>

#include "base/duration.h"

struct store_compaction {
    duration interval;
    int64_t floor; /* the oldest revision that can be listed */
    int64_t noted,
        noted_at; /* the newest revision at the beginning of the interval, and its time */
};

void store_compaction_begin(struct store_compaction *compaction, int64_t revision, int64_t now);

/*
 * Moves the floor if intervals have ended. The revision is the newest one, and was since the last
 * call: this is called before each change of it.
 */
void store_compaction_advance(struct store_compaction *compaction, int64_t revision, int64_t now);
