/*
 * The DeliveryPolicies of the management cluster.
 *
 * They are watched from the first question on: where no set names a policy, nothing is asked, and
 * neither the kind nor the right to read it need be there. The watch has caches of its own, so that
 * a server without the kind does not make the process look unready.
 */
#pragma once

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "clusterresourceset/types/delivery_policy.h"

struct client;
struct loop;
struct policy_store;

struct policy_store_options {
    struct client *client;
    struct str namespace; /* empty: all of them */

    /* A policy came, changed or went. Must not suspend. */
    void (*changed)(void *data, struct key policy, bool is_initial);
    void *data;
};

struct policy_store *policy_store_new(struct loop *loop,
                                      const struct policy_store_options *options);
void policy_store_free(struct policy_store *store); /* Suspends. */
DEFINE_OWNED(policy_store)

/*
 * ERROR_NOT_FOUND: there is no such policy. ERROR_INVALID: it cannot be read, with what is wrong.
 * Other errors are those of the server, and may pass. A policy that the watch does not show is
 * asked for: it may be as new as the set that names it. Suspends.
 */
MUST_USE struct error *policy_store_get(struct policy_store *store, struct key key,
                                        struct delivery_policy **ret_policy);
