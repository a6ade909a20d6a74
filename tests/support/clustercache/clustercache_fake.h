/*
 * ClusterCaches for tests of those who use one: with one cluster that is connected, or with none.
 *
 *     OWNED(clustercache) cache = clustercache_fake_new(
 *         loop, &(struct clustercache_fake_options){.cluster = KEY("default", "c1"),
 *                                                   .kinds = kinds, .kind_count = COUNT(kinds)});
 *
 * They are ClusterCaches like any other, so whoever is tested is handed one as it is. What differs
 * is how they came by their connection: nothing was dialled, probed or read from a Secret, and
 * nothing will be, since there is no controller. Calls answer with what was given here, and for
 * every other cluster as if it were not connected. Sources can be added and hear nothing.
 *
 * clustercache_free() ends them. clustercache_take_controller() must not be called.
 */
#pragma once

#include <stddef.h>

#include "clustercache/clustercache.h"

struct client;
struct rest_config;

/* What cached reads and watches find of a kind, whatever the server has. */
struct clustercache_fake_kind {
    struct gvk gvk;
    struct object *const *objects; /* read here, the caller keeps its references */
    size_t count;
};

struct clustercache_fake_options {
    struct key cluster;

    /* Taken, and freed with the last reference to the connection. NULL: made of the two below. */
    struct client *client;
    const struct rest_config *config; /* texts outlive the references; NULL: http://fake.invalid */

    struct str server_version; /* empty: the client is asked */
    struct str private_key;    /* PEM */
    const struct clustercache_fake_kind *kinds;
    size_t kind_count;
    const struct str *watches; /* names that have been asked for already */
    size_t watch_count;

    /*
     * What a real one would be given, as far as it goes on mattering: indexes, uncached kinds, the
     * time of a request. Without a network no call gets out: ERROR_UNREACHABLE.
     */
    struct clustercache_options like;
};

/* Connected, probed successfully right now. */
struct clustercache *clustercache_fake_new(struct loop *loop,
                                           const struct clustercache_fake_options *options);

/* Knows no cluster. */
struct clustercache *clustercache_fake_new_empty(struct loop *loop);
