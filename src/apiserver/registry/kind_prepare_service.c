/*
 * Applies to a Service what is allocated for it; see kind_service.h. A Service whose allocation has
 * errors is left as it is.
 *
 * An update that changes the type also drops what the new type has no use for, unless the request
 * changes that as well: then it is wrong. Upstream: dropTypeDependentFields() in
 * k8s.io/kubernetes/pkg/registry/core/service/strategy.go.
 */
#include "apiserver/registry/kind_prepare_internal.h"
#include "apiserver/registry/kind_service.h"
#include "json/compare.h"

static void set_text(struct prepare *prepare, const char *member, struct str text)
{
    const struct json_place place = JSON_PLACE_KEY("spec", str_from_c(member));
    if (text.len)
        json_edit_set_str(&prepare->edit, place, text);
    else
        json_edit_remove(&prepare->edit, place);
}

static void set_list(struct prepare *prepare, struct kind_validator *v, const char *member,
                     const struct str_list *list)
{
    const struct json_place place = JSON_PLACE_KEY("spec", str_from_c(member));
    const struct json_value *value = str_list_value(v, list);
    if (value)
        json_edit_set(&prepare->edit, place, value);
    else
        json_edit_remove(&prepare->edit, place);
}

static void apply_addresses(struct prepare *prepare, struct kind_validator *v,
                            const struct service_addresses *addresses)
{
    set_text(prepare, "clusterIP", addresses->address);
    set_list(prepare, v, "clusterIPs", &addresses->addresses);
    set_list(prepare, v, "ipFamilies", &addresses->families);
    if (addresses->has_policy)
        json_edit_set_str(&prepare->edit, JSON_PLACE("spec.ipFamilyPolicy"), addresses->policy);
    else
        json_edit_remove(&prepare->edit, JSON_PLACE("spec.ipFamilyPolicy"));
}

static void set_number(struct prepare *prepare, struct json_place place, int64_t number)
{
    if (number)
        json_edit_set_int(&prepare->edit, place, number);
    else
        json_edit_remove(&prepare->edit, place);
}

static void apply_ports(struct prepare *prepare, const struct service_ports *ports)
{
    for (size_t i = 0; i < ports->count; i++) {
        const struct str path = arena_print(prepare->write->arena, "spec.ports.%zu", i);
        set_number(prepare,
                   (struct json_place){.path = path.ptr, .key = STR("nodePort"), .has_key = true},
                   ports->node_ports[i]);
    }
    set_number(prepare, JSON_PLACE("spec.healthCheckNodePort"), ports->check);
}

/* The addresses of a Service that becomes an ExternalName. */
static void drop_addresses(struct service_allocation *allocation)
{
    struct service_addresses *addresses = &allocation->addresses, *was = &allocation->was;
    if (str_eq(addresses->address, was->address) &&
        str_list_equal(&addresses->addresses, &was->addresses)) {
        addresses->address = STR("");
        addresses->addresses.count = 0;
    }
    if (str_list_equal(&addresses->families, &was->families))
        addresses->families.count = 0;
    if (str_eq(addresses->policy, was->policy))
        addresses->has_policy = false;
}

/* Node ports that the old Service did not have are a change, and stay. */
static void drop_node_ports(struct service_allocation *allocation)
{
    SCOPED(map) known = {.release = NULL};
    struct service_ports *ports = &allocation->ports;
    const struct service_ports *old_ports = &allocation->old_ports;
    char digits[STR_NUMBER_MAX];
    for (size_t i = 0; i < old_ports->count; i++)
        map_put(&known, str_number((uint64_t)old_ports->node_ports[i], digits), NULL);
    for (size_t i = 0; i < ports->count; i++)
        if (ports->node_ports[i] != 0 &&
            !map_has(&known, str_number((uint64_t)ports->node_ports[i], digits)))
            return;
    for (size_t i = 0; i < ports->count; i++)
        ports->node_ports[i] = 0;
}

/* Removes a member of spec that the request did not change. */
static void drop_unchanged(struct prepare *prepare, const char *path)
{
    if (json_equal(json_path(prepare->object, path), json_path(prepare->write->old, path)))
        json_edit_remove(&prepare->edit, (struct json_place){.path = path});
}

static void drop_of_other_types(struct prepare *prepare, struct service_allocation *allocation)
{
    const struct json_value *object = prepare->object, *old = prepare->write->old;
    const bool is_balanced = service_is(object, "LoadBalancer");
    if (service_has_addresses(old) && !service_has_addresses(object))
        drop_addresses(allocation);
    if (service_has_node_ports(old) && !service_has_node_ports(object))
        drop_node_ports(allocation);
    if (service_is_checked(old) && !service_is_checked(object) &&
        allocation->ports.check == allocation->old_ports.check)
        allocation->ports.check = 0;
    if (service_is(old, "LoadBalancer") && !is_balanced) {
        drop_unchanged(prepare, "spec.allocateLoadBalancerNodePorts");
        drop_unchanged(prepare, "spec.loadBalancerClass");
    }
    if (service_is_outside(old) && !service_is_outside(object))
        drop_unchanged(prepare, "spec.externalTrafficPolicy");
    if (!is_balanced)
        json_edit_remove(&prepare->edit, JSON_PLACE("status.loadBalancer.ingress"));
}

/* Upstream does not show it, though it is stored. One that is wrong stays to be found. */
static void drop_internal_policy(struct prepare *prepare)
{
    const char *const path = "spec.internalTrafficPolicy";
    if (!service_has_addresses(prepare->object) &&
        field_is_one_of(json_path_str(prepare->object, path), "Cluster|Local"))
        json_edit_remove(&prepare->edit, (struct json_place){.path = path});
}

static struct error *allocate_service(struct prepare *prepare)
{
    const struct kind_write *write = prepare->write;
    struct field_errors errors = {.arena = write->arena};
    struct kind_validator v = {
        .kind = prepare->kind,
        .write = write,
        .object = prepare->object,
        .old = write->old,
        .errors = &errors,
        .arena = write->arena,
    };
    struct service_allocation allocation;
    TRY(service_allocate(&v, &allocation));
    if (errors.count > 0)
        return NULL;
    if (write->old)
        drop_of_other_types(prepare, &allocation);
    drop_internal_policy(prepare);
    apply_addresses(prepare, &v, &allocation.addresses);
    apply_ports(prepare, &allocation.ports);
    return NULL;
}

/* An error is that of the edit, which then ends with it. */
void prepare_service(struct prepare *prepare)
{
    struct error *err = allocate_service(prepare);
    if (err && !prepare->edit.err)
        prepare->edit.err = err;
    else
        error_free(err);
}
