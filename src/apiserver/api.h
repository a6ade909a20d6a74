/*
 * One API: its objects, its kinds, and who may do what. Either the main API or a virtual cluster.
 *
 * Every change of an object goes through api_change() or api_decide(). When it returns, everything
 * that is derived from objects has been updated: CustomResourceDefinitions and their kinds, the
 * RBAC index, aggregated ClusterRoles, webhook configurations, and the garbage collector's index.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apiserver/auth/auth.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/crd_webhooks.h"
#include "apiserver/registry/kind.h"
#include "apiserver/registry/kind_discovery.h"
#include "apiserver/storage/store_draft.h"
#include "apiserver/webhooks/webhook_configurations.h"
#include "async/semaphore.h"
#include "base/map.h"
#include "base/owned.h"

struct default_objects;
struct gc;
struct quota_status;
struct server_health;
struct crd_pool;
struct loop;
struct openapi_cache;
struct random;
struct served_kinds;
struct webhook_caller;

/* A CustomResourceDefinition that is stored. */
struct api_definition {
    struct crd *custom; /* compiled; NULL until the definition is established */
    bool is_terminating;
};

struct api {
    struct loop *loop;
    struct store *store;
    struct rbac *rbac;
    struct auth auth;
    struct crd_pool *pool;
    struct openapi_cache *openapi; /* NULL where no requests are served */
    struct crd_webhooks_table webhooks;
    struct webhook_configurations webhook_configurations;
    struct webhook_caller *webhook_caller; /* NULL: webhooks cannot be called */
    size_t webhook_waiting;                /* requests that wait for webhooks */
    struct semaphore conversion_turns;     /* of watches that wait for a conversion webhook */
    struct map definitions;                /* name -> struct api_definition */
    struct semaphore settle_turn;          /* names are given to one definition at a time */
    struct gc *gc;
    struct map
        quota_turns; /* namespace -> struct quota_turn, while a quota_claim holds or awaits it */
    struct quota_status *quotas;
    const struct server_health *health;     /* of the server; NULL in a virtual cluster */
    const struct default_objects *defaults; /* NULL: there are none */
    struct str cluster;                     /* name of a virtual cluster; empty for the main API */
    uint64_t kinds_revision;                /* changes with the definitions */
    struct served_kinds *served;            /* of some revision; NULL until kinds are asked for */
    bool is_ending;                         /* see api_end_watches() */
    uint64_t interruptions;                 /* see api_interrupt_watches() */
    bool shares_roles;     /* the bootstrap roles are those of base_rbac and not stored */
    bool aggregates_roles; /* set when the first objects are stored; see api_change() */
};

struct api_options {
    struct loop *loop;
    struct store *store; /* taken */
    const struct token_keys *keys;
    duration max_token_lifetime;
    struct str authority; /* certificate of the client CA, published in kube-system */
    const struct default_objects *defaults; /* see default_objects.h; NULL: none are made */
    struct rbac *base_rbac; /* roles that several APIs share; NULL: they are stored in this API */
    struct crd_pool *pool;  /* shared by all APIs of a process */
    struct openapi_cache *openapi; /* the same */
    struct crd_webhooks_table webhooks;
    struct webhook_caller *webhook_caller; /* NULL: webhooks cannot be called */
    const struct str *definitions;         /* in YAML; see crd_registry_install() */
    size_t definition_count;
    struct str cluster;
};

/* Loads what is stored. An empty store gets its namespaces and roles. Suspends. */
MUST_USE struct error *api_new(const struct api_options *options, struct api **ret_api);

/* No request may use the API any more. Suspends. */
void api_free(struct api *api);
DEFINE_OWNED(api)

/* The server stops: open watches end as if they had timed out, new ones end at once. */
void api_end_watches(struct api *api);

/* Ends the watches of requests that are under way; later ones may watch. */
void api_interrupt_watches(struct api *api);

/*
 * The kind served at a resource, NULL when there is none. A custom kind lives as long as the arena.
 */
const struct kind *api_find_kind(struct api *api, struct arena *arena, struct gvr gvr);

/* The custom kind of a gvk that is served, or NULL. It may go as soon as the caller suspends. */
const struct kind *api_find_custom(struct api *api, struct gvk gvk);

/* All kinds that are served, in the order of discovery. The list lives as long as the arena. */
struct kind_list api_kinds(struct api *api, struct arena *arena);

/*
 * store_change(), followed by all updates that depend on the change. Suspends, regardless of
 * deadlines and cancellation, until the change is durable or has failed.
 */
MUST_USE struct error *api_change(struct api *api, struct store_id id, int64_t expected,
                                  store_edit_fn *edit, void *data, struct store_object *ret_object);

/* The same by a decision, which may be made on a worker thread; see store_draft.h. */
MUST_USE struct error *api_decide(struct api *api, struct store_id id, int64_t expected,
                                  const struct store_decision *decision,
                                  struct store_object *ret_object);

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
