/*
 * Which exchanges of a recording are replayed, and which of them are reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "peers/conformance/exchange.h"

/* Lists are comma-separated; empty ones choose everything. */
struct choice_options {
    struct str groups;
    struct str ids;           /* what precedes one in its group is replayed, but not reported */
    bool without_controllers; /* nothing acts on owners and terminating namespaces */
    bool with_compaction;     /* old history vanishes within two minutes */
};

struct choice {
    const struct exchange *exchange;
    bool reported;
    bool skipped; /* it needs something that is not there */
};

struct choices {
    struct choice *items; /* in the order of the recording */
    size_t count;
};

/* Lives in the arena. ERROR_NOT_FOUND for a name that the recording does not have. */
MUST_USE struct error *choices_make(struct arena *arena, const struct exchange_list *list,
                                    const struct choice_options *options,
                                    struct choices *ret_choices);
