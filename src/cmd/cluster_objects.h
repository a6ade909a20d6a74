/*
 * A registered cluster: its Cluster object and the Secret with its kubeconfig.
 */
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

/* "key=value" with a valid key and value, or ERROR_INVALID. */
MUST_USE struct error *cluster_objects_check_label(struct str label);

/*
 * Cluster, Secret, and then the status which says that one can connect; what is there already is
 * brought in line. Suspends.
 */
MUST_USE struct error *cluster_objects_put(struct client *client,
                                           const struct cluster_object *cluster,
                                           enum cluster_change *ret_change);

/* Cluster and Secret; on the cluster itself nothing changes. Suspends. */
MUST_USE struct error *cluster_objects_remove(struct client *client, struct key key);
