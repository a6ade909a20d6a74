/*
 * Sets with a policy, for the scenarios FL-*: what crs_fixture.h lacks for them.
 *
 *     delivery_fixture_begin(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
 *     crs_fixture_await_applied(&fixture, "crs1");
 *     CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
 */
#pragma once

#include "scenarios/clusterresourceset/crs_fixture.h"
#include "status/status_model.h"

#define DELIVERY_FIXTURE_POLICIES "/apis/corset.dev/v1alpha1/namespaces/ns/deliverypolicies"
#define DELIVERY_FIXTURE_POLICY   DELIVERY_FIXTURE_POLICIES "/p"
#define DELIVERY_FIXTURE_NAMES(policy) \
    "{\"metadata\":{\"annotations\":{\"corset.dev/policy\":" policy "}}}"

/* Policy p, made with this spec, or given it as all its spec. */
void delivery_fixture_policy(struct crs_fixture *fixture, const char *spec);

/* A set that names policy p. */
void delivery_fixture_set(struct crs_fixture *fixture, const char *name, const char *strategy,
                          const char *resources);

/* Everything: c1, cm1 with this text, policy p with this spec, and crs1, which names both. */
void delivery_fixture_begin(struct crs_fixture *fixture, const char *spec, const char *text);

/* The same, and everything is applied and was checked for drift twice. */
void delivery_fixture_begin_checked(struct crs_fixture *fixture, const char *spec,
                                    const char *text);

/* Time in which every cluster is checked for drift twice. */
#define DELIVERY_FIXTURE_CHECKS (11 * MINUTE)

/* A merge patch, by the field manager "kubectl-edit". */
void delivery_fixture_edit(struct crs_fixture *fixture, const char *target, const char *body);

/*
 * Makes an object one that is not the set's any more, in one of so many ways: deleted, without its
 * label, without managedFields. Names the test case.
 */
#define DELIVERY_FIXTURE_LOSSES ((size_t)3)
void delivery_fixture_lose(struct crs_fixture *fixture, const char *target, size_t way);

/* Events about Clusters with this reason. */
size_t delivery_fixture_events(struct crs_fixture *fixture, const char *reason);

/* What one of the events with this reason says; valid until the next request. */
struct str delivery_fixture_note(struct crs_fixture *fixture, const char *reason);

/* The state in the record of crs1 on c1, and how its condition DriftFree begins. */
void delivery_fixture_check_state(struct crs_fixture *fixture, const char *state,
                                  const char *condition);

/* Applies that c1 was asked for since crs_fixture_forget(), dry runs left out. */
size_t delivery_fixture_applies(const struct crs_fixture *fixture);

/*
 * What corset status and corset why start from, as a person reads it who may list events: the
 * account of the controllers may not.
 */
void delivery_fixture_read_status(const struct crs_fixture *fixture, struct status_model *model);

/* Scalar at a path of the record of a set in the binding of c1; empty when it is not there. */
struct str delivery_fixture_record(struct crs_fixture *fixture, const char *set, const char *path);
