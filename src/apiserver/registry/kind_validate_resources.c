/*
 * Validation of the names and quantities of resources, and of what containers and Pods ask for.
 *
 * Upstream: validateResourceRequirements(), validateResourceName() and
 * ValidateResourceQuantityValue() in k8s.io/kubernetes/pkg/apis/core/validation/validation.go, and
 * pkg/apis/core/helper for the names.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "apiserver/registry/quota_resource.h"

static const struct {
    const char *name;
    unsigned uses;
} standard[] = {
    {"cpu",                        USE_QUOTA | USE_CONTAINER | USE_POD},
    {"memory",                     USE_QUOTA | USE_CONTAINER | USE_POD},
    {"ephemeral-storage",          USE_QUOTA | USE_CONTAINER          },
    {"requests.cpu",               USE_QUOTA | USE_POD                },
    {"requests.memory",            USE_QUOTA | USE_POD                },
    {"requests.ephemeral-storage", USE_QUOTA                          },
    {"requests.storage",           USE_QUOTA | USE_CLAIM              },
    {"limits.cpu",                 USE_QUOTA | USE_POD                },
    {"limits.memory",              USE_QUOTA | USE_POD                },
    {"limits.ephemeral-storage",   USE_QUOTA                          },
    {"pods",                       USE_QUOTA | USE_POD | USE_COUNT    },
    {"resourcequotas",             USE_QUOTA                          },
    {"services",                   USE_QUOTA                          },
    {"replicationcontrollers",     USE_QUOTA                          },
    {"secrets",                    USE_QUOTA                          },
    {"configmaps",                 USE_QUOTA                          },
    {"persistentvolumeclaims",     USE_QUOTA | USE_CLAIM              },
    {"storage",                    0                                  },
    {"services.nodeports",         USE_QUOTA                          },
    {"services.loadbalancers",     USE_QUOTA                          },
};

static bool has_domain(struct str name)
{
    return str_find_char(name, '/') != STR_NONE;
}

bool resource_find_uses(struct str name, unsigned *ret_uses)
{
    const bool is_huge_page = str_starts_with(name, STR("hugepages-"));
    *ret_uses = is_huge_page ? USE_QUOTA | USE_CONTAINER : USE_QUOTA;
    if (is_huge_page || str_starts_with(name, STR("requests.hugepages-")))
        return true;
    *ret_uses = 0;
    for (size_t i = 0; i < COUNT(standard); i++) {
        if (!str_eq(name, str_from_c(standard[i].name)))
            continue;
        *ret_uses = standard[i].uses;
        return true;
    }
    return false;
}

bool resource_is_native(struct str name)
{
    return !has_domain(name) || str_contains(name, STR("kubernetes.io/"));
}

/* A resource that is counted in whole devices, such as example.com/gpu. */
static bool is_extended(struct kind_validator *v, struct str name)
{
    return !resource_is_native(name) && !str_starts_with(name, STR("requests.")) &&
           validation_label_key(arena_print(v->arena, "requests.%.*s", STR_ARG(name))).count == 0;
}

static void add_name_error(struct kind_validator *v, struct str path, struct str name,
                           struct str detail)
{
    field_errors_add_str(v->errors, FIELD_INVALID, path, name, detail);
}

void validate_resource_name(struct kind_validator *v, struct str path, struct str name,
                            unsigned use)
{
    const struct validation found = validation_label_key(name);
    unsigned uses;
    field_syntax(v, path, NULL, name, found);
    if (has_domain(name)) {
        if (use == USE_CONTAINER && !resource_is_native(name) && !is_extended(v, name))
            add_name_error(v, path, name, STR("doesn't follow extended resource name standard"));
        return;
    }
    if (!resource_find_uses(name, &uses) && found.count == 0)
        add_name_error(v, path, name, STR("must be a standard resource type or fully qualified"));
    if (use && !(uses & use))
        add_name_error(v, path, name,
                       use == USE_QUOTA ? STR("must be a standard resource for quota")
                                        : STR("must be a standard resource for containers"));
}

void validate_resource_quantity(struct kind_validator *v, struct str path, struct str resource,
                                const struct json_value *value)
{
    const bool is_whole = quota_resource_is_counted(resource) || is_extended(v, resource);
    struct quantity quantity;
    int64_t milli = 0;
    if (!field_quantity(value, &quantity))
        return;
    if (quantity_sign(&quantity) < 0)
        field_invalid(v, path, NULL, value, "must be greater than or equal to 0");
    if (is_whole && quantity_milli(&quantity, &milli) && milli % 1000 != 0)
        field_invalid(v, path, NULL, value, "must be an integer");
}

/* What a Pod takes besides its containers. Upstream names limits, as of those. */
static void validate_taken(struct kind_validator *v, const struct json_value *resources,
                           struct str path)
{
    const struct str limits = field_path(v, path, "limits");
    const struct json_value *value;
    JSON_FOREACH (key, value, resources) {
        const struct str place = field_path_key(v, limits, key);
        validate_resource_name(v, place, key, USE_CONTAINER);
        validate_resource_quantity(v, place, key, value);
    }
}

void validate_overhead(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_taken(v, json_path(object, "podFixed"), path);
}

void validate_pod_overhead(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    validate_taken(v, json_path(object, "overhead"), field_path(v, path, "overhead"));
}

