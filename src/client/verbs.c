/*
 * The verbs on single objects. Each one builds a client_request (path, query, body) from its
 * options, leaves the rest to client_exchange(), and reads the object of the response. Lists are in
 * list.c.
 */
#include "apimachinery/resource_path.h"
#include "apimachinery/status.h"
#include "client/client.h"
#include "client/client_internal.h"
#include "json/builder.h"
#include "json/json.h"

#define ACCEPT_METADATA      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define ACCEPT_METADATA_LIST "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
#define ACCEPT_TABLE         "application/json;as=Table;v=v1;g=meta.k8s.io"

/* Plain JSON is always accepted as well, for servers that do not know the wanted form. */
struct str client_accept(enum client_form form, bool list)
{
    switch (form) {
    case CLIENT_METADATA:
        return list ? STR(ACCEPT_METADATA_LIST ",application/json")
                    : STR(ACCEPT_METADATA ",application/json");
    case CLIENT_TABLE:
        return STR(ACCEPT_TABLE ",application/json");
    default:
        return STR("application/json");
    }
}

/* The parts of a request path. An empty name means the collection. */
struct place {
    struct gvr gvr;
    struct str namespace, name, subresource;
};

/* Sets the path and the rate limit of the resource. */
static void begin_request(struct client *client, struct arena *arena, const struct place *place,
                          struct client_request *request)
{
    const struct resource_path path = {place->gvr, place->namespace, place->name,
                                       place->subresource};
    request->path = resource_path_write(arena, &path);
    request->rate_limit = client_rate_limit(client, place->gvr);
}

/* ret_object NULL: the body is not parsed. */
static struct error *read_object(struct answer *body, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    if (!ret_object)
        return NULL;
    TRY(answer_read_json(body, &doc), "read the answer");
    TRY(object_from_doc(doc, ret_object), "read the answer");
    answer_give_back(body);
    return NULL;
}

/* An empty name would turn the request into a list, here and in the verbs below. */
struct error *client_get(struct client *client, struct gvr gvr, struct key key,
                         const struct client_get_options *options, struct object **ret_object)
{
    static const struct client_get_options defaults;
    options = options ? options : &defaults;
    if (!key.name.len)
        return error_new(ERROR_INVALID, "resource name may not be empty");
    SCOPED(arena) arena = {0};
    SCOPED(answer) answer = {0};
    SCOPED(client_request)
    request = {
        .method = STR("GET"),
        .accept = client_accept(options->form, false),
        .timeout = options->timeout,
        .no_retry = options->no_retry,
    };
    const struct place place = {gvr, key.namespace, key.name, options->subresource};
    begin_request(client, &arena, &place, &request);
    client_query_add(&request.query, "resourceVersion", options->resource_version);
    TRY(client_exchange(client, &request, &arena, &answer, NULL));
    return read_object(&answer, ret_object);
}

static void add_write_options(struct buf *query, const struct client_write_options *options)
{
    client_query_add(query, "fieldManager", options->field_manager);
    client_query_add(query, "fieldValidation", options->field_validation);
    if (options->dry_run)
        client_query_add(query, "dryRun", STR("All"));
    if (options->force)
        client_query_add(query, "force", STR("true"));
}

/* The common part of create, update and patch, which differ in method, path and body. */
static void begin_write(struct client *client, struct arena *arena, const struct place *place,
                        const struct client_write_options *options, struct client_request *request)
{
    begin_request(client, arena, place, request);
    add_write_options(&request->query, options);
    request->timeout = options->timeout;
    request->no_retry = options->no_retry;
}

/* The text may hold a Secret, so that the caller's buffer is wiped. */
static struct error *set_body(const struct object *object, struct buf *text,
                              struct client_request *request)
{
    object_write(text, object);
    TRY(buf_check(text), "write the object");
    request->content_type = STR("application/json");
    request->body = buf_str(text);
    return NULL;
}

static const struct client_write_options write_defaults;

struct error *client_create(struct client *client, struct gvr gvr, const struct object *object,
                            const struct client_write_options *options, struct object **ret_object)
{
    options = options ? options : &write_defaults;
    /* A POST to a subresource, such as "eviction", has the name of the object in its path. */
    const struct str name = options->subresource.len ? object_name(object) : (struct str){0};
    const struct place place = {gvr, object_namespace(object), name, options->subresource};
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.secret = true};
    SCOPED(answer) answer = {0};
    SCOPED(client_request) request = {.method = STR("POST")};
    TRY(set_body(object, &text, &request));
    begin_write(client, &arena, &place, options, &request);
    TRY(client_exchange(client, &request, &arena, &answer, NULL));
    return read_object(&answer, ret_object);
}

