/*
 * The resources of a ResourceQuota that count objects: "count/deployments.apps" for any resource,
 * "pods" and others by their own name, and two that look into Services. Kubernetes has more, about
 * what containers use; they mean nothing where no container runs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/json.h"

bool quota_resource_is_counted(struct str resource);

/* Where the objects are stored that count for it; empty when it does not count objects. */
struct str quota_resource_stored_as(struct str resource);

/* Whether the object decides how much it counts. Otherwise each one counts as one. */
bool quota_resource_depends_on_object(struct str resource);

/* How much one of these objects counts; NULL counts nothing. */
int64_t quota_resource_usage(struct str resource, const struct json_value *object);

/* Scopes choose among Pods by what they are; a quota with scopes counts nothing here. */
bool quota_resource_has_scopes(const struct json_value *quota);
