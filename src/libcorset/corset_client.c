/*
 * The requests of corset/client.h, and library_send_*(), which corset_cluster.c shares. Each
 * function looks up the kind in discovery, sends the request with the client of the server it goes
 * to, and wraps the answer for the arena of the run. Writes carry the name of the controller as
 * field manager.
 */
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/cache/cache.h"
#include "json/yaml/manifest.h"
#include "libcorset/library_internal.h"

/* Where a request goes: the server, the kind, and the options of writes. */
struct target {
    struct library_server server;
    struct discovery_mapping mapping;
    struct client_write_options write;
};

/* The API server of the manager. */
static struct library_server server_of(struct corset_run *run)
{
    struct framework_run *inner = library_run(run);
    struct library_controller *controller = library_controller(inner);
    return (struct library_server){
        .controller = controller,
        .arena = framework_arena(inner),
        .client = controller->client,
        .discovery = controller->discovery,
    };
}

static struct error *find_target(const struct library_server *server, struct gvk gvk,
                                 struct target *ret_target)
{
    ret_target->server = *server;
    ret_target->write = (struct client_write_options){
        .field_manager = str_from_c(server->controller->description->name)};
    return discovery_find_kind(server->discovery, server->arena, gvk, &ret_target->mapping);
}

static struct error *find_named(const struct library_server *server, const struct corset_id *id,
                                struct target *ret_target)
{
    struct gvk gvk;
    TRY(gvk_from_api_version(str_from_c(id->api_version), str_from_c(id->kind), &gvk));
    return find_target(server, gvk, ret_target);
}

struct key library_key(const struct corset_id *id)
{
    return (struct key){str_from_c(id->name_space), str_from_c(id->name)};
}

/* Wraps the answer if the caller wants it. ret_object may be NULL. */
static void hand_out(const struct target *target, struct object *object,
                     const struct corset_object **ret_object)
{
    if (ret_object)
        *ret_object = library_wrap(target->server.arena, object);
}

/*
 * The caches of these kinds exist already. Reading another kind through a cache would start a
 * watch.
 */
static bool is_watched(const struct library_controller *controller, struct gvk gvk)
{
    if (gvk_eq(controller->owner, gvk))
        return true;
    for (size_t i = 0; i < controller->description->watch_count; i++)
        if (gvk_eq(controller->watches[i].gvk, gvk))
            return true;
    return false;
}

struct error *library_send_get(const struct library_server *server, const struct corset_id *id,
                               const struct corset_object **ret_object)
{
    struct target target;
    OWNED(object) object = NULL;
    TRY(find_named(server, id, &target));
    TRY(client_get(server->client, target.mapping.gvr, library_key(id), NULL, &object));
    hand_out(&target, object, ret_object);
    return NULL;
}

/* From the cache for watched kinds. The cache may be behind, which corset/client.h mentions. */
static struct error *read_one(const struct target *target, struct key key,
                              struct object **ret_object)
{
    const struct library_controller *controller = target->server.controller;
    if (!is_watched(controller, target->mapping.gvk))
        return client_get(controller->client, target->mapping.gvr, key, NULL, ret_object);
    const struct cache_options options = {.gvr = target->mapping.gvr};
    *ret_object = cache_get(cache_set_get(controller->caches, &options), key);
    if (*ret_object)
        return NULL;
    return error_new(ERROR_NOT_FOUND, "%.*s \"%.*s\" not found",
                     STR_ARG(target->mapping.gvr.resource), STR_ARG(key.name));
}

struct corset_error *corset_get(struct corset_run *run, const struct corset_id *id,
                                const struct corset_object **ret_object)
{
    const struct library_server server = server_of(run);
    struct target target;
    OWNED(object) object = NULL;
    struct error *err = find_named(&server, id, &target);
    if (!err)
        err = read_one(&target, library_key(id), &object);
    if (!err)
        hand_out(&target, object, ret_object);
    return library_error_out(err);
}

struct error *library_send_list(const struct library_server *server, const struct corset_id *id,
                                const char *label_selector, const struct client_list_sink *sink)
{
    struct target target;
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {.label_selector = str_from_c(label_selector)};
    TRY(find_named(server, id, &target));
    return client_list_each(server->client, target.mapping.gvr, str_from_c(id->name_space),
                            &options, sink, &version);
}

