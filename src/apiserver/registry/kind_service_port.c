/*
 * Node ports of a Service, and the port for checks of a load balancer; see kind_service.h.
 *
 * A port number has one node port, whatever its protocols, unless the request chooses two. On
 * update a port keeps its node port by its name. A node port that is given to the Service twice is
 * taken; which ones other Services have is not known here.
 *
 * Upstream: patchAllocatedValues(), initNodePorts(), updateNodePorts() and
 * allocHealthCheckNodePort().
 */
#include "apimachinery/status.h"
#include "apiserver/registry/kind_service.h"

#define NODE_PORT_FIRST 30000
#define NODE_PORT_COUNT 2768

struct node_ports {
    struct kind_validator *v;
    const struct json_value **items; /* the ports of the request */
    struct service_ports *ports;
    bool is_taken[NODE_PORT_COUNT];
    bool wants_ports; /* node ports are drawn where none are chosen */
};

static int64_t number_at(const struct json_value *object, const char *path)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, path), &number);
    return number;
}

static struct service_ports read_ports(const struct kind_validator *v,
                                       const struct json_value *service)
{
    const struct json_value *list = json_path(service, "spec.ports"), *port;
    struct service_ports ports = {
        .node_ports = arena_alloc_array(v->arena, json_count(list) + 1, sizeof(int64_t)),
        .check = number_at(service, "spec.healthCheckNodePort"),
    };
    JSON_FOREACH (key, port, list)
        ports.node_ports[ports.count++] = number_at(port, "nodePort");
    return ports;
}

/* The key of a number in a map, which copies it. */
static struct str number_key(int64_t number, char digits[static STR_NUMBER_MAX])
{
    return str_number((uint64_t)number, digits);
}

static void put_node_ports(struct map *map, const struct service_ports *ports)
{
    char digits[STR_NUMBER_MAX];
    for (size_t i = 0; i < ports->count; i++)
        if (ports->node_ports[i] != 0)
            map_put(map, number_key(ports->node_ports[i], digits), NULL);
}

/* Services of type LoadBalancer may opt out of node ports. */
static bool wants_node_ports(const struct json_value *service)
{
    bool wants_ports = true;
    (void)json_to_bool(json_path(service, "spec.allocateLoadBalancerNodePorts"), &wants_ports);
    return service_is(service, "NodePort") || (service_is(service, "LoadBalancer") && wants_ports);
}

/* Ports without a node port get that of the old port of the same name, if it is not in use. */
static void keep_node_ports(const struct node_ports *state, const struct service_ports *old_ports)
{
    SCOPED(map) by_name = {.release = NULL};
    SCOPED(map) of_old = {.release = NULL};
    SCOPED(map) used = {.release = NULL};
    const struct kind_validator *v = state->v;
    const struct json_value *port;
    char digits[STR_NUMBER_MAX];
    size_t index = 0;
    put_node_ports(&of_old, old_ports);
    for (size_t i = 0; i < state->ports->count; i++) {
        const struct str key = number_key(state->ports->node_ports[i], digits);
        if (map_has(&of_old, key))
            map_put(&used, key, NULL);
    }
    JSON_FOREACH (key, port, json_path(v->old, "spec.ports"))
        map_put(&by_name, json_path_str(port, "name"), &old_ports->node_ports[index++]);
    for (size_t i = 0; i < state->ports->count; i++) {
        const int64_t *kept = map_find(&by_name, json_path_str(state->items[i], "name"));
        if (state->ports->node_ports[i] == 0 && kept && !map_has(&used, number_key(*kept, digits)))
            state->ports->node_ports[i] = *kept;
    }
}

/* What is wrong with taking a port; empty when it is taken now. */
static struct str take_port(struct node_ports *state, int64_t number)
{
    const int64_t at = number - NODE_PORT_FIRST;
    if (at < 0 || at >= NODE_PORT_COUNT)
        return STR("provided port is not in the valid range. The range of valid ports is "
                   "30000-32767");
    if (state->is_taken[at])
        return STR("provided port is already allocated");
    state->is_taken[at] = true;
    return STR("");
}

/* False, with an error, when a port cannot be taken. */
static bool take_node_port(struct node_ports *state, size_t index, int64_t number)
{
    struct kind_validator *v = state->v;
    const struct str found = take_port(state, number);
    if (found.len)
        field_errors_add_int(
            v->errors, FIELD_INVALID,
            field_path(v, field_path_index(v, STR("spec.ports"), index), "nodePort"), number,
            found);
    return found.len == 0;
}

/* The next free port behind one that the hash says; 0 when there is none. */
static int64_t draw_port(struct node_ports *state, const char *what, int64_t number)
{
    const uint64_t first = service_hash(state->v, what, number);
    for (size_t i = 0; i < NODE_PORT_COUNT; i++) {
        const int64_t drawn = NODE_PORT_FIRST + (int64_t)((first + i) % NODE_PORT_COUNT);
        if (take_port(state, drawn).len == 0)
            return drawn;
    }
    return 0;
}

static struct error *draw_node_port(struct node_ports *state, size_t index)
{
    int64_t *node_port = &state->ports->node_ports[index];
    *node_port = draw_port(state, "port", number_at(state->items[index], "port"));
    if (*node_port == 0)
        return status_internal("failed to allocate a nodePort: range is full");
    return NULL;
}

