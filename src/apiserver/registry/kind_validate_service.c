/*
 * Validation of Services. Upstream: ValidateService() and ValidateServiceUpdate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 *
 * validate_service_spec() has the order of the checks. Single members (type, protocol, port
 * numbers) are rows of kind_validate_rows.c.
 */
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"

#define AFFINITY_SECONDS_MAX 86400

static struct str type_of(const struct json_value *spec)
{
    return json_path_str(spec, "type");
}

static bool is_headless(const struct json_value *spec)
{
    return str_eq(json_path_str(spec, "clusterIP"), STR("None"));
}

/* A Service of type ExternalName has a DNS name and no cluster IPs. A trailing dot is fine. */
static void validate_external_name(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    const struct json_value *addresses = json_path(spec, "clusterIPs");
    struct str name = json_path_str(spec, "externalName");
    if (json_count(addresses) > 0)
        field_invalid(v, path, "clusterIPs", addresses, "may not be set for ExternalName services");
    if (name.len == 0) {
        field_required(v, path, "externalName", "");
        return;
    }
    if (str_ends_with(name, STR(".")))
        name.len--;
    field_syntax(v, path, "externalName", name, validation_dns1123_subdomain(name));
}

/* "None" makes a headless Service, which must be of type ClusterIP. */
static void validate_addresses(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    const struct json_value *address;
    const struct str type = type_of(spec);
    size_t index = 0;
    JSON_FOREACH (key, address, json_path(spec, "clusterIPs")) {
        const struct str text = json_to_str(address);
        const struct str place = field_path_index(v, field_path(v, path, "clusterIPs"), index++);
        if (!str_eq(text, STR("None")))
            field_syntax(v, place, NULL, text, syntax_ip(text));
        else if (!str_eq(type, STR("ClusterIP")))
            field_errors_add_str(
                v->errors, FIELD_INVALID, place, text,
                arena_print(v->arena, "may not be set to 'None' for %.*s services", STR_ARG(type)));
    }
}

/* The configuration belongs to sessionAffinity ClientIP. */
static void validate_session_affinity(struct kind_validator *v, const struct json_value *spec,
                                      struct str path)
{
    const struct json_value *seconds =
        json_path(spec, "sessionAffinityConfig.clientIP.timeoutSeconds");
    int64_t number;
    if (str_eq(json_path_str(spec, "sessionAffinity"), STR("None"))) {
        if (json_path(spec, "sessionAffinityConfig"))
            field_forbidden(v, path, "sessionAffinityConfig",
                            "must not be set when session affinity is None");
        return;
    }
    if (json_to_int64(seconds, &number) && (number <= 0 || number > AFFINITY_SECONDS_MAX))
        field_invalid(v, path, "sessionAffinityConfig.clientIP.timeoutSeconds", seconds,
                      "must be greater than 0 and less than 86400");
}

/* With more than one port, each needs a name. A headless Service may have no ports. */
static void validate_ports(struct kind_validator *v, const struct json_value *spec, struct str path)
{
    const struct json_value *ports = json_path(spec, "ports"), *port;
    size_t index = 0;
    if (json_count(ports) == 0 && !is_headless(spec) && !str_eq(type_of(spec), STR("ExternalName")))
        field_required(v, path, "ports", "");
    JSON_FOREACH (key, port, ports) {
        const struct str place = field_path_index(v, field_path(v, path, "ports"), index++);
        if (json_count(ports) > 1 && json_path_str(port, "name").len == 0)
            field_required(v, place, "name", "");
        if (str_eq(type_of(spec), STR("ClusterIP")) && json_path(port, "nodePort"))
            field_forbidden(v, place, "nodePort", "may not be used when `type` is 'ClusterIP'");
    }
}

/* The message shows the port as Go's internal type, with empty members. */
static void add_duplicate(struct kind_validator *v, struct str place, const struct json_value *port)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(port, "port"), &number);
    const struct str shown =
        arena_print(v->arena,
                    "{\"Name\":\"\",\"Protocol\":\"%.*s\",\"AppProtocol\":null,\"Port\":%lld,"
                    "\"TargetPort\":0,\"NodePort\":0}",
                    STR_ARG(json_path_str(port, "protocol")), (long long)number);
    OWNED(json_doc) doc = NULL;
    struct error *err = json_read(shown, &doc);
    error_free(err);
    field_errors_add_value(v->errors, FIELD_DUPLICATE, place, doc ? json_doc_root(doc) : NULL,
                           STR(""));
}

/* No two ports may have the same number and protocol. */
static void validate_duplicate_ports(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *port;
    size_t index = 0;
    JSON_FOREACH (key, port, json_path(spec, "ports")) {
        const struct str place = field_path_index(v, field_path(v, path, "ports"), index++);
        int64_t number = 0;
        (void)json_to_int64(json_path(port, "port"), &number);
        const struct str both = arena_print(v->arena, "%lld/%.*s", (long long)number,
                                            STR_ARG(json_path_str(port, "protocol")));
        if (map_has(&seen, both))
            add_duplicate(v, place, port);
        map_put(&seen, both, NULL);
    }
}

