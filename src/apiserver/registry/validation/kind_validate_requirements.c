/*
 * Validation of the resources that containers and Pods ask for, of the overhead of a Pod, and of
 * the claims of devices.
 *
 * Upstream: validateResourceRequirements(), validatePodResources() and validatePodResourceClaims()
 * in k8s.io/kubernetes/pkg/apis/core/validation/validation.go. A sum over containers is that of
 * AggregateContainerRequests() in component-helpers/resource.
 */
#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "apiserver/registry/pod_resources.h"
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

#define HUGE_PAGES STR("hugepages-")

/* A page of a size that is a whole number of bytes; resources that are no pages are no multiples.
 */
static bool is_whole_pages(struct str name, const struct quantity *quantity)
{
    const struct str size = str_skip(name, HUGE_PAGES.len);
    int64_t page = 0, milli = 0, bytes = 0;
    struct quantity read;
    struct error *err = quantity_read(size, &read);
    error_free(err);
    return !err && quantity_sign(&read) > 0 && quantity_milli(&read, &milli) && milli % 1000 == 0 &&
           quantity_value(&read, &page) && quantity_value(quantity, &bytes) && bytes % page == 0;
}

static void validate_pages(struct kind_validator *v, struct str path, struct str name,
                           const struct json_value *value)
{
    struct quantity quantity;
    if (!str_starts_with(name, HUGE_PAGES) || !field_quantity(value, &quantity) ||
        is_whole_pages(name, &quantity))
        return;
    field_invalid(v, path, NULL, value,
                  arena_print(v->arena, "%.*s is not positive integer multiple of %.*s",
                              STR_ARG(json_to_str(value)), STR_ARG(name))
                      .ptr);
}

/* A container's resources, or those of a whole Pod, which has fewer of them. */
static void validate_required_name(struct kind_validator *v, struct str path, struct str name,
                                   bool is_pod)
{
    const size_t before = v->errors->count;
    const bool is_taken = str_eq(name, STR("cpu")) || str_eq(name, STR("memory")) ||
                          str_starts_with(name, HUGE_PAGES);
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
        validate_pages(v, place, key, value);
    }
}

/* Huge pages are no use to a process that has no memory or processor. */
static void validate_huge_pages(struct kind_validator *v, const struct json_value *limits,
                                const struct json_value *requests, struct str path)
{
    const struct json_value *const lists[] = {limits, requests};
    const struct json_value *value;
    bool has_pages = false, has_others = false;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, value, lists[i]) {
            has_pages = has_pages || str_starts_with(key, HUGE_PAGES);
            has_others = has_others || str_eq(key, STR("cpu")) || str_eq(key, STR("memory"));
        }
    if (has_pages && !has_others)
        field_forbidden(v, path, NULL, "HugePages require cpu or memory");
}