/* For each port number the first node port that the request chooses. */
static void find_chosen(const struct node_ports *state, struct map *chosen)
{
    char digits[STR_NUMBER_MAX];
    for (size_t i = 0; i < state->ports->count; i++) {
        const struct str number = number_key(number_at(state->items[i], "port"), digits);
        if (state->ports->node_ports[i] != 0 && !map_has(chosen, number))
            map_put(chosen, number, &state->ports->node_ports[i]);
    }
}

/* Ends at the first port that cannot be taken. */
static struct error *make_node_ports(struct node_ports *state)
{
    SCOPED(map) chosen = {.release = NULL};
    SCOPED(map) done = {.release = NULL};
    int64_t *node_ports = state->ports->node_ports;
    char digits[STR_NUMBER_MAX];
    find_chosen(state, &chosen);
    for (size_t i = 0; i < state->ports->count; i++) {
        const struct str number = number_key(number_at(state->items[i], "port"), digits);
        const int64_t *first = map_find(&done, number), *wanted = map_find(&chosen, number);
        if (node_ports[i] == 0 && !state->wants_ports)
            continue;
        if (first && (node_ports[i] == 0 || node_ports[i] == *first)) {
            node_ports[i] = *first;
            continue;
        }
        if (!first && wanted)
            node_ports[i] = *wanted;
        if (node_ports[i] == 0)
            TRY(draw_node_port(state, i));
        else if (!take_node_port(state, i, node_ports[i]))
            return NULL;
        if (!first)
            map_put(&done, number, &node_ports[i]);
    }
    return NULL;
}

static struct error *node_port_twice(struct str protocol, int64_t number)
{
    struct error *err = error_new(ERROR_UNKNOWN, "duplicate nodePort: {%.*s %lld}",
                                  STR_ARG(protocol), (long long)number);
    err->http_status = 500;
    return err;
}

/* Unlike a create, an update draws a node port for each port, and refuses one that is there twice.
 */
static struct error *change_node_ports(struct node_ports *state,
                                       const struct service_ports *old_ports)
{
    SCOPED(map) known = {.release = NULL};
    SCOPED(map) seen = {.release = NULL};
    int64_t *node_ports = state->ports->node_ports;
    char digits[STR_NUMBER_MAX];
    put_node_ports(&known, old_ports);
    for (size_t i = 0; i < state->ports->count; i++) {
        const struct str protocol = json_path_str(state->items[i], "protocol");
        if (node_ports[i] == 0 && !state->wants_ports)
            continue;
        if (node_ports[i] == 0)
            TRY(draw_node_port(state, i));
        else if (!map_has(&known, number_key(node_ports[i], digits)) &&
                 !take_node_port(state, i, node_ports[i]))
            return NULL;
        map_put(&known, number_key(node_ports[i], digits), NULL);
        const struct str both =
            arena_print(state->v->arena, "%lld/%.*s", (long long)node_ports[i], STR_ARG(protocol));
        if (map_has(&seen, both))
            return node_port_twice(protocol, node_ports[i]);
        map_put(&seen, both, NULL);
    }
    return NULL;
}

static struct error *allocate_check(struct node_ports *state)
{
    int64_t *check = &state->ports->check;
    if (*check == 0) {
        *check = draw_port(state, "check", 0);
        return *check
                   ? NULL
                   : status_internal("failed to allocate a HealthCheck NodePort 0: range is full");
    }
    const struct str found = take_port(state, *check);
    if (found.len == 0)
        return NULL;
    return status_internal("failed to allocate requested HealthCheck NodePort %lld: %.*s",
                           (long long)*check, STR_ARG(found));
}

/* What the old Service has is taken, also when this write gives it back. */
static void take_old_ports(struct node_ports *state, const struct service_ports *old_ports)
{
    for (size_t i = 0; i < old_ports->count; i++)
        (void)take_port(state, old_ports->node_ports[i]);
    if (service_is_checked(state->v->old))
        (void)take_port(state, old_ports->check);
}

static struct error *allocate_ports(struct node_ports *state, struct service_allocation *allocation)
{
    const struct kind_validator *v = state->v;
    const size_t before = v->errors->count;
    const bool was_checked = v->old && service_is_checked(v->old);
    if (v->old) {
        take_old_ports(state, &allocation->old_ports);
        if (wants_node_ports(v->old) && state->wants_ports)
            keep_node_ports(state, &allocation->old_ports);
        if (was_checked && service_is_checked(v->object) && allocation->ports.check == 0)
            allocation->ports.check = allocation->old_ports.check;
    }
    if (service_has_node_ports(v->object))
        TRY(v->old ? change_node_ports(state, &allocation->old_ports) : make_node_ports(state));
    if (v->errors->count > before || !service_is_checked(v->object) ||
        (was_checked && allocation->ports.check != 0))
        return NULL;
    return allocate_check(state);
}

struct error *service_ports_allocate(struct kind_validator *v,
                                     struct service_allocation *allocation)
{
    struct node_ports *state = ARENA_NEW(v->arena, struct node_ports);
    const struct json_value *list = json_path(v->object, "spec.ports"), *port;
    size_t index = 0;
    allocation->ports = read_ports(v, v->object);
    allocation->old_ports = read_ports(v, v->old);
    *state = (struct node_ports){
        .v = v,
        .items = arena_alloc_array(v->arena, json_count(list) + 1, sizeof(port)),
        .ports = &allocation->ports,
        .wants_ports = wants_node_ports(v->object),
    };
    JSON_FOREACH (key, port, list)
        state->items[index++] = port;
    return allocate_ports(state, allocation);
}
