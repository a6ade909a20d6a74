/*
 * Network policies, ingresses, volumes and claims.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"

void judge_network_policy_spec(struct judge *judge, const struct json_value *object,
                               struct str path)
{
    const struct json_value *types = json_path(object, "policyTypes");
    if (json_count(types) > 2)
        judge_invalid(judge, path, "policyTypes", types,
                      "may not specify more than two policyTypes");
}

void judge_network_peer(struct judge *judge, const struct json_value *object, struct str path)
{
    if (json_count(object) == 0)
        judge_required(judge, path, NULL, "must specify a peer");
    else if (json_path(object, "ipBlock") && json_count(object) > 1)
        judge_forbidden(judge, path, NULL, "may not specify both ipBlock and another peer");
}

void judge_network_port(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *port = json_path(object, "port"), *end = json_path(object, "endPort");
    int64_t from, to;
    judge_port(judge, path, "port", port);
    if (!end || !json_to_int64(end, &to))
        return;
    if (!port)
        judge_required(judge, path, "port", "may not be specified when `endPort` is not specified");
    else if (!json_to_int64(port, &from))
        judge_invalid(judge, path, "endPort", end, "must be specified as a number");
    else if (to < from)
        judge_invalid(judge, path, "endPort", end, "must be greater than or equal to `port`");
}

void judge_ingress_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    if (json_count(json_path(object, "rules")) == 0 && !json_path(object, "defaultBackend"))
        judge_invalid(judge, path, NULL, object,
                      "either `defaultBackend` or `rules` must be specified");
}

void judge_ingress_rule(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str host = json_path_str(object, "host");
    const bool is_wild = str_starts_with(host, STR("*."));
    const struct str name = is_wild ? str_skip(host, 2) : host;
    if (host.len == 0)
        return;
    if (syntax_ip(host).count == 0)
        judge_invalid(judge, path, "host", json_path(object, "host"),
                      "must be a DNS name, not an IP address");
    else
        judge_syntax(judge, path, "host", host, validation_dns1123_subdomain(name));
}

void judge_ingress_path(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str type = json_path_str(object, "pathType");
    const struct json_value *value = json_path(object, "path");
    const struct str text = json_to_str(value);
    if (str_eq(type, STR("ImplementationSpecific")) && text.len == 0)
        return;
    if (!str_starts_with(text, STR("/")))
        field_errors_add_str(judge->errors, FIELD_INVALID, judge_path(judge, path, "path"), text,
                             STR("must be an absolute path"));
}

void judge_ingress_backend(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *service = json_path(object, "service");
    const struct json_value *port = json_path(service, "port");
    if (service && json_path(object, "resource"))
        judge_invalid(judge, path, NULL, NULL, "cannot set both resource and service backends");
    if (!service) {
        if (!json_path(object, "resource"))
            judge_required(judge, path, NULL, "must specify a backend");
        return;
    }
    if (json_path_str(service, "name").len == 0)
        judge_required(judge, path, "service.name", "");
    if (!json_path(port, "name") && !json_path(port, "number"))
        judge_required(judge, path, "service.port", "port name or number is required");
    judge_port(judge, path, "service.port.number", json_path(port, "number"));
}

void judge_ingress_class_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *controller = json_path(object, "controller");
    struct str rest = json_to_str(controller), domain;
    if (rest.len == 0) {
        judge_required(judge, path, "controller", "");
        return;
    }
    if (!str_cut(&rest, '/', &domain) || domain.len == 0 || rest.len == 0)
        judge_invalid(judge, path, "controller", controller,
                      "must be a domain-prefixed path (such as \"acme.io/foo\")");
    else
        judge_syntax(judge, path, "controller", domain, validation_dns1123_subdomain(domain));
}

static bool read_storage(const struct json_value *value, struct quantity *ret_quantity)
{
    struct error *err = quantity_read(json_to_str(value), ret_quantity);
    error_free(err);
    return !err;
}

void judge_claim_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *storage = json_path(object, "resources.requests.storage");
    struct quantity quantity;
    if (!storage)
        judge_required(judge, path, "resources[storage]", "");
    else if (read_storage(storage, &quantity) && quantity_sign(&quantity) <= 0)
        judge_invalid(judge, path, "resources[storage]", storage, "must be greater than zero");
}

/* Whether specs differ in another member than these two. */
static bool differ_besides(const struct json_value *a, const struct json_value *b,
                           const char *first, const char *second)
{
    const struct json_value *sides[] = {a, b}, *value;
    for (size_t side = 0; side < 2; side++)
        JSON_FOREACH (key, value, sides[side])
            if (!str_eq(key, str_from_c(first)) && !str_eq(key, str_from_c(second)) &&
                !json_equal(value, json_get(sides[1 - side], key)))
                return true;
    return false;
}

static bool is_less(const struct json_value *new, const struct json_value *old)
{
    struct quantity before, after;
    return old && new &&read_storage(old, &before) && read_storage(new, &after) &&
           quantity_cmp(&after, &before) < 0;
}

/* A volume may be bound to a claim later, and a bound one may grow. */
void judge_claim_update(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *old = json_path(judge->old, "spec");
    const struct json_value *spec = json_path(object, "spec");
    const bool binds = !json_path(old, "volumeName") && json_path(spec, "volumeName");
    const char *may_change = binds ? "volumeName" : "volumeAttributesClassName";
    (void)path;
    if (differ_besides(old, spec, "resources", may_change))
        judge_forbidden(judge, STR(""), "spec",
                        "spec is immutable after creation except resources.requests and "
                        "volumeAttributesClassName for bound claims");
    if (is_less(json_path(spec, "resources.requests.storage"),
                json_path(old, "resources.requests.storage")))
        judge_forbidden(judge, STR(""), "spec.resources.requests.storage",
                        "field can not be less than status.capacity");
}

/* The members of a volume's spec that are no sources. */
static bool is_source(struct str member)
{
    static const char *const others[] = {
        "capacity",
        "accessModes",
        "claimRef",
        "persistentVolumeReclaimPolicy",
        "volumeMode",
        "mountOptions",
        "nodeAffinity",
        "storageClassName",
        "volumeAttributesClassName",
    };
    for (size_t i = 0; i < COUNT(others); i++)
        if (str_eq(member, str_from_c(others[i])))
            return false;
    return true;
}

void judge_volume_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, object) {
        if (!is_source(key) || count++ == 0)
            continue;
        judge_forbidden(judge, path, arena_c(judge->arena, key),
                        "may not specify more than 1 volume type");
    }
    if (count == 0)
        judge_required(judge, path, NULL, "must specify a volume type");
}

void judge_volume_update(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *old = json_path(judge->old, "spec");
    const struct json_value *spec = json_path(object, "spec"), *value;
    (void)path;
    JSON_FOREACH (key, value, old) {
        if (!is_source(key) || json_equal(value, json_get(spec, key)))
            continue;
        judge_forbidden(judge, STR(""), "spec.persistentvolumesource",
                        "spec.persistentvolumesource is immutable after creation");
        return;
    }
}
