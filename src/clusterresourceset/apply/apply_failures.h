/*
 * The failures of one batch, collected into one error and into the apply_report.
 *
 * A single failure is returned as it is. Several are joined as "[a, b]", as Kubernetes' aggregated
 * errors are: without repetitions, up to a few kilobytes, and then "… and 7 more". A hint is put at
 * the end, once.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "clusterresourceset/apply/apply.h"

#define APPLY_LISTED_MAX       ((size_t)32)
#define APPLY_LISTED_BYTES_MAX ((size_t)4096)

struct apply_failures {
    struct arena *arena;
    struct apply_report *report;
    struct str hint; /* what to do, for the end of the text; empty: none */
    /* private */
    struct error *first;
    struct str texts[APPLY_LISTED_MAX];
    size_t count, bytes, more;
    int64_t retry_after;
};

void apply_failures_done(struct apply_failures *failures);

/* Takes the error. */
void apply_failures_add(struct apply_failures *failures, const struct apply_item *item,
                        struct error *err);

/* NULL without failures. The error has the code of decisive, or of the first failure if it is NULL.
 */
MUST_USE struct error *apply_failures_finish(struct apply_failures *failures,
                                             const struct error *decisive);
