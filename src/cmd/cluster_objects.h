/* The objects of a registered cluster: the Cluster and the Secret with its kubeconfig. */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/str.h"

struct client;
struct object;

struct cluster_object {
    struct key key;
    const char *const *labels; /* changes: "key=value", or "key-" to remove one */
    size_t label_count;
    bool replaces;     /* a cluster of this name may be at another server so far */
    struct str server; /* "https://10.0.0.7:6443/prefix" */
    struct str host;   /* of its API server */
    uint16_t port;
    struct str kubeconfig; /* secret */
};

enum cluster_change { CLUSTER_CREATED, CLUSTER_CHANGED, CLUSTER_UNCHANGED };

/* ERROR_INVALID unless the text is "key=value" or "key-" with a valid key and value. */
MUST_USE struct error *cluster_objects_check_label(struct str label);

/*
 * Applies the Cluster, the Secret, and then the status of the Cluster, which makes controllers
 * connect. Objects that exist are updated; labels that are not mentioned stay. ERROR_CONFLICT if
 * the name belongs to another server and `replaces` is not set. Suspends.
 */
MUST_USE struct error *cluster_objects_put(struct client *client,
                                           const struct cluster_object *cluster,
                                           enum cluster_change *ret_change);

/* Deletes Cluster and Secret. On the workload cluster nothing changes. Suspends. */
MUST_USE struct error *cluster_objects_remove(struct client *client, struct key key);
