#include "apiserver/registry/pod_resources.h"

#include "json/path.h"

/* One resource, as requests or as limits. */
struct pod_resource {
    const struct json_value *spec;
    const char *list; /* "resources.requests" or "resources.limits" */
    struct str name;
    const char *fallback; /* the list that counts where that one does not name it, or NULL */
};

static const struct json_value *value_of(const struct pod_resource *resource,
                                         const struct json_value *holder)
{
    const struct json_value *value = json_get(json_path(holder, resource->list), resource->name);
    return value || !resource->fallback
               ? value
               : json_get(json_path(holder, resource->fallback), resource->name);
}

static struct quota_amount amount_of(const struct pod_resource *resource,
                                     const struct json_value *holder)
{
    struct quota_amount amount = {0};
    (void)quota_amount_read(value_of(resource, holder), &amount);
    return amount;
}

static struct quota_amount greater(struct quota_amount a, struct quota_amount b)
{
    return b.milli > a.milli ? b : a;
}

/* Containers run at the same time. */
static struct quota_amount sum_containers(const struct pod_resource *resource)
{
    const struct json_value *container;
    struct quota_amount sum = {0};
    JSON_FOREACH (key, container, json_path(resource->spec, "containers"))
        quota_amount_add(&sum, amount_of(resource, container));
    return sum;
}

/*
 * Init containers run one after the other, each beside the sidecars (those that are restarted) that
 * began before it. Sidecars run beside the containers, too.
 */
static struct quota_amount with_init_containers(const struct pod_resource *resource,
                                                struct quota_amount sum)
{
    const struct json_value *container;
    struct quota_amount sidecars = {0}, most = {0};
    JSON_FOREACH (key, container, json_path(resource->spec, "initContainers")) {
        struct quota_amount amount = amount_of(resource, container);
        if (str_eq(json_path_str(container, "restartPolicy"), STR("Always"))) {
            quota_amount_add(&sum, amount);
            quota_amount_add(&sidecars, amount);
            amount = sidecars;
        } else {
            quota_amount_add(&amount, sidecars);
        }
        most = greater(most, amount);
    }
    return greater(sum, most);
}

static bool may_be_of_pod(struct str name)
{
    return str_eq(name, STR("cpu")) || str_eq(name, STR("memory")) ||
           str_starts_with(name, STR("hugepages-"));
}

/* What the Pod says of itself counts instead of its containers. */
static struct quota_amount amount_of_pod(const struct pod_resource *resource)
{
    struct quota_amount amount = {0};
    if (may_be_of_pod(resource->name) &&
        quota_amount_read(json_get(json_path(resource->spec, resource->list), resource->name),
                          &amount))
        return amount;
    return with_init_containers(resource, sum_containers(resource));
}

static bool is_named(const struct pod_resource *resource, const char *containers)
{
    const struct json_value *container;
    JSON_FOREACH (key, container, json_path(resource->spec, containers))
        if (value_of(resource, container))
            return true;
    return false;
}

static bool amount_of_containers(const struct pod_resource *resource,
                                 struct quota_amount *ret_amount)
{
    *ret_amount = with_init_containers(resource, sum_containers(resource));
    return is_named(resource, "containers") || is_named(resource, "initContainers");
}

bool pod_resources_of_containers(const struct json_value *spec, const char *list, struct str name,
                                 struct quota_amount *ret_amount)
{
    const struct pod_resource resource = {spec, list, name, NULL};
    return amount_of_containers(&resource, ret_amount);
}

bool pod_resources_of_requests(const struct json_value *spec, struct str name,
                               struct quota_amount *ret_amount)
{
    const struct pod_resource resource = {spec, "resources.requests", name, "resources.limits"};
    return amount_of_containers(&resource, ret_amount);
}

static struct quota_amount overhead_of(const struct pod_resource *resource)
{
    struct quota_amount amount = {0};
    (void)quota_amount_read(json_get(json_path(resource->spec, "overhead"), resource->name),
                            &amount);
    return amount;
}

struct quota_amount pod_resources_request(const struct json_value *pod, struct str name)
{
    const struct pod_resource resource = {json_path(pod, "spec"), "resources.requests", name, NULL};
    struct quota_amount amount = amount_of_pod(&resource);
    quota_amount_add(&amount, overhead_of(&resource));
    return amount;
}

/* Without a limit there is none for the overhead either. */
struct quota_amount pod_resources_limit(const struct json_value *pod, struct str name)
{
    const struct pod_resource resource = {json_path(pod, "spec"), "resources.limits", name, NULL};
    struct quota_amount amount = amount_of_pod(&resource);
    if (amount.milli)
        quota_amount_add(&amount, overhead_of(&resource));
    return amount;
}
