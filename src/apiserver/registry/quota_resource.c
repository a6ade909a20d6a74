#include "apiserver/registry/quota_resource.h"

#include "apiserver/registry/pod_resources.h"
#include "base/duration.h"
#include "json/path.h"

#define COUNT_PREFIX    STR("count/")
#define REQUESTS_PREFIX STR("requests.")
#define LIMITS_PREFIX   STR("limits.")
#define HUGE_PAGES      STR("hugepages-")
#define CLASS_STORAGE   STR(".storageclass.storage.k8s.io/requests.storage")
#define CLASS_CLAIMS    STR(".storageclass.storage.k8s.io/persistentvolumeclaims")

#define PODS   STR_INIT("pods")
#define CLAIMS STR_INIT("persistentvolumeclaims")

/* The first ones are numbers of objects. */
static const struct {
    struct str name;
    bool is_counted;
    struct quota_resource resource;
} names[] = {
    {PODS,                               true,  {.stored_as = PODS, .usage = QUOTA_PODS}                          },
    {STR_INIT("services"),               true,  {.stored_as = STR_INIT("services")}                               },
    {STR_INIT("replicationcontrollers"), true,  {.stored_as = STR_INIT("replicationcontrollers")}                 },
    {STR_INIT("resourcequotas"),         true,  {.stored_as = STR_INIT("resourcequotas")}                         },
    {STR_INIT("secrets"),                true,  {.stored_as = STR_INIT("secrets")}                                },
    {STR_INIT("configmaps"),             true,  {.stored_as = STR_INIT("configmaps")}                             },
    {CLAIMS,                             true,  {.stored_as = CLAIMS}                                             },
    {STR_INIT("services.nodeports"),
     true,                                      {.stored_as = STR_INIT("services"), .usage = QUOTA_NODE_PORTS}    },
    {STR_INIT("services.loadbalancers"),
     true,                                      {.stored_as = STR_INIT("services"), .usage = QUOTA_LOAD_BALANCERS}},
    {STR_INIT("requests.storage"),       false, {.stored_as = CLAIMS, .usage = QUOTA_STORAGE}                     },
};

static const struct str computed[] = {STR_INIT("cpu"), STR_INIT("memory"),
                                      STR_INIT("ephemeral-storage")};

static bool is_computed(struct str name)
{
    for (size_t i = 0; i < COUNT(computed); i++)
        if (str_eq(name, computed[i]))
            return true;
    return false;
}

/* "example.com/dongle": what Kubernetes does not know. */
static bool is_extended(struct str name)
{
    return str_contains(name, STR("/")) && !str_contains(name, STR("kubernetes.io/"));
}

static struct quota_resource of_pods(enum quota_usage usage, struct str part)
{
    return (struct quota_resource){.stored_as = STR("pods"), .usage = usage, .part = part};
}

static bool cut_suffix(struct str name, struct str suffix, struct str *ret_rest)
{
    if (!str_ends_with(name, suffix))
        return false;
    *ret_rest = str_slice(name, 0, name.len - suffix.len);
    return true;
}

static struct quota_resource find_of_class(struct str name)
{
    struct quota_resource resource = {.stored_as = STR("persistentvolumeclaims")};
    resource.usage = QUOTA_STORAGE;
    if (cut_suffix(name, CLASS_STORAGE, &resource.class))
        return resource;
    resource.usage = QUOTA_CLAIMS;
    if (cut_suffix(name, CLASS_CLAIMS, &resource.class))
        return resource;
    return (struct quota_resource){0};
}

/* Extended resources have no limits beside their requests. */
static struct quota_resource find_of_pods(struct str name)
{
    if (is_computed(name) || str_starts_with(name, HUGE_PAGES))
        return of_pods(QUOTA_REQUESTS, name);
    if (str_starts_with(name, REQUESTS_PREFIX)) {
        const struct str part = str_skip(name, REQUESTS_PREFIX.len);
        if (is_computed(part) || str_starts_with(part, HUGE_PAGES) || is_extended(part))
            return of_pods(QUOTA_REQUESTS, part);
    }
    if (str_starts_with(name, LIMITS_PREFIX) && is_computed(str_skip(name, LIMITS_PREFIX.len)))
        return of_pods(QUOTA_LIMITS, str_skip(name, LIMITS_PREFIX.len));
    return (struct quota_resource){0};
}

struct quota_resource quota_resource_find(struct str name)
{
    if (str_starts_with(name, COUNT_PREFIX))
        return (struct quota_resource){.stored_as = str_skip(name, COUNT_PREFIX.len)};
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, names[i].name))
            return names[i].resource;
    const struct quota_resource of_class = find_of_class(name);
    return of_class.stored_as.len ? of_class : find_of_pods(name);
}

