/*
 * Puts the parts of an API together: store, RBAC index, CustomResourceDefinitions, garbage
 * collector.
 *
 * api_new() loads in an order that matters: definitions first, because other steps need the kinds;
 * then the RBAC index; then the first objects, which go through api_change() like all others; then
 * aggregated roles; the garbage collector last, because it needs everything else to decide what is
 * garbage.
 */
#include "apiserver/api.h"

#include "apimachinery/object.h"
#include "apimachinery/status.h"
#include "apiserver/bootstrap.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/gc/gc.h"
#include "apiserver/quota_status.h"
#include "apiserver/rbac_sync.h"
#include "apiserver/role_aggregation.h"
#include "apiserver/served_kinds.h"
#include "apiserver/storage/store_watch.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/fiber.h"
#include "base/memory.h"

/* How long kube-apiserver waits for a resourceVersion that it has not seen yet. */
#define FUTURE_WAIT (3 * SECOND)

static void definition_release(void *value)
{
    struct api_definition *definition = value;
    crd_free(definition->custom);
    mem_free(definition);
}

/*
 * A token is valid only for the ServiceAccount it was issued for; one that was deleted and created
 * again has another uid.
 */
static bool find_account(void *data, struct str namespace, struct str name, struct str uid)
{
    struct api *api = data;
    SCOPED(store_object) found = {0};
    OWNED(error)
    missing = store_get(api->store,
                        (struct store_id){
                            STR("serviceaccounts"), {namespace, name}
    },
                        &found);
    return !missing && str_eq(object_text_uid(found.text), uid);
}

/* The Pod or Secret a token is bound to; NULL when there is none. */
static const struct json_value *find_bound(void *data, struct arena *arena, struct str kind,
                                           struct str namespace, struct str name)
{
    struct api *api = data;
    SCOPED(store_object) found = {0};
    const struct store_id id = {
        str_eq(kind, STR("Pod")) ? STR("pods") : STR("secrets"), {namespace, name}
    };
    OWNED(error) missing = store_get(api->store, id, &found);
    if (missing)
        return NULL;
    struct json_doc *doc;
    OWNED(error) unreadable = json_read(object_text_json(found.text), &doc);
    if (unreadable)
        return NULL;
    json_doc_hold(arena, doc);
    return json_doc_root(doc);
}

struct error *api_new(const struct api_options *options, struct api **ret_api)
{
    OWNED(api) api = NEW(struct api);
    api->loop = options->loop;
    api->store = options->store;
    api->pool = options->pool;
    api->openapi = options->openapi;
    api->webhooks = options->webhooks;
    api->webhook_caller = options->webhook_caller;
    api->cluster = options->cluster;
    api->defaults = options->defaults;
    api->settle_turn.permits = 1;
    api->conversion_turns.permits = WEBHOOK_CONVERSION_STREAMS;
    api->definitions.release = definition_release;
    api->rbac = rbac_new();
    api->shares_roles = options->base_rbac != NULL;
    if (options->base_rbac)
        rbac_set_base(api->rbac, options->base_rbac);
    api->auth = (struct auth){
        .keys = options->keys,
        .cluster = options->cluster,
        .find_account = find_account,
        .find_bound = find_bound,
        .authorizer_ops = &rbac_authorizer_ops,
        .authorizer = api->rbac,
        .data = api,
        .max_token_lifetime = options->max_token_lifetime,
    };
    api->gc = gc_new(api);
    api->quotas = quota_status_new(api);
    TRY(crd_registry_load(api), "load definitions");
    TRY(rbac_sync_load(api), "load access rules");
    TRY(webhook_configurations_load(api), "load webhook configurations");
    TRY(bootstrap_fill(api, options->base_rbac == NULL, options->authority),
        "make the first objects");
    TRY(crd_registry_install(api, options->definitions, options->definition_count),
        "install definitions");
    api->aggregates_roles = true;
    role_aggregation_update(api);
    TRY(gc_load(api->gc), "load owners");
    quota_status_load(api->quotas);
    *ret_api = TAKE(api);
    return NULL;
}

void api_free(struct api *api)
{
    if (!api)
        return;
    gc_free(api->gc);
    quota_status_free(api->quotas);
    webhook_configurations_done(&api->webhook_configurations);
    served_kinds_free(api->served);
    map_done(&api->definitions);
    map_done(&api->quota_turns);
    rbac_free(api->rbac);
    store_free(api->store);
    mem_free(api);
}

static void release_custom(void *custom)
{
    crd_free(custom);
}

/*
 * Definitions are named "<plural>.<group>". A reference is held until the arena is released, so the
 * kind stays valid while the definition changes.
 */
static const struct kind *find_custom(struct api *api, struct arena *arena, struct gvr gvr)
{
    SCOPED(buf) name = {.limit = 0};
    BUF_ADD_ALL(&name, gvr.resource, STR("."), gvr.group);
    const struct api_definition *definition = map_find(&api->definitions, buf_str(&name));
    if (!definition || !definition->custom)
        return NULL;
    for (size_t i = 0; i < crd_kind_count(definition->custom); i++) {
        const struct kind *kind = crd_kind(definition->custom, i);
        if (!str_eq(kind->gvk.version, gvr.version))
            continue;
        arena_hold(arena, release_custom, crd_ref(definition->custom));
        return kind;
    }
    return NULL;
}

