/*
 * One connection to a workload cluster: client, discovery and caches. Shared by reference.
 *
 * A reference stays usable after the ClusterCache has ended the connection: live requests still go
 * out with the credentials the connection was made with, and cached reads fail with
 * ERROR_NOT_CONNECTED. When the kubeconfig of a connected cluster changes, the ClusterCache makes a
 * new connection and moves the caches over to it; old references keep the old credentials.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "controller/cache/cache.h"

struct client;
struct discovery;
struct rest_config;
struct cluster_connection;

struct cluster_connection *cluster_connection_ref(struct cluster_connection *connection);
void cluster_connection_free(struct cluster_connection *connection); /* gives one reference back */
DEFINE_OWNED(cluster_connection)

struct key cluster_connection_cluster(const struct cluster_connection *connection);
bool cluster_connection_is_connected(const struct cluster_connection *connection);

/*
 * For requests to the server itself, without a cache. Client, discovery and configuration live as
 * long as the reference.
 */
struct client *cluster_connection_client(struct cluster_connection *connection);
struct discovery *cluster_connection_discovery(struct cluster_connection *connection);
const struct rest_config *cluster_connection_config(const struct cluster_connection *connection);

/*
 * A version that the server has at least: "v1.26" where discovery tells it, which takes no request.
 * Of an older server it is its gitVersion, such as "v1.24.3"; the first call asks it and suspends.
 */
MUST_USE struct error *cluster_connection_least_version(struct cluster_connection *connection,
                                                        struct str *ret_version);

/*
 * The UID of the Namespace kube-system, which is made once in the life of a cluster: a cluster with
 * another one is another cluster, whatever its address. Empty if it cannot be read for good: the
 * account may not, or there is no such Namespace. It is read when the connection is made; if it
 * could not be read then, a call asks the server and suspends.
 */
MUST_USE struct error *cluster_connection_cluster_uid(struct cluster_connection *connection,
                                                      struct str *ret_uid);

/* The same as far as it was read. Does not suspend. */
struct str cluster_connection_known_uid(const struct cluster_connection *connection);

/*
 * Reads from caches. The first read of a kind starts its cache; a read waits until that cache is
 * synced, at most for the timeout of a request. Kinds in options.uncached are read from the server
 * every time. All of these suspend.
 *
 * An empty namespace means all namespaces, or none for cluster-scoped kinds. The object of
 * cluster_connection_get() belongs to the caller; objects that are visited are valid during the
 * visit. A visit function returns false to stop; it may suspend.
 */
MUST_USE struct error *cluster_connection_get(struct cluster_connection *connection, struct gvk gvk,
                                              struct key key, struct object **ret_object);
typedef bool cluster_connection_visit_fn(void *data, struct object *object);
MUST_USE struct error *cluster_connection_list(struct cluster_connection *connection,
                                               struct gvk gvk, struct str namespace,
                                               cluster_connection_visit_fn *visit, void *data);

/* By an index of options.indexes. ERROR_INVALID for any other. */
MUST_USE struct error *cluster_connection_list_indexed(struct cluster_connection *connection,
                                                       struct gvk gvk, struct str index,
                                                       struct str value,
                                                       cluster_connection_visit_fn *visit,
                                                       void *data);