struct error *client_update(struct client *client, struct gvr gvr, const struct object *object,
                            const struct client_write_options *options, struct object **ret_object)
{
    options = options ? options : &write_defaults;
    if (!object_name(object).len)
        return error_new(ERROR_INVALID, "resource name may not be empty");
    const struct place place = {gvr, object_namespace(object), object_name(object),
                                options->subresource};
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.secret = true};
    SCOPED(answer) answer = {0};
    SCOPED(client_request) request = {.method = STR("PUT")};
    TRY(set_body(object, &text, &request));
    begin_write(client, &arena, &place, options, &request);
    TRY(client_exchange(client, &request, &arena, &answer, NULL));
    return read_object(&answer, ret_object);
}

/* NOLINTNEXTLINE(readability-function-size): what, where, how, with what, and what came of it */
struct error *client_patch(struct client *client, struct gvr gvr, struct key key,
                           enum client_patch_type type, struct str body,
                           const struct client_write_options *options, struct object **ret_object)
{
    static const struct str types[] = {
        [CLIENT_PATCH_MERGE] = STR_INIT("application/merge-patch+json"),
        [CLIENT_PATCH_JSON] = STR_INIT("application/json-patch+json"),
        [CLIENT_PATCH_STRATEGIC] = STR_INIT("application/strategic-merge-patch+json"),
        [CLIENT_PATCH_APPLY] = STR_INIT("application/apply-patch+yaml"),
    };
    options = options ? options : &write_defaults;
    if (!key.name.len)
        return error_new(ERROR_INVALID, "resource name may not be empty");
    SCOPED(arena) arena = {0};
    SCOPED(answer) answer = {0};
    SCOPED(client_request)
    request = {
        .method = STR("PATCH"),
        .content_type = types[type],
        .body = body,
    };
    const struct place place = {gvr, key.namespace, key.name, options->subresource};
    begin_write(client, &arena, &place, options, &request);
    TRY(client_exchange(client, &request, &arena, &answer, NULL));
    return read_object(&answer, ret_object);
}

/* Server-side apply is a PATCH whose type is YAML, and JSON is YAML. */
struct error *client_apply(struct client *client, struct gvr gvr, const struct object *object,
                           const struct client_write_options *options, struct object **ret_object)
{
    if (!options || !options->field_manager.len)
        return error_new(ERROR_INVALID, "apply needs a field manager");
    SCOPED(buf) text = {.secret = true};
    object_write(&text, object); /* JSON is YAML */
    TRY(buf_check(&text), "write the object");
    return client_patch(client, gvr, object_key(object), CLIENT_PATCH_APPLY, buf_str(&text),
                        options, ret_object);
}

/* A server that gets a body ignores the options of the query, so all of them are in the body. */
static struct error *write_delete_options(const struct client_delete_options *options,
                                          struct buf *text)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("DeleteOptions"));
    json_builder_add_str(&builder, "apiVersion", STR("v1"));
    if (options->has_grace_period)
        json_builder_add_int(&builder, "gracePeriodSeconds", options->grace_period_seconds);
    if (options->propagation_policy.len)
        json_builder_add_str(&builder, "propagationPolicy", options->propagation_policy);
    if (options->uid.len || options->resource_version.len) {
        json_builder_add_object(&builder, "preconditions");
        if (options->uid.len)
            json_builder_add_str(&builder, "uid", options->uid);
        if (options->resource_version.len)
            json_builder_add_str(&builder, "resourceVersion", options->resource_version);
        json_builder_end(&builder);
    }
    if (options->dry_run) {
        json_builder_add_array(&builder, "dryRun");
        json_builder_str(&builder, STR("All"));
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(text, json_doc_root(doc));
    return NULL;
}

/* The response is a Status if the object is deleted, and the object if finalizers keep it. */
struct error *client_delete(struct client *client, struct gvr gvr, struct key key,
                            const struct client_delete_options *options, struct object **ret_object)
{
    static const struct client_delete_options defaults;
    options = options ? options : &defaults;
    if (!key.name.len)
        return error_new(ERROR_INVALID, "resource name may not be empty");
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    SCOPED(answer) answer = {0};
    OWNED(object) deleted = NULL;
    TRY(write_delete_options(options, &text));
    SCOPED(client_request)
    request = {
        .method = STR("DELETE"),
        .content_type = STR("application/json"),
        .body = buf_str(&text),
        .timeout = options->timeout,
        .no_retry = options->no_retry,
    };
    const struct place place = {.gvr = gvr, .namespace = key.namespace, .name = key.name};
    begin_request(client, &arena, &place, &request);
    TRY(client_exchange(client, &request, &arena, &answer, NULL));
    TRY(read_object(&answer, &deleted));
    if (ret_object)
        *ret_object = status_is_status(object_root(deleted)) ? NULL : TAKE(deleted);
    return NULL;
}
