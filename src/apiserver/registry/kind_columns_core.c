/*
 * Cells of ConfigMap, Secret, Namespace, Service, Event, Node, Endpoints and ResourceQuota.
 *
 * Cell functions come before the array of cells that names them, kind by kind; kind_printers_core[]
 * at the end assigns the arrays to columns. Upstream: the functions print...() of
 * k8s.io/kubernetes/pkg/printers/internalversion/printers.go.
 */
#include <stdlib.h>

#include "apiserver/registry/kind_age.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "base/arena.h"
#include "base/owned.h"
#include "json/path.h"

/* Keys of data and binaryData together. */
static void cell_data(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    json_builder_int(row->out, (int64_t)(json_count(json_get(row->object, STR("data"))) +
                                         json_count(json_get(row->object, STR("binaryData")))));
}

static const struct kind_cell config_map_cells[] = {
    KIND_CELL_NAME,
    {cell_data, NULL, NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell secret_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,   "type", ""  },
    {kind_cell_count, "data", NULL},
    KIND_CELL_AGE,
};

static const struct kind_cell namespace_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str, "status.phase", ""},
    KIND_CELL_AGE,
};

/* A set of texts that is shown sorted and without duplicates. */
struct words {
    struct str *items;
    size_t count;
};

/* `max` is the number of words that may be added. */
static struct words words_new(struct arena *arena, size_t max)
{
    return (struct words){.items = arena_alloc_array(arena, max + 1, sizeof(struct str))};
}

static int compare_words(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void words_join(struct words *words, struct buf *text)
{
    qsort(words->items, words->count, sizeof(*words->items), compare_words);
    for (size_t i = 0; i < words->count; i++)
        if (i == 0 || !str_eq(words->items[i], words->items[i - 1]))
            kind_cell_part(text, ",", words->items[i]);
}

/* Addresses of a load balancer: the IP, or the host name of an ingress point without one. */
static void add_balancer(struct buf *text, const struct json_value *ingresses)
{
    const struct json_value *ingress;
    SCOPED(arena) arena = {0};
    struct words words = words_new(&arena, json_count(ingresses));
    JSON_FOREACH (key, ingress, ingresses) {
        struct str address = json_path_str(ingress, "ip");
        if (str_is_empty(address))
            address = json_path_str(ingress, "hostname");
        if (!str_is_empty(address))
            words.items[words.count++] = address;
    }
    words_join(&words, text);
}

void kind_cell_balancer(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(buf) text = {0};
    add_balancer(&text, json_path(row->object, cell->path));
    json_builder_str(row->out, buf_str(&text));
}

/*
 * Depends on the type: externalName, or the addresses of the load balancer and spec.externalIPs. A
 * load balancer without an address is "<pending>".
 */
static void cell_external_ip(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    const struct json_value *item;
    const struct str type = json_path_str(row->object, "spec.type");
    const bool balanced = str_eq(type, STR("LoadBalancer"));
    SCOPED(buf) text = {0};
    if (str_eq(type, STR("ExternalName"))) {
        json_builder_str(row->out, json_path_str(row->object, "spec.externalName"));
        return;
    }
    if (balanced)
        add_balancer(&text, json_path(row->object, "status.loadBalancer.ingress"));
    JSON_FOREACH (key, item, json_path(row->object, "spec.externalIPs"))
        kind_cell_part(&text, ",", json_to_str(item));
    if (text.len > 0)
        json_builder_str(row->out, buf_str(&text));
    else
        json_builder_str(row->out, balanced ? STR("<pending>") : STR("<none>"));
}

/* "80/TCP", or "80:30080/TCP" with a node port. */
static void cell_service_ports(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *port;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, port, json_path(row->object, cell->path)) {
        const int64_t node_port = kind_cell_number(port, "nodePort");
        if (text.len > 0)
            buf_add_char(&text, ',');
        buf_print(&text, "%lld", (long long)kind_cell_number(port, "port"));
        if (node_port > 0)
            buf_print(&text, ":%lld", (long long)node_port);
        buf_print(&text, "/%.*s", STR_ARG(json_path_str(port, "protocol")));
    }
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : str_from_c(cell->otherwise));
}

static const struct kind_cell service_cells[] = {
    KIND_CELL_NAME,
    {kind_cell_str,      "spec.type",      ""      },
    {kind_cell_str,      "spec.clusterIP", "<none>"},
    {cell_external_ip,   NULL,             NULL    },
    {cell_service_ports, "spec.ports",     "<none>"},
    KIND_CELL_AGE,
    {kind_cell_labels,   "spec.selector",  "<none>"},
};

/*
 * A member of an Event by its name in the core group, or by its name in events.k8s.io. Both groups
 * share these cells.
 */
static const struct json_value *either(const struct json_value *event, const char *core,
                                       const char *other)
{
    const struct json_value *value = json_path(event, core);
    return value ? value : json_path(event, other);
}

static struct str either_str(const struct json_value *event, const char *core, const char *other)
{
    return json_to_str(either(event, core, other));
}