/* A container's resources, or those of a whole Pod, which has fewer of them. */
static void validate_required_name(struct kind_validator *v, struct str path, struct str name,
                                   bool is_pod)
{
    const size_t before = v->errors->count;
    const bool is_taken = str_eq(name, STR("cpu")) || str_eq(name, STR("memory")) ||
                          str_starts_with(name, STR("hugepages-"));
    validate_resource_name(v, path, name, is_pod ? 0 : USE_CONTAINER);
    if (is_pod && v->errors->count == before && !is_taken)
        field_one_of(v, path, NULL, name, "cpu|hugepages-|memory");
}

static void validate_amounts(struct kind_validator *v, const struct json_value *resources,
                             struct str path, bool is_pod)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, resources) {
        const struct str place = field_path_key(v, path, key);
        validate_required_name(v, place, key, is_pod);
        validate_resource_quantity(v, place, key, value);
    }
}

/* What cannot be promised twice, devices and huge pages, is requested as it is limited. */
static void validate_request(struct kind_validator *v, const struct json_value *limits,
                             struct str name, const struct json_value *value, struct str path)
{
    const bool is_shared = resource_is_native(name) && !str_starts_with(name, STR("hugepages-"));
    const struct json_value *most = json_get(limits, name);
    struct quantity request, limit;
    if (!most) {
        if (!is_shared)
            field_required(v, path, "limits", "Limit must be set for non overcommitable resources");
        return;
    }
    if (!field_quantity(value, &request) || !field_quantity(most, &limit))
        return;
    const int order = quantity_cmp(&request, &limit);
    if (is_shared ? order <= 0 : order == 0)
        return;
    field_invalid(v, path, "requests", value,
                  arena_print(v->arena, "must be %s %.*s limit of %.*s",
                              is_shared ? "less than or equal to" : "equal to", STR_ARG(name),
                              STR_ARG(json_to_str(most)))
                      .ptr);
}

/* Huge pages are no use to a process that has no memory or processor. */
static void validate_huge_pages(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    static const char *const members[] = {"limits", "requests"};
    const struct json_value *value;
    bool has_pages = false, has_others = false;
    for (size_t i = 0; i < COUNT(members); i++)
        JSON_FOREACH (key, value, json_path(object, members[i])) {
            has_pages = has_pages || str_starts_with(key, STR("hugepages-"));
            has_others = has_others || str_eq(key, STR("cpu")) || str_eq(key, STR("memory"));
        }
    if (has_pages && !has_others)
        field_forbidden(v, path, NULL, "HugePages require cpu or memory");
}

/* The claims of the Pod whose resources, or those of whose container, stand at a path. */
static const struct json_value *find_pod_claims(struct kind_validator *v, struct str path,
                                                bool is_pod)
{
    struct str spec = str_slice(path, 0, path.len - STR(".resources").len);
    if (!is_pod && str_find_last_char(spec, '.') != STR_NONE)
        spec = str_slice(spec, 0, str_find_last_char(spec, '.'));
    return json_path(json_path(v->object, arena_c(v->arena, spec)), "resourceClaims");
}

static void validate_pod_has_claim(struct kind_validator *v, const struct json_value *claims,
                                   struct str path, struct str name)
{
    SCOPED(buf) words = {.limit = 0};
    const struct json_value *claim;
    bool is_first = true;
    buf_add(&words, STR("must be one of the names in pod.spec.resourceClaims"));
    JSON_FOREACH (key, claim, claims) {
        if (str_eq(json_path_str(claim, "name"), name))
            return;
        buf_print(&words, "%s%.*s", is_first ? ": " : ", ", STR_ARG(json_path_str(claim, "name")));
        is_first = false;
    }
    if (is_first)
        buf_add(&words, STR(" which is empty"));
    field_errors_add_str(v->errors, FIELD_NOT_FOUND, path, name, buf_str(&words));
}

/* Claims have names, each once; one may stand more than once with different requests. */
static void validate_resource_claims(struct kind_validator *v, const struct json_value *claims,
                                     const struct json_value *of_pod, struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *claim;
    size_t index = 0;
    JSON_FOREACH (key, claim, claims) {
        const struct str place = field_path_index(v, path, index++);
        const struct str name = json_path_str(claim, "name");
        const struct str request = json_path_str(claim, "request");
        if (name.len == 0) {
            field_required(v, place, NULL, "");
            continue;
        }
        if (request.len)
            field_syntax(v, place, "request", request, validation_dns1123_label(request));
        (void)field_unique(v, &seen, place, NULL,
                           request.len
                               ? arena_print(v->arena, "%.*s/%.*s", STR_ARG(name), STR_ARG(request))
                               : name);
        validate_pod_has_claim(v, of_pod, place, name);
    }
}

/* The resources in a status are what a node reports; upstream does not look at them. */
void validate_resources(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const bool is_pod = str_ends_with(path, STR("spec.resources"));
    const struct json_value *limits = json_path(object, "limits"), *value;
    const struct json_value *requests = json_path(object, "requests");
    if (str_starts_with(path, STR("status.")))
        return;
    if (is_pod && json_path(object, "claims"))
        field_forbidden(v, path, "claims", "claims may not be set for Resources at pod-level");
    validate_amounts(v, limits, field_path(v, path, "limits"), is_pod);
    validate_amounts(v, requests, field_path(v, path, "requests"), is_pod);
    JSON_FOREACH (key, value, requests)
        validate_request(v, limits, key, value, path);
    validate_huge_pages(v, object, path);
    validate_resource_claims(v, json_path(object, "claims"), find_pod_claims(v, path, is_pod),
                             field_path(v, path, "claims"));
}
