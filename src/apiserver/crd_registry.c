/*
 * After each change of a definition crd_registry_update() does what the controllers of
 * apiextensions-apiserver do: it accepts or refuses the names, writes the conditions NamesAccepted,
 * Established and Terminating, compiles the schema and serves the kinds.
 *
 * api->definitions maps the name of a definition to its compiled form. A definition without one is
 * stored but not served, because another definition has its names or its status was not written
 * yet. Names are given to one definition at a time (settle_turn), because writing a status
 * suspends. api->definitions changes under that turn alone, so that a worker thread may read it
 * while a fiber holds the turn.
 */
#include "apiserver/crd_registry.h"

#include "apiserver/api.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/crd/definition.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/storage/store_watch.h"
#include "async/compute.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "json/path.h"

bool crd_registry_is_crd(const struct kind *kind)
{
    return str_eq(kind->stored_as, CRD_RESOURCE);
}

/* The defaults of definitions depend on other fields, so they are set in prepare. */
static struct error *prepare_definition(const struct kind *kind, const struct kind_write *write,
                                        struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) prepared = NULL;
    TRY(kind_builtin_prepare(kind, write, doc, &prepared));
    return definition_default(prepared, ret_doc);
}

/* The rules for definitions are in crd/definition.h. */
static void validate_definition(const struct kind *kind, const struct kind_write *write,
                                const struct json_value *object, struct field_errors *errors)
{
    (void)kind;
    definition_validate(object, write->old, errors);
}

static void warn_of_definition(const struct kind *kind, const struct kind_write *write,
                               const struct json_value *object, struct json_warnings *warnings)
{
    (void)kind;
    if (!write->subresource.len)
        definition_warn(object, write->old, warnings);
}

void crd_registry_warn(const struct json_value *definition, struct json_warnings *warnings)
{
    if (definition_has_rules(definition))
        json_warn(warnings,
                  STR("x-kubernetes-validations: these rules are stored, but not enforced "
                      "by this server"));
}

/* A copy of the table's row with other functions; made once. */
const struct kind *crd_registry_kind(const struct kind *kind)
{
    static struct kind_ops ops;
    static struct kind definition;
    if (!definition.ops) {
        ops = *kind->ops;
        ops.prepare = prepare_definition;
        ops.validate = validate_definition;
        ops.warn = warn_of_definition;
        definition = *kind;
        definition.ops = &ops;
    }
    return &definition;
}

struct taken {
    struct api *api;
    struct str group, own;
};

/* Whether another definition of the same group is served under this name. */
static bool is_taken(void *data, struct str name, bool is_kind)
{
    const struct taken *taken = data;
    MAP_FOREACH (entry, &taken->api->definitions) {
        const struct api_definition *other = entry->value;
        if (!other->custom || str_eq(map_key(entry), taken->own))
            continue;
        const struct kind *kind = crd_kind(other->custom, 0);
        if (!str_eq(kind->gvk.group, taken->group))
            continue;
        if (is_kind) {
            if (str_eq(name, kind->gvk.kind) || str_eq(name, kind->list_kind))
                return true;
            continue;
        }
        if (str_eq(name, kind->plural) || str_eq(name, kind->singular))
            return true;
        for (size_t i = 0; i < kind->short_names.count; i++)
            if (str_eq(name, kind->short_names.items[i]))
                return true;
    }
    return false;
}

struct settling {
    struct api *api;
    timestamp now;
};

