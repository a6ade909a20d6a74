/*
 * Warnings about Services and what leads to them.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/service/warnings.go, and strategy.go of the other kinds.
 */
#include "apiserver/registry/kind_warn_internal.h"

#define TOPOLOGY_HINTS STR("service.kubernetes.io/topology-aware-hints")
#define INGRESS_CLASS  STR("kubernetes.io/ingress.class")
#define MANAGED_BY     STR("endpoints.kubernetes.io/managed-by")

static bool is_external_name(const struct json_value *spec)
{
    return str_eq(json_path_str(spec, "type"), STR("ExternalName"));
}

static bool is_headless(const struct json_value *spec)
{
    return str_eq(json_path_str(spec, "type"), STR("ClusterIP")) &&
           str_eq(json_path_str(spec, "clusterIP"), STR("None"));
}

static void warn_of_headless(struct kind_warner *w, const struct json_value *spec)
{
    if (json_path_str(spec, "loadBalancerIP").len)
        json_warn(w->warnings, STR("spec.loadBalancerIP is ignored for headless services"));
    if (json_count(json_path(spec, "externalIPs")))
        json_warn(w->warnings, STR("spec.externalIPs is ignored for headless services"));
    if (!str_eq(json_path_str(spec, "sessionAffinity"), STR("None")))
        json_warn(w->warnings, STR("spec.SessionAffinity is ignored for headless services"));
}

static void warn_of_service_addresses(struct kind_warner *w, const struct json_value *spec)
{
    warn_of_addresses(w, STR("spec.externalIPs"), json_path(spec, "externalIPs"));
    if (json_count(json_path(spec, "externalIPs")) && !is_headless(spec) && !is_external_name(spec))
        json_warn(w->warnings, STR("spec.externalIPs is deprecated and may no longer be "
                                   "implemented in some clusters"));
    warn_of_address(w, STR("spec.loadBalancerIP"), json_path_str(spec, "loadBalancerIP"));
    warn_of_blocks(w, STR("spec.loadBalancerSourceRanges"),
                   json_path(spec, "loadBalancerSourceRanges"));
}

void warn_of_service(struct kind_warner *w)
{
    const struct json_value *spec = json_path(w->object, "spec");
    if (json_get(json_path(w->object, "metadata.annotations"), TOPOLOGY_HINTS))
        json_warn(w->warnings,
                  STR("annotation service.kubernetes.io/topology-aware-hints is deprecated, please "
                      "use service.kubernetes.io/topology-mode instead"));
    warn_of_addresses(w, STR("spec.clusterIPs"), json_path(spec, "clusterIPs"));
    if (is_headless(spec))
        warn_of_headless(w, spec);
    warn_of_service_addresses(w, spec);
    if (is_external_name(spec) && json_count(json_path(spec, "externalIPs")))
        json_warn(w->warnings,
                  STR("spec.externalIPs is ignored when spec.type is \"ExternalName\""));
    if (!is_external_name(spec) && json_path_str(spec, "externalName").len)
        json_warn(w->warnings,
                  STR("spec.externalName is ignored when spec.type is not \"ExternalName\""));
    if (str_eq(json_path_str(spec, "trafficDistribution"), STR("PreferClose")))
        warn_at(w, STR("spec.trafficDistribution"),
                "\"PreferClose\" is deprecated; use \"PreferSameZone\"");
}

/* The status of a Service or an Ingress. */
void warn_of_balancer(struct kind_warner *w)
{
    const struct json_value *point;
    size_t index = 0;
    JSON_FOREACH (key, point, json_path(w->object, "status.loadBalancer.ingress"))
        warn_of_address(w, warn_path(w, STR("status.loadBalancer.ingress"), index++, ""),
                        json_path_str(point, "ip"));
}

static void warn_of_endpoint_list(struct kind_warner *w, struct str path,
                                  const struct json_value *list)
{
    const struct json_value *endpoint;
    size_t index = 0;
    JSON_FOREACH (key, endpoint, list)
        warn_of_address(w, warn_path(w, path, index++, ".ip"), json_path_str(endpoint, "ip"));
}

/* The controller of Endpoints writes addresses as they should be. */
void warn_of_endpoints(struct kind_warner *w)
{
    const struct json_value *subset;
    size_t index = 0;
    if (str_eq(json_to_str(json_get(json_path(w->object, "metadata.labels"), MANAGED_BY)),
               STR("endpoint-controller")))
        return;
    JSON_FOREACH (key, subset, json_path(w->object, "subsets")) {
        warn_of_endpoint_list(w, warn_path(w, STR("subsets"), index, ".addresses"),
                              json_path(subset, "addresses"));
        warn_of_endpoint_list(w, warn_path(w, STR("subsets"), index++, ".notReadyAddresses"),
                              json_path(subset, "notReadyAddresses"));
    }
}

/* Validation refuses addresses that are not written as they should be. */
void warn_of_endpoint_slice(struct kind_warner *w)
{
    if (str_eq(json_path_str(w->object, "addressType"), STR("FQDN")))
        warn_at(w, STR("spec.addressType"), "FQDN endpoints are deprecated");
}

void warn_of_ingress(struct kind_warner *w)
{
    if (json_get(json_path(w->object, "metadata.annotations"), INGRESS_CLASS) &&
        !json_path(w->object, "spec.ingressClassName"))
        json_warn(w->warnings, STR("annotation \"kubernetes.io/ingress.class\" is deprecated, "
                                   "please use 'spec.ingressClassName' instead"));
}

static void warn_of_peers(struct kind_warner *w, struct str path, const struct json_value *peers)
{
    const struct json_value *peer;
    size_t index = 0;
    JSON_FOREACH (key, peer, peers) {
        const struct json_value *block = json_path(peer, "ipBlock");
        const struct str place = warn_path(w, path, index++, ".ipBlock");
        if (!block)
            continue;
        warn_of_block(w, ARENA_JOIN(w->arena, place, STR(".cidr")), json_path_str(block, "cidr"));
        warn_of_blocks(w, ARENA_JOIN(w->arena, place, STR(".except")), json_path(block, "except"));
    }
}

static void warn_of_policy_rules(struct kind_warner *w, struct str path, const char *peers)
{
    const struct json_value *rule;
    const struct json_value *rules =
        json_get(json_path(w->object, "spec"), str_skip(path, strlen("spec.")));
    size_t index = 0;
    JSON_FOREACH (key, rule, rules)
        warn_of_peers(w, ARENA_JOIN(w->arena, warn_path(w, path, index++, "."), str_from_c(peers)),
                      json_path(rule, peers));
}

void warn_of_network_policy(struct kind_warner *w)
{
    warn_of_policy_rules(w, STR("spec.ingress"), "from");
    warn_of_policy_rules(w, STR("spec.egress"), "to");
}
