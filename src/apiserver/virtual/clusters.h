/*
 * Virtual clusters: many small APIs in one process, each with objects, revisions and an admin of
 * its own. One that nobody has asked for yet is only its name.
 */
#pragma once

#include "apiserver/auth/access.h"
#include "apiserver/virtual/inject.h"
#include "base/error.h"
#include "base/owned.h"

struct api;
struct cluster;
struct clusters;
struct crd_pool;
struct gate;
struct http_request;
struct loop;

struct clusters_options {
    struct loop *loop;
    const struct access_keys *keys;
    struct crd_pool *pool;
    struct rbac *base_rbac;
    size_t count;
    struct inject inject; /* for clusters without faults of their own */
    struct gate *gate;    /* ends black holes when it closes */
};

struct clusters *clusters_new(const struct clusters_options *options);
void clusters_free(struct clusters *clusters); /* suspends */
DEFINE_OWNED(clusters)

size_t clusters_count(const struct clusters *clusters);
struct str clusters_name(const struct clusters *clusters, size_t index);

/* NULL when there is none of this name. */
struct cluster *clusters_find(struct clusters *clusters, struct str name);

/* A request to a cluster, on the stack of its handler; begins with these two. */
struct clusters_visit {
    struct clusters *clusters;
    struct cluster *cluster;
    uint64_t number, draws; /* what its faults depend on */
};

/*
 * Does to a request what the cluster's faults say: makes it wait, fail, or never end. *ret_is_done
 * when it has been answered; with an error there is nobody left to answer. Suspends.
 */
MUST_USE struct error *clusters_misbehave(struct clusters_visit *visit, struct http_request *http,
                                          bool *ret_is_done);

/* The same for a watch that is open: an error when it was dropped, or no further word from it. */
MUST_USE struct error *clusters_misbehave_watch(struct clusters_visit *visit,
                                                struct http_request *http, bool *ret_is_silent);

/* The API, made now if this is the first request. Every entry has its exit. Suspends. */
MUST_USE struct error *clusters_enter(struct clusters *clusters, struct cluster *cluster,
                                      struct api **ret_api);
void clusters_leave(struct cluster *cluster);

/* See api_end_watches(). */
void clusters_end_watches(struct clusters *clusters);

/*
 * Faults of one cluster, or of all without their own when cluster is NULL. Setting them begins the
 * sequence of requests anew. Removing the faults of one gives it those of all; removing those of
 * all removes everybody's.
 */
const struct inject *clusters_inject(const struct clusters *clusters,
                                     const struct cluster *cluster);
void clusters_set_inject(struct clusters *clusters, struct cluster *cluster,
                         const struct inject *inject);
void clusters_remove_inject(struct clusters *clusters, struct cluster *cluster);