/* The primary cluster IP cannot change, except from or to ExternalName. */
static void validate_address_update(struct kind_validator *v, const struct json_value *spec,
                                    struct str path)
{
    const struct json_value *old = json_path(v->old, "spec");
    const struct json_value *addresses = json_path(spec, "clusterIPs");
    if (!old || str_eq(type_of(old), STR("ExternalName")) ||
        str_eq(type_of(spec), STR("ExternalName")) || !json_path(old, "clusterIPs.0"))
        return;
    if (!json_equal(json_path(old, "clusterIPs.0"), json_path(addresses, "0")))
        field_invalid(v, path, "clusterIPs[0]", addresses, "may not change once set");
}

/* Each family once. */
static void validate_families(struct kind_validator *v, const struct json_value *families,
                              struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *family;
    size_t index = 0;
    JSON_FOREACH (key, family, families) {
        const struct str place = field_path_index(v, path, index++);
        field_one_of(v, place, NULL, json_to_str(family), "IPv4|IPv6");
        (void)field_unique(v, &seen, place, NULL, json_to_str(family));
    }
}

/*
 * The services of this server have addresses of IPv4, so that no others can be asked for. A
 * headless Service without a selector has no addresses and may have any families. What an older
 * version stored may stay.
 */
static void validate_configured_families(struct kind_validator *v, const struct json_value *spec,
                                         struct str path)
{
    const struct json_value *families = json_path(spec, "ipFamilies"), *family;
    const struct json_value *policy = json_path(spec, "ipFamilyPolicy");
    const struct json_value *old = json_path(v->old, "spec");
    const struct str place = field_path(v, path, "ipFamilies");
    size_t index = 0;
    if ((is_headless(spec) && json_count(json_path(spec, "selector")) == 0) ||
        (old && json_equal(families, json_path(old, "ipFamilies")) &&
         json_equal(policy, json_path(old, "ipFamilyPolicy"))))
        return;
    if (str_eq(json_to_str(policy), STR("RequireDualStack")))
        field_invalid(v, path, "ipFamilyPolicy", policy,
                      "this cluster is not configured for dual-stack services");
    JSON_FOREACH (key, family, families) {
        if (str_eq(json_to_str(family), STR("IPv6")))
            field_invalid(v, field_path_index(v, place, index), NULL, family,
                          "not configured on this cluster");
        index++;
    }
}

static bool is_balanced(const struct json_value *spec)
{
    return str_eq(type_of(spec), STR("LoadBalancer"));
}

/* Members that mean something for a load balancer alone. */
static void validate_load_balancer(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    static const char *const members[] = {"allocateLoadBalancerNodePorts", "loadBalancerClass"};
    for (size_t i = 0; i < COUNT(members); i++)
        if (!is_balanced(spec) && json_path(spec, members[i]))
            field_forbidden(v, path, members[i], "may only be used when `type` is 'LoadBalancer'");
}

/* How traffic from outside is led, and the port at which a node says whether it takes any. */
static void validate_traffic_policy(struct kind_validator *v, const struct json_value *spec,
                                    struct str path)
{
    const struct str type = type_of(spec);
    const struct json_value *policy = json_path(spec, "externalTrafficPolicy");
    const struct json_value *port = json_path(spec, "healthCheckNodePort");
    const bool is_outside =
        is_balanced(spec) || str_eq(type, STR("NodePort")) ||
        (str_eq(type, STR("ClusterIP")) && json_count(json_path(spec, "externalIPs")) > 0);
    int64_t number = 0;
    if (!is_outside && json_to_str(policy).len)
        field_invalid(v, path, "externalTrafficPolicy", policy,
                      "may only be set for externally-accessible services");
    else if (is_outside && json_to_str(policy).len)
        field_one_of(v, path, "externalTrafficPolicy", json_to_str(policy), "Cluster|Local");
    if (!(is_balanced(spec) && str_eq(json_to_str(policy), STR("Local"))) &&
        json_to_int64(port, &number) && number != 0)
        field_invalid(v, path, "healthCheckNodePort", port,
                      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` "
                      "is 'Local'");
}

void validate_service_spec(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (str_eq(type_of(object), STR("ExternalName")))
        validate_external_name(v, object, path);
    else
        validate_addresses(v, object, path);
    validate_ports(v, object, path);
    validate_duplicate_ports(v, object, path);
    validate_session_affinity(v, object, path);
    validate_load_balancer(v, object, path);
    validate_traffic_policy(v, object, path);
    validate_families(v, json_path(object, "ipFamilies"), field_path(v, path, "ipFamilies"));
    if (!str_eq(type_of(object), STR("ExternalName")))
        validate_configured_families(v, object, path);
    if (json_path(object, "trafficDistribution"))
        field_one_of(v, path, "trafficDistribution", json_path_str(object, "trafficDistribution"),
                     "PreferClose|PreferSameZone|PreferSameNode");
    validate_address_update(v, object, path);
}

void validate_service_status(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    if (json_count(json_path(object, "loadBalancer.ingress")) &&
        !is_balanced(json_path(v->object, "spec")))
        field_forbidden(v, path, "loadBalancer.ingress",
                        "may only be used when `spec.type` is 'LoadBalancer'");
}

void validate_service_port(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *node_port = json_path(object, "nodePort");
    int64_t number;
    validate_port(v, path, "targetPort", json_path(object, "targetPort"));
    if (json_to_int64(node_port, &number) && (number < 30000 || number > 32767))
        field_invalid(v, path, "nodePort", node_port,
                      "provided port is not in the valid range. The range of valid ports is "
                      "30000-32767");
}
