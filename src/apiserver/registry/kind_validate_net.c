/*
 * Validation of NetworkPolicies, Ingresses, PersistentVolumes and PersistentVolumeClaims.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/networking/validation and pkg/apis/core/validation
 * (ValidatePersistentVolume..., ValidatePersistentVolumeClaim...).
 */
#include "apimachinery/quantity.h"
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

/* The request for storage is required and positive. Upstream's path is resources[storage]. */
void validate_claim_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *storage = json_path(object, "resources.requests.storage");
    struct quantity quantity;
    if (!storage)
        field_required(v, path, "resources[storage]", "");
    else if (field_quantity(storage, &quantity) && quantity_sign(&quantity) <= 0)
        field_invalid(v, path, "resources[storage]", storage, "must be greater than zero");
}

/* Whether both quantities are there and the new one is smaller. */
static bool is_less(const struct json_value *new, const struct json_value *old)
{
    struct quantity before, after;
    return old && new &&field_quantity(old, &before) && field_quantity(new, &after) &&
           quantity_cmp(&after, &before) < 0;
}

/* A claim without a class may get one, such as a default that came later. */
static bool gets_class(const struct kind_validator *v, const struct json_value *object)
{
    const struct str annotation = STR("volume.beta.kubernetes.io/storage-class");
    const struct json_value *name = json_path(object, "spec.storageClassName");
    const struct json_value *old_name =
        json_get(json_path(v->old, "metadata.annotations"), annotation);
    return name && !json_path(v->old, "spec.storageClassName") &&
           (!old_name || json_equal(name, old_name));
}

/* The storage of a bound claim may be another one, which is_less() judges; nothing else may. */
static bool changes_resources(const struct json_value *old, const struct json_value *new,
                              bool is_bound)
{
    static const char *const requests[] = {"requests"}, *const storage[] = {"storage"};
    if (!is_bound)
        return !json_equal(old, new);
    return field_differs_besides(old, new, requests, COUNT(requests)) ||
           field_differs_besides(json_path(old, "requests"), json_path(new, "requests"), storage,
                                 COUNT(storage));
}

/*
 * The spec of a claim is immutable, with four exceptions: binding sets volumeName, a class may be
 * given to a claim without one, and once the claim is bound the storage may grow and
 * volumeAttributesClassName may change.
 */
void validate_claim_update(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *old = json_path(v->old, "spec");
    const struct json_value *spec = json_path(object, "spec");
    const bool binds = !json_path(old, "volumeName") && json_path(spec, "volumeName");
    const bool is_bound = str_eq(json_path_str(v->old, "status.phase"), STR("Bound"));
    const char *const may_change[] = {"resources", binds ? "volumeName" : "resources",
                                      is_bound ? "volumeAttributesClassName" : "resources",
                                      gets_class(v, object) ? "storageClassName" : "resources"};
    (void)path;
    if (field_differs_besides(old, spec, may_change, COUNT(may_change)) ||
        changes_resources(json_path(old, "resources"), json_path(spec, "resources"), is_bound))
        field_forbidden(v, STR(""), "spec",
                        "spec is immutable after creation except resources.requests and "
                        "volumeAttributesClassName for bound claims");
    if (is_less(json_path(spec, "resources.requests.storage"),
                json_path(old, "resources.requests.storage")))
        field_forbidden(v, STR(""), "spec.resources.requests.storage",
                        "field can not be less than status.capacity");
}

/* Members of PersistentVolumeSpec that are not listed here are volume sources. */
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

/* Exactly one volume source. */
void validate_volume_spec(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct json_value *capacity = json_path(object, "capacity"), *value;
    const struct json_value *class = json_path(object, "volumeAttributesClassName");
    size_t count = 0;
    if (!json_path(capacity, "storage") || json_count(capacity) > 1)
        field_errors_add_value(v->errors, FIELD_NOT_SUPPORTED, field_path(v, path, "capacity"),
                               capacity, STR("supported values: \"storage\""));
    JSON_FOREACH (key, value, object) {
        if (!is_source(key) || count++ == 0)
            continue;
        field_forbidden(v, path, arena_c(v->arena, key), "may not specify more than 1 volume type");
    }
    if (count == 0)
        field_required(v, path, NULL, "must specify a volume type");
    if (json_path(object, "nodeAffinity") && !json_path(object, "nodeAffinity.required"))
        field_required(v, path, "nodeAffinity.required", "must specify required node constraints");
    if (class && json_to_str(class).len == 0)
        field_required(v, path, "volumeAttributesClassName", "an empty string is disallowed");
    if (class && !json_path(object, "csi"))
        field_required(v, path, "csi", "has to be specified when using volumeAttributesClassName");
}

/* The volume source of a PersistentVolume is immutable. */
void validate_volume_update(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct json_value *old = json_path(v->old, "spec");
    const struct json_value *spec = json_path(object, "spec"), *value;
    (void)path;
    JSON_FOREACH (key, value, old) {
        if (!is_source(key) || json_equal(value, json_get(spec, key)))
            continue;
        field_forbidden(v, STR(""), "spec.persistentvolumesource",
                        "spec.persistentvolumesource is immutable after creation");
        return;
    }
}
