/*
 * Validation of Services. Upstream: ValidateServiceCreate(), ValidateServiceUpdate() and
 * ValidateServiceStatusUpdate() in k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 *
 * validate_service_allocation() goes first and, when it finds something, alone: see kind_service.h.
 * validate_service_spec() has the order of the other checks. Single members (type, protocol, port
 * numbers) are rows of kind_validate_rows.c. What an update may change is in
 * kind_validate_service_update.c.
 */
#include "apiserver/registry/kind_service.h"
#include "json/compare.h"

#define AFFINITY_SECONDS_MAX 86400

#define RANGES_ANNOTATION STR("service.beta.kubernetes.io/load-balancer-source-ranges")
#define TOPOLOGY_MODE     STR("service.kubernetes.io/topology-mode")
#define TOPOLOGY_HINTS    STR("service.kubernetes.io/topology-aware-hints")

#define ONLY_FOR_BALANCERS "may only be used when `type` is 'LoadBalancer'"

bool validate_service_allocation(struct kind_validator *v)
{
    struct field_errors errors = {.arena = v->arena};
    struct kind_validator step = *v;
    struct service_allocation allocation;
    step.errors = &errors;
    error_free(service_allocate(&step, &allocation));
    if (errors.count == 0)
        return true;
    *v->errors = errors;
    return false;
}

static bool is_headless(const struct json_value *spec)
{
    const struct json_value *addresses = json_path(spec, "clusterIPs");
    return json_count(addresses) == 1 && str_eq(json_path_str(addresses, "0"), STR("None"));
}

/* A Service of type ExternalName has a DNS name and no addresses. A trailing dot is fine. */
static void validate_external_name(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    static const char *const members[] = {"clusterIPs", "ipFamilies", "ipFamilyPolicy"};
    struct str name = json_path_str(spec, "externalName");
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json_value *value = json_path(spec, members[i]);
        if (value && (json_type(value) == JSON_STRING || json_count(value) > 0))
            field_forbidden(v, path, members[i], "may not be set for ExternalName services");
    }
    if (str_ends_with(name, STR(".")))
        name.len--;
    if (name.len == 0)
        field_required(v, path, "externalName", "");
    else
        field_syntax(v, path, "externalName", name, validation_dns1123_subdomain(name));
}

/* "None" makes a headless Service, which must be of type ClusterIP. */
static void validate_headless(struct kind_validator *v, struct str path)
{
    const struct str type = service_type(v->object);
    if (service_has_node_ports(v->object))
        field_errors_add_str(
            v->errors, FIELD_INVALID, field_path(v, path, "clusterIPs[0]"), STR("None"),
            arena_print(v->arena, "may not be set to 'None' for %.*s services", STR_ARG(type)));
}

/* The configuration belongs to sessionAffinity ClientIP. */
static void validate_session_affinity(struct kind_validator *v, const struct json_value *spec,
                                      struct str path)
{
    const struct str affinity = json_path_str(spec, "sessionAffinity");
    const struct json_value *seconds =
        json_path(spec, "sessionAffinityConfig.clientIP.timeoutSeconds");
    int64_t number;
    if (str_eq(affinity, STR("None")) && json_path(spec, "sessionAffinityConfig"))
        field_forbidden(v, path, "sessionAffinityConfig",
                        "must not be set when session affinity is None");
    if (str_eq(affinity, STR("ClientIP")) && json_to_int64(seconds, &number) &&
        (number <= 0 || number > AFFINITY_SECONDS_MAX))
        field_invalid(v, path, "sessionAffinityConfig.clientIP.timeoutSeconds", seconds,
                      "must be greater than 0 and less than 86400");
}

/* With more than one port, each needs a name. A headless Service may have no ports. */
static void validate_ports(struct kind_validator *v, const struct json_value *spec, struct str path)
{
    const struct json_value *ports = json_path(spec, "ports"), *port;
    size_t index = 0;
    if (json_count(ports) == 0 && !is_headless(spec) && service_has_addresses(v->object))
        field_required(v, path, "ports", "");
    JSON_FOREACH (key, port, ports) {
        const struct str place = field_path_index(v, field_path(v, path, "ports"), index++);
        if (json_count(ports) > 1 && json_path_str(port, "name").len == 0)
            field_required(v, place, "name", "");
        if (service_is(v->object, "ClusterIP") && json_path(port, "nodePort"))
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

/* Whether a number was there before with the protocol of the port; an absent number never was. */
static bool is_again(struct kind_validator *v, struct map *seen, const struct json_value *port,
                     const char *member)
{
    int64_t number;
    if (!json_to_int64(json_path(port, member), &number))
        return false;
    const struct str both = arena_print(v->arena, "%lld/%.*s", (long long)number,
                                        STR_ARG(json_path_str(port, "protocol")));
    const bool is_known = map_has(seen, both);
    map_put(seen, both, NULL);
    return is_known;
}

/* No two ports may have the same number and protocol, nor the same node port and protocol. */
static void validate_duplicate_ports(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    SCOPED(map) seen_at_nodes = {.release = NULL};
    const struct json_value *port;
    size_t index = 0;
    JSON_FOREACH (key, port, json_path(spec, "ports")) {
        const struct str place = field_path_index(v, field_path(v, path, "ports"), index++);
        if (is_again(v, &seen_at_nodes, port, "nodePort"))
            field_errors_add_value(v->errors, FIELD_DUPLICATE, field_path(v, place, "nodePort"),
                                   json_path(port, "nodePort"), STR(""));
        if (is_again(v, &seen, port, "port"))
            add_duplicate(v, place, port);
    }
}

/* Whether a list of texts has this one; blanks around it do not count. */
static bool has_text(const struct json_value *list, struct str text)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, list)
        if (str_eq(str_trim(json_to_str(one)), text))
            return true;
    return false;
}

