/*
 * Validation of pod specs, in Pods and in pod templates.
 *
 * validate_pod_spec() goes through a spec in the order of upstream; kind_validate_pod_internal.h
 * says which file has which part. Upstream: ValidatePodSpec() and ValidatePodCreate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apimachinery/metadata_validation.h"
#include "apimachinery/quantity.h"
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

/* Of servers, of domains, and of the text of all domains with spaces between them. */
#define NAMESERVERS_MAX 3
#define SEARCHES_MAX    32
#define SEARCH_TEXT_MAX 2048

/* Of hostnameOverride. */
#define HOST_NAME_MAX_LEN 64

static void pod_check_done(struct pod_check *pod)
{
    map_done(&pod->volumes);
    map_done(&pod->claims);
    map_done(&pod->named);
    map_done(&pod->scratch);
    map_done(&pod->resource_claims);
}

void pod_each_container(struct kind_validator *v, validate_fn *check)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};
    for (size_t i = 0; i < COUNT(lists); i++)
        field_apply_each(v, v->pod->spec, v->pod->path, lists[i], check);
}

bool pod_has_os(const struct kind_validator *v, const char *name)
{
    return str_eq(json_path_str(v->pod->spec, "os.name"), str_from_c(name));
}

/* With the network of the host, a container's port is the host's. A template may leave it out. */
static void validate_host_network(struct kind_validator *v, const struct json_value *container,
                                  struct str path)
{
    const struct str list = field_path(v, path, "ports");
    const struct json_value *port;
    size_t index = 0;
    JSON_FOREACH (key, port, json_path(container, "ports")) {
        const struct str place = field_path_index(v, list, index++);
        int64_t host = 0, own = 0;
        (void)json_to_int64(json_path(port, "hostPort"), &host);
        (void)json_to_int64(json_path(port, "containerPort"), &own);
        if ((v->pod->meta || host) && host != own)
            field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, place, "hostPort"), host,
                                 STR("must match `containerPort` when `hostNetwork` is true"));
    }
}

static void validate_nameserver(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    field_syntax(v, path, NULL, json_to_str(object), syntax_ip(json_to_str(object)));
}

