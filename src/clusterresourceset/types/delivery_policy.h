/*
 * DeliveryPolicy (corset.dev/v1alpha1): what is done for the sets that name it, beyond what Cluster
 * API's controller does.
 *
 * What a policy may say is in deploy/crds/deliverypolicies.yaml: its schema checks types, words and
 * numbers and fills in defaults, its rules (CEL) check the rest. delivery_policy_check_rules() is
 * those rules, in the same words, for those who evaluate no CEL. Reading begins with both, so that
 * whatever a server let through, a struct delivery_policy is valid.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/field_error.h"
#include "apimachinery/object.h"
#include "apimachinery/selector.h"
#include "base/arena.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

#define DELIVERY_POLICY_API_VERSION "corset.dev/v1alpha1"
#define DELIVERY_POLICY_KIND        "DeliveryPolicy"
#define DELIVERY_POLICY_DEFINITION  "deliverypolicies.corset.dev"

struct policy_schema;

enum delivery_policy_drift {
    DELIVERY_POLICY_DRIFT_IGNORE,
    DELIVERY_POLICY_DRIFT_REPORT,
    DELIVERY_POLICY_DRIFT_REPAIR,
};

/* Of prune.when; bits. */
enum delivery_policy_prune {
    DELIVERY_POLICY_PRUNE_REMOVED = 1,
    DELIVERY_POLICY_PRUNE_UNSELECTED = 2,
    DELIVERY_POLICY_PRUNE_DELETED = 4,
};

/* A number of clusters, or a percent of them. */
struct delivery_policy_share {
    int64_t number;
    bool is_percent;
};

struct delivery_policy_texts {
    struct str *items;
    size_t count;
};

/* Empty members stand for anything; a * at their end for any end. */
struct delivery_policy_ignore {
    struct str group, kind, namespace, name;
    struct delivery_policy_texts paths; /* JSON pointers */
};

struct delivery_policy_wave {
    struct str name;
    struct selector selector; /* the zero value, if there is none: all clusters */
    struct delivery_policy_share at_a_time;
    duration soak;
    bool approval;
};

/* Texts and lists are in the arena. Immutable once it is read. */
struct delivery_policy {
    size_t references;
    bool fails_on_conflict;   /* conflicts: Fail */
    bool recreates_immutable; /* onImmutable: Recreate */
    struct delivery_policy_texts adopt;
    enum delivery_policy_drift drift;
    struct delivery_policy_ignore *ignore;
    size_t ignore_count;
    unsigned prune_when; /* of enum delivery_policy_prune */
    struct delivery_policy_texts prune_kinds;
    int64_t prune_max_objects;
    struct delivery_policy_share prune_max_clusters;
    duration prune_abandon_after;
    duration health_timeout; /* 0: health is off */
    struct delivery_policy_wave *waves;
    size_t wave_count; /* 0: no rollout */
    struct delivery_policy_share max_failures;
    bool has_values; /* values: Cluster */

    struct arena arena;
};

/* Reads a policy of any server. ERROR_INVALID with all that is wrong, in the words of Kubernetes.
 */
MUST_USE struct error *delivery_policy_read(const struct policy_schema *schema,
                                            const struct object *object,
                                            struct delivery_policy **ret_policy);
void delivery_policy_free(struct delivery_policy *policy); /* gives one reference back */
DEFINE_OWNED(delivery_policy)

/* Adds the errors that the rules of the definition find in a policy that its schema accepts. */
void delivery_policy_check_rules(const struct json_value *policy, struct field_errors *errors);

/* Kinds whose loss cannot be mended: never deleted, unless a policy names them for that. */
bool delivery_policy_protects(struct str group, struct str kind);

/*
 * How many of the clusters a share is. Failures that are tolerated are rounded down; all other
 * percents are rounded up and are one cluster at least.
 */
size_t delivery_policy_tolerated(struct delivery_policy_share share, size_t clusters);
size_t delivery_policy_at_most(struct delivery_policy_share share, size_t clusters);
