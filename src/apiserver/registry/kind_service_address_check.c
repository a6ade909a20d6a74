/*
 * Whether cluster IPs, families and policy of a Service fit together. Upstream:
 * ValidateServiceClusterIPsRelatedFields() in k8s.io/kubernetes/pkg/apis/core/validation.
 */
#include "apiserver/registry/kind_service.h"

#define ADDRESS_PLACE STR("spec.clusterIPs")

static void list_invalid(struct kind_validator *v, const struct service_addresses *addresses,
                         const char *detail)
{
    field_invalid(v, ADDRESS_PLACE, NULL, str_list_value(v, &addresses->addresses), detail);
}

/* clusterIP is the first of clusterIPs. */
static void check_first(struct kind_validator *v, const struct service_addresses *addresses)
{
    const struct str_list *list = &addresses->addresses;
    if (addresses->address.len == 0 && list->count > 0)
        list_invalid(v, addresses, "must be empty when `clusterIP` is not specified");
    else if (addresses->address.len && list->count == 0)
        field_required(v, ADDRESS_PLACE, NULL, "");
    else if (list->count > 0 && !str_eq(list->items[0], addresses->address))
        list_invalid(v, addresses, "first value must match `clusterIP`");
}

/* Each family once. */
static void check_families(struct kind_validator *v, const struct str_list *families)
{
    SCOPED(map) seen = {.release = NULL};
    for (size_t i = 0; i < families->count; i++) {
        const struct str place = field_path_index(v, STR("spec.ipFamilies"), i);
        field_one_of(v, place, NULL, families->items[i], "IPv4|IPv6");
        (void)field_unique(v, &seen, place, NULL, families->items[i]);
    }
}

/* "None" stands alone. An address that was taken once stays right. */
static void check_each(struct kind_validator *v, const struct service_addresses *addresses,
                       const struct service_addresses *was)
{
    const struct str_list *list = &addresses->addresses;
    for (size_t i = 0; i < list->count && !field_errors_is_full(v->errors); i++) {
        const struct str address = list->items[i];
        if (i == 0 && str_eq(address, STR("None"))) {
            if (list->count > 1)
                list_invalid(v, addresses, "'None' must be the first and only value");
        } else if (!str_list_has(&was->addresses, address)) {
            field_syntax(v, field_path_index(v, ADDRESS_PLACE, i), NULL, address,
                         syntax_ip(address));
        }
    }
}

static bool is_v6(struct str address)
{
    struct ip ip;
    return ip_read(address, &ip) && !ip.is_v4;
}

static void check_address_families(struct kind_validator *v,
                                   const struct service_addresses *addresses)
{
    const struct str_list *list = &addresses->addresses, *families = &addresses->families;
    for (size_t i = 0; i < list->count && i < families->count; i++) {
        const struct str family = families->items[i];
        if ((str_eq(family, STR("IPv4")) && is_v6(list->items[i])) ||
            (str_eq(family, STR("IPv6")) && !is_v6(list->items[i])))
            field_errors_add_str(
                v->errors, FIELD_INVALID, field_path_index(v, ADDRESS_PLACE, i), list->items[i],
                arena_print(v->arena, "expected an %.*s value as indicated by `ipFamilies[%zu]`",
                            STR_ARG(family), i));
    }
}

/* One of each family. */
static bool is_dual_stack(const struct str_list *list)
{
    bool has_v4 = false, has_v6 = false;
    for (size_t i = 0; i < list->count; i++) {
        has_v4 = has_v4 || !is_v6(list->items[i]);
        has_v6 = has_v6 || is_v6(list->items[i]);
    }
    return has_v4 && has_v6;
}

void service_addresses_check(struct kind_validator *v, const struct service_addresses *addresses,
                             const struct service_addresses *was)
{
    const struct str_list *list = &addresses->addresses;
    check_first(v, addresses);
    check_families(v, &addresses->families);
    if (addresses->has_policy)
        field_one_of(v, STR("spec.ipFamilyPolicy"), NULL, addresses->policy,
                     "PreferDualStack|RequireDualStack|SingleStack");
    const size_t before = v->errors->count;
    check_each(v, addresses, was);
    const bool is_wrong = v->errors->count > before;
    if (list->count > 2)
        list_invalid(v, addresses, "may only hold up to 2 values");
    if (is_wrong)
        return;
    if (list->count > 1 && !is_dual_stack(list))
        list_invalid(v, addresses, "may specify no more than one IP for each IP family");
    if (!service_is_headless(addresses))
        check_address_families(v, addresses);
}