/* The draft that writes the status of a definition. */
static struct error *settle_status(void *data, struct store_edit *edit)
{
    const struct settling *settling = data;
    const struct kind *kind =
        kinds_find(GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions"));
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (!edit->previous)
        return NULL;
    TRY(codec_read_stored(kind, edit->previous, &old));
    struct taken taken = {settling->api, json_path_str(json_doc_root(old), "spec.group"),
                          json_path_str(json_doc_root(old), "metadata.name")};
    TRY(definition_update_status(old, settling->now, is_taken, &taken, &doc));
    if (doc == old)
        return NULL;
    return codec_write_edit(kind, doc, STORE_PUT, edit, NULL);
}

/* A stored definition on its way to what is served of it. */
struct serving {
    struct str json;
    struct crd_webhooks_table table;
    struct json_doc *doc;
    const struct crd_webhooks *webhooks;
    bool is_established;
    struct crd_pool_key key;
    struct crd *custom;
};

static void serving_done(struct serving *serving)
{
    json_doc_free(serving->doc);
    crd_free(serving->custom);
}

/* These two may run on a worker thread. The pool is asked in between. */
static struct error *read_definition(void *data)
{
    struct serving *serving = data;
    TRY(json_read(serving->json, &serving->doc));
    const struct json_value *root = json_doc_root(serving->doc);
    serving->is_established = definition_is_established(root);
    serving->webhooks = crd_webhooks_find(serving->table, root);
    return serving->is_established ? crd_pool_key_of(root, serving->webhooks, &serving->key) : NULL;
}

static struct error *compile_definition(void *data)
{
    struct serving *serving = data;
    return crd_compile(json_doc_root(serving->doc), serving->webhooks, &serving->custom);
}

/* Without a turn of large work the step is made here. */
static struct error *take_step(const struct compute *turn, compute_fn *step,
                               struct serving *serving)
{
    return turn ? compute_run(turn, step, serving) : step(serving);
}

static struct error *compile_stored(struct api *api, const struct object_text *text,
                                    const struct compute *turn, struct crd **ret_custom)
{
    SCOPED(serving) serving = {.json = object_text_json(text), .table = api->webhooks};
    *ret_custom = NULL;
    TRY(take_step(turn, read_definition, &serving));
    if (!serving.is_established)
        return NULL;
    *ret_custom = crd_pool_find(api->pool, &serving.key);
    if (*ret_custom)
        return NULL;
    TRY(take_step(turn, compile_definition, &serving));
    *ret_custom = crd_pool_put(api->pool, &serving.key, TAKE(serving.custom));
    return NULL;
}

/*
 * Compiles the definition as it is stored now. One that is not established serves no kinds. Objects
 * that were compiled before stay valid for requests that hold a reference. Suspends with a turn of
 * large work alone.
 */
static struct error *serve_definition(struct api *api, struct str name,
                                      const struct object_text *text, const struct compute *turn)
{
    OWNED(crd) custom = NULL;
    TRY(compile_stored(api, text, turn, &custom));
    struct api_definition *definition = map_find(&api->definitions, name);
    if (!definition) {
        definition = NEW(struct api_definition);
        map_put(&api->definitions, name, definition);
    }
    crd_free(definition->custom);
    definition->custom = TAKE(custom);
    definition->is_terminating = object_text_is_deleting(text);
    api->kinds_revision++;
    return NULL;
}

/* The same, on a worker thread if the definition is large. Suspends. */
static struct error *serve_sized(struct api *api, struct str name, const struct object_text *text)
{
    SCOPED(compute) turn = {0};
    if (object_text_size(text) < COMPUTE_FROM)
        return serve_definition(api, name, text, NULL);
    TRY(compute_take(&turn));
    return serve_definition(api, name, text, &turn);
}

/* Stops serving a definition and ends the watches of its objects. False if it was not known. */
static bool withdraw_definition(struct api *api, struct str name)
{
    if (!map_remove(&api->definitions, name))
        return false;
    api->kinds_revision++;
    store_watch_end_all(api->store, name);
    return true;
}

/* Takes the error; NULL is fine. */
static void log_unserved(struct str name, struct error *err)
{
    OWNED(error) owned = err;
    if (err)
        log_error("cannot serve custom resources", LOG_STR("definition", name), LOG_ERROR(err));
}

/*
 * Marks a definition that is being deleted before its status is written. From here on admission
 * refuses new objects, so every object that was admitted is durable when the status is, and the
 * garbage collector finds it.
 */
static void close_terminating(struct api *api, struct store_id id)
{
    SCOPED(store_object) found = {0};
    struct api_definition *definition = map_find(&api->definitions, id.key.name);
    OWNED(error) gone = store_get(api->store, id, &found);
    if (definition && !gone && object_text_is_deleting(found.text))
        definition->is_terminating = true;
}

static bool is_served(const struct api *api, struct str name)
{
    const struct api_definition *definition = map_find(&api->definitions, name);
    return definition && definition->custom;
}

/*
 * Updates one definition. True if it is gone now and was known before. The history of custom
 * resources begins when they are served: kube-apiserver then begins to watch them itself.
 */
static bool follow_one(struct api *api, struct store_id id)
{
    SCOPED(store_object) found = {0};
    struct settling settling = {api, loop_wall(api->loop)};
    const struct store_decision decision = {.draft = settle_status, .data = &settling};
    const bool was_served = is_served(api, id.key.name);
    close_terminating(api, id);
    /* Through the store: api_decide() is the caller. */
    log_unserved(id.key.name, store_draft_change(api->store, id, STORE_ANY, &decision, NULL));
    OWNED(error) gone = store_get(api->store, id, &found);
    if (gone)
        return withdraw_definition(api, id.key.name);
    log_unserved(id.key.name, serve_sized(api, id.key.name, found.text));
    if (!was_served && is_served(api, id.key.name))
        store_begin_resource(api->store, id.key.name);
    return false;
}

/*
 * Updates the definitions that are not served: their names may be free now, or the process ended
 * before their status was written.
 */
static void follow_refused(struct api *api)
{
    SCOPED(arena) arena = {0};
    size_t count = 0;
    struct str *names =
        arena_alloc_array(&arena, map_count(&api->definitions) + 1, sizeof(struct str));
    MAP_FOREACH (entry, &api->definitions) {
        const struct api_definition *definition = entry->value;
        if (!definition->custom)
            names[count++] = arena_str(&arena, map_key(entry));
    }
    for (size_t i = 0; i < count; i++)
        (void)follow_one(api, (struct store_id){CRD_RESOURCE, {.name = names[i]}});
}

void crd_registry_update(struct api *api, struct store_id id)
{
    if (!str_eq(id.resource, CRD_RESOURCE))
        return;
    OWNED(error) interrupted = semaphore_take(&api->settle_turn);
    /*
     * api_decide() shields its fiber, so this cannot happen; the next change would make up for it.
     */
    if (interrupted) {
        log_unserved(id.key.name, TAKE(interrupted));
        return;
    }
    if (follow_one(api, id))
        follow_refused(api);
    semaphore_give(&api->settle_turn);
}

/*
 * The visitor of store_scan() at the start. A visitor must not suspend, so load_one() compiles
 * large definitions on the loop, too. The server accepts no requests yet.
 */
static bool load_one(void *data, struct key key, struct object_text *text)
{
    log_unserved(key.name, serve_definition(data, key.name, text, NULL));
    return true;
}

/* The status of definitions that are not served is written after all others are known. */
struct error *crd_registry_load(struct api *api)
{
    struct store_page page;
    const struct store_range range = {.resource = CRD_RESOURCE};
    TRY(store_scan(api->store, &range, load_one, api, &page));
    follow_refused(api);
    return NULL;
}
