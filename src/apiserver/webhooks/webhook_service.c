#include "apiserver/webhooks/webhook_service.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "async/loop.h"
#include "base/random.h"
#include "json/path.h"

#define ADDRESSES_MAX 100

/* How much of EndpointSlices is read at most; the loop waits for it. */
#define SLICES_MAX      1000
#define SLICE_BYTES_MAX MEGABYTE

struct found {
    struct arena *arena;
    struct str service, port_name; /* of the Service */
    struct webhook_address items[ADDRESSES_MAX];
    size_t count;
    size_t bytes; /* of slices that were read */
};

static bool read_port(const struct json_value *value, uint16_t *ret_port)
{
    int64_t number;
    if (!json_to_int64(value, &number) || number < 1 || number > 65535)
        return false;
    *ret_port = (uint16_t)number;
    return true;
}

/* The port of a list that has the name of the Service's port. */
static bool find_port(const struct json_value *ports, struct str name, uint16_t *ret_port)
{
    const struct json_value *port;
    JSON_FOREACH (key, port, ports)
        if (str_eq(json_path_str(port, "name"), name))
            return read_port(json_path(port, "port"), ret_port);
    return false;
}

static void add_address(struct found *found, struct str host, uint16_t port)
{
    if (host.len && found->count < ADDRESSES_MAX)
        found->items[found->count++] =
            (struct webhook_address){arena_str(found->arena, host), port};
}

/* "ready" that is absent means yes. */
static void add_endpoint(struct found *found, const struct json_value *endpoint, uint16_t port)
{
    const struct json_value *address;
    bool ready = true;
    (void)json_to_bool(json_path(endpoint, "conditions.ready"), &ready);
    JSON_FOREACH (key, address, ready ? json_path(endpoint, "addresses") : NULL)
        add_address(found, json_to_str(address), port);
}

static bool add_slice(void *data, struct key key, struct object_text *text)
{
    struct found *found = data;
    const struct json_value *endpoint;
    OWNED(json_doc) doc = NULL;
    uint16_t port;
    (void)key;
    found->bytes += object_text_json(text).len;
    if (found->bytes > SLICE_BYTES_MAX)
        return false;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    const struct json_value *slice = json_doc_root(doc);
    const struct json_value *labels = json_path(slice, "metadata.labels");
    if (unreadable ||
        !str_eq(json_to_str(json_get(labels, STR("kubernetes.io/service-name"))), found->service) ||
        !find_port(json_path(slice, "ports"), found->port_name, &port))
        return true;
    JSON_FOREACH (index, endpoint, json_path(slice, "endpoints"))
        add_endpoint(found, endpoint, port);
    return found->count < ADDRESSES_MAX;
}

static void add_subset(struct found *found, const struct json_value *subset)
{
    const struct json_value *address;
    uint16_t port;
    if (find_port(json_path(subset, "ports"), found->port_name, &port))
        JSON_FOREACH (key, address, json_path(subset, "addresses"))
            add_address(found, json_path_str(address, "ip"), port);
}

static void add_endpoints(struct found *found, const struct json_value *endpoints)
{
    const struct json_value *subset;
    JSON_FOREACH (key, subset, json_path(endpoints, "subsets"))
        add_subset(found, subset);
}

static struct error *read_object(struct api *api, struct store_id id, struct json_doc **ret_doc)
{
    SCOPED(store_object) object = {0};
    TRY(store_get(api->store, id, &object));
    return json_read(object_text_json(object.text), ret_doc);
}

static struct error *find_service_port(const struct json_value *service, struct str name,
                                       uint16_t port, struct str *ret_name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(service, "spec.ports")) {
        uint16_t number;
        if (!read_port(json_path(item, "port"), &number) || number != port)
            continue;
        *ret_name = json_path_str(item, "name");
        return NULL;
    }
    return error_new(ERROR_SERVICE_UNAVAILABLE, "no service port %u found for service \"%.*s\"",
                     (unsigned)port, STR_ARG(name));
}

static struct error *find_addresses(struct api *api, struct key key, struct found *found)
{
    const struct store_range slices = {
        .resource = STR("endpointslices.discovery.k8s.io"),
        .namespace = key.namespace,
        .limit = SLICES_MAX,
    };
    struct store_page page;
    OWNED(json_doc) endpoints = NULL;
    TRY(store_scan(api->store, &slices, add_slice, found, &page));
    if (found->count)
        return NULL;
    OWNED(error)
    missing = read_object(api, (struct store_id){STR("endpoints"), key}, &endpoints);
    if (!missing)
        add_endpoints(found, json_doc_root(endpoints));
    if (found->count)
        return NULL;
    return error_new(ERROR_SERVICE_UNAVAILABLE, "no endpoints available for service \"%.*s\"",
                     STR_ARG(key.name));
}

struct error *webhook_service_resolve(struct api *api, struct arena *arena, struct str namespace,
                                      struct str name, uint16_t port,
                                      struct webhook_address *ret_address)
{
    const struct key key = {namespace, name};
    struct found *found = ARENA_NEW(arena, struct found);
    OWNED(json_doc) service = NULL;
    OWNED(error) missing = read_object(api, (struct store_id){STR("services"), key}, &service);
    if (missing)
        return error_new(ERROR_SERVICE_UNAVAILABLE, "service \"%.*s\" not found", STR_ARG(name));
    const struct json_value *root = json_doc_root(service);
    const struct str external = json_path_str(root, "spec.externalName");
    if (str_eq(json_path_str(root, "spec.type"), STR("ExternalName"))) {
        *ret_address = (struct webhook_address){arena_str(arena, external), port};
        return NULL;
    }
    *found = (struct found){.arena = arena, .service = name};
    TRY(find_service_port(root, name, port, &found->port_name));
    TRY(find_addresses(api, key, found));
    *ret_address = found->items[random_below(loop_random(api->loop), found->count)];
    return NULL;
}
