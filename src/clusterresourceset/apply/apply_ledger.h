/*
 * The objects of a set that were applied to a cluster in one pass, for its delivery record.
 *
 * Pure. Everything is in the arena.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/gvk.h"
#include "base/arena.h"
#include "base/str.h"

struct apply_ledger {
    struct arena *arena;
    struct str *kinds; /* "v1/ConfigMap", each once, in the order in which they came */
    size_t kind_count, kind_capacity;
};

/* An object of this kind was applied. */
void apply_ledger_add(struct apply_ledger *ledger, struct gvk gvk);
