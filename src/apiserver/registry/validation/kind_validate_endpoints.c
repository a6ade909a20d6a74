/*
 * Validation of Endpoints and EndpointSlices. What an update leaves as it was is not looked at
 * again: older servers had fewer rules.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/discovery/validation, and ValidateEndpoints() of
 * pkg/apis/core/validation.
 */
#include <arpa/inet.h>

#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"

#define ADDRESSES_MAX 100
#define ENDPOINTS_MAX 1000
#define HINTS_MAX     8
#define PORTS_MAX     20000

/* A text that is there, though it may be empty. */
static void validate_name(struct kind_validator *v, struct str path, const char *member,
                          const struct json_value *object, name_check_fn *check)
{
    const struct json_value *value = json_path(object, member);
    if (value)
        field_syntax(v, path, member, json_to_str(value), check(json_to_str(value)));
}

/* What ports of both kinds have in common, besides their name. */
static void validate_port_protocols(struct kind_validator *v, const struct json_value *port,
                                    struct str path)
{
    field_one_of(v, path, "protocol", json_path_str(port, "protocol"), "SCTP|TCP|UDP");
    validate_name(v, path, "appProtocol", port, validation_label_key);
}

/* A name is needed where there are several ports. */
static void validate_subset_port(struct kind_validator *v, const struct json_value *port,
                                 struct str path, bool needs_name)
{
    const struct str name = json_path_str(port, "name");
    const struct json_value *number = json_path(port, "port");
    if (needs_name && name.len == 0)
        field_required(v, path, "name", "");
    else if (name.len)
        field_syntax(v, path, "name", name, validation_dns1123_label(name));
    validate_port(v, path, "port", number);
    validate_port_protocols(v, port, path);
}

static void validate_subset_addresses(struct kind_validator *v, const struct json_value *addresses,
                                      struct str path)
{
    const struct json_value *address;
    size_t index = 0;
    JSON_FOREACH (key, address, addresses) {
        const struct str place = field_path_index(v, path, index++);
        const struct str text = json_path_str(address, "ip");
        struct ip ip;
        const bool is_ip = ip_read(text, &ip);
        field_syntax(v, place, "ip", text, syntax_ip(text));
        if (json_path_str(address, "hostname").len)
            validate_name(v, place, "hostname", address, validation_dns1123_label);
        validate_name(v, place, "nodeName", address, validation_dns1123_subdomain);
        if (is_ip)
            validate_endpoint_ip(v, field_path(v, place, "ip"), text, &ip);
        else
            field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, place, "ip"), text,
                                 STR("must be a valid IP address"));
    }
}

/* A subset without addresses says nothing. */
void validate_endpoint_subset(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    static const char *const lists[] = {"addresses", "notReadyAddresses"};
    const struct json_value *ports = json_path(object, "ports"), *port;
    size_t index = 0;
    if (v->old && json_equal(json_path(v->old, "subsets"), json_path(v->object, "subsets")))
        return;
    if (json_count(json_path(object, lists[0])) + json_count(json_path(object, lists[1])) == 0)
        field_required(v, path, NULL, "must specify `addresses` or `notReadyAddresses`");
    for (size_t i = 0; i < COUNT(lists); i++)
        validate_subset_addresses(v, json_path(object, lists[i]), field_path(v, path, lists[i]));
    JSON_FOREACH (key, port, ports)
        validate_subset_port(v, port, field_path_index(v, field_path(v, path, "ports"), index++),
                             json_count(ports) > 1);
}

/* Ports differ in their names, of which one may be empty. */
static void validate_slice_ports(struct kind_validator *v, const struct json_value *ports,
                                 struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *port;
    size_t index = 0;
    if (json_count(ports) > PORTS_MAX) {
        field_errors_add_too_many(v->errors, path, json_count(ports), PORTS_MAX);
        return;
    }
    JSON_FOREACH (key, port, ports) {
        const struct str place = field_path_index(v, path, index++);
        const struct str name = json_path_str(port, "name");
        if (name.len)
            field_syntax(v, place, "name", name, validation_dns1123_label(name));
        (void)field_unique(v, &seen, place, "name", name);
        validate_port_protocols(v, port, place);
    }
}

/* A name of at least two labels, with or without the dot of the root. */
static void validate_domain(struct kind_validator *v, struct str path, struct str name)
{
    const struct str domain =
        str_ends_with(name, STR(".")) ? str_slice(name, 0, name.len - 1) : name;
    const struct validation found = validation_dns1123_subdomain(domain);
    struct str rest = domain, label;
    if (name.len == 0)
        field_required(v, path, NULL, "");
    else if (found.count)
        field_syntax(v, path, NULL, domain, found);
    else if (str_find_char(domain, '.') == STR_NONE)
        field_errors_add_str(
            v->errors, FIELD_INVALID, path, domain,
            STR("should be a domain with at least two segments separated by dots"));
    else
        while (rest.len) {
            (void)str_cut(&rest, '.', &label);
            field_syntax(v, path, NULL, label, validation_dns1123_label(label));
        }
}

