/*
 * Validation of NetworkPolicies, Ingresses, IngressClasses and VolumeAttributesClasses.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/networking/validation and pkg/apis/storage/validation.
 */
#include <string.h>

#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"
#include "json/compare.h"

#define CONTROLLER_MAX 250

void validate_network_policy_spec(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const struct json_value *types = json_path(object, "policyTypes"), *type;
    const struct str place = field_path(v, path, "policyTypes");
    size_t index = 0;
    if (json_count(types) > 2) {
        field_invalid(v, path, "policyTypes", types, "may not specify more than two policyTypes");
        return;
    }
    JSON_FOREACH (key, type, types)
        field_one_of(v, field_path_index(v, place, index++), NULL, json_to_str(type),
                     "Ingress|Egress");
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

/* An address and how many of its bits count, as IPv6. */
struct block {
    struct ip ip;
    int64_t bits;
};

#define ADDRESS_BITS ((int64_t)8 * 16)
#define V4_BITS      ((int64_t)8 * 4)

/* False for a text that is no block at all. */
static bool read_block(struct str text, struct block *ret_block)
{
    struct str rest = text, address;
    if (!str_cut(&rest, '/', &address) || !ip_read(address, &ret_block->ip) ||
        !str_to_int64(rest, &ret_block->bits))
        return false;
    if (ret_block->ip.is_v4)
        ret_block->bits += ADDRESS_BITS - V4_BITS;
    return ret_block->bits >= 0 && ret_block->bits <= ADDRESS_BITS;
}

static bool is_strict_subset(const struct block *inner, const struct block *outer)
{
    const size_t whole = (size_t)outer->bits / 8, left = (size_t)outer->bits % 8;
    const unsigned char *a = inner->ip.bytes, *b = outer->ip.bytes;
    if (inner->ip.is_v4 != outer->ip.is_v4 || inner->bits <= outer->bits ||
        memcmp(a, b, whole) != 0)
        return false;
    return left == 0 || (a[whole] ^ b[whole]) >> (8 - left) == 0;
}

static void validate_exception(struct kind_validator *v, const struct block *block, struct str path,
                               struct str text)
{
    struct block inner;
    field_syntax(v, path, NULL, text, syntax_cidr(text));
    if (read_block(text, &inner) && !is_strict_subset(&inner, block))
        field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                             STR("must be a strict subset of `cidr`"));
}

/* A block that cannot be read is the only fault that is told of it. */
void validate_ip_block(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str text = json_path_str(object, "cidr"), place = field_path(v, path, "except");
    const struct json_value *exception;
    struct block block;
    size_t index = 0;
    if (text.len == 0)
        field_required(v, path, "cidr", "");
    else
        field_syntax(v, path, "cidr", text, syntax_cidr(text));
    if (read_block(text, &block))
        JSON_FOREACH (key, exception, json_path(object, "except"))
            validate_exception(v, &block, field_path_index(v, place, index++),
                               json_to_str(exception));
}

/* The end of a range of ports, whose beginning is a number. The messages quote what upstream does.
 */
static void validate_end_port(struct kind_validator *v, const struct json_value *port,
                              const struct json_value *end, struct str path)
{
    int64_t from, to = 0;
    (void)json_to_int64(end, &to);
    if (!port) {
        field_invalid(v, path, "endPort", end, "may not be specified when `port` is not specified");
        return;
    }
    if (!json_to_int64(port, &from)) {
        field_invalid(v, path, "endPort", end, "may not be specified when `port` is non-numeric");
        return;
    }
    if (to < from)
        field_invalid(v, path, "endPort", port, "must be greater than or equal to `port`");
    validate_port(v, path, "endPort", end);
}

void validate_network_port(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *port = json_path(object, "port"), *end = json_path(object, "endPort");
    validate_port(v, path, "port", port);
    if (end)
        validate_end_port(v, port, end, path);
}

/* A required name that may be one segment of a path. */
static void validate_segment(struct kind_validator *v, const struct json_value *object,
                             struct str path, const char *member)
{
    const struct str name = json_path_str(object, member);
    if (name.len == 0)
        field_required(v, path, member, "");
    else
        field_syntax(v, path, member, name, validation_path_segment(name));
}