/* Addresses outside of the cluster that lead to the Service. What an older server took may stay. */
static void validate_external_addresses(struct kind_validator *v, const struct json_value *spec,
                                        struct str path)
{
    const struct json_value *known = json_path(v->old, "spec.externalIPs"), *address;
    size_t index = 0;
    JSON_FOREACH (key, address, json_path(spec, "externalIPs")) {
        const struct str place = field_path_index(v, field_path(v, path, "externalIPs"), index++);
        const struct str text = json_to_str(address);
        const struct validation found = syntax_ip(text);
        struct ip ip;
        if (field_errors_is_full(v->errors))
            return;
        if (found.count && !has_text(known, text))
            field_syntax(v, place, NULL, text, found);
        else if (ip_read(text, &ip))
            validate_endpoint_ip(v, place, text, &ip);
    }
}

/* The ranges of the annotation, which comma separates; the member replaces them. */
static void validate_annotated_ranges(struct kind_validator *v)
{
    const struct json_value *value =
        json_get(json_path(v->object, "metadata.annotations"), RANGES_ANNOTATION);
    const struct json_value *known =
        json_get(json_path(v->old, "metadata.annotations"), RANGES_ANNOTATION);
    const struct str path = field_path_key(v, STR("metadata.annotations"), RANGES_ANNOTATION);
    struct str rest = str_trim(json_to_str(value)), range;
    bool more = rest.len > 0;
    if (value && !service_is(v->object, "LoadBalancer"))
        field_forbidden(v, path, NULL, ONLY_FOR_BALANCERS);
    if (known && json_equal(value, known))
        return;
    while (more) {
        more = str_cut(&rest, ',', &range);
        field_syntax(v, path, NULL, str_trim(range), syntax_cidr(str_trim(range)));
    }
}

/* Where traffic may come from. Upstream writes the name of the member with a capital letter. */
static void validate_source_ranges(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    const struct json_value *known = json_path(v->old, "spec.loadBalancerSourceRanges"), *range;
    const struct json_value *ranges = json_path(spec, "loadBalancerSourceRanges");
    const struct str place = field_path(v, path, "LoadBalancerSourceRanges");
    size_t index = 0;
    if (json_count(ranges) == 0) {
        validate_annotated_ranges(v);
        return;
    }
    if (!service_is(v->object, "LoadBalancer"))
        field_forbidden(v, place, NULL, ONLY_FOR_BALANCERS);
    JSON_FOREACH (key, range, ranges) {
        const struct str text = str_trim(json_to_str(range));
        const struct validation found = syntax_cidr(text);
        if (field_errors_is_full(v->errors))
            return;
        if (found.count && !has_text(known, text))
            field_syntax(v, field_path_index(v, place, index), NULL, text, found);
        index++;
    }
}

/* Two annotations have the same meaning. */
static void validate_topology(struct kind_validator *v)
{
    const struct json_value *annotations = json_path(v->object, "metadata.annotations");
    const struct json_value *mode = json_get(annotations, TOPOLOGY_MODE);
    const struct json_value *hints = json_get(annotations, TOPOLOGY_HINTS);
    if (mode && hints && !json_equal(mode, hints))
        field_invalid(
            v, field_path_key(v, STR("metadata.annotations"), TOPOLOGY_MODE), NULL, mode,
            "must match annotations[service.kubernetes.io/topology-aware-hints] when both "
            "are specified");
}

void validate_service_class(struct kind_validator *v, const struct json_value *spec,
                            struct str path)
{
    const struct json_value *class = json_path(spec, "loadBalancerClass");
    if (class && service_is(v->object, "LoadBalancer"))
        field_syntax(v, path, "loadBalancerClass", json_to_str(class),
                     validation_label_key(json_to_str(class)));
    else if (class)
        field_forbidden(v, path, "loadBalancerClass", ONLY_FOR_BALANCERS);
}

