/*
 * Cluster IPs and node ports of Services.
 *
 * No traffic is routed to them here, so that collisions do no harm and no allocator is needed.
 * Addresses and ports are derived from a hash of namespace and name: the same Service has the same
 * ones every time, which keeps tests and replays stable. On update, values that the request does
 * not mention stay.
 *
 * Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage (alloc.go).
 */
#include "apiserver/registry/kind_prepare_internal.h"
#include "json/compare.h"

/*
 * The service network is 10.96.0.0/12. Its first 256 addresses are left to requests that choose
 * one, as upstream does for static allocation.
 */
#define ADDRESS_FIRST 256U
#define ADDRESS_COUNT ((1U << 20) - 2 * ADDRESS_FIRST)

#define NODE_PORT_FIRST 30000
#define NODE_PORT_COUNT 2768

static uint64_t hash_of(const struct prepare *prepare, const char *what, int64_t number)
{
    const struct str text = arena_print(prepare->write->arena, "%s/%lld/%.*s/%.*s", what,
                                        (long long)number, STR_ARG(prepare->write->namespace),
                                        STR_ARG(json_path_str(prepare->object, "metadata.name")));
    return str_hash(text, 0);
}

static struct str draw_address(const struct prepare *prepare)
{
    const unsigned offset =
        ADDRESS_FIRST + (unsigned)(hash_of(prepare, "address", 0) % ADDRESS_COUNT);
    return arena_print(prepare->write->arena, "10.%u.%u.%u", 96 + (offset >> 16),
                       (offset >> 8) & 255, offset & 255);
}

static struct str type_of(const struct json_value *service)
{
    return json_path_str(service, "spec.type");
}

static bool has_address(const struct json_value *service)
{
    return !str_eq(type_of(service), STR("ExternalName"));
}

/* Services of type LoadBalancer may opt out of node ports. */
static bool has_node_ports(const struct json_value *service)
{
    bool wants_ports = true;
    (void)json_to_bool(json_path(service, "spec.allocateLoadBalancerNodePorts"), &wants_ports);
    return str_eq(type_of(service), STR("NodePort")) ||
           (str_eq(type_of(service), STR("LoadBalancer")) && wants_ports);
}

/* A list of one or two strings; an empty second one is left out. */
static const struct json_value *strings(struct prepare *prepare, struct str first,
                                        struct str second)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    json_builder_str(&builder, first);
    if (second.len > 0)
        json_builder_str(&builder, second);
    json_builder_end(&builder);
    return prepare_value(prepare, &builder);
}

static void set_address(struct prepare *prepare, struct str address)
{
    json_edit_set_str(&prepare->edit, JSON_PLACE("spec.clusterIP"), address);
    if (json_count(json_path(prepare->object, "spec.clusterIPs")) == 0)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.clusterIPs"),
                      strings(prepare, address, STR("")));
}

/*
 * A headless Service without a selector is dual-stack, because its endpoints may be of both
 * families. All others are single-stack IPv4.
 */
static void set_families(struct prepare *prepare)
{
    const struct json_value *object = prepare->object;
    const bool is_headless = str_eq(json_path_str(object, "spec.clusterIP"), STR("None"));
    const bool is_open = is_headless && json_count(json_path(object, "spec.selector")) == 0;
    if (json_count(json_path(object, "spec.ipFamilies")) == 0)
        json_edit_set(&prepare->edit, JSON_PLACE("spec.ipFamilies"),
                      strings(prepare, STR("IPv4"), is_open ? STR("IPv6") : STR("")));
    if (!json_path(object, "spec.ipFamilyPolicy"))
        json_edit_set_str(&prepare->edit, JSON_PLACE("spec.ipFamilyPolicy"),
                          is_open ? STR("RequireDualStack") : STR("SingleStack"));
}

/* clusterIPs may be given without clusterIP, and the other way round. */
static struct str given_address(const struct json_value *service)
{
    const struct str address = json_path_str(service, "spec.clusterIP");
    return address.len > 0 ? address : json_path_str(service, "spec.clusterIPs.0");
}

