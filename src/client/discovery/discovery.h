/*
 * Which kinds a server has, and where they are found: from a kind to its resource and back.
 *
 *     struct discovery_mapping mapping;
 *     TRY(discovery_find_kind(discovery, arena, gvk, &mapping));
 *     TRY(client_get(client, mapping.gvr, key, NULL, &object));
 *
 * Nothing is fetched before the first lookup. That one reads /api and /apis; a server that speaks
 * aggregated discovery tells everything with these two answers, of another one the resources of a
 * group/version are fetched when somebody asks for them. A lookup that finds nothing fetches its
 * group/version once more, so that a kind installed meanwhile is found; a group that is not there
 * any more is forgotten. Fibers that want the same wait for one fetch.
 *
 * Asking for what does not exist is cheap for the server: a group/version, a list of groups and an
 * error that came instead are good for a second (retry_after), however many ask. A group whose
 * server is broken fails lookups in that group alone. What was found stays found until it is
 * refreshed or forgotten; whoever gets a 404 for a resource calls discovery_forget().
 *
 * Clusters with equal APIs share what is known about them through a pool, and cost little more than
 * a pointer each.
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

/* Outlives its discoveries; mappings may outlive it. */
struct discovery_pool *discovery_pool_new(void);
void discovery_pool_free(struct discovery_pool *pool);
DEFINE_OWNED(discovery_pool)

/* Tables of one group/version each, and sets of them, that are in use now. */
size_t discovery_pool_table_count(const struct discovery_pool *pool);
size_t discovery_pool_surface_count(const struct discovery_pool *pool);

struct discovery_options {
    duration retry_after; /* how long an answer is good for those who miss something; 0: 1 s */
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
 * Lookups Suspend when they must fetch. The texts of a mapping live as long as the arena. What the
 * server does not have is an error for which discovery_is_no_match() holds.
 */
MUST_USE struct error *discovery_find_kind(struct discovery *discovery, struct arena *arena,
                                           struct gvk gvk, struct discovery_mapping *ret_mapping);

/* In the version that the server prefers of those that have the kind. */
MUST_USE struct error *discovery_find_group_kind(struct discovery *discovery, struct arena *arena,
                                                 struct str group, struct str kind,
                                                 struct discovery_mapping *ret_mapping);

MUST_USE struct error *discovery_find_resource(struct discovery *discovery, struct arena *arena,
                                               struct gvr gvr,
                                               struct discovery_mapping *ret_mapping);

/*
 * As on a command line: "deployments", "deployment", "deploy", "Deployment", each also with a group
 * or a version and a group behind it (see gvr_read()). Full names of any group come before short
 * names; among equals the first group the server lists, core first, and its preferred version. May
 * fetch every group/version of a server that does not speak aggregated discovery; groups that are
 * broken are passed over.
 */
MUST_USE struct error *discovery_find_name(struct discovery *discovery, struct arena *arena,
                                           struct str name, struct discovery_mapping *ret_mapping);

/* ERROR_NOT_FOUND because the server does not have the kind or resource, not because it failed. */
bool discovery_is_no_match(const struct error *err);

/*
 * Suspends. Reads the lists anew, or learns that they are as they were; on an error what was known
 * stays known.
 */
MUST_USE struct error *discovery_refresh(struct discovery *discovery);

/* The next lookup in this group/version fetches it, at once. */
void discovery_forget(struct discovery *discovery, struct str group, struct str version);

/* Suspends. The server's own version, "v1.36.4", from /version. */
MUST_USE struct error *discovery_server_version(struct client *client, struct arena *arena,
                                                struct str *ret_git_version);