/* How traffic from outside is led, and the port at which a node says whether it takes any. */
static void validate_traffic_policy(struct kind_validator *v, const struct json_value *spec,
                                    struct str path)
{
    const struct json_value *policy = json_path(spec, "externalTrafficPolicy");
    const struct json_value *port = json_path(spec, "healthCheckNodePort");
    int64_t number = 0;
    if (!service_is_outside(v->object) && json_to_str(policy).len)
        field_invalid(v, path, "externalTrafficPolicy", policy,
                      "may only be set for externally-accessible services");
    else if (service_is_outside(v->object) && json_to_str(policy).len)
        field_one_of(v, path, "externalTrafficPolicy", json_to_str(policy), "Cluster|Local");
    if (!json_to_int64(port, &number) || number == 0)
        return;
    if (!service_is_checked(v->object))
        field_invalid(v, path, "healthCheckNodePort", port,
                      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` "
                      "is 'Local'");
    else if (number < 1 || number > 65535)
        field_invalid(v, path, "healthCheckNodePort", port,
                      "must be between 1 and 65535, inclusive");
}

void validate_service_spec(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    validate_topology(v);
    if (!service_has_addresses(v->object))
        validate_external_name(v, object, path);
    else if (is_headless(object))
        validate_headless(v, path);
    validate_ports(v, object, path);
    validate_duplicate_ports(v, object, path);
    validate_session_affinity(v, object, path);
    validate_external_addresses(v, object, path);
    validate_source_ranges(v, object, path);
    if (!service_is(v->object, "LoadBalancer") &&
        json_path(object, "allocateLoadBalancerNodePorts"))
        field_forbidden(v, path, "allocateLoadBalancerNodePorts", ONLY_FOR_BALANCERS);
    validate_service_class(v, object, path);
    validate_traffic_policy(v, object, path);
    if (json_path(object, "trafficDistribution"))
        field_one_of(v, path, "trafficDistribution", json_path_str(object, "trafficDistribution"),
                     "PreferClose|PreferSameZone|PreferSameNode");
}

void validate_service_port(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *protocol = json_path(object, "appProtocol");
    validate_port(v, path, "targetPort", json_path(object, "targetPort"));
    if (protocol)
        field_syntax(v, path, "appProtocol", json_to_str(protocol),
                     validation_label_key(json_to_str(protocol)));
}

/* An address has a mode, a name has none. */
static void validate_ingress_mode(struct kind_validator *v, const struct json_value *ingress,
                                  struct str path)
{
    const struct json_value *mode = json_path(ingress, "ipMode");
    const bool has_address = json_path_str(ingress, "ip").len > 0;
    if (has_address && !mode)
        field_required(v, path, "ipMode", "must be specified when `ip` is set");
    else if (has_address)
        field_one_of(v, path, "ipMode", json_to_str(mode), "Proxy|VIP");
    else if (mode)
        field_forbidden(v, path, "ipMode", "may not be specified when `ip` is not set");
}

static bool has_ingress_address(const struct json_value *ingresses, struct str address)
{
    const struct json_value *ingress;
    JSON_FOREACH (key, ingress, ingresses)
        if (str_eq(json_path_str(ingress, "ip"), address))
            return true;
    return false;
}

static void validate_ingress(struct kind_validator *v, const struct json_value *ingress,
                             struct str path)
{
    const struct str address = json_path_str(ingress, "ip");
    const struct str name = json_path_str(ingress, "hostname");
    const struct validation found = syntax_ip(address);
    struct ip ip;
    if (address.len && found.count && !field_errors_is_full(v->errors) &&
        !has_ingress_address(json_path(v->old, "status.loadBalancer.ingress"), address))
        field_syntax(v, path, "ip", address, found);
    validate_ingress_mode(v, ingress, path);
    if (name.len == 0)
        return;
    field_syntax(v, path, "hostname", name, validation_dns1123_subdomain(name));
    if (ip_read(name, &ip))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "hostname"), name,
                             STR("must be a DNS name, not an IP address"));
}

void validate_service_status(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct str place = field_path(v, path, "loadBalancer.ingress");
    const struct json_value *ingresses = json_path(object, "loadBalancer.ingress"), *ingress;
    size_t index = 0;
    if (json_count(ingresses) && !service_is(v->object, "LoadBalancer")) {
        field_forbidden(v, place, NULL, "may only be used when `spec.type` is 'LoadBalancer'");
        return;
    }
    JSON_FOREACH (key, ingress, ingresses)
        validate_ingress(v, ingress, field_path_index(v, place, index++));
}
