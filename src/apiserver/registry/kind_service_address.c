/*
 * Cluster IPs and families of a Service; see kind_service.h.
 *
 * service_addresses_allocate() has the order: read both Services, take over what the request leaves
 * out, bring clusterIP and clusterIPs together, find the families, draw an address. A client of
 * before clusterIPs knows clusterIP alone, which is why changing one may change the other.
 *
 * Addresses are of IPv4 and from 10.96.0.0/12. The first 256 are left to requests that choose one,
 * as upstream does. Upstream: patchAllocatedValues(), normalizeClusterIPs(), initIPFamilyFields()
 * and allocClusterIPs().
 */
#include "apiserver/registry/kind_service.h"

#define NETWORK       0x0a600000U
#define NETWORK_MASK  0xfff00000U
#define ADDRESS_FIRST 256U
#define ADDRESS_COUNT ((1U << 20) - 2 * ADDRESS_FIRST)

#define IPV4          STR("IPv4")
#define IPV6          STR("IPv6")
#define SINGLE_STACK  STR("SingleStack")
#define REQUIRE_DUAL  STR("RequireDualStack")
#define POLICY_PLACE  STR("spec.ipFamilyPolicy")
#define ADDRESS_PLACE STR("spec.clusterIPs")
#define FAMILY_PLACE  STR("spec.ipFamilies")

static void read_list(struct kind_validator *v, const struct json_value *values,
                      struct str_list *list)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, values)
        str_list_add(v, list, json_to_str(value));
}

static void read_addresses(struct kind_validator *v, const struct json_value *service,
                           struct service_addresses *ret)
{
    const struct json_value *policy = json_path(service, "spec.ipFamilyPolicy");
    *ret = (struct service_addresses){
        .address = json_path_str(service, "spec.clusterIP"),
        .policy = json_to_str(policy),
        .has_policy = policy != NULL,
    };
    read_list(v, json_path(service, "spec.clusterIPs"), &ret->addresses);
    read_list(v, json_path(service, "spec.ipFamilies"), &ret->families);
}

static void set_policy(struct service_addresses *addresses, struct str policy)
{
    addresses->policy = policy;
    addresses->has_policy = true;
}

static struct str family_of(struct str address)
{
    struct ip ip;
    return ip_read(address, &ip) && !ip.is_v4 ? IPV6 : IPV4;
}

/* A headless Service without a selector: its endpoints may be of any family. */
static bool is_open(const struct json_value *service, const struct service_addresses *addresses)
{
    return str_eq(addresses->address, STR("None")) &&
           json_count(json_path(service, "spec.selector")) == 0;
}

void service_addresses_read_stored(struct kind_validator *v, const struct json_value *service,
                                   struct service_addresses *ret_addresses)
{
    read_addresses(v, service, ret_addresses);
    if (ret_addresses->address.len && ret_addresses->addresses.count == 0)
        str_list_add(v, &ret_addresses->addresses, ret_addresses->address);
    if (!service_has_addresses(service) || ret_addresses->families.count > 0)
        return;
    if (str_eq(ret_addresses->address, STR("None")))
        str_list_add(v, &ret_addresses->families, IPV4);
    else
        for (size_t i = 0; i < ret_addresses->addresses.count; i++)
            str_list_add(v, &ret_addresses->families, family_of(ret_addresses->addresses.items[i]));
    if (is_open(service, ret_addresses))
        str_list_add(v, &ret_addresses->families, IPV6);
    set_policy(ret_addresses, ret_addresses->families.count > 1 ? REQUIRE_DUAL : SINGLE_STACK);
}

/* What was allocated stays where the request does not mention it. */
static void keep_addresses(struct kind_validator *v, struct service_addresses *addresses,
                           const struct service_addresses *was)
{
    if (!service_has_addresses(v->object) || !service_has_addresses(v->old))
        return;
    if (addresses->address.len == 0)
        addresses->address = was->address;
    if (addresses->addresses.count == 0)
        addresses->addresses = was->addresses;
}

