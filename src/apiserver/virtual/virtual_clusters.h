/*
 * Virtual clusters: many small APIs in one process, each with its own objects, revisions and admin.
 * A cluster that was never asked for costs only its name; its API is made by the first request.
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "apiserver/virtual/fault_injection.h"
#include "base/error.h"
#include "base/owned.h"

struct api;
struct virtual_cluster;
struct virtual_clusters;
struct crd_pool;
struct openapi_cache;
struct default_objects;
struct inflight_limits;
struct http_request;
struct loop;
struct store_budget;
struct webhook_caller;

struct virtual_clusters_options {
    struct loop *loop;
    const struct token_keys *keys;
    duration max_token_lifetime; /* see struct auth */
    struct crd_pool *pool;
    struct openapi_cache *openapi;
    struct rbac *base_rbac;
    const struct default_objects *defaults;
    struct webhook_caller *webhook_caller; /* NULL: webhooks cannot be called */
    size_t count;
    struct fault_injection faults;  /* of clusters without own faults */
    struct inflight_limits *limits; /* ends hanging requests when it is closed */
    struct store_budget *storage;   /* of all of them */
    int64_t storage_of_one;         /* at most */
};

struct virtual_clusters *virtual_clusters_new(const struct virtual_clusters_options *options);
void virtual_clusters_free(struct virtual_clusters *clusters); /* suspends */
DEFINE_OWNED(virtual_clusters)

size_t virtual_clusters_count(const struct virtual_clusters *clusters);
struct str virtual_clusters_name(const struct virtual_clusters *clusters, size_t index);

/* NULL when there is no cluster of this name. */
struct virtual_cluster *virtual_clusters_find(struct virtual_clusters *clusters, struct str name);

/* A request to a cluster, on the stack of its handler. The caller sets the first two members. */
struct virtual_cluster_visit {
    struct virtual_clusters *clusters;
    struct virtual_cluster *cluster;
    uint64_t number, draws; /* of this request; see fault_injection.h */
};

/*
 * Applies the cluster's faults to a request: lets it wait, fail or hang. *ret_is_done is set when a
 * response was sent. After an error the connection is gone. Suspends.
 */
MUST_USE struct error *virtual_cluster_misbehave(struct virtual_cluster_visit *visit,
                                                 struct http_request *http, bool *ret_is_done);

/*
 * The same for an open watch. Returns an error when its connection was dropped; *ret_is_silent is
 * set when the watch must not send anything any more.
 */
MUST_USE struct error *virtual_cluster_misbehave_watch(struct virtual_cluster_visit *visit,
                                                       struct http_request *http,
                                                       bool *ret_is_silent);

/*
 * The API of a cluster, made now if this is the first request. Every call needs its
 * virtual_cluster_leave(). Suspends.
 */
MUST_USE struct error *virtual_clusters_enter(struct virtual_clusters *clusters,
                                              struct virtual_cluster *cluster,
                                              struct api **ret_api);
void virtual_cluster_leave(struct virtual_cluster *cluster);

/* See api_end_watches(). */
void virtual_clusters_end_watches(struct virtual_clusters *clusters);
void virtual_clusters_interrupt_watches(struct virtual_clusters *clusters);

/*
 * The faults of one cluster, or with cluster NULL of all clusters without their own. Setting them
 * restarts the sequence of requests. Removing the faults of one cluster gives it those of all;
 * removing those of all removes the faults of every cluster.
 */
const struct fault_injection *virtual_clusters_faults(const struct virtual_clusters *clusters,
                                                      const struct virtual_cluster *cluster);
void virtual_clusters_set_faults(struct virtual_clusters *clusters, struct virtual_cluster *cluster,
                                 const struct fault_injection *faults);
void virtual_clusters_remove_faults(struct virtual_clusters *clusters,
                                    struct virtual_cluster *cluster);
