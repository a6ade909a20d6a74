/*
 * Validation of NetworkPolicies, Ingresses, IngressClasses and VolumeAttributesClasses.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/networking/validation and pkg/apis/storage/validation.
 */
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"

void validate_network_policy_spec(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const struct json_value *types = json_path(object, "policyTypes");
    if (json_count(types) > 2)
        field_invalid(v, path, "policyTypes", types, "may not specify more than two policyTypes");
}

/* A peer is an ipBlock, or selectors. */
void validate_network_peer(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (json_count(object) == 0)
        field_required(v, path, NULL, "must specify a peer");
    else if (json_path(object, "ipBlock") && json_count(object) > 1)
        field_forbidden(v, path, NULL, "may not specify both ipBlock and another peer");
}

/* endPort needs a numeric port that is not greater. */
void validate_network_port(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *port = json_path(object, "port"), *end = json_path(object, "endPort");
    int64_t from, to;
    validate_port(v, path, "port", port);
    if (!end || !json_to_int64(end, &to))
        return;
    if (!port)
        field_required(v, path, "port", "may not be specified when `endPort` is not specified");
    else if (!json_to_int64(port, &from))
        field_invalid(v, path, "endPort", end, "must be specified as a number");
    else if (to < from)
        field_invalid(v, path, "endPort", end, "must be greater than or equal to `port`");
}

void validate_ingress_spec(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (json_count(json_path(object, "rules")) == 0 && !json_path(object, "defaultBackend"))
        field_invalid(v, path, NULL, json_path(object, "rules"),
                      "either `defaultBackend` or `rules` must be specified");
    if (json_path(object, "ingressClassName"))
        field_syntax(v, path, "ingressClassName", json_path_str(object, "ingressClassName"),
                     validation_dns1123_subdomain(json_path_str(object, "ingressClassName")));
}

/* A host is a DNS name, with "*." in front for a wildcard. */
void validate_ingress_rule(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct str host = json_path_str(object, "host");
    const bool is_wild = str_starts_with(host, STR("*."));
    const struct str name = is_wild ? str_skip(host, 2) : host;
    if (host.len == 0)
        return;
    if (syntax_ip(host).count == 0)
        field_invalid(v, path, "host", json_path(object, "host"),
                      "must be a DNS name, not an IP address");
    else
        field_syntax(v, path, "host", host, validation_dns1123_subdomain(name));
}

/* With ImplementationSpecific the path may be empty. */
void validate_ingress_path(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct str type = json_path_str(object, "pathType");
    const struct json_value *value = json_path(object, "path");
    const struct str text = json_to_str(value);
    if (str_eq(type, STR("ImplementationSpecific")) && text.len == 0)
        return;
    if (!str_starts_with(text, STR("/")))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "path"), text,
                             STR("must be an absolute path"));
}

/* Exactly one of service and resource. */
void validate_ingress_backend(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct json_value *service = json_path(object, "service");
    const struct json_value *port = json_path(service, "port");
    if (service && json_path(object, "resource"))
        field_invalid(v, path, NULL, NULL, "cannot set both resource and service backends");
    if (!service) {
        if (!json_path(object, "resource"))
            field_required(v, path, NULL, "must specify a backend");
        return;
    }
    if (json_path_str(service, "name").len == 0)
        field_required(v, path, "service.name", "");
    if (!json_path(port, "name") && !json_path(port, "number"))
        field_required(v, path, "service.port", "port name or number is required");
    if (json_path_str(port, "name").len && json_path(port, "number"))
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("cannot set both port name & port number"));
    validate_port(v, path, "service.port.number", json_path(port, "number"));
}

/* A reference to whatever configures the controller. */
static void validate_class_parameters(struct kind_validator *v, const struct json_value *parameters,
                                      struct str path)
{
    const struct str place = field_path(v, path, "parameters");
    const bool has_namespace = json_path_str(parameters, "namespace").len > 0;
    if (!parameters)
        return;
    if (json_path_str(parameters, "kind").len == 0)
        field_required(v, place, "kind", "");
    if (json_path_str(parameters, "name").len == 0)
        field_required(v, place, "name", "");
    if (str_eq(json_path_str(parameters, "scope"), STR("Namespace")) && !has_namespace)
        field_required(v, place, "namespace", "`parameters.scope` is set to 'Namespace'");
}

void validate_ingress_class_spec(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const struct json_value *controller = json_path(object, "controller");
    struct str rest = json_to_str(controller), domain;
    if (rest.len == 0)
        field_required(v, path, "controller", "");
    else if (!str_cut(&rest, '/', &domain) || domain.len == 0 || rest.len == 0)
        field_invalid(v, path, "controller", controller,
                      "must be a domain-prefixed path (such as \"acme.io/foo\")");
    else
        field_syntax(v, path, "controller", domain, validation_dns1123_subdomain(domain));
    validate_class_parameters(v, json_path(object, "parameters"), path);
}

/* What volumes were made with does not change. */
void validate_volume_attributes_class(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    if (!v->old)
        return;
    if (!json_equal(json_path(object, "driverName"), json_path(v->old, "driverName")))
        field_forbidden(v, path, "driverName", "updates to driverName are forbidden.");
    if (!json_equal(json_path(object, "parameters"), json_path(v->old, "parameters")))
        field_forbidden(v, path, "parameters", "updates to parameters are forbidden.");
}