/* On create clusterIP makes clusterIPs, and not the other way round. */
static void set_only_address(struct kind_validator *v, struct service_addresses *addresses)
{
    addresses->addresses = (struct str_list){.count = 0};
    str_list_add(v, &addresses->addresses, addresses->address);
}

static void join_addresses(struct kind_validator *v, struct service_addresses *addresses,
                           const struct service_addresses *was)
{
    const bool is_same_address = str_eq(addresses->address, was->address);
    if (is_same_address && addresses->addresses.count == 0)
        addresses->addresses = was->addresses;
    if (is_same_address || !str_list_equal(&addresses->addresses, &was->addresses))
        return;
    if (addresses->address.len == 0)
        addresses->addresses = (struct str_list){.count = 0};
    else
        set_only_address(v, addresses);
}

/* A policy that prefers two families lets everything stay as it was. */
static bool is_preferred_as_before(const struct kind_validator *v,
                                   const struct service_addresses *addresses,
                                   const struct service_addresses *was)
{
    const struct str preferred = STR("PreferDualStack");
    return v->old && addresses->has_policy && str_eq(addresses->policy, preferred) &&
           (!was->has_policy || str_eq(was->policy, preferred)) &&
           str_eq(service_type(v->object), service_type(v->old)) &&
           (service_has_node_ports(v->object) || service_is(v->object, "ClusterIP")) &&
           str_list_equal(&addresses->addresses, &was->addresses) &&
           str_list_equal(&addresses->families, &was->families);
}

static void policy_invalid(struct kind_validator *v, const struct service_addresses *addresses,
                           const char *detail)
{
    field_errors_add_str(v->errors, FIELD_INVALID, POLICY_PLACE, addresses->policy,
                         str_from_c(detail));
}

/* The second address and family are given back for the policy SingleStack alone. */
static void release_second(struct kind_validator *v, struct service_addresses *addresses,
                           const struct service_addresses *was)
{
    struct str_list *list = &addresses->addresses, *families = &addresses->families;
    if (str_eq(addresses->policy, SINGLE_STACK)) {
        if (str_list_equal(list, &was->addresses) && list->count > 1)
            list->count = 1;
        if (str_list_equal(families, &was->families) && families->count > 1)
            families->count = 1;
        return;
    }
    if (list->count > 0 && list->count < was->addresses.count)
        policy_invalid(v, addresses, "must be 'SingleStack' to release the secondary cluster IP");
    if (families->count > 0 && families->count < was->families.count)
        policy_invalid(v, addresses, "must be 'SingleStack' to release the secondary IP family");
}

static void check_single_stack(struct kind_validator *v, const struct service_addresses *addresses)
{
    if (!str_eq(addresses->policy, SINGLE_STACK))
        return;
    if (addresses->addresses.count == 2)
        policy_invalid(v, addresses,
                       "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs "
                       "are specified");
    if (addresses->families.count == 2)
        policy_invalid(v, addresses,
                       "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families "
                       "are specified");
}

/* Addresses have families, of which the services of this server have the first alone. */
static void infer_families(struct kind_validator *v, struct service_addresses *addresses)
{
    for (size_t i = 0; i < addresses->addresses.count; i++) {
        const struct str address = addresses->addresses.items[i];
        if (str_eq(address, STR("None")))
            return;
        if (i < addresses->families.count)
            continue;
        if (str_eq(family_of(address), IPV4))
            str_list_add(v, &addresses->families, IPV4);
        else
            field_invalid(v, field_path_index(v, ADDRESS_PLACE, i), NULL,
                          str_list_value(v, &addresses->addresses),
                          "IPv6 is not configured on this cluster");
    }
}

static void open_families(struct kind_validator *v, struct service_addresses *addresses)
{
    struct str_list *families = &addresses->families;
    if (families->count == 0)
        str_list_add(v, families, IPV4);
    if (families->count == 1 && !str_eq(addresses->policy, SINGLE_STACK))
        str_list_add(v, families, str_eq(families->items[0], IPV4) ? IPV6 : IPV4);
}

