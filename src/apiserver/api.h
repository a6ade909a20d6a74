/*
 * One API: its objects, its kinds, who may do what. The main one, or a virtual cluster.
 *
 * Whatever changes an object goes through api_change(): what is derived from objects (definitions,
 * access rules, owners and their dependents) has followed when it returns.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apiserver/auth/auth.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/registry/kind.h"
#include "apiserver/registry/kind_discovery.h"
#include "apiserver/storage/store.h"
#include "async/semaphore.h"
#include "base/map.h"
#include "base/owned.h"

struct gc;
struct crd_pool;
struct loop;
struct random;

/* A CustomResourceDefinition that was stored. */
struct api_definition {
    struct crd *custom; /* NULL until it is established */
    bool is_terminating;
};

struct api {
    struct loop *loop;
    struct store *store;
    struct rbac *rbac;
    struct auth auth;
    struct crd_pool *pool;
    struct crd_webhooks_table webhooks;
    struct map definitions;       /* name -> struct api_definition */
    struct semaphore settle_turn; /* names are given to one definition at a time */
    struct gc *gc;
    struct str cluster;      /* name of a virtual cluster; empty for the main API */
    uint64_t kinds_revision; /* changes with the definitions */
    bool is_ending;          /* see api_end_watches() */
    bool shares_roles;       /* the bootstrap roles are those of base_rbac and not stored */
    bool aggregates_roles;   /* the first objects are there; see role_aggregation_update() */
};

struct api_options {
    struct loop *loop;
    struct store *store; /* taken */
    const struct token_keys *keys;
    struct str authority;   /* certificate that vouches for clients, published as others do */
    struct rbac *base_rbac; /* rules that hold in every API; NULL: they are stored like others */
    struct crd_pool *pool;  /* shared by all APIs of a process */
    struct crd_webhooks_table webhooks;
    const struct str *definitions; /* to be there, in YAML; see crd_registry_install() */
    size_t definition_count;
    struct str cluster;
};

/* Reads what is stored; a store that is empty gets its namespaces and roles. Suspends. */
MUST_USE struct error *api_new(const struct api_options *options, struct api **ret_api);

/* Nobody uses it any more. Suspends. */
void api_free(struct api *api);
DEFINE_OWNED(api)

/* The server stops: watches end as if their time were up, new ones at once. */
void api_end_watches(struct api *api);

/* The kind served at a place; one that is custom stays alive as long as the arena. */
const struct kind *api_find_kind(struct api *api, struct arena *arena, struct gvr gvr);

/* All kinds that are served, in the order of discovery; in the arena. */
struct kind_list api_kinds(struct api *api, struct arena *arena);

/*
 * store_change(), and all that must follow it. Suspends, beyond deadline and cancellation, until
 * the change is durable or has failed.
 */
MUST_USE struct error *api_change(struct api *api, struct store_id id, int64_t expected,
                                  store_edit_fn *edit, void *data, struct store_object *ret_object);

/*
 * Waits up to three seconds until the store has reached a revision that a client names, as API
 * servers do. 504 if the revision stays in the future. Suspends.
 */
MUST_USE struct error *api_wait_revision(struct api *api, int64_t revision);

/* Where an object of a kind is stored. */
struct store_id api_id(const struct kind *kind, struct key key);

/* A stored object as a document in the kind's version. ERROR_NOT_FOUND. */
MUST_USE struct error *api_get(struct api *api, const struct kind *kind, struct key key,
                               struct json_doc **ret_doc);
