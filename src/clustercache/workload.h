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
struct workload;

struct workload *workload_ref(struct workload *workload);
void workload_free(struct workload *workload); /* gives one reference back */
DEFINE_OWNED(workload)

struct key workload_cluster(const struct workload *workload);
bool workload_is_connected(const struct workload *workload);

/* The server itself: every call goes out. They live as long as the reference. */
struct client *workload_client(struct workload *workload);
struct discovery *workload_discovery(struct workload *workload);
const struct rest_config *workload_config(const struct workload *workload);

/* "v1.36.4", asked for once per connection. Suspends the first time. */
MUST_USE struct error *workload_server_version(struct workload *workload, struct str *ret_version);

/*
 * Reads out of caches, which are begun by the first who asks for a kind, and waited for within the
 * time of a request; kinds that are never cached are asked for. Suspend. Namespaces as elsewhere:
 * empty for all of them or for none. What comes back belongs to the caller.
 */
MUST_USE struct error *workload_get(struct workload *workload, struct gvk gvk, struct key key,
                                    struct object **ret_object);
typedef bool workload_visit_fn(void *data, struct object *object);
MUST_USE struct error *workload_list(struct workload *workload, struct gvk gvk,
                                     struct str namespace, workload_visit_fn *visit, void *data);

/* By an index that was asked for in the options of the ClusterCache. */
MUST_USE struct error *workload_list_indexed(struct workload *workload, struct gvk gvk,
                                             struct str index, struct str value,
                                             workload_visit_fn *visit, void *data);
