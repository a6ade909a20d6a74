/*
 * Asks many clusters what sets would do to them, a number of them at a time.
 *
 * Each cluster is connected to with the kubeconfig in its Secret, as the ClusterCache does it, and
 * is left again once it has been asked. A cluster that nothing would be sent to is not connected
 * to. One that does not answer in time is noted, and the others go on.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/error.h"
#include "clusterresourceset/preview/preview.h"
#include "clusterresourceset/preview/preview_cluster.h"

struct client;
struct network;
struct proxy_environment;
struct tls_context;

struct preview_fleet {
    struct client *management;
    struct network *network;
    struct tls_context *tls;
    const struct proxy_environment *proxies;
    struct str user_agent;
    const struct preview_set *sets;
    size_t set_count;
    enum crs_reconcile_with reconcile_with;
    struct preview_secrets *secrets;
    duration timeout;   /* for the first answer of a cluster, and for each after that */
    size_t concurrency; /* clusters at a time; 0: 256 */
};

struct preview_fleet_cluster {
    struct object *object;  /* the Cluster */
    struct object *binding; /* NULL: there is none */
};

/* Whether any of the sets selects the Cluster, and it is not being deleted. */
bool preview_fleet_selects(const struct preview_fleet *fleet, const struct object *cluster);

/*
 * Adds every cluster to the preview. Clusters that cannot be asked are no error. Suspends.
 */
MUST_USE struct error *preview_fleet_ask(const struct preview_fleet *fleet,
                                         const struct preview_fleet_cluster *clusters, size_t count,
                                         struct preview *preview);

/*
 * The same for one object on one cluster, see preview_cluster_ask_object(). A cluster that cannot
 * be asked is an error. Suspends.
 */
MUST_USE struct error *preview_fleet_ask_object(const struct preview_fleet *fleet,
                                                const struct preview_fleet_cluster *cluster,
                                                const struct preview_subject *subject,
                                                struct preview_result *result,
                                                struct object **ret_live);