/* firstTimestamp, or eventTime for Events without one. */
static const struct json_value *first_seen(const struct json_value *event)
{
    const struct json_value *time = either(event, "firstTimestamp", "deprecatedFirstTimestamp");
    return str_is_empty(json_to_str(time)) ? json_path(event, "eventTime") : time;
}

/* That of the series if there is one, else lastTimestamp, else first_seen(). */
static const struct json_value *last_seen(const struct json_value *event)
{
    const struct json_value *time = json_path(event, "series.lastObservedTime");
    if (json_type(json_get(event, STR("series"))) == JSON_OBJECT)
        return time;
    time = either(event, "lastTimestamp", "deprecatedLastTimestamp");
    return str_is_empty(json_to_str(time)) ? first_seen(event) : time;
}

static void write_age(const struct kind_row *row, const struct json_value *time)
{
    char text[KIND_AGE_MAX];
    json_builder_str(row->out, kind_age_since(time, row->now, text));
}

static void cell_last_seen(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    write_age(row, last_seen(row->object));
}

static void cell_first_seen(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    write_age(row, first_seen(row->object));
}

/* "pod/web-1": the kind in lower case. */
static void cell_event_object(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    const struct str kind = either_str(row->object, "involvedObject.kind", "regarding.kind");
    const struct str name = either_str(row->object, "involvedObject.name", "regarding.name");
    SCOPED(buf) text = {0};
    kind_cell_lower(&text, kind);
    if (!str_is_empty(name))
        buf_print(&text, "/%.*s", STR_ARG(name));
    json_builder_str(row->out, buf_str(&text));
}

static void cell_event_part(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    json_builder_str(row->out,
                     either_str(row->object, "involvedObject.fieldPath", "regarding.fieldPath"));
}

/* Component and host: of the source, or the reporting ones. */
static void cell_event_source(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    const struct json_value *event = row->object;
    struct str component = either_str(event, "source.component", "deprecatedSource.component");
    struct str instance = either_str(event, "source.host", "deprecatedSource.host");
    SCOPED(buf) text = {0};
    if (str_is_empty(component))
        component = either_str(event, "reportingComponent", "reportingController");
    if (str_is_empty(instance))
        instance = json_path_str(event, "reportingInstance");
    buf_add(&text, component);
    if (!str_is_empty(instance))
        buf_print(&text, ", %.*s", STR_ARG(instance));
    json_builder_str(row->out, buf_str(&text));
}

static void cell_event_message(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    json_builder_str(row->out, str_trim(either_str(row->object, "message", "note")));
}

/* The count of the series, or of the event; at least 1. */
static void cell_event_count(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    int64_t count = 0;
    if (json_type(json_get(row->object, STR("series"))) == JSON_OBJECT)
        count = kind_cell_number(row->object, "series.count");
    else if (!json_to_int64(either(row->object, "count", "deprecatedCount"), &count) || count == 0)
        count = 1;
    json_builder_int(row->out, count);
}

static const struct kind_cell event_cells[] = {
    {cell_last_seen,     NULL,     NULL},
    {kind_cell_str,      "type",   ""  },
    {kind_cell_str,      "reason", ""  },
    {cell_event_object,  NULL,     NULL},
    {cell_event_part,    NULL,     NULL},
    {cell_event_source,  NULL,     NULL},
    {cell_event_message, NULL,     NULL},
    {cell_first_seen,    NULL,     NULL},
    {cell_event_count,   NULL,     NULL},
    KIND_CELL_NAME,
};

/* The condition Ready, of several the last, and SchedulingDisabled for cordoned nodes. */
static void cell_node_status(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    const struct json_value *condition;
    bool unschedulable = false;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, condition, json_path(row->object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("Ready"))) {
            buf_clear(&text);
            buf_add(&text, str_eq(json_path_str(condition, "status"), STR("True"))
                               ? STR("Ready")
                               : STR("NotReady"));
        }
    if (text.len == 0)
        buf_add(&text, STR("Unknown"));
    if (json_to_bool(json_path(row->object, "spec.unschedulable"), &unschedulable) && unschedulable)
        buf_add(&text, STR(",SchedulingDisabled"));
    json_builder_str(row->out, buf_str(&text));
}

#define ROLE_PREFIX STR("node-role.kubernetes.io/")

/* Roles from the labels node-role.kubernetes.io/<role> and kubernetes.io/role. */
static void cell_node_roles(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *labels = json_path(row->object, cell->path), *value;
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    struct words roles = words_new(&arena, json_count(labels));
    JSON_FOREACH (key, value, labels) {
        struct str role = {NULL, 0};
        if (str_starts_with(key, ROLE_PREFIX))
            role = str_skip(key, ROLE_PREFIX.len);
        else if (str_eq(key, STR("kubernetes.io/role")))
            role = json_to_str(value);
        if (!str_is_empty(role))
            roles.items[roles.count++] = role;
    }
    words_join(&roles, &text);
    json_builder_str(row->out, text.len > 0 ? buf_str(&text) : str_from_c(cell->otherwise));
}

