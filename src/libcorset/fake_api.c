/*
 * From requests to the calls of fake_store.h, and back. serve_request() is the handler: it answers
 * discovery, finds the kind of a path, and calls the function of the method. An error becomes the
 * Status that an API server would send.
 */
#include "libcorset/fake_api.h"

#include "apimachinery/field_selector.h"
#include "apimachinery/resource_path.h"
#include "apimachinery/selector.h"
#include "apimachinery/status.h"
#include "http/query.h"
#include "http/server.h"
#include "json/edit.h"
#include "json/path.h"
#include "libcorset/fake_kinds.h"
#include "net/network.h"

#define BODY_MAX (4 * MEGABYTE)
#define JSON     STR("application/json")

/* A request for objects. Texts are in the arena of the request. */
struct fake_call {
    struct fake_store *store;
    struct http_request *request;
    struct arena *arena;
    struct query query;
    struct fake_kind kind; /* a copy: kinds move when one is added */
    struct fake_place place;
    struct str api_version;
    struct selector labels;
    struct field_selector fields;
};

static const struct field_label field_labels[] = {
    {STR_INIT("metadata.name"),      "metadata.name"     },
    {STR_INIT("metadata.namespace"), "metadata.namespace"},
};

/* In the version that was asked for: versions of a kind differ in their apiVersion alone. */
static struct error *write_object(const struct fake_call *call, const struct object *object,
                                  struct buf *out)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) doc = NULL;
    if (str_eq(object_api_version(object), call->api_version)) {
        object_write(out, object);
        return buf_check(out);
    }
    json_edit_init(&edit, object_root(object));
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), call->api_version);
    TRY(json_edit_finish(&edit, &doc));
    json_write(out, json_doc_root(doc));
    return buf_check(out);
}

static struct error *answer_object(const struct fake_call *call, int status,
                                   const struct object *object)
{
    SCOPED(buf) body = {.secret = true};
    TRY(write_object(call, object, &body));
    return http_request_answer(call->request, status, JSON, buf_str(&body));
}

static struct error *serve_get(struct fake_call *call)
{
    const struct object *object = fake_store_find(call->store, &call->place);
    if (!object)
        return status_not_found(
            (struct gvr){call->kind.group, call->kind.version, call->kind.resource},
            call->place.key.name);
    return answer_object(call, 200, object);
}

/* True if a list or a watch of this call has the object. */
static bool selects(const struct fake_call *call, const struct object *object)
{
    const struct str namespace = call->place.key.namespace;
    return (!namespace.len || str_eq(namespace, object_namespace(object))) &&
           selector_matches(&call->labels, object_labels(object)) &&
           field_selector_matches(&call->fields, field_labels, COUNT(field_labels),
                                  object_root(object));
}

typedef struct error *visit_fn(struct fake_call *call, const struct object *object,
                               struct buf *out);

/* Visits the objects that the call selects, in the order of their names. */
static struct error *each_object(struct fake_call *call, visit_fn *visit, struct buf *out)
{
    const struct str prefix =
        ARENA_JOIN(call->arena, fake_kind_path(call->arena, &call->kind), STR("/"));
    for (struct tree_node *node = tree_seek(&call->store->objects, prefix);
         node && str_starts_with(tree_key(node), prefix); node = tree_next(node))
        if (selects(call, node->value))
            TRY(visit(call, node->value, out));
    return NULL;
}

static struct error *add_item(struct fake_call *call, const struct object *object, struct buf *out)
{
    if (out->ptr[out->len - 1] != '[')
        buf_add_char(out, ',');
    return write_object(call, object, out);
}

/* All on one page, whatever the limit: a server may send more than it was asked for. */
static struct error *serve_list(struct fake_call *call)
{
    SCOPED(buf) body = {.secret = true};
    buf_print(&body,
              "{\"kind\":\"%.*sList\",\"apiVersion\":\"%.*s\",\"metadata\":{\"resourceVersion\":"
              "\"%lld\"},\"items\":[",
              STR_ARG(call->kind.kind), STR_ARG(call->api_version),
              (long long)call->store->version);
    TRY(each_object(call, add_item, &body));
    buf_add(&body, STR("]}"));
    TRY(buf_check(&body));
    return http_request_answer(call->request, 200, JSON, buf_str(&body));
}

static struct error *add_line(struct fake_call *call, const char *type, const struct object *object,
                              struct buf *out)
{
    buf_print(out, "{\"type\":\"%s\",\"object\":", type);
    TRY(write_object(call, object, out));
    buf_add(out, STR("}\n"));
    return NULL;
}

static struct error *add_initial(struct fake_call *call, const struct object *object,
                                 struct buf *out)
{
    return add_line(call, "ADDED", object, out);
}

