/* What the parts of kind_service.h have in common. */
#include "apiserver/registry/kind_service.h"

#include "base/array.h"

struct str service_type(const struct json_value *service)
{
    return json_path_str(service, "spec.type");
}

bool service_is(const struct json_value *service, const char *type)
{
    return str_eq(service_type(service), str_from_c(type));
}

bool service_has_addresses(const struct json_value *service)
{
    return !service_is(service, "ExternalName");
}

bool service_is_headless(const struct service_addresses *addresses)
{
    return addresses->addresses.count == 1 && str_eq(addresses->addresses.items[0], STR("None"));
}

bool service_has_node_ports(const struct json_value *service)
{
    return service_is(service, "NodePort") || service_is(service, "LoadBalancer");
}

bool service_is_checked(const struct json_value *service)
{
    return service_is(service, "LoadBalancer") &&
           str_eq(json_path_str(service, "spec.externalTrafficPolicy"), STR("Local"));
}

bool service_is_outside(const struct json_value *service)
{
    return service_has_node_ports(service) ||
           (service_is(service, "ClusterIP") &&
            json_count(json_path(service, "spec.externalIPs")) > 0);
}

uint64_t service_hash(const struct kind_validator *v, const char *what, int64_t number)
{
    const struct str text = arena_print(v->arena, "%s/%lld/%.*s/%.*s", what, (long long)number,
                                        STR_ARG(v->write->namespace),
                                        STR_ARG(json_path_str(v->object, "metadata.name")));
    return str_hash(text, 0);
}

void str_list_add(struct kind_validator *v, struct str_list *list, struct str item)
{
    ARENA_ARRAY_PUSH(v->arena, list->items, list->count, list->capacity, item);
}

bool str_list_has(const struct str_list *list, struct str item)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(list->items[i], item))
            return true;
    return false;
}

bool str_list_equal(const struct str_list *a, const struct str_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!str_eq(a->items[i], b->items[i]))
            return false;
    return true;
}

const struct json_value *str_list_value(struct kind_validator *v, const struct str_list *list)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    if (list->count == 0)
        return NULL;
    json_builder_array(&builder);
    for (size_t i = 0; i < list->count; i++)
        json_builder_str(&builder, list->items[i]);
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &doc);
    error_free(err);
    if (!doc)
        return NULL;
    json_doc_hold(v->arena, doc);
    return json_doc_root(doc);
}

struct error *service_allocate(struct kind_validator *v, struct service_allocation *ret_allocation)
{
    const size_t before = v->errors->count;
    *ret_allocation = (struct service_allocation){.addresses.has_policy = false};
    service_addresses_allocate(v, ret_allocation);
    return v->errors->count > before ? NULL : service_ports_allocate(v, ret_allocation);
}
