/*
 * Applies one object of a set with a DeliveryPolicy: by server-side apply, under the field manager
 * of the set, with a label, and never against another set.
 *
 *   conflict with a set        fails: belongs to ClusterResourceSet ns/s
 *   conflict with others       by `conflicts`: taken, or fails and names fields and managers
 *   refused as immutable       by `onImmutable`: fails, or is deleted and made anew
 *   entries of `adopt`         become ours, the first time; the object is applied again then
 *   whatever a server refuses  fails with its words; nothing is merged instead
 *
 * A dry run (apply_target.dry_run) writes nothing and leaves in the apply what would come of it.
 * Nothing can be adopted by a dry run: what would be adopted counts as ours, and the fields that
 * would go then are named.
 *
 * What has drifted is read first (apply_target.mends), and `conflicts` does not hold for it: who
 * repairs takes from everybody but another set.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct apply_object;
struct discovery_mapping;
struct object;

/* On every object of a set with a policy. It narrows lists, and is no proof of anything. */
#define APPLY_MANAGED_LABEL "corset.dev/managed"

/* In a manifest, "ignore": the object is not looked at for drift. */
#define APPLY_DRIFT_ANNOTATION "corset.dev/drift"

/* In a manifest or on an object: it is never deleted. */
#define APPLY_KEEP_ANNOTATION "corset.dev/keep"

/* Suspends. Leaves what came of it in apply->receipt. */
MUST_USE struct error *apply_by_policy(struct apply_object *apply,
                                       const struct discovery_mapping *mapping);

/* Whether the manifest says that the object is not looked at for drift. */
bool apply_policy_ignores_drift(const struct object *manifest);

/* True for a server's refusal to change what cannot be changed. */
bool apply_policy_is_immutable(const struct error *err);
