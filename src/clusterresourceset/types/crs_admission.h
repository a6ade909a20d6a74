/*
 * The admission webhooks of Cluster API for ClusterResourceSets and ClusterResourceSetBindings, as
 * pure functions over documents of v1beta2. The standalone server calls them before it stores.
 *
 * The messages are those of the webhooks; tests compare with
 * tests/support/data/oracle/admission.jsonl.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "base/error.h"
#include "json/json.h"

#define CRS_SET_WEBHOOK     "validation.clusterresourceset.addons.cluster.x-k8s.io"
#define CRS_BINDING_WEBHOOK "validation.clusterresourcesetbinding.addons.cluster.x-k8s.io"

/* Sets the strategy to ApplyOnce, unless there is one; then it returns the same document. */
MUST_USE struct error *crs_default_set(struct json_doc *doc, struct json_doc **ret_doc);

/* Adds the errors of a set that has its defaults. old is NULL on create. */
void crs_validate_set(const struct json_value *old, const struct json_value *set,
                      struct field_errors *errors);

/* Adds the errors of a binding. old is NULL on create. */
void crs_validate_binding(const struct json_value *old, const struct json_value *binding,
                          struct field_errors *errors);