/* What a Pod takes besides its containers. Upstream names limits, as of those. */
static void validate_taken(struct kind_validator *v, const struct json_value *resources,
                           struct str path)
{
    validate_amounts(v, resources, field_path(v, path, "limits"), false);
    validate_huge_pages(v, resources, NULL, path);
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

/* What cannot be promised twice, devices and huge pages, is requested as it is limited. */
static void validate_request(struct kind_validator *v, const struct json_value *limits,
                             struct str name, const struct json_value *value, struct str path)
{
    const bool is_shared = resource_is_native(name) && !str_starts_with(name, HUGE_PAGES);
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

static int compare_names(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* "must be one of", with the names in their order, each once. */
static struct str claims_in_words(struct kind_validator *v)
{
    const struct json_value *claims = json_path(v->pod->spec, "resourceClaims"), *claim;
    struct str *names = arena_alloc_array(v->arena, json_count(claims) + 1, sizeof(*names));
    SCOPED(buf) words = {.limit = 0};
    size_t count = 0, shown = 0;
    JSON_FOREACH (key, claim, claims)
        if (json_path_str(claim, "name").len)
            names[count++] = json_path_str(claim, "name");
    qsort(names, count, sizeof(*names), compare_names);
    buf_add(&words, STR("must be one of the names in pod.spec.resourceClaims"));
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !str_eq(names[i], names[i - 1]))
            buf_print(&words, "%s%.*s", shown++ ? ", " : ": ", STR_ARG(names[i]));
    if (count == 0)
        buf_add(&words, STR(" which is empty"));
    return arena_str(v->arena, buf_str(&words));
}

/*
 * The claims of one container: each as a whole or as some of its requests, and how many requests
 * there are of each. A claim as a whole goes with none of its requests, in either order.
 */
struct claims_seen {
    struct map pairs, requests;
};

static void claims_seen_done(struct claims_seen *seen)
{
    map_done(&seen->pairs);
    map_done(&seen->requests);
}

static void count_request(struct kind_validator *v, struct claims_seen *seen, struct str name)
{
    size_t *count = map_find(&seen->requests, name);
    if (!count) {
        count = ARENA_NEW(v->arena, size_t);
        *count = 0;
        map_put(&seen->requests, name, count);
    }
    *count += 1;
}

static void validate_new_claim(struct kind_validator *v, struct claims_seen *seen, struct str path,
                               struct str name, struct str request)
{
    const struct str pair = request.len ? ARENA_JOIN(v->arena, name, STR("/"), request) : name;
    const size_t *count = map_find(&seen->requests, name);
    if (map_has(&seen->pairs, name)) {
        field_errors_add_str(v->errors, FIELD_DUPLICATE, path, name, STR(""));
        return;
    }
    if (request.len)
        field_syntax(v, path, "request", request, validation_dns1123_label(request));
    if (request.len && field_unique(v, &seen->pairs, path, NULL, pair))
        count_request(v, seen, name);
    for (size_t i = 0; request.len == 0 && count && i < *count; i++)
        field_errors_add_str(v->errors, FIELD_DUPLICATE, path, name, STR(""));
    map_put(&seen->pairs, pair, NULL);
}

static void validate_resource_claims(struct kind_validator *v, const struct json_value *claims,
                                     struct str path)
{
    SCOPED(claims_seen) seen = {.pairs.release = NULL};
    const struct json_value *claim;
    size_t index = 0;
    JSON_FOREACH (key, claim, claims) {
        const struct str place = field_path_index(v, path, index++);
        const struct str name = json_path_str(claim, "name");
        if (field_errors_is_full(v->errors))
            return;
        if (name.len == 0) {
            field_required(v, place, NULL, "");
            continue;
        }
        validate_new_claim(v, &seen, place, name, json_path_str(claim, "request"));
        if (!map_has(&v->pod->resource_claims, name))
            field_errors_add_str(v->errors, FIELD_NOT_FOUND, place, name, claims_in_words(v));
    }
}

static void validate_requirements(struct kind_validator *v, const struct json_value *object,
                                  struct str path, bool is_pod)
{
    const struct json_value *limits = json_path(object, "limits"), *value;
    const struct json_value *requests = json_path(object, "requests");
    validate_amounts(v, limits, field_path(v, path, "limits"), is_pod);
    validate_amounts(v, requests, field_path(v, path, "requests"), is_pod);
    JSON_FOREACH (key, value, requests)
        validate_request(v, limits, key, value, path);
    validate_huge_pages(v, limits, requests, path);
    validate_resource_claims(v, json_path(object, "claims"), field_path(v, path, "claims"));
}

void validate_container_resources(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    validate_requirements(v, object, path, false);
}

static void add_too_small(struct kind_validator *v, struct str path, const struct json_value *value,
                          const char *what, struct quota_amount sum)
{
    SCOPED(buf) words = {.limit = 0};
    buf_print(&words, "must be greater than or equal to aggregate container %s of ", what);
    quota_amount_write(&words, sum);
    field_errors_add_value(v->errors, FIELD_INVALID, path, value, buf_str(&words));
}

/* A Pod has room for what its containers ask for, and for the huge pages that they are limited to.
 */
static void validate_sums(struct kind_validator *v, const struct json_value *object,
                          struct str path, const char *list)
{
    const bool is_limits = strcmp(list, "limits") == 0;
    const char *member = is_limits ? "resources.limits" : "resources.requests";
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(object, list)) {
        struct quota_amount sum, most;
        if ((!is_limits || str_starts_with(key, HUGE_PAGES)) && quota_amount_read(value, &most) &&
            pod_resources_of_containers(v->pod->spec, member, key, &sum) && sum.milli > most.milli)
            add_too_small(v, field_path_key(v, field_path(v, path, list), key), value, list, sum);
    }
}

/* No container has more than its Pod. Upstream's path leads from the Pod's resources. */
static void validate_container_limits(struct kind_validator *v, const struct json_value *container,
                                      const struct json_value *limits, struct str path)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(container, "resources.limits")) {
        const struct json_value *most = json_get(limits, key);
        struct quantity limit, of_pod;
        if (field_quantity(value, &limit) && field_quantity(most, &of_pod) &&
            quantity_cmp(&limit, &of_pod) > 0)
            field_invalid(v, field_path_key(v, path, key), "limits", value,
                          arena_print(v->arena, "must be less than or equal to pod limits of %.*s",
                                      STR_ARG(json_to_str(most)))
                              .ptr);
    }
}