/* The kind of CustomResourceDefinitions has steps of its own; see crd_registry.h. */
const struct kind *api_find_kind(struct api *api, struct arena *arena, struct gvr gvr)
{
    const struct kind *kind = kinds_find(gvr);
    if (!kind)
        return find_custom(api, arena, gvr);
    return crd_registry_is_crd(kind) ? crd_registry_kind(kind) : kind;
}

/* A list of kinds that are not served any more would keep their definitions. */
static void forget_old_kinds(struct api *api)
{
    if (api->served && served_kinds_revision(api->served) != api->kinds_revision)
        served_kinds_free(TAKE(api->served));
}

/* The list is made anew when definitions have changed. */
static struct served_kinds *served_now(struct api *api)
{
    forget_old_kinds(api);
    if (!api->served)
        api->served = served_kinds_new(&api->definitions, api->kinds_revision);
    return api->served;
}

static void release_served(void *served)
{
    served_kinds_free(served);
}

struct kind_list api_kinds(struct api *api, struct arena *arena)
{
    struct served_kinds *served = served_now(api);
    arena_hold(arena, release_served, served_kinds_ref(served));
    return served_kinds_list(served);
}

const struct kind *api_find_custom(struct api *api, struct gvk gvk)
{
    return served_kinds_find(served_now(api), gvk);
}

void api_interrupt_watches(struct api *api)
{
    SCOPED(arena) arena = {0};
    const struct kind_list kinds = api_kinds(api, &arena);
    api->interruptions++;
    for (size_t i = 0; i < kinds.count; i++)
        store_watch_end_all(api->store, kinds.items[i]->stored_as);
}

void api_end_watches(struct api *api)
{
    api->is_ending = true;
    api_interrupt_watches(api);
}

struct error *api_wait_revision(struct api *api, int64_t revision)
{
    if (revision <= store_revision(api->store))
        return NULL;
    FIBER_TIMEOUT(FUTURE_WAIT);
    struct error *err = store_wait_revision(api->store, revision);
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return status_version_too_large(revision, store_revision(api->store));
}

struct store_id api_id(const struct kind *kind, struct key key)
{
    return (struct store_id){kind->stored_as, key};
}

/* A decision, and what it did to the object. */
struct observed {
    const struct store_decision *decision;
    const struct map *definitions; /* of the API, for a write of one; else NULL */
    enum store_action action;
    struct object_text *before, *after;
};

static void observed_done(struct observed *observed)
{
    object_text_free(observed->before);
    object_text_free(observed->after);
}

static struct error *check_observed(void *data)
{
    const struct observed *observed = data;
    return observed->decision->check(observed->decision->data);
}

static struct error *draft_observed(void *data, struct store_edit *edit)
{
    const struct observed *observed = data;
    return observed->decision->draft(observed->decision->data, edit);
}

/* May run more than once; the last run is the one that counts. */
static struct error *accept_observed(void *data, struct store_edit *edit)
{
    struct observed *observed = data;
    const struct store_decision *decision = observed->decision;
    observed_done(observed);
    observed->before = observed->after = NULL;
    if (decision->accept)
        TRY(decision->accept(decision->data, edit));
    if (observed->definitions)
        TRY(served_kinds_check_room(observed->definitions, edit));
    observed->action = edit->action;
    if (edit->previous)
        observed->before = object_text_ref((struct object_text *)edit->previous);
    if (edit->action == STORE_PUT)
        observed->after = object_text_ref(edit->text);
    return NULL;
}

struct error *api_decide(struct api *api, struct store_id id, int64_t expected,
                         const struct store_decision *decision, struct store_object *ret_object)
{
    SCOPED(observed)
    observed = {.decision = decision,
                .definitions = str_eq(id.resource, CRD_RESOURCE) ? &api->definitions : NULL};
    const struct store_decision watched = {
        .check = decision->check ? check_observed : NULL,
        .draft = decision->draft ? draft_observed : NULL,
        .accept = accept_observed,
        .data = &observed,
        .size = decision->size,
    };
    TRY(store_draft_change(api->store, id, expected, &watched, ret_object));
    if (observed.action == STORE_KEEP)
        return NULL;
    /*
     * What the store has accepted happens even if its writer is cancelled. The writer therefore
     * waited, and makes the updates below.
     */
    FIBER_SHIELD(FOREVER);
    if (rbac_sync_update(api, id) && api->aggregates_roles)
        role_aggregation_update(api);
    webhook_configurations_update(api, id);
    crd_registry_update(api, id);
    forget_old_kinds(api);
    gc_note(api->gc, id, observed.before, observed.after);
    quota_status_note(api->quotas, id, observed.before, observed.after);
    return NULL;
}

struct error *api_change(struct api *api, struct store_id id, int64_t expected, store_edit_fn *edit,
                         void *data, struct store_object *ret_object)
{
    const struct store_decision decision = {.accept = edit, .data = data};
    return api_decide(api, id, expected, &decision, ret_object);
}

struct error *api_get(struct api *api, const struct kind *kind, struct key key,
                      struct json_doc **ret_doc)
{
    SCOPED(store_object) found = {0};
    TRY(store_get(api->store, api_id(kind, key), &found));
    return codec_read_stored(kind, found.text, ret_doc);
}