/* The function of the author that corset_list() calls for every object. */
struct visitor {
    struct arena *arena;
    corset_visit_fn *visit;
    void *data;
};

static struct error *visit_one(void *data, struct object *object)
{
    const struct visitor *visitor = data;
    return library_error(visitor->visit(visitor->data, library_wrap(visitor->arena, object)));
}

struct corset_error *corset_list(struct corset_run *run, const struct corset_id *id,
                                 const char *label_selector, corset_visit_fn *visit, void *data)
{
    const struct library_server server = server_of(run);
    struct visitor visitor = {server.arena, visit, data};
    const struct client_list_sink sink = {.each = visit_one, .data = &visitor};
    return library_error_out(library_send_list(&server, id, label_selector, &sink));
}

typedef struct error *write_fn(struct client *client, struct gvr gvr, const struct object *object,
                               const struct client_write_options *options,
                               struct object **ret_object);

/* Creates or applies an object. A problem of the object is returned before anything is sent. */
static struct error *write_object(const struct library_server *server,
                                  const struct corset_object *given, write_fn *verb, bool force,
                                  const struct corset_object **ret_object)
{
    struct target target;
    struct object *object = NULL;
    OWNED(object) written = NULL;
    TRY(library_use(given, &object));
    TRY(find_target(server, object_gvk(object), &target));
    target.write.force = force;
    TRY(verb(server->client, target.mapping.gvr, object, &target.write, &written));
    hand_out(&target, written, ret_object);
    return NULL;
}

struct error *library_send_create(const struct library_server *server,
                                  const struct corset_object *object,
                                  const struct corset_object **ret_object)
{
    return write_object(server, object, client_create, false, ret_object);
}

struct error *library_send_apply(const struct library_server *server,
                                 const struct corset_object *object,
                                 const struct corset_object **ret_object)
{
    return write_object(server, object, client_apply, true, ret_object);
}

/*
 * The patch is YAML or JSON and is sent as JSON. It may hold a Secret's value, so the buffer is
 * wiped.
 */
static struct error *patch_object(const struct target *target, struct key key, const char *text,
                                  struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) body = {.limit = 0, .secret = true};
    TRY(manifest_read_one(str_from_c(text), NULL, &doc, NULL), "read a patch");
    json_write(&body, json_doc_root(doc));
    return client_patch(target->server.client, target->mapping.gvr, key, CLIENT_PATCH_MERGE,
                        buf_str(&body), &target->write, ret_object);
}

struct error *library_send_patch(const struct library_server *server, const struct corset_id *id,
                                 const char *subresource, const char *text,
                                 const struct corset_object **ret_object)
{
    struct target target;
    OWNED(object) object = NULL;
    TRY(find_named(server, id, &target));
    target.write.subresource = str_from_c(subresource);
    TRY(patch_object(&target, library_key(id), text, &object));
    hand_out(&target, object, ret_object);
    return NULL;
}

struct error *library_send_delete(const struct library_server *server, const struct corset_id *id)
{
    struct target target;
    OWNED(object) left = NULL;
    struct error *err = find_named(server, id, &target);
    if (!err)
        err = client_delete(server->client, target.mapping.gvr, library_key(id), NULL, &left);
    return error_ignore(err, ERROR_NOT_FOUND);
}

struct corset_error *corset_create(struct corset_run *run, const struct corset_object *object,
                                   const struct corset_object **ret_object)
{
    const struct library_server server = server_of(run);
    return library_error_out(library_send_create(&server, object, ret_object));
}

struct corset_error *corset_apply(struct corset_run *run, const struct corset_object *object,
                                  const struct corset_object **ret_object)
{
    const struct library_server server = server_of(run);
    return library_error_out(library_send_apply(&server, object, ret_object));
}

struct corset_error *corset_patch(struct corset_run *run, const struct corset_id *id,
                                  const char *subresource, const char *text,
                                  const struct corset_object **ret_object)
{
    const struct library_server server = server_of(run);
    return library_error_out(library_send_patch(&server, id, subresource, text, ret_object));
}

struct corset_error *corset_delete(struct corset_run *run, const struct corset_id *id)
{
    const struct library_server server = server_of(run);
    return library_error_out(library_send_delete(&server, id));
}
