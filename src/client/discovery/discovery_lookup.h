/*
 * One lookup, from the question to the mapping. Private to this folder.
 *
 * The next step is decided without suspending, from the surface and the marks only. After every
 * fetch the decision is made anew, since other fibers may have fetched meanwhile.
 */
#pragma once

#include "base/list.h"
#include "client/discovery/discovery_internal.h"

struct discovery_lookup {
    struct list_link link;
    int64_t fresh_from; /* answers since this time are not fetched again */
    struct str kind;
    struct str group, version; /* an empty version means any version */
};

/* Suspends when it must fetch. *ret_found is false when the server does not have the kind. */
MUST_USE struct error *discovery_lookup_run(struct discovery *discovery, struct arena *arena,
                                            struct discovery_lookup *lookup,
                                            struct discovery_mapping *ret_mapping, bool *ret_found);
