#include "apiserver/registry/quota_resource.h"

#include "json/path.h"

#define COUNT_PREFIX STR("count/")

static int64_t count_load_balancers(const struct json_value *service)
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

static const struct {
    struct str name;
    struct str stored_as;
    int64_t (*usage)(const struct json_value *object); /* NULL: one */
} names[] = {
    {STR_INIT("pods"),                   STR_INIT("pods"),                   NULL                },
    {STR_INIT("services"),               STR_INIT("services"),               NULL                },
    {STR_INIT("replicationcontrollers"), STR_INIT("replicationcontrollers"), NULL                },
    {STR_INIT("resourcequotas"),         STR_INIT("resourcequotas"),         NULL                },
    {STR_INIT("secrets"),                STR_INIT("secrets"),                NULL                },
    {STR_INIT("configmaps"),             STR_INIT("configmaps"),             NULL                },
    {STR_INIT("persistentvolumeclaims"), STR_INIT("persistentvolumeclaims"), NULL                },
    {STR_INIT("services.nodeports"),     STR_INIT("services"),               count_node_ports    },
    {STR_INIT("services.loadbalancers"), STR_INIT("services"),               count_load_balancers},
};

struct str quota_resource_stored_as(struct str resource)
{
    if (str_starts_with(resource, COUNT_PREFIX))
        return str_skip(resource, COUNT_PREFIX.len);
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(resource, names[i].name))
            return names[i].stored_as;
    return STR("");
}

bool quota_resource_is_counted(struct str resource)
{
    return str_starts_with(resource, COUNT_PREFIX) || quota_resource_stored_as(resource).len;
}

bool quota_resource_depends_on_object(struct str resource)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].usage && str_eq(resource, names[i].name))
            return true;
    return false;
}

int64_t quota_resource_usage(struct str resource, const struct json_value *object)
{
    if (!object)
        return 0;
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].usage && str_eq(resource, names[i].name))
            return names[i].usage(object);
    return 1;
}

bool quota_resource_has_scopes(const struct json_value *quota)
{
    return json_count(json_path(quota, "spec.scopes")) ||
           json_count(json_path(quota, "spec.scopeSelector.matchExpressions"));
}