/* An object by group, kind and name. A group that is given is not empty. */
static void validate_typed_reference(struct kind_validator *v, const struct json_value *reference,
                                     struct str path)
{
    const struct json_value *group = json_path(reference, "apiGroup");
    if (group)
        field_syntax(v, path, "apiGroup", json_to_str(group),
                     validation_dns1123_subdomain(json_to_str(group)));
    validate_segment(v, reference, path, "kind");
    validate_segment(v, reference, path, "name");
}

static void validate_backend_service(struct kind_validator *v, const struct json_value *service,
                                     struct str path)
{
    const struct str name = json_path_str(service, "name");
    const struct json_value *number = json_path(service, "port.number");
    const struct str port = json_path_str(service, "port.name");
    const struct str place = field_path(v, path, "service");
    int64_t value = 0;
    (void)json_to_int64(number, &value);
    if (name.len == 0)
        field_required(v, place, "name", "");
    else
        field_syntax(v, place, "name", name, validation_dns1123_label(name));
    if (port.len && value)
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("cannot set both port name & port number"));
    else if (port.len)
        field_syntax(v, place, "port.name", port, syntax_port_name(port));
    else if (value)
        validate_port(v, place, "port.number", number);
    else
        field_required(v, path, NULL, "port name or number is required");
}

/* Exactly one of service and resource. */
static void validate_backend(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *service = json_path(object, "service");
    const struct json_value *resource = json_path(object, "resource");
    if (service && resource)
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("cannot set both resource and service backends"));
    else if (resource)
        validate_typed_reference(v, resource, field_path(v, path, "resource"));
    else if (service)
        validate_backend_service(v, service, path);
    else
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("resource or service backend is required"));
}

void validate_ingress_spec(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (json_count(json_path(object, "rules")) == 0 && !json_path(object, "defaultBackend"))
        field_invalid(v, path, NULL, json_path(object, "rules"),
                      "either `defaultBackend` or `rules` must be specified");
    if (json_path(object, "defaultBackend"))
        validate_backend(v, json_path(object, "defaultBackend"),
                         field_path(v, path, "defaultBackend"));
    if (json_path(object, "ingressClassName"))
        field_syntax(v, path, "ingressClassName", json_path_str(object, "ingressClassName"),
                     validation_dns1123_subdomain(json_path_str(object, "ingressClassName")));
}

/* "*.example.com" */
static struct validation syntax_wildcard_host(struct str value)
{
    struct validation found = {.count = 0};
    if (value.len > DNS1123_SUBDOMAIN_MAX)
        found.messages[found.count++] = STR("must be no more than 253 characters");
    if (!str_starts_with(value, STR("*.")) ||
        !validation_is_ok(validation_dns1123_subdomain(str_skip(value, 2))))
        found.messages[found.count++] =
            STR("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
                "subdomain, which must consist of lower case alphanumeric characters, '-' or '.' "
                "and end with an alphanumeric character (e.g. '*.example.com', regex used for "
                "validation is "
                "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    return found;
}

/* A DNS name, or one with "*." in front. */
static void validate_host(struct kind_validator *v, struct str path, struct str host)
{
    field_syntax(v, path, NULL, host,
                 str_find_char(host, '*') == STR_NONE ? validation_dns1123_subdomain(host)
                                                      : syntax_wildcard_host(host));
}

static void validate_not_address(struct kind_validator *v, struct str path, struct str host)
{
    struct ip ip;
    if (ip_read(host, &ip))
        field_errors_add_str(v->errors, FIELD_INVALID, path, host,
                             STR("must be a DNS name, not an IP address"));
}

void validate_ingress_rule(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct str host = json_path_str(object, "host"), place = field_path(v, path, "host");
    if (host.len == 0)
        return;
    validate_not_address(v, place, host);
    validate_host(v, place, host);
}

void validate_ingress_tls(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct str place = field_path(v, path, "hosts");
    const struct json_value *host;
    size_t index = 0;
    JSON_FOREACH (key, host, json_path(object, "hosts"))
        validate_host(v, field_path_index(v, place, index++), json_to_str(host));
}

void validate_ingress_balancer(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct str host = json_path_str(object, "hostname");
    const struct str place = field_path(v, path, "hostname");
    if (host.len == 0)
        return;
    field_syntax(v, place, NULL, host, validation_dns1123_subdomain(host));
    validate_not_address(v, place, host);
}

/* A path that has no parts that proxies understand in different ways. */
static void validate_plain_path(struct kind_validator *v, struct str path, struct str text)
{
    static const char *const parts[] = {"//", "/./", "/../", "%2f", "%2F"};
    static const char *const ends[] = {"/..", "/."};
    for (size_t i = 0; i < COUNT(parts); i++)
        if (str_contains(text, str_from_c(parts[i])))
            field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                                 arena_print(v->arena, "must not contain '%s'", parts[i]));
    for (size_t i = 0; i < COUNT(ends); i++)
        if (str_ends_with(text, str_from_c(ends[i])))
            field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                                 arena_print(v->arena, "cannot end with '%s'", ends[i]));
}

