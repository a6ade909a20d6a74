/*
 * What a Pod as a whole requests of a resource ("cpu", "hugepages-2Mi", "example.com/dongle"), and
 * how much of it it may take. Upstream: PodRequests() and PodLimits() of
 * component-helpers/resource.
 */
#pragma once

#include "apiserver/registry/quota_amount.h"

struct quota_amount pod_resources_request(const struct json_value *pod, struct str name);
struct quota_amount pod_resources_limit(const struct json_value *pod, struct str name);

/*
 * Of the containers alone; the list is "resources.requests" or "resources.limits". False when none
 * of them names the resource.
 */
bool pod_resources_of_containers(const struct json_value *spec, const char *list, struct str name,
                                 struct quota_amount *ret_amount);

/* The same of requests before they have defaults, which are the limits of each container. */
bool pod_resources_of_requests(const struct json_value *spec, struct str name,
                               struct quota_amount *ret_amount);
