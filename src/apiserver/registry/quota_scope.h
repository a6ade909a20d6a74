/*
 * The scopes of a ResourceQuota, which choose among Pods: a quota with scopes counts the Pods that
 * match all of them, and nothing else. The scope VolumeAttributesClass chooses among claims; it is
 * not known here, and matches nothing.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "json/json.h"

/* Whether the scopes of the quota let an object of a resource count. */
bool quota_scope_matches(const struct json_value *quota, struct str stored_as,
                         const struct json_value *object);

/* Whether it depends on the object. */
bool quota_scope_has_any(const struct json_value *quota);

/* Whether all of them are known. */
bool quota_scope_is_enforced(const struct json_value *quota);