/* The first address whose type is the cell's `path`, which is no path here. */
static void cell_node_address(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *address;
    struct str found = str_from_c(cell->otherwise);
    JSON_FOREACH (key, address, json_path(row->object, "status.addresses"))
        if (str_eq(json_path_str(address, "type"), str_from_c(cell->path))) {
            found = json_path_str(address, "address");
            break;
        }
    json_builder_str(row->out, found);
}

static const struct kind_cell node_cells[] = {
    KIND_CELL_NAME,
    {cell_node_status,  NULL,                                      NULL       },
    {cell_node_roles,   "metadata.labels",                         "<none>"   },
    KIND_CELL_AGE,
    {kind_cell_str,     "status.nodeInfo.kubeletVersion",          ""         },
    {cell_node_address, "InternalIP",                              "<none>"   },
    {cell_node_address, "ExternalIP",                              "<none>"   },
    {kind_cell_str,     "status.nodeInfo.osImage",                 "<unknown>"},
    {kind_cell_str,     "status.nodeInfo.kernelVersion",           "<unknown>"},
    {kind_cell_str,     "status.nodeInfo.containerRuntimeVersion", "<unknown>"},
};

/* "ip:port", with brackets for IPv6; the IP alone without a port. */
static void add_endpoint(struct kind_cell_list *list, struct str ip, const struct json_value *port)
{
    SCOPED(buf) text = {0};
    const bool is_ipv6 = str_find_char(ip, ':') != STR_NONE;
    if (!port) {
        kind_cell_list_add(list, ip);
        return;
    }
    buf_print(&text, is_ipv6 ? "[%.*s]:%lld" : "%.*s:%lld", STR_ARG(ip),
              (long long)kind_cell_number(port, "port"));
    kind_cell_list_add(list, buf_str(&text));
}

static void add_addresses(struct kind_cell_list *list, const struct json_value *addresses,
                          const struct json_value *port)
{
    const struct json_value *address;
    JSON_FOREACH (key, address, addresses)
        add_endpoint(list, json_path_str(address, "ip"), port);
}

/* All combinations of addresses and ports. */
static void add_subset(struct kind_cell_list *list, const struct json_value *subset)
{
    const struct json_value *addresses = json_get(subset, STR("addresses"));
    const struct json_value *ports = json_get(subset, STR("ports")), *port;
    if (json_count(ports) == 0)
        add_addresses(list, addresses, NULL);
    JSON_FOREACH (key, port, ports)
        add_addresses(list, addresses, port);
}

static void cell_endpoints(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *subsets = json_path(row->object, cell->path), *subset;
    SCOPED(kind_cell_list) list = {.count = 0};
    JSON_FOREACH (key, subset, subsets)
        add_subset(&list, subset);
    kind_cell_list_finish(&list);
    json_builder_str(row->out, json_count(subsets) > 0 ? buf_str(&list.text) : STR("<none>"));
}

static const struct kind_cell endpoints_cells[] = {
    KIND_CELL_NAME,
    {cell_endpoints, "subsets", NULL},
    KIND_CELL_AGE,
};

/* "name: used/hard" for the resources whose names do, or do not, start with "limits.". */
static void write_quota(const struct kind_row *row, bool limits)
{
    const struct json_value *hard = json_path(row->object, "status.hard"), *value;
    const struct json_value *used = json_path(row->object, "status.used");
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    struct words names = words_new(&arena, json_count(hard));
    JSON_FOREACH (key, value, hard)
        if (str_starts_with(key, STR("limits.")) == limits)
            names.items[names.count++] = key;
    qsort(names.items, names.count, sizeof(*names.items), compare_words);
    for (size_t i = 0; i < names.count; i++) {
        const struct str name = names.items[i], in_use = json_to_str(json_get(used, name));
        kind_cell_part(&text, ", ", name);
        buf_add(&text, STR(": "));
        buf_add(&text, str_is_empty(in_use) ? STR("0") : in_use);
        buf_add_char(&text, '/');
        buf_add(&text, json_to_str(json_get(hard, name)));
    }
    json_builder_str(row->out, buf_str(&text));
}

static void cell_quota_requests(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    write_quota(row, false);
}

static void cell_quota_limits(const struct kind_row *row, const struct kind_cell *cell)
{
    (void)cell;
    write_quota(row, true);
}

static const struct kind_cell resource_quota_cells[] = {
    KIND_CELL_NAME,
    {cell_quota_requests, NULL, NULL},
    {cell_quota_limits,   NULL, NULL},
    KIND_CELL_AGE,
};

const struct kind_printer kind_printers_core[] = {
    KIND_PRINTER(config_map), KIND_PRINTER(secret),         KIND_PRINTER(namespace),
    KIND_PRINTER(service),    KIND_PRINTER(event),          KIND_PRINTER(node),
    KIND_PRINTER(endpoints),  KIND_PRINTER(resource_quota),
};
const size_t kind_printers_core_count = COUNT(kind_printers_core);
