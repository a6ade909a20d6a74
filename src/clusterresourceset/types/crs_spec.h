/*
 * The spec of a ClusterResourceSet: its cluster selector, its resources and its strategy.
 *
 * Reading is lenient, because a server without the webhooks of Cluster API may hold a set that they
 * would refuse: resources of unknown kinds are left out, and a selector that cannot be read is an
 * error beside the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "apimachinery/selector.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#define CRS_API_VERSION        "addons.cluster.x-k8s.io/v1beta2"
#define CRS_KIND               "ClusterResourceSet"
#define CRS_FINALIZER          "addons.cluster.x-k8s.io"
#define CRS_PAUSED_ANNOTATION  "cluster.x-k8s.io/paused" /* its value does not matter */
#define CRS_WATCH_FILTER_LABEL "cluster.x-k8s.io/watch-filter"
#define CRS_POLICY_ANNOTATION  "corset.dev/policy" /* the name of a DeliveryPolicy */

enum resource_kind {
    RESOURCE_CONFIG_MAP,
    RESOURCE_SECRET,
};

struct resource_ref {
    enum resource_kind kind;
    struct str name;
};

enum resource_strategy {
    RESOURCE_APPLY_ONCE, /* the default */
    RESOURCE_RECONCILE,
    RESOURCE_STRATEGY_UNKNOWN,
};

struct crs_spec {
    struct selector selector;     /* selects nothing if it is empty or cannot be read */
    struct error *selector_error; /* owned */
    struct resource_ref *refs;    /* of known kinds, in order, with repetitions */
    size_t ref_count;
    enum resource_strategy strategy;
    struct str strategy_text;

    struct arena arena; /* of the texts */
};

void crs_spec_read(const struct object *object, struct crs_spec *ret_set);
void crs_spec_done(struct crs_spec *set);

/* "ConfigMap", "Secret". */
struct str resource_kind_name(enum resource_kind kind);
bool resource_kind_from(struct str name, enum resource_kind *ret_kind);

/* The policy that the set names; crs_has_policy() is true for one with an empty name, too. */
bool crs_has_policy(const struct object *object);
struct str crs_policy_name(const struct object *object);

bool crs_is_paused(const struct object *object);
bool crs_cluster_is_paused(const struct object *cluster); /* spec.paused of a Cluster */

/* The owner reference for resources and bindings; neither controller nor blockOwnerDeletion.
 * Borrows. */
struct owner_reference crs_owner_reference(struct str name, struct str uid);