static void check_configured(struct kind_validator *v, struct service_addresses *addresses)
{
    if (str_eq(addresses->policy, REQUIRE_DUAL))
        policy_invalid(v, addresses, "this cluster is not configured for dual-stack services");
    for (size_t i = 0; i < addresses->families.count; i++)
        if (!str_eq(addresses->families.items[i], IPV4))
            field_errors_add_str(v->errors, FIELD_INVALID, field_path_index(v, FAMILY_PLACE, i),
                                 addresses->families.items[i],
                                 STR("not configured on this cluster"));
}

static struct str default_policy(const struct kind_validator *v,
                                 const struct service_addresses *addresses,
                                 const struct service_addresses *was)
{
    if (v->old && was->has_policy)
        return was->policy;
    return is_open(v->object, addresses) ? REQUIRE_DUAL : SINGLE_STACK;
}

/* Each step looks at what the steps before it found to be right. */
static void find_families(struct kind_validator *v, struct service_addresses *addresses,
                          const struct service_addresses *was)
{
    const size_t before = v->errors->count;
    if (!addresses->has_policy)
        set_policy(addresses, default_policy(v, addresses, was));
    service_addresses_check(v, addresses, was);
    if (v->errors->count > before)
        return;
    if (v->old)
        release_second(v, addresses, was);
    check_single_stack(v, addresses);
    infer_families(v, addresses);
    if (v->errors->count > before)
        return;
    if (is_open(v->object, addresses)) {
        open_families(v, addresses);
        return;
    }
    check_configured(v, addresses);
    if (v->errors->count == before && addresses->families.count == 0)
        str_list_add(v, &addresses->families, IPV4);
}

static struct str draw_address(struct kind_validator *v)
{
    const unsigned offset =
        ADDRESS_FIRST + (unsigned)(service_hash(v, "address", 0) % ADDRESS_COUNT);
    return arena_print(v->arena, "10.%u.%u.%u", 96 + (offset >> 16), (offset >> 8) & 255,
                       offset & 255);
}

/* The address of the network and the broadcast address are not given to a Service. */
static bool is_in_network(struct str address)
{
    struct ip ip;
    if (!ip_read(address, &ip) || !ip.is_v4)
        return false;
    const uint32_t number = (uint32_t)ip.bytes[12] << 24 | (uint32_t)ip.bytes[13] << 16 |
                            (uint32_t)ip.bytes[14] << 8 | ip.bytes[15];
    return (number & NETWORK_MASK) == NETWORK && number != NETWORK &&
           number != (NETWORK | ~NETWORK_MASK);
}

static void allocate_address(struct kind_validator *v, struct service_addresses *addresses)
{
    if (service_is_headless(addresses))
        return;
    if (addresses->addresses.count == 0)
        str_list_add(v, &addresses->addresses, draw_address(v));
    const struct str first = addresses->addresses.items[0];
    addresses->address = first;
    if (!is_in_network(first))
        field_invalid(v, ADDRESS_PLACE, NULL, str_list_value(v, &addresses->addresses),
                      arena_print(v->arena,
                                  "failed to allocate IP %.*s: the provided network does not match "
                                  "the current range",
                                  STR_ARG(first))
                          .ptr);
}

void service_addresses_allocate(struct kind_validator *v, struct service_allocation *allocation)
{
    struct service_addresses *addresses = &allocation->addresses, *was = &allocation->was;
    const size_t before = v->errors->count;
    read_addresses(v, v->object, addresses);
    if (v->old) {
        service_addresses_read_stored(v, v->old, was);
        keep_addresses(v, addresses, was);
        join_addresses(v, addresses, was);
    } else if (addresses->address.len && addresses->addresses.count == 0) {
        set_only_address(v, addresses);
    }
    if (!service_has_addresses(v->object) || is_preferred_as_before(v, addresses, was))
        return;
    find_families(v, addresses, was);
    if (v->errors->count == before && (!v->old || !service_has_addresses(v->old)))
        allocate_address(v, addresses);
}
