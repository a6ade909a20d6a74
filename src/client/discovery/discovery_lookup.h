/*
 * One question to discovery, from its beginning to its answer. Private to this folder.
 *
 * What to do next is decided without suspending, from the surface and the marks alone; then it is
 * done, and the decision is made anew, since others may have fetched meanwhile.
 */
#pragma once

#include "base/list.h"
#include "client/discovery/discovery_internal.h"

/* Ways to compare, tried one after the other over all tables. */
#define RANKS_MAX 3

struct discovery_lookup {
    struct list_link link;
    int64_t fresh_from; /* what was fetched since then needs not be fetched again */
    enum discovery_match by[RANKS_MAX];
    struct str texts[RANKS_MAX];
    size_t ranks;
    bool any_group;
    struct str group, version; /* no version: any */
};

/* Suspends when something must be fetched. *ret_found is false when there is no match. */
MUST_USE struct error *discovery_lookup_run(struct discovery *discovery, struct arena *arena,
                                            struct discovery_lookup *lookup,
                                            struct discovery_mapping *ret_mapping, bool *ret_found);
