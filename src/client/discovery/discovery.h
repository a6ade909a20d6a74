/*
 * Discovery: from a kind to the resource that serves it.
 *
 *     struct discovery_mapping mapping;
 *     TRY(discovery_find_kind(discovery, arena, gvk, &mapping));
 *     TRY(client_get(client, mapping.gvr, key, NULL, &object));
 *
 * Nothing is fetched before the first lookup. The first lookup reads /api and /apis. A server with
 * aggregated discovery answers these two requests with everything. Of any other server the
 * resources of a group/version are fetched by the first lookup in that group/version. A lookup
 * without a match fetches its group/version once more, so that a kind that was installed meanwhile
 * is found. A group that the server no longer has is forgotten. Fibers that need the same document
 * wait for one fetch.
 *
 * Lookups of kinds that do not exist are cheap for the server: an answer or an error is valid for
 * retry_after (a second), however many lookups there are. A group whose server is broken fails
 * lookups in that group only. A match stays valid until discovery_forget(), which the caller calls
 * when the server answers 404 for the resource.
 *
 * Clusters with equal APIs share their tables through a pool and cost little more than a pointer
 * each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/gvk.h"
#include "base/arena.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct discovery;
struct discovery_pool;

enum discovery_verb {
    DISCOVERY_GET = 1,
    DISCOVERY_LIST = 2,
    DISCOVERY_WATCH = 4,
    DISCOVERY_CREATE = 8,
    DISCOVERY_UPDATE = 16,
    DISCOVERY_PATCH = 32,
    DISCOVERY_DELETE = 64,
    DISCOVERY_DELETECOLLECTION = 128,
};

struct discovery_mapping {
    struct gvk gvk;
    struct gvr gvr;
    unsigned verbs; /* of enum discovery_verb */
    bool namespaced;
    bool has_status, has_scale; /* subresources */
};

/* The pool must outlive every discovery that uses it. Mappings may outlive the pool. */
struct discovery_pool *discovery_pool_new(void);
void discovery_pool_free(struct discovery_pool *pool);
DEFINE_OWNED(discovery_pool)

struct discovery_options {
    duration retry_after; /* how long an answer is valid for lookups without a match; 0: 1 s */
    size_t document_max;  /* bytes of one answer; 0: 16 MiB */
    double qps, burst;    /* of these requests alone; 0: as rate_limit.h has it */
};

/* The client is borrowed. Options may be NULL. */
struct discovery *discovery_new(struct client *client, struct discovery_pool *pool,
                                const struct discovery_options *options);

/* No lookup may be running. */
void discovery_free(struct discovery *discovery);
DEFINE_OWNED(discovery)

/*
 * Lookups suspend when they must fetch. The texts of a mapping live as long as the arena. A kind
 * that the server does not have is an error for which discovery_is_no_match() is true. An empty
 * version means any version.
 */
MUST_USE struct error *discovery_find_kind(struct discovery *discovery, struct arena *arena,
                                           struct gvk gvk, struct discovery_mapping *ret_mapping);

/* In the most preferred version that has the kind. */
MUST_USE struct error *discovery_find_group_kind(struct discovery *discovery, struct arena *arena,
                                                 struct str group, struct str kind,
                                                 struct discovery_mapping *ret_mapping);

/* True if the server answered and does not have the kind. False for a 404 of the server itself. */
bool discovery_is_no_match(const struct error *err);

/* Makes the next lookup in this group/version fetch it, regardless of retry_after. */
void discovery_forget(struct discovery *discovery, struct str group, struct str version);

/*
 * A version of Kubernetes that the server has at least, by the form of its answers to former
 * lookups: "v1.26" if it has aggregated discovery. Empty if they do not tell.
 */
struct str discovery_least_version(const struct discovery *discovery);

/* Suspends. The gitVersion of the server, such as "v1.36.4", from /version. */
MUST_USE struct error *discovery_server_version(struct client *client, struct arena *arena,
                                                struct str *ret_git_version);
