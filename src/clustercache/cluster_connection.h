/*
 * One connection to a workload cluster, shared by reference: clients, kinds and caches.
 *
 * A reference keeps it usable after it has ended: live requests still go out, with the credentials
 * it was made with; cached reads say ERROR_NOT_CONNECTED. When the credentials of a cluster change
 * while it is connected, new references have the new ones, and caches move over.
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

/* The server itself: every call goes out. They live as long as the reference. */
struct client *cluster_connection_client(struct cluster_connection *connection);
struct discovery *cluster_connection_discovery(struct cluster_connection *connection);
const struct rest_config *cluster_connection_config(const struct cluster_connection *connection);

/* "v1.36.4", asked for once per connection. Suspends the first time. */
MUST_USE struct error *cluster_connection_server_version(struct cluster_connection *connection,
                                                         struct str *ret_version);

/*
 * Reads out of caches, which are begun by the first who asks for a kind, and waited for within the
 * time of a request; kinds that are never cached are asked for. Suspend. Namespaces as elsewhere:
 * empty for all of them or for none. What comes back belongs to the caller.
 */
MUST_USE struct error *cluster_connection_get(struct cluster_connection *connection, struct gvk gvk,
                                              struct key key, struct object **ret_object);
typedef bool cluster_connection_visit_fn(void *data, struct object *object);
MUST_USE struct error *cluster_connection_list(struct cluster_connection *connection,
                                               struct gvk gvk, struct str namespace,
                                               cluster_connection_visit_fn *visit, void *data);

/* By an index that was asked for in the options of the ClusterCache. */
MUST_USE struct error *cluster_connection_list_indexed(struct cluster_connection *connection,
                                                       struct gvk gvk, struct str index,
                                                       struct str value,
                                                       cluster_connection_visit_fn *visit,
                                                       void *data);
