/*
 * What an update of a Service may change. A second address or family may come and go, the first may
 * not change, except from and to a Service that has none. Some changes are found by the allocation
 * already; see kind_service.h.
 *
 * Upstream: ValidateServiceUpdate() and validateUpgradeDowngradeClusterIPs(),
 * validateUpgradeDowngradeIPFamilies(), validateLoadBalancerClassField() and
 * validateServiceExternalTrafficFieldsUpdate() in k8s.io/kubernetes/pkg/apis/core/validation.
 */
#include "apiserver/registry/kind_service.h"
#include "json/compare.h"

#define MAY_NOT_CHANGE "may not change once set"

static void list_invalid(struct kind_validator *v, const char *member, size_t index,
                         const struct str_list *shown)
{
    field_invalid(v, field_path_index(v, field_path(v, STR("spec"), member), index), NULL,
                  str_list_value(v, shown), MAY_NOT_CHANGE);
}

static bool is_same_at(const struct str_list *a, const struct str_list *b, size_t index)
{
    return index >= a->count || index >= b->count || str_eq(a->items[index], b->items[index]);
}

/* Lists of the same length are compared throughout, others at their first element. */
static void validate_addresses_update(struct kind_validator *v, const struct str_list *list,
                                      const struct str_list *was)
{
    const size_t count = list->count == was->count ? list->count : 1;
    for (size_t i = 0; i < count; i++)
        if (!is_same_at(list, was, i))
            list_invalid(v, "clusterIPs", i, list);
}

/* Upstream names the first family whichever it is, and with other lengths shows the addresses. */
static void validate_families_update(struct kind_validator *v,
                                     const struct service_addresses *addresses,
                                     const struct service_addresses *was)
{
    const struct str_list *families = &addresses->families;
    const bool is_as_long = families->count == was->families.count;
    const size_t count = is_as_long ? families->count : 1;
    for (size_t i = 0; i < count; i++)
        if (!is_same_at(families, &was->families, i))
            list_invalid(v, "ipFamilies", 0, is_as_long ? families : &addresses->addresses);
}

/* Headless Services may change their families. */
static void validate_change_of_addresses(struct kind_validator *v)
{
    struct service_addresses addresses, was;
    if (!service_has_addresses(v->object) || !service_has_addresses(v->old))
        return;
    service_addresses_read_stored(v, v->object, &addresses);
    service_addresses_read_stored(v, v->old, &was);
    const bool is_headless = service_is_headless(&addresses);
    const bool was_headless = service_is_headless(&was);
    if (!is_headless || !was_headless)
        validate_addresses_update(v, &addresses.addresses, &was.addresses);
    if (!is_headless && !was_headless)
        validate_families_update(v, &addresses, &was);
}

/* The class is looked at twice on an update, and so are its errors there twice. */
static void validate_change_of_class(struct kind_validator *v)
{
    const struct json_value *class = json_path(v->object, "spec.loadBalancerClass");
    if (service_is(v->object, "LoadBalancer") && service_is(v->old, "LoadBalancer") &&
        !json_equal(class, json_path(v->old, "spec.loadBalancerClass")))
        field_invalid(v, STR("spec.loadBalancerClass"), NULL, class, MAY_NOT_CHANGE);
    validate_service_class(v, json_path(v->object, "spec"), STR("spec"));
}

void validate_service_update(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *check = json_path(v->old, "spec.healthCheckNodePort");
    (void)path;
    validate_change_of_addresses(v);
    validate_change_of_class(v);
    if (check && service_is_checked(object) && service_is_checked(v->old) &&
        !json_equal(json_path(object, "spec.healthCheckNodePort"), check))
        field_forbidden(v, STR("spec.healthCheckNodePort"), NULL, "field is immutable");
}
