/*
 * The failures of one pass, told as one error and in the report.
 *
 * One failure is the error as it is; several are "[a, b]" without repeats, up to a few kilobytes
 * and then "… and 7 more".
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

/* NULL without failures. Of decisive, which may be NULL, the code is taken, else of the first. */
MUST_USE struct error *apply_failures_finish(struct apply_failures *failures,
                                             const struct error *decisive);
