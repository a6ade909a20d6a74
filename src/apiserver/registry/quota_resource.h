/*
 * The resources of a ResourceQuota, and what objects use of them: "count/deployments.apps" for any
 * resource, "pods" and others by their own name, what looks into Services and claims, and what Pods
 * request and are limited to. Kubernetes has one more, for devices.
 */
#pragma once

#include <stdbool.h>

#include "apiserver/registry/quota_amount.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

enum quota_usage {
    QUOTA_OBJECTS,        /* each object counts as one */
    QUOTA_PODS,           /* each one that has not ended */
    QUOTA_REQUESTS,       /* of Pods that have not ended */
    QUOTA_LIMITS,         /* of those, too */
    QUOTA_NODE_PORTS,     /* of Services */
    QUOTA_LOAD_BALANCERS, /* Services that are one */
    QUOTA_STORAGE,        /* what claims request */
    QUOTA_CLAIMS,         /* each claim counts as one */
};

struct quota_resource {
    struct str stored_as; /* where the objects are stored that count; empty: it is not known here */
    enum quota_usage usage;
    struct str part;  /* of requests and limits: the name that containers have for it */
    struct str class; /* claims of this storage class alone; empty: of all */
};

/* Borrows from the name. */
struct quota_resource quota_resource_find(struct str name);

/* Whether it is a number of objects. */
bool quota_resource_is_counted(struct str name);

/* Whether the object decides how much it counts. Otherwise each one counts as one. */
bool quota_resource_depends_on_object(const struct quota_resource *resource);

/* Whether changes of objects are limited. Otherwise only new objects are. */
bool quota_resource_limits_changes(const struct quota_resource *resource);

/* How much one of these objects uses; NULL uses nothing. */
struct quota_amount quota_resource_usage(const struct quota_resource *resource,
                                         const struct json_value *object, timestamp now);