/* With ImplementationSpecific the path may be empty. */
static void validate_path(struct kind_validator *v, const struct json_value *object,
                          struct str path, struct str type)
{
    const struct str text = json_path_str(object, "path"), place = field_path(v, path, "path");
    const bool is_plain = field_is_one_of(type, "Exact|Prefix");
    if (!is_plain && text.len == 0)
        return;
    if (!str_starts_with(text, STR("/")))
        field_errors_add_str(v->errors, FIELD_INVALID, place, text,
                             STR("must be an absolute path"));
    if (is_plain)
        validate_plain_path(v, place, text);
}

/* A path without a type is looked into no further. */
void validate_ingress_path(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    static const char *const types = "Exact|ImplementationSpecific|Prefix";
    const struct str type = json_path_str(object, "pathType");
    if (!json_path(object, "pathType")) {
        field_required(v, path, "pathType", "pathType must be specified");
        return;
    }
    field_one_of(v, path, "pathType", type, types);
    if (field_is_one_of(type, types))
        validate_path(v, object, path, type);
    validate_backend(v, json_path(object, "backend"), field_path(v, path, "backend"));
}

/* Where the parameters are: the scope has a default. */
static void validate_parameter_scope(struct kind_validator *v, const struct json_value *parameters,
                                     struct str path)
{
    const struct json_value *namespace = json_path(parameters, "namespace");
    const struct str scope = json_path_str(parameters, "scope");
    field_one_of(v, path, "scope", scope, "Cluster|Namespace");
    if (str_eq(scope, STR("Cluster")) && namespace)
        field_forbidden(v, path, "namespace", "`parameters.scope` is set to 'Cluster'");
    else if (str_eq(scope, STR("Namespace")) && namespace)
        field_syntax(v, path, "namespace", json_to_str(namespace),
                     validation_dns1123_label(json_to_str(namespace)));
    else if (str_eq(scope, STR("Namespace")))
        field_required(v, path, "namespace", "`parameters.scope` is set to 'Namespace'");
}

static bool is_url_path(struct str text)
{
    bool is_one = text.len > 0;
    for (size_t i = 0; i < text.len; i++)
        is_one = is_one && (ascii_is_alphanumeric(text.ptr[i]) ||
                            str_find_char(STR("/-._~%!$&'()*+,;=:"), text.ptr[i]) != STR_NONE);
    return is_one;
}

void validate_domain_path(struct kind_validator *v, struct str path, const char *member,
                          struct str text)
{
    struct str rest = text, domain;
    if (text.len == 0) {
        field_required(v, path, member, "");
        return;
    }
    if (!str_cut(&rest, '/', &domain) || domain.len == 0 || rest.len == 0) {
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, member), text,
                             STR("must be a domain-prefixed path (such as \"acme.io/foo\")"));
        return;
    }
    field_syntax(v, path, member, domain, validation_dns1123_subdomain(domain));
    if (!is_url_path(rest))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, member), rest,
                             STR("Invalid path (regex used for validation is "
                                 "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"));
}

void validate_ingress_class_spec(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const struct json_value *parameters = json_path(object, "parameters");
    const struct str controller = json_path_str(object, "controller");
    const struct str place = field_path(v, path, "parameters");
    if (controller.len > CONTROLLER_MAX)
        field_errors_add_too_long(v->errors, field_path(v, path, "controller"), CONTROLLER_MAX);
    validate_domain_path(v, path, "controller", controller);
    if (!parameters)
        return;
    validate_typed_reference(v, parameters, place);
    validate_parameter_scope(v, parameters, place);
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
