/*
 * A plan: what a set wants of every cluster it selects.
 *
 * A plan holds the spec of one generation of the set and a snapshot of each resource the spec
 * names. It is complete before it becomes the plan of a set, and never changes afterwards. A
 * placement works by the plan it began with and holds a reference to it; when the set has a newer
 * plan by then, the placement is reconciled once more.
 *
 * The decisions in this file are pure: they compare the plan with a ClusterResourceSetBinding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "base/owned.h"
#include "clusterresourceset/apply/apply.h"
#include "clusterresourceset/crs_controllers.h"
#include "clusterresourceset/resource_snapshots.h"
#include "clusterresourceset/types/crs_spec.h"
#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "clusterresourceset/types/values.h"
#include "clusterresourceset/values_room.h"

struct plan;

/* Reads the spec of the set. The plan has no snapshots yet. */
struct plan *plan_new(const struct object *set);
struct plan *plan_ref(struct plan *plan);
void plan_free(struct plan *plan); /* gives one reference back */
DEFINE_OWNED(plan)

/* Adds the snapshot of the next resource, in the order of the spec. Takes the snapshot. */
void plan_add_snapshot(struct plan *plan, struct resource_snapshot *snapshot);

/* The policy that the set is delivered by; NULL: none. Set before the plan is the set's. Takes it.
 */
void plan_set_policy(struct plan *plan, struct delivery_policy *policy);
const struct delivery_policy *plan_policy(const struct plan *plan);

/*
 * The values of Clusters that objects of the plan have in them, by its policy; none: all clusters
 * get the same objects.
 */
const struct values *plan_value_names(const struct plan *plan);

/* The same of one resource, and in which of its objects; NULL: it cannot be used. */
const struct values_use *plan_value_use(const struct plan *plan, size_t index);

/*
 * A plan for one cluster, with the spec, the policy and the round of the other one, and with this
 * digest of the values in its objects. Its snapshots are those of the other one, which are added in
 * order: as they are, or with another content, which is taken. See plan_values.h.
 */
struct plan *plan_derive(struct plan *plan, struct str values);
void plan_add_derived(struct plan *derived, struct content *content); /* NULL: as it is */
/* What the objects of such a plan take is given back with it. Takes the claim. */
void plan_take_claim(struct plan *derived, struct values_claim *claim);
struct str plan_values(const struct plan *plan); /* the digest; empty: no plan for one cluster */

/*
 * Decides which plan a set goes on with, and frees the other. A next plan that wants the same as
 * the current one is dropped, so that placements that are done stay done. Otherwise the next plan
 * gets the next round. current may be NULL. A policy that changed is no other round: it sends
 * nothing by itself. One that came or went is.
 */
struct plan *plan_replace(struct plan *current, struct plan *next);

const struct crs_spec *plan_spec(const struct plan *plan);
int64_t plan_generation(const struct plan *plan);
uint64_t plan_round(const struct plan *plan); /* numbers the plans of a set, from 1 */

/*
 * Resources with a snapshot. There are none in a plan that was made while the set selected no
 * cluster: plan_is_complete() is false then, if the spec names any resource.
 */
size_t plan_resource_count(const struct plan *plan);
struct resource_ref plan_resource(const struct plan *plan, size_t index);
const struct resource_snapshot *plan_snapshot(const struct plan *plan, size_t index);
bool plan_is_complete(const struct plan *plan);

/* Whether the spec names this resource, with or without a snapshot. */
bool plan_names(const struct plan *plan, enum resource_kind kind, struct str name);

/* How the objects are applied. */
enum apply_strategy plan_strategy(const struct plan *plan, enum crs_reconcile_with reconcile_with);

/*
 * The revision of the contents, by which a set with a policy is delivered: the first digits of a
 * hash over all resources and their hashes. A resource that is missing or cannot be used makes it
 * incomplete.
 */
struct str plan_revision(const struct plan *plan, char text[static DELIVERY_REVISION_LEN + 1]);
bool plan_is_whole(const struct plan *plan);

/* Objects in all usable snapshots together. */
size_t plan_object_count(const struct plan *plan);

/* What is to be done about one resource on one cluster. */
enum plan_action {
    PLAN_SKIP,            /* the binding says that it is applied, or no cluster can get it */
    PLAN_APPLY,           /* apply its objects and record the result */
    PLAN_REFUSE_CONTENT,  /* the content cannot be used: record that it is not applied */
    PLAN_REFUSE_STRATEGY, /* the strategy of the set is unknown: the same */
};

struct plan_step {
    enum plan_action action;
    bool is_first;    /* the binding does not know the resource yet */
    bool is_recorded; /* the binding says already that the resource was refused */
};

/* binding is the binding of the cluster; NULL if there is none. set is the name of the set. */
struct plan_step plan_step(const struct plan *plan, size_t index, const struct object *binding,
                           struct str set);

/*
 * Whether nothing is left to do on the cluster: the binding has an entry of the set, every resource
 * is skipped, and, for plan_is_met(), the set is an owner of the binding and no record in it says
 * that something failed.
 *
 * With a policy the record decides: it says that the revision was applied in full. All resources
 * are applied then, or none. No cluster that has something of the set gets an incomplete revision.
 * A plan for one cluster also wants its values to be those of the record. The plan of the set does
 * not know them: it wants the record to have any, or none.
 */
bool plan_is_recorded(const struct plan *plan, const struct object *binding, struct str set);
bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner);

/* Of a set with a policy: whether the cluster has all of this revision, and not an earlier one. */
bool plan_has_revision(const struct plan *plan, const struct object *binding, struct str set);

/* The same, and objects there have other values of the Cluster in them than those of the plan. */
bool plan_has_other_values(const struct plan *plan, const struct object *binding, struct str set);