/* Everything there is, and the bookmark that says so. */
static struct error *write_initial(struct fake_call *call, struct buf *out)
{
    TRY(each_object(call, add_initial, out));
    buf_print(out,
              "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s\","
              "\"metadata\":{\"resourceVersion\":\"%lld\",\"annotations\":"
              "{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
              STR_ARG(call->kind.kind), STR_ARG(call->api_version),
              (long long)call->store->version);
    return NULL;
}

/* An object that comes to be selected, or is not selected any more, is a new or a deleted one. */
static struct error *write_event(struct fake_call *call, const struct fake_event *event,
                                 struct buf *out)
{
    const bool was = event->old && selects(call, event->old);
    const bool is = event->now && selects(call, event->now);
    if (!was && !is)
        return NULL;
    if (is)
        return add_line(call, was ? "MODIFIED" : "ADDED", event->now, out);
    return add_line(call, "DELETED", event->old, out);
}

static struct error *write_events(struct fake_call *call, size_t *next, struct buf *out)
{
    const struct str path = fake_kind_path(call->arena, &call->kind);
    for (; *next < call->store->event_count; (*next)++) {
        const struct fake_event *event = &call->store->events[*next];
        if (str_eq(event->resource, path))
            TRY(write_event(call, event, out));
    }
    return NULL;
}

/* Behind which event a watch begins. */
static size_t find_start(const struct fake_call *call, bool is_initial)
{
    const struct fake_store *store = call->store;
    int64_t version = 0;
    size_t next = store->event_count;
    if (is_initial || !str_to_int64(query_get(&call->query, STR("resourceVersion")), &version))
        return next;
    while (next > 0 && store->events[next - 1].version > version)
        next--;
    return next;
}

/* Until the client goes. */
static struct error *serve_watch(struct fake_call *call)
{
    SCOPED(http_headers) headers = {0};
    const bool is_initial = query_is_true(&call->query, STR("sendInitialEvents"));
    size_t next = find_start(call, is_initial);
    SCOPED(buf) out = {.secret = true};
    if (is_initial)
        TRY(write_initial(call, &out));
    TRY(http_headers_add(&headers, STR("Content-Type"), JSON));
    TRY(http_request_respond(call->request, 200, &headers));
    for (;;) {
        TRY(write_events(call, &next, &out));
        TRY(buf_check(&out));
        if (out.len)
            TRY(http_request_write(call->request, buf_str(&out)));
        buf_clear(&out);
        if (next == call->store->event_count)
            TRY(event_wait(&call->store->changed, "a change in the fake"));
    }
}

static struct error *serve_collection(struct fake_call *call)
{
    const bool is_watch = query_is_true(&call->query, STR("watch"));
    TRY(selector_read(call->arena, query_get(&call->query, STR("labelSelector")), &call->labels));
    TRY(field_selector_read(call->arena, query_get(&call->query, STR("fieldSelector")),
                            &call->fields));
    TRY(field_selector_check(&call->fields, field_labels, COUNT(field_labels)));
    return is_watch ? serve_watch(call) : serve_list(call);
}

static struct error *read_body(struct fake_call *call, struct buf *body)
{
    body->limit = BODY_MAX;
    body->secret = true;
    if (query_get(&call->query, STR("dryRun")).len)
        return status_bad_request("the fake does no dry runs");
    return http_request_read_all(call->request, body);
}

static struct error *serve_create(struct fake_call *call)
{
    SCOPED(buf) body = {0};
    OWNED(object) given = NULL;
    OWNED(object) made = NULL;
    TRY(read_body(call, &body));
    TRY(object_read(buf_str(&body), &given));
    TRY(fake_store_create(call->store, &call->place, given, &made));
    call->store->writes++;
    return answer_object(call, 201, made);
}

static struct error *serve_update(struct fake_call *call)
{
    SCOPED(buf) body = {0};
    OWNED(object) given = NULL;
    OWNED(object) made = NULL;
    TRY(read_body(call, &body));
    TRY(object_read(buf_str(&body), &given));
    TRY(fake_store_update(call->store, &call->place, given, &made));
    call->store->writes++;
    return answer_object(call, 200, made);
}

static struct error *read_patch_type(const struct fake_call *call, enum fake_patch_type *ret_type)
{
    static const struct {
        struct str name;
        enum fake_patch_type type;
    } types[] = {
        {STR_INIT("application/merge-patch+json"), FAKE_PATCH_MERGE},
        {STR_INIT("application/json-patch+json"),  FAKE_PATCH_JSON },
        {STR_INIT("application/apply-patch+yaml"), FAKE_PATCH_APPLY},
    };
    const struct str name =
        http_headers_find(http_request_headers(call->request), STR("Content-Type"));
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(name, types[i].name)) {
            *ret_type = types[i].type;
            return NULL;
        }
    return error_new(ERROR_UNSUPPORTED_MEDIA_TYPE, "the fake knows no patches of type %.*s",
                     STR_ARG(name));
}