static void allocate_address(struct prepare *prepare)
{
    const struct str given = given_address(prepare->object);
    if (!has_address(prepare->object))
        return;
    set_address(prepare, given.len > 0 ? given : draw_address(prepare));
    set_families(prepare);
}

/* The node port of the old Service for the same port and protocol; 0 when there is none. */
static int64_t old_node_port(const struct json_value *old, const struct json_value *port)
{
    const struct json_value *one;
    int64_t number = 0, wanted = 0, node_port = 0;
    (void)json_to_int64(json_path(port, "port"), &wanted);
    JSON_FOREACH (key, one, json_path(old, "spec.ports")) {
        (void)json_to_int64(json_path(one, "port"), &number);
        if (number == wanted &&
            str_eq(json_path_str(one, "protocol"), json_path_str(port, "protocol")))
            (void)json_to_int64(json_path(one, "nodePort"), &node_port);
    }
    return node_port;
}

static void allocate_node_ports(struct prepare *prepare)
{
    const struct json_value *port;
    size_t index = 0;
    if (!has_node_ports(prepare->object))
        return;
    JSON_FOREACH (key, port, json_path(prepare->object, "spec.ports")) {
        const struct str at = arena_print(prepare->write->arena, "%zu", index++);
        const struct str path = arena_print(prepare->write->arena, "spec.ports.%.*s", STR_ARG(at));
        int64_t number = 0, chosen = old_node_port(prepare->write->old, port);
        if (json_path(port, "nodePort"))
            continue;
        (void)json_to_int64(json_path(port, "port"), &number);
        if (chosen == 0)
            chosen =
                NODE_PORT_FIRST + (int64_t)(hash_of(prepare, "port", number) % NODE_PORT_COUNT);
        json_edit_set_int(
            &prepare->edit,
            (struct json_place){.path = path.ptr, .key = STR("nodePort"), .has_key = true}, chosen);
    }
}

void prepare_service_create(struct prepare *prepare)
{
    allocate_address(prepare);
    allocate_node_ports(prepare);
}

/* A client that does not know clusterIPs changes clusterIP alone. */
static bool changes_address_alone(const struct json_value *spec, const struct json_value *old)
{
    const struct str address = json_path_str(spec, "clusterIP");
    const struct json_value *list = json_path(spec, "clusterIPs");
    return address.len && !str_eq(address, json_path_str(old, "clusterIP")) &&
           (!list || json_equal(list, json_path(old, "clusterIPs")));
}

static void set_only_address(struct prepare *prepare, const struct json_value *address)
{
    SCOPED(json_builder) builder = {0};
    json_builder_array(&builder);
    json_builder_value(&builder, address);
    json_builder_end(&builder);
    json_edit_set(&prepare->edit, JSON_PLACE("spec.clusterIPs"), prepare_value(prepare, &builder));
}

/*
 * Allocated values that an update does not mention are kept. A change from or to ExternalName is
 * treated as a create.
 */
void prepare_service_update(struct prepare *prepare)
{
    static const char *const kept[] = {"clusterIPs", "ipFamilies", "ipFamilyPolicy"};
    const struct json_value *old = prepare->write->old;
    if (!has_address(prepare->object) || !has_address(old)) {
        prepare_service_create(prepare);
        return;
    }
    const struct json_value *spec = json_path(prepare->object, "spec");
    const struct json_value *old_spec = json_path(old, "spec");
    for (size_t i = 0; i < COUNT(kept); i++)
        if (!json_path(spec, kept[i]) && json_path(old_spec, kept[i]))
            json_edit_set(&prepare->edit, JSON_PLACE_KEY("spec", str_from_c(kept[i])),
                          json_path(old_spec, kept[i]));
    if (changes_address_alone(spec, old_spec))
        set_only_address(prepare, json_path(spec, "clusterIP"));
    if (given_address(prepare->object).len == 0 && json_path(old_spec, "clusterIP"))
        json_edit_set(&prepare->edit, JSON_PLACE("spec.clusterIP"),
                      json_path(old_spec, "clusterIP"));
    allocate_node_ports(prepare);
}