/* One form for each address of IPv6, so that two that are the same can be seen to be. */
static bool is_canonical(struct kind_validator *v, struct str path, struct str address,
                         const struct ip *ip)
{
    char room[INET6_ADDRSTRLEN] = "";
    (void)inet_ntop(AF_INET6, ip->bytes, room, sizeof(room));
    if (str_eq(address, str_from_c(room)))
        return true;
    field_errors_add_str(v->errors, FIELD_INVALID, path, address,
                         arena_print(v->arena, "must be in canonical form (\"%s\")", room));
    return false;
}

/* Upstream says at the list that one of its addresses is of the other family. */
static void validate_slice_ip(struct kind_validator *v, struct str path, size_t index,
                              struct str address, struct str type)
{
    const struct str place = field_path_index(v, path, index);
    const bool wants_v4 = str_eq(type, STR("IPv4"));
    const struct validation found = syntax_ip(address);
    struct ip ip;
    if (found.count || !ip_read(address, &ip)) {
        field_syntax(v, place, NULL, address, found);
        return;
    }
    if (!wants_v4 && !ip.is_v4 && !is_canonical(v, place, address, &ip))
        return;
    if (ip.is_v4 != wants_v4)
        field_errors_add_str(v->errors, FIELD_INVALID, path, address,
                             arena_print(v->arena, "must be an %.*s address", STR_ARG(type)));
    validate_endpoint_ip(v, place, address, &ip);
}

/* Addresses are of the slice's type; those of FQDN are names. */
static void validate_slice_addresses(struct kind_validator *v, const struct json_value *addresses,
                                     struct str type, struct str path)
{
    const struct json_value *value;
    size_t index = 0;
    if (json_count(addresses) == 0)
        field_required(v, path, NULL, "must contain at least 1 address");
    if (json_count(addresses) > ADDRESSES_MAX)
        field_errors_add_too_many(v->errors, path, json_count(addresses), ADDRESSES_MAX);
    JSON_FOREACH (key, value, addresses) {
        const struct str address = json_to_str(value);
        if (str_eq(type, STR("FQDN")))
            validate_domain(v, field_path_index(v, path, index), address);
        else if (str_eq(type, STR("IPv4")) || str_eq(type, STR("IPv6")))
            validate_slice_ip(v, path, index, address, type);
        index++;
    }
}

/* Zones or nodes that are to use an endpoint. False when there are too many to look at. */
static bool validate_hints(struct kind_validator *v, const struct json_value *hints,
                           struct str path, name_check_fn *check)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *hint;
    size_t index = 0;
    if (json_count(hints) > HINTS_MAX) {
        field_errors_add_too_many(v->errors, path, json_count(hints), HINTS_MAX);
        return false;
    }
    JSON_FOREACH (key, hint, hints) {
        const struct str place = field_path(v, field_path_index(v, path, index++), "name");
        const struct str name = json_path_str(hint, "name");
        (void)field_unique(v, &seen, place, NULL, name);
        field_syntax(v, place, NULL, name, check(name));
    }
    return true;
}

static void validate_slice_endpoint(struct kind_validator *v, const struct json_value *endpoint,
                                    struct str type, struct str path)
{
    const struct str hints = field_path(v, path, "hints");
    validate_slice_addresses(v, json_path(endpoint, "addresses"), type,
                             field_path(v, path, "addresses"));
    validate_name(v, path, "nodeName", endpoint, validation_dns1123_subdomain);
    validate_name(v, path, "hostname", endpoint, validation_dns1123_label);
    if (validate_hints(v, json_path(endpoint, "hints.forZones"), field_path(v, hints, "forZones"),
                       validation_label_value))
        (void)validate_hints(v, json_path(endpoint, "hints.forNodes"),
                             field_path(v, hints, "forNodes"), validation_dns1123_subdomain);
}

void validate_endpoint_slice(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct str type = json_path_str(object, "addressType");
    const struct str place = field_path(v, path, "endpoints");
    const struct json_value *endpoints = json_path(object, "endpoints"), *endpoint;
    size_t index = 0;
    validate_slice_ports(v, json_path(object, "ports"), field_path(v, path, "ports"));
    if (v->old && json_equal(endpoints, json_path(v->old, "endpoints")))
        return;
    if (json_count(endpoints) > ENDPOINTS_MAX) {
        field_errors_add_too_many(v->errors, place, json_count(endpoints), ENDPOINTS_MAX);
        return;
    }
    JSON_FOREACH (key, endpoint, endpoints)
        validate_slice_endpoint(v, endpoint, type, field_path_index(v, place, index++));
}
