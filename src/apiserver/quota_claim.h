/*
 * What a write may take of the ResourceQuotas of its namespace.
 *
 * What is used is counted in the store, not read from the status of the quotas. The store shows
 * what is durable, so the writes of a namespace that quotas limit take turns: each one is durable,
 * or has failed, before the next one is counted. Other namespaces are not slowed down.
 */
#pragma once

#include "apimachinery/key.h"
#include "apiserver/registry/kind.h"
#include "apiserver/registry/quota_resource.h"
#include "base/arena.h"
#include "base/error.h"

struct api;
struct quota_turn;

/* A resource of a quota. */
struct quota_limit {
    const struct json_value *quota;
    struct str name; /* in spec.hard */
    struct str hard; /* as it is written there */
    struct quota_amount hard_amount;
    struct quota_resource resource;
    struct quota_amount used;
};

struct quota_claim {
    struct api *api;
    struct quota_turn *turn; /* NULL: it holds none */
    struct arena *arena;
    const struct kind *kind;
    struct key key;
    timestamp now;
    struct quota_limit *limits; /* sorted by quota and name */
    size_t count, capacity;
};

/*
 * Collects the quotas that limit objects of a kind, waits for a turn if there are any, and counts.
 * Writes that change an object are limited when the object decides how much it counts. Suspends.
 */
MUST_USE struct error *quota_claim_take(struct quota_claim *claim, struct api *api,
                                        struct arena *arena, const struct kind *kind,
                                        struct key key, bool may_create);

/* Ends the turn. The write is durable, or has failed. */
void quota_claim_done(struct quota_claim *claim);

/* 403 when a quota is exceeded, in the words of Kubernetes. old is NULL on create. */
MUST_USE struct error *quota_claim_check(const struct quota_claim *claim,
                                         const struct json_value *old,
                                         const struct json_value *object);

/* The limit that a resource of spec.hard is; resource.stored_as is empty when it is not known. */
struct quota_limit quota_claim_limit(const struct json_value *quota, struct str name,
                                     const struct json_value *hard);

/*
 * Fills in what the objects of a namespace use of resources of quotas, all of which are stored as
 * the same. Suspends after some of them, so that others have their turn however many there are.
 */
MUST_USE struct error *quota_claim_count(struct api *api, struct str namespace,
                                         struct quota_limit *limits, size_t count);
