/*
 * The objects of a plan as one cluster names them: kinds are looked up there, and objects that need
 * a namespace have one. The plan has a policy.
 *
 * A kind that is not served in the version of the manifest is read in a version that it is served
 * in. Such an object can be looked at, and no longer be applied.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clusterresourceset/plan.h"

struct cluster_connection;

struct drift_object {
    struct str id;   /* "group/kind ns/name" */
    struct str kind; /* "group/kind" */
    struct key key;
    const struct discovery_mapping
        *mapping; /* in any version; NULL: the cluster does not have the kind */
    struct delivery_policy_texts ignored; /* paths that others may change */
    size_t resource, item;                /* the place in the plan */
    const struct apply_item *manifest;
};

struct drift_objects {
    struct drift_object *items;
    size_t count;
};

/* Whether an object with this manifest is not looked at. */
typedef bool drift_objects_leave_out_fn(const struct object *manifest);

/* Texts are in the arena or borrowed from the plan. Suspends. */
MUST_USE struct error *drift_objects_read(const struct plan *plan,
                                          drift_objects_leave_out_fn *leaves_out,
                                          struct discovery *discovery, struct arena *arena,
                                          struct drift_objects *ret_objects);

/*
 * Lists a kind. Who may not list may be allowed to read: then the version of the list stays empty.
 * It is an error if the cluster has ceased to serve the kind in this version since the kind was
 * looked up: it has to be looked up anew. Suspends.
 */
MUST_USE struct error *drift_objects_list(struct cluster_connection *connection,
                                          const struct discovery_mapping *mapping,
                                          const struct client_list_options *options,
                                          const struct client_list_sink *sink,
                                          struct buf *ret_version);

/* Reads one object that has a mapping. NULL: there is none. Suspends. */
MUST_USE struct error *drift_object_read(struct cluster_connection *connection,
                                         const struct drift_object *object,
                                         const struct client_get_options *options,
                                         struct object **ret_live);
