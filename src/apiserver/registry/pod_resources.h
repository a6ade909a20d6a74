/*
 * What a Pod as a whole requests of a resource ("cpu", "hugepages-2Mi", "example.com/dongle"), and
 * how much of it it may take. Upstream: PodRequests() and PodLimits() of
 * component-helpers/resource.
 */
#pragma once

#include "apiserver/registry/quota_amount.h"

struct quota_amount pod_resources_request(const struct json_value *pod, struct str name);
struct quota_amount pod_resources_limit(const struct json_value *pod, struct str name);