/* A domain may end with a dot, and its labels may begin with an underscore. */
static struct validation syntax_search(struct str value)
{
    struct validation found = {.count = 0};
    struct str rest = value, label;
    bool more = true, is_fine = true;
    while (more) {
        more = str_cut(&rest, '.', &label);
        const struct str core = str_starts_with(label, STR("_")) ? str_skip(label, 1) : label;
        for (size_t i = 0; i < core.len; i++) {
            const char c = core.ptr[i];
            const bool is_edge = i == 0 || i + 1 == core.len;
            is_fine = is_fine && (ascii_is_lower(c) || ascii_is_digit(c) ||
                                  (!is_edge && (c == '-' || c == '_')));
        }
        is_fine = is_fine && core.len > 0;
    }
    if (value.len > DNS1123_SUBDOMAIN_MAX)
        found.messages[found.count++] = STR("must be no more than 253 characters");
    if (!is_fine)
        found.messages[found.count++] =
            STR("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                "characters, '_', '-' or '.', and must start and end with an alphanumeric "
                "character (e.g. 'example.com', regex used for validation is "
                "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
    return found;
}

static void validate_search(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct str text = json_to_str(object);
    const struct str domain =
        str_ends_with(text, STR(".")) ? str_slice(text, 0, text.len - 1) : text;
    if (!str_eq(text, STR(".")))
        field_syntax(v, path, NULL, domain, syntax_search(domain));
}

static void validate_searches(struct kind_validator *v, const struct json_value *config,
                              struct str path)
{
    const struct json_value *searches = json_path(config, "searches"), *search;
    size_t len = 0;
    JSON_FOREACH (key, search, searches)
        len += json_to_str(search).len + (len > 0);
    if (json_count(searches) > SEARCHES_MAX)
        field_invalid(v, path, "searches", searches, "must not have more than 32 search paths");
    if (len > SEARCH_TEXT_MAX)
        field_invalid(v, path, "searches", searches,
                      "must not have more than 2048 characters (including spaces) in the search "
                      "list");
    field_apply_each(v, config, path, "searches", validate_search);
}

static void validate_dns_option(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    if (json_path_str(object, "name").len == 0)
        field_required(v, path, NULL, "must not be empty");
}

/* Without a policy the Pod itself says who answers its questions. */
static void validate_dns(struct kind_validator *v, const struct json_value *spec, struct str path)
{
    const struct json_value *config = json_path(spec, "dnsConfig");
    const struct json_value *servers = json_path(config, "nameservers");
    const struct str place = field_path(v, path, "dnsConfig");
    const bool is_none = str_eq(json_path_str(spec, "dnsPolicy"), STR("None"));
    if (is_none && !config)
        field_required(v, place, NULL, "must provide `dnsConfig` when `dnsPolicy` is None");
    else if (is_none && json_count(servers) == 0)
        field_required(v, place, "nameservers",
                       "must provide at least one DNS nameserver when `dnsPolicy` is None");
    if (!config || (is_none && json_count(servers) == 0))
        return;
    if (json_count(servers) > NAMESERVERS_MAX)
        field_invalid(v, place, "nameservers", servers, "must not have more than 3 nameservers");
    field_apply_each(v, config, place, "nameservers", validate_nameserver);
    validate_searches(v, config, place);
    field_apply_each(v, config, place, "options", validate_dns_option);
}

static void validate_readiness_gate(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    const struct str type = json_path_str(object, "conditionType");
    field_syntax(v, path, "conditionType", type, validation_label_key(type));
}

static void validate_scheduling_gates(struct kind_validator *v, const struct json_value *spec,
                                      struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str list = field_path(v, path, "schedulingGates");
    const struct json_value *gate;
    size_t index = 0;
    JSON_FOREACH (key, gate, json_path(spec, "schedulingGates")) {
        const struct str name = json_path_str(gate, "name");
        const struct str place = field_path_index(v, list, index++);
        field_syntax(v, place, NULL, name, validation_label_key(name));
        (void)field_unique(v, &seen, place, NULL, name);
    }
}

static void validate_host_name(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    const struct json_value *name = json_path(spec, "hostnameOverride");
    if (!name)
        return;
    if (field_is_true(json_path(spec, "setHostnameAsFQDN")))
        field_forbidden(v, path, "hostnameOverride",
                        "may not be specified when setHostnameAsFQDN is true");
    if (field_is_true(json_path(spec, "hostNetwork")))
        field_forbidden(v, path, "hostnameOverride",
                        "may not be specified when hostNetwork is true");
    if (json_to_str(name).len > HOST_NAME_MAX_LEN)
        field_errors_add_too_long(v->errors, field_path(v, path, "hostnameOverride"),
                                  HOST_NAME_MAX_LEN);
    field_syntax(v, path, "hostnameOverride", json_to_str(name),
                 validation_dns1123_subdomain(json_to_str(name)));
}

static void validate_host_alias(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct str address = json_path_str(object, "ip"), list = field_path(v, path, "hostnames");
    const struct json_value *name;
    size_t index = 0;
    field_syntax(v, path, "ip", address, syntax_ip(address));
    JSON_FOREACH (key, name, json_path(object, "hostnames"))
        field_syntax(v, field_path_index(v, list, index++), NULL, json_to_str(name),
                     validation_dns1123_subdomain(json_to_str(name)));
}

/* A StatefulSet gives its Pods the names that they have in the network. */
static void validate_pod_names(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    const struct json_value *runtime = json_path(spec, "runtimeClassName");
    field_may_have_syntax(v, spec, path, "serviceAccountName", validation_dns1123_subdomain);
    field_may_have_syntax(v, spec, path, "nodeName", validation_dns1123_subdomain);
    if (v->kind->type != &type_stateful_set) {
        field_may_have_syntax(v, spec, path, "hostname", validation_dns1123_label);
        field_may_have_syntax(v, spec, path, "subdomain", validation_dns1123_label);
    }
    field_may_have_syntax(v, spec, path, "priorityClassName", validation_dns1123_subdomain);
    if (runtime)
        field_syntax(v, path, "runtimeClassName", json_to_str(runtime),
                     validation_dns1123_subdomain(json_to_str(runtime)));
}

static void validate_pod_policies(struct kind_validator *v, const struct json_value *spec,
                                  struct str path)
{
    const struct json_value *preemption = json_path(spec, "preemptionPolicy");
    field_needs_one_of(v, spec, path, "restartPolicy", "Always|OnFailure|Never");
    field_needs_one_of(v, spec, path, "dnsPolicy",
                       "ClusterFirstWithHostNet|ClusterFirst|Default|None");
    if (preemption)
        field_needs_one_of(v, spec, path, "preemptionPolicy", "PreemptLowerPriority|Never");
    field_range(v, spec, path, "activeDeadlineSeconds", 1, INT32_MAX);
}

/* What needs no more than the spec. */
static void validate_spec_parts(struct kind_validator *v, const struct json_value *spec,
                                struct str path)
{
    validate_pod_policies(v, spec, path);
    metadata_check_labels(v->errors, field_path(v, path, "nodeSelector"),
                          json_path(spec, "nodeSelector"));
    validate_pod_security(v, spec, path);
    field_apply(v, spec, path, "affinity", validate_affinity);
    validate_dns(v, spec, path);
    field_apply_each(v, spec, path, "readinessGates", validate_readiness_gate);
    validate_scheduling_gates(v, spec, path);
    validate_spread(v, spec, path);
    validate_host_processes(v, spec, path);
    validate_host_users(v, spec, path);
    validate_host_name(v, spec, path);
    validate_pod_names(v, spec, path);
    field_apply_each(v, spec, path, "tolerations", validate_toleration);
    field_apply_each(v, spec, path, "hostAliases", validate_host_alias);
    validate_pod_overhead(v, spec, path);
    validate_pod_os(v, spec, path);
}

/* A token is that of an account. */
static void validate_tokens(struct kind_validator *v, const struct json_value *volume,
                            struct str path)
{
    const struct str list = field_path(v, path, "projected.sources");
    const struct json_value *source;
    size_t index = 0;
    JSON_FOREACH (key, source, json_path(volume, "projected.sources")) {
        const struct str place = field_path_index(v, list, index++);
        if (json_path(source, "serviceAccountToken"))
            field_forbidden(v, place, "serviceAccountToken",
                            "must not be specified when serviceAccountName is not set");
    }
}

/* Rules of Pods that templates do not have. */
static void validate_whole_pod(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    if (json_path_str(spec, "serviceAccountName").len == 0 &&
        json_path_str(spec, "serviceAccount").len == 0)
        field_apply_each(v, spec, path, "volumes", validate_tokens);
    field_apply_each(v, spec, path, "containers", validate_pod_image);
    field_apply_each(v, spec, path, "initContainers", validate_pod_image);
    if (v->old)
        return;
    if (json_count(json_path(spec, "ephemeralContainers")))
        field_forbidden(v, path, "ephemeralContainers", "cannot be set on create");
    if (json_path_str(spec, "nodeName").len && json_count(json_path(spec, "schedulingGates")))
        field_forbidden(v, path, "nodeName",
                        "cannot be set until all schedulingGates have been cleared");
}

/* What stands around the spec: metadata of a Pod or of a template. */
static const struct json_value *find_annotations(struct kind_validator *v, struct str path)
{
    const struct str owner = str_slice(path, 0, path.len - STR("spec").len);
    const char *place = arena_print(v->arena, "%.*smetadata.annotations", STR_ARG(owner)).ptr;
    return json_path(v->object, place);
}

void validate_pod_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const bool is_pod = v->kind->type == &type_pod;
    SCOPED(pod_check) pod = {.spec = object, .path = path};
    const struct json_value *claim;
    pod.meta = is_pod ? json_path(v->object, "metadata") : NULL;
    pod.annotations = find_annotations(v, path);
    JSON_FOREACH (key, claim, json_path(object, "resourceClaims"))
        if (json_path_str(claim, "name").len)
            map_put(&pod.resource_claims, json_path_str(claim, "name"), NULL);
    v->pod = &pod;
    if (is_pod)
        validate_pod_annotations(v, pod.annotations, object, STR("metadata.annotations"));
    validate_pod_volumes(v, &pod);
    validate_pod_claims(v, object, path);
    validate_containers(v, object, path);
    field_apply(v, object, path, "resources", validate_pod_resources);
    if (field_is_true(json_path(object, "hostNetwork")))
        field_apply_each(v, object, path, "containers", validate_host_network);
    validate_spec_parts(v, object, path);
    pod_each_container(v, validate_env_volumes);
    if (is_pod)
        validate_whole_pod(v, object, path);
    if (!is_pod || !v->old)
        validate_profile_pairs(v);
    v->pod = NULL;
}