static struct error *serve_patch(struct fake_call *call)
{
    SCOPED(buf) body = {0};
    OWNED(object) made = NULL;
    struct fake_patch patch = {.manager = query_get(&call->query, STR("fieldManager"))};
    TRY(read_patch_type(call, &patch.type));
    TRY(read_body(call, &body));
    patch.text = buf_str(&body);
    TRY(fake_store_patch(call->store, &call->place, &patch, &made));
    call->store->writes++;
    return answer_object(call, 200, made);
}

static struct error *serve_delete(struct fake_call *call)
{
    SCOPED(buf) body = {0};
    OWNED(json_doc) options = NULL;
    OWNED(object) left = NULL;
    TRY(read_body(call, &body));
    if (body.len)
        TRY(json_read(buf_str(&body), &options));
    const struct json_value *given = options ? json_doc_root(options) : NULL;
    TRY(fake_store_delete(call->store, &call->place, json_path_str(given, "preconditions.uid"),
                          json_path_str(given, "preconditions.resourceVersion"), &left));
    call->store->writes++;
    if (left)
        return answer_object(call, 200, left);
    return http_request_answer(call->request, 200, JSON,
                               STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                   "\"status\":\"Success\"}"));
}

static const struct {
    struct str method;
    bool is_collection;
    bool has_subresource; /* it may */
    struct error *(*serve)(struct fake_call *call);
} methods[] = {
    {STR_INIT("GET"),    false, true,  serve_get       },
    {STR_INIT("GET"),    true,  false, serve_collection},
    {STR_INIT("POST"),   true,  false, serve_create    },
    {STR_INIT("PUT"),    false, true,  serve_update    },
    {STR_INIT("PATCH"),  false, true,  serve_patch     },
    {STR_INIT("DELETE"), false, false, serve_delete    },
};

static struct error *serve_objects(struct fake_call *call)
{
    const struct str method = http_request_method(call->request);
    const bool is_collection = !call->place.key.name.len;
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_eq(method, methods[i].method) && is_collection == methods[i].is_collection &&
            (!call->place.is_status || methods[i].has_subresource))
            return methods[i].serve(call);
    return status_method_not_allowed();
}

/* Splits the target, and finds the kind that the path is of. */
static struct error *read_call(struct fake_call *call, struct str path)
{
    struct resource_path read = {0};
    if (!resource_path_read(call->arena, path, &read))
        return status_no_such_resource();
    const struct fake_kind *kind = fake_store_find_resource(call->store, read.gvr);
    if (!kind || (read.namespace.len && !kind->is_namespaced))
        return status_no_such_resource();
    call->place.is_status = str_eq(read.subresource, STR("status"));
    if (read.subresource.len && !(call->place.is_status && kind->has_status))
        return status_no_such_resource();
    call->kind = *kind;
    call->place.kind = &call->kind;
    call->place.key = (struct key){read.namespace, read.name};
    call->api_version =
        gvk_api_version(call->arena, (struct gvk){kind->group, kind->version, kind->kind});
    return NULL;
}

static struct error *serve_target(struct fake_call *call)
{
    struct str query = http_request_target(call->request), path;
    SCOPED(buf) document = {0};
    str_cut(&query, '?', &path);
    TRY(query_read(call->arena, query, &call->query));
    if (fake_kinds_write(call->store, path, &document))
        return http_request_answer(call->request, 200, JSON, buf_str(&document));
    TRY(read_call(call, path));
    return serve_objects(call);
}

static struct error *serve_request(void *data, struct http_request *request)
{
    struct fake_call call = {
        .store = data, .request = request, .arena = http_request_arena(request)};
    SCOPED(buf) body = {0};
    OWNED(error) err = serve_target(&call);
    if (!err || http_request_has_responded(request) || error_is(err, ERROR_CANCELED))
        return TAKE(err);
    status_write(&body, err);
    return http_request_answer(request, status_http_status(err), JSON, buf_str(&body));
}

struct error *fake_api_serve(struct loop *loop, struct network *network, struct str host,
                             struct fake_store *store, struct http_server **ret_server)
{
    const struct http_server_options options = {
        .network = network,
        .host = host,
        .port = FAKE_API_PORT,
        .handler = serve_request,
        .data = store,
    };
    return http_server_new(loop, &options, ret_server);
}
