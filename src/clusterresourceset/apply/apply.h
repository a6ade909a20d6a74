/*
 * Applying the objects of a content to one cluster, in order; one that fails does not stop the
 * next.
 *
 * Objects carry nothing of ours: what is sent is what the manifest says. What failed because
 * something was not there is tried again once, at the end: an object whose namespace comes later,
 * and a kind that the cluster does not know. When the same content defines that kind, its
 * definition is waited for first, for some seconds in all.
 *
 * A cluster that does not answer is asked no more: the rest fails with the same cause, unasked.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/content.h"

struct client;
struct discovery;

enum apply_strategy {
    APPLY_ONCE,      /* created; what is there already is left alone */
    APPLY_RECONCILE, /* created, or brought to what the manifest says by a merge patch */
};

struct apply_target {
    struct client *client;
    struct discovery *discovery;
    bool is_first; /* nothing of it was applied before: objects are created first, then looked at */
};

/* One object that failed: "creating object /v1, Kind=ConfigMap ns1/cm1: …". In the arena. */
struct apply_failure {
    struct str key;  /* of the value it comes from */
    size_t document; /* in that value, from 1 */
    struct str text;
};

#define APPLY_FAILURES_MAX 8

struct apply_report {
    size_t objects, created, changed, unchanged, failed; /* unchanged: was there as it should be */
    struct apply_failure failures[APPLY_FAILURES_MAX];   /* the first of them */
    size_t failure_count;
};

/*
 * NULL when all objects were applied; else the failures, one as it is, several as "[a, b]" without
 * repeats, bounded. The report is filled in either way. Suspends; the caller's deadline bounds it,
 * and then what was not reached has failed.
 *
 * The code of the error is that of the first failure, or of what kept the rest from being reached.
 */
MUST_USE struct error *apply_content(const struct apply_target *target,
                                     const struct content *content, enum apply_strategy strategy,
                                     struct arena *arena, struct apply_report *ret_report);

/* The same for objects from anywhere; borrowed. */
struct apply_item {
    const struct object *object;
    struct str key; /* as in a failure */
    size_t document;
};
MUST_USE struct error *apply_objects(const struct apply_target *target,
                                     const struct apply_item *items, size_t count,
                                     enum apply_strategy strategy, struct arena *arena,
                                     struct apply_report *ret_report);

/* One object, tried once. Suspends. */
enum apply_result { APPLY_CREATED, APPLY_CHANGED, APPLY_UNCHANGED };
MUST_USE struct error *apply_object(const struct apply_target *target, const struct object *object,
                                    enum apply_strategy strategy, enum apply_result *ret_result);