bool quota_resource_is_counted(struct str name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(name, names[i].name))
            return names[i].is_counted;
    return str_starts_with(name, COUNT_PREFIX);
}

bool quota_resource_depends_on_object(const struct quota_resource *resource)
{
    return resource->usage != QUOTA_OBJECTS;
}

/* What a Pod requests does not change. */
bool quota_resource_limits_changes(const struct quota_resource *resource)
{
    return quota_resource_depends_on_object(resource) && !str_eq(resource->stored_as, STR("pods"));
}

/*
 * A Pod counts until it has ended, or should have: its deletion has begun and its grace period is
 * over.
 */
static bool has_ended(const struct json_value *pod, timestamp now)
{
    const struct str phase = json_path_str(pod, "status.phase");
    timestamp deletion;
    int64_t grace;
    if (str_eq(phase, STR("Failed")) || str_eq(phase, STR("Succeeded")))
        return true;
    return timestamp_read(json_path_str(pod, "metadata.deletionTimestamp"), &deletion) &&
           json_to_int64(json_path(pod, "metadata.deletionGracePeriodSeconds"), &grace) &&
           (now - deletion) / SECOND >= grace && now > deletion;
}

static struct quota_amount usage_of_pod(const struct quota_resource *resource,
                                        const struct json_value *pod, timestamp now)
{
    if (has_ended(pod, now))
        return (struct quota_amount){0};
    switch (resource->usage) {
    case QUOTA_REQUESTS:
        return pod_resources_request(pod, resource->part);
    case QUOTA_LIMITS:
        return pod_resources_limit(pod, resource->part);
    default:
        return quota_amount_of(1);
    }
}

static int64_t is_load_balancer(const struct json_value *service)
{
    return str_eq(json_path_str(service, "spec.type"), STR("LoadBalancer"));
}

/* With suppressed allocation only those ports count that name a node port. */
static int64_t count_node_ports(const struct json_value *service)
{
    const struct str type = json_path_str(service, "spec.type");
    const bool is_balanced = str_eq(type, STR("LoadBalancer"));
    const struct json_value *port, *ports = json_path(service, "spec.ports");
    bool allocates = true;
    int64_t count = 0, number;
    (void)json_to_bool(json_path(service, "spec.allocateLoadBalancerNodePorts"), &allocates);
    if (!is_balanced && !str_eq(type, STR("NodePort")))
        return 0;
    JSON_FOREACH (key, port, ports)
        count += !is_balanced || allocates ||
                 (json_to_int64(json_get(port, STR("nodePort")), &number) && number != 0);
    return count;
}

static struct str class_of(const struct json_value *claim)
{
    const struct json_value *older = json_get(json_path(claim, "metadata.annotations"),
                                              STR("volume.beta.kubernetes.io/storage-class"));
    return older ? json_to_str(older) : json_path_str(claim, "spec.storageClassName");
}

/* What was allocated counts where it is more than what is requested now. */
static struct quota_amount storage_of(const struct json_value *claim)
{
    struct quota_amount requested = {0}, allocated = {0};
    (void)quota_amount_read(json_path(claim, "spec.resources.requests.storage"), &requested);
    (void)quota_amount_read(json_path(claim, "status.allocatedResources.storage"), &allocated);
    return allocated.milli > requested.milli ? allocated : requested;
}

static struct quota_amount usage_of_claim(const struct quota_resource *resource,
                                          const struct json_value *claim)
{
    if (resource->class.len && !str_eq(resource->class, class_of(claim)))
        return (struct quota_amount){0};
    return resource->usage == QUOTA_STORAGE ? storage_of(claim) : quota_amount_of(1);
}

struct quota_amount quota_resource_usage(const struct quota_resource *resource,
                                         const struct json_value *object, timestamp now)
{
    if (!object)
        return (struct quota_amount){0};
    switch (resource->usage) {
    case QUOTA_PODS:
    case QUOTA_REQUESTS:
    case QUOTA_LIMITS:
        return usage_of_pod(resource, object, now);
    case QUOTA_NODE_PORTS:
        return quota_amount_of(count_node_ports(object));
    case QUOTA_LOAD_BALANCERS:
        return quota_amount_of(is_load_balancer(object));
    case QUOTA_STORAGE:
    case QUOTA_CLAIMS:
        return usage_of_claim(resource, object);
    default:
        return quota_amount_of(1);
    }
}
