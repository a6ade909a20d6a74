/*
 * Asks one cluster what sets would do to it.
 *
 * For each object that a placement would apply, the same requests are made as dry runs (apply.h),
 * so that admission and defaults of the cluster have their say. What the binding records as applied
 * is not asked for, because it would not be sent. Nothing is written.
 *
 * A set with a policy is asked for as its policy says: all of it, or nothing where the record has
 * its revision.
 *
 * A dry run leaves nothing behind for the next one: an object whose kind or namespace comes with
 * the same set cannot be tried before that is there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/preview/preview.h"
#include "clusterresourceset/preview/preview_secrets.h"

struct client;
struct discovery;

/* A set, or what one cluster gets of it. */
struct preview_set {
    struct key key;
    struct plan *plan;  /* complete, unless there is a problem */
    struct str problem; /* why nothing of the set is applied there; empty: it is */
};

struct preview_cluster {
    const struct preview_set *const *sets; /* that select the cluster */
    size_t set_count;
    const struct object *binding; /* NULL: there is none */
    enum crs_reconcile_with reconcile_with;
    struct preview_secrets *secrets;
    struct client *client; /* of the cluster */
    struct discovery *discovery;
};

/* One object of a set, by the place of its manifest. */
struct preview_subject {
    const struct preview_set *set;
    size_t resource, item; /* of the plan; of the content of that resource */
};

/* Objects that the cluster has to be asked for. None: client and discovery may be NULL. */
size_t preview_cluster_count(const struct preview_cluster *cluster);

/*
 * Adds to the result what would not stay as it is. An error means that the cluster could not be
 * asked, and that the result is not complete. Suspends.
 */
MUST_USE struct error *preview_cluster_ask(const struct preview_cluster *cluster,
                                           struct preview_result *result);

/*
 * The same for one object, whatever the binding records. An object of a set that applies once is
 * asked for as if the set reconciled it, so that the answer tells how it differs from its manifest.
 * *ret_live is the object as the cluster has it, for the caller to free; NULL: it is not there.
 */
MUST_USE struct error *preview_cluster_ask_object(const struct preview_cluster *cluster,
                                                  const struct preview_subject *subject,
                                                  struct preview_result *result,
                                                  struct object **ret_live);
