/*
 * What Cluster API's webhooks do to ClusterResourceSets and ClusterResourceSetBindings before they
 * are stored, as pure functions over documents of v1beta2.
 *
 * Messages are those of the webhooks; tests hold them to tests/support/data/oracle/admission.jsonl.
 */
#pragma once

#include "apimachinery/field_error.h"
#include "base/error.h"
#include "json/json.h"

#define CRS_SET_WEBHOOK     "validation.clusterresourceset.addons.cluster.x-k8s.io"
#define CRS_BINDING_WEBHOOK "validation.clusterresourcesetbinding.addons.cluster.x-k8s.io"

/* A set without a strategy is one that applies once. The same document when it has one. */
MUST_USE struct error *crs_default_set(struct json_doc *doc, struct json_doc **ret_doc);

/* Adds what is wrong with a set that has its defaults; old is NULL on create. */
void crs_validate_set(const struct json_value *old, const struct json_value *set,
                      struct field_errors *errors);

/* Adds what is wrong with the change of a binding. */
void crs_validate_binding(const struct json_value *old, const struct json_value *binding,
                          struct field_errors *errors);
