/*
 * Writes of a ClusterResourceSet itself: conditions, observed generation, finalizer and
 * annotations.
 *
 * Every patch names the resourceVersion it is based on. After a conflict the set is read again and
 * the change is made on the new copy, a few times.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/error.h"

struct crs_set;

struct set_status {
    const struct condition *conditions; /* for status.conditions */
    size_t count;
    const struct str *dropped; /* types in that list that go */
    size_t dropped_count;
    const struct condition *v1beta1; /* for status.deprecated.v1beta1.conditions; NULL: no change */
    int64_t observed_generation;     /* 0: no change */
};

/* Makes no request if the status says all this. ERROR_NOT_FOUND if the set is gone. Suspends. */
MUST_USE struct error *set_write_status(struct crs_set *set, const struct set_status *status);

/* Asks the server who writes the conditions of the set beside us. Suspends. */
MUST_USE struct error *set_find_rival(struct crs_set *set, struct arena *arena,
                                      struct str *ret_manager);

/*
 * Writes an annotation of the set. After a conflict the set has been read again, and the error is
 * ERROR_CONFLICT: what was to be written may have to be another text. Suspends.
 */
MUST_USE struct error *set_write_annotation(struct crs_set *set, struct str name, struct str text);

/* Adds or removes our finalizer. Suspends. */
MUST_USE struct error *set_write_finalizer(struct crs_set *set, bool present);