/* Those of the whole Pod. Windows has none. */
void validate_pod_resources(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct str list = field_path(v, path, "containers");
    const struct json_value *container;
    size_t index = 0;
    if (pod_has_os(v, "windows")) {
        field_forbidden(v, path, NULL, "may not be set for a windows pod");
        return;
    }
    if (json_path(object, "claims"))
        field_forbidden(v, path, "claims", "claims may not be set for Resources at pod-level");
    validate_requirements(v, object, path, true);
    validate_sums(v, object, path, "requests");
    validate_sums(v, object, path, "limits");
    JSON_FOREACH (key, container, json_path(v->pod->spec, "containers"))
        validate_container_limits(v, container, json_path(object, "limits"),
                                  field_path_index(v, list, index++));
}

static void validate_pod_claim(struct kind_validator *v, struct map *names,
                               const struct json_value *claim, struct str path)
{
    const struct go_type *type = field_type_at(&type_pod, "spec.resourceClaims");
    static const char *const members[] = {"resourceClaimName", "resourceClaimTemplateName"};
    const struct str name = json_path_str(claim, "name");
    const size_t count =
        (json_path(claim, members[0]) != NULL) + (json_path(claim, members[1]) != NULL);
    if (name.len == 0)
        field_required(v, path, "name", "");
    else if (field_unique(v, names, path, "name", name))
        field_syntax(v, path, "name", name, validation_dns1123_label(name));
    if (count == 2)
        field_invalid_struct(v, path, type, claim,
                             "at most one of `resourceClaimName` or `resourceClaimTemplateName` "
                             "may be specified");
    if (count == 0)
        field_invalid_struct(v, path, type, claim,
                             "must specify one of: `resourceClaimName`, "
                             "`resourceClaimTemplateName`");
    for (size_t i = 0; i < COUNT(members); i++)
        if (json_path(claim, members[i]))
            field_syntax(v, path, members[i], json_path_str(claim, members[i]),
                         validation_dns1123_subdomain(json_path_str(claim, members[i])));
}

/* A Pod that mirrors one of a file has none; upstream's path is empty. */
void validate_pod_claims(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) names = {.release = NULL};
    const struct str list = field_path(v, path, "resourceClaims");
    const bool is_mirror = json_get(json_path(v->pod->meta, "annotations"),
                                    STR("kubernetes.io/config.mirror")) != NULL;
    const struct json_value *claim;
    size_t index = 0;
    JSON_FOREACH (key, claim, json_path(object, "resourceClaims"))
        if (is_mirror)
            field_forbidden(v, STR("[]"), NULL, "static pods do not support resource claims");
        else
            validate_pod_claim(v, &names, claim, field_path_index(v, list, index++));
}
