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
    const char *const *labels; /* "key=value" */
    size_t label_count;
    struct str host; /* of its API server */
    uint16_t port;
    struct str kubeconfig; /* secret */
};

enum cluster_change { CLUSTER_CREATED, CLUSTER_CHANGED, CLUSTER_UNCHANGED };

/* ERROR_INVALID unless the text is "key=value" with a valid key and value. */
MUST_USE struct error *cluster_objects_check_label(struct str label);

/*
 * Applies the Cluster, the Secret, and then the status of the Cluster, which makes controllers
 * connect. Objects that exist are updated. Suspends.
 */
MUST_USE struct error *cluster_objects_put(struct client *client,
                                           const struct cluster_object *cluster,
                                           enum cluster_change *ret_change);

/* Deletes Cluster and Secret. On the workload cluster nothing changes. Suspends. */
MUST_USE struct error *cluster_objects_remove(struct client *client, struct key key);
