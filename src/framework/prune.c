/*
 * Pruning: deletes objects that the owner owns and no node of the graph names any more.
 *
 * prune_add() runs after build. It looks through the watched kinds without a map function, which
 * are the kinds that the controller creates, and adds one custom node per object to delete. So
 * deletions run as part of the graph, and their errors are part of the result.
 */
#include "client/client.h"
#include "framework/framework_internal.h"
#include "framework/owner_watches.h"

/* The object that a deletion node deletes. It lives in the arena of the run. */
struct victim {
    struct framework *framework;
    struct gvr gvr;
    struct key key;
    struct str uid;
};

/*
 * The function of a deletion node. The uid is a precondition: a new object of the same name stays.
 */
static struct error *delete_victim(void *data, struct graph_node *node,
                                   enum graph_outcome *ret_outcome)
{
    const struct victim *victim = data;
    const struct client_delete_options options = {
        .uid = victim->uid, .propagation_policy = STR("Background"), .no_retry = true};
    (void)node;
    *ret_outcome = GRAPH_DONE;
    struct error *err =
        client_delete(victim->framework->options.client, victim->gvr, victim->key, &options, NULL);
    return node_classify(error_ignore(err, ERROR_NOT_FOUND), 0);
}

/* The state of one prune_add(). */
struct pruning {
    struct framework_run *run;
    struct graph *graph;
    struct map wanted; /* objects that nodes name */
    struct gvr gvr;    /* at work */
    struct error *err;
};

static void pruning_done(struct pruning *pruning)
{
    map_done(&pruning->wanted);
    error_free(pruning->err);
}

static struct str name_of(struct arena *arena, const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    return arena_print(arena, "%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind),
                       STR_ARG(object_namespace(object)), STR_ARG(object_name(object)));
}

/* Collects the objects that nodes of the management cluster name, external ones included. */
static void find_wanted(struct pruning *pruning)
{
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < graph_count(pruning->graph); i++) {
        const struct graph_node_options *options = graph_node_options(graph_at(pruning->graph, i));
        if (options->object && !options->cluster.len)
            map_put(&pruning->wanted, name_of(&arena, options->object), pruning);
    }
}

bool prune_is_ours(const struct object *owner, const struct object *object)
{
    struct owner_reference controller;
    return object_find_controller(object, &controller) &&
           owner_reference_same_owner(controller, object_to_owner_reference(owner)) &&
           str_eq(controller.uid, object_uid(owner));
}

/* Adds a deletion node unless the object is wanted, being deleted already, or not ours. */
static struct error *consider_object(struct pruning *pruning, const struct object *object)
{
    struct arena *arena = &pruning->run->arena;
    if (object_is_deleting(object) || !prune_is_ours(pruning->run->owner, object) ||
        map_has(&pruning->wanted, name_of(arena, object)))
        return NULL;
    struct victim *victim = ARENA_NEW(arena, struct victim);
    victim->framework = pruning->run->framework;
    victim->gvr = pruning->gvr;
    victim->key.namespace = arena_str(arena, object_namespace(object));
    victim->key.name = arena_str(arena, object_name(object));
    victim->uid = arena_str(arena, object_uid(object));
    const struct graph_node_options options = {
        .kind = GRAPH_CUSTOM, .run = delete_victim, .data = victim};
    return graph_add(pruning->graph, &options, NULL);
}

static bool visit_cached(void *data, struct object_text *text)
{
    struct pruning *pruning = data;
    OWNED(object) object = NULL;
    pruning->err = object_text_read(text, &object);
    if (!pruning->err)
        pruning->err = consider_object(pruning, object);
    return !pruning->err;
}

static struct error *visit_listed(void *data, struct object *object)
{
    return consider_object(data, object);
}

/*
 * Looks in the cache by index. A cache that is not synced yet could miss objects, so the server is
 * asked then. A kind that the controller may not list cannot be deleted by it either.
 */
static struct error *prune_kind(struct pruning *pruning, const struct owner_watch *owner_watch)
{
    const struct object *owner = pruning->run->owner;
    pruning->gvr = owner_watch->gvr;
    if (cache_is_synced(owner_watch->cache)) {
        cache_each_indexed(owner_watch->cache, OWNER_WATCHES_INDEX, object_namespace(owner),
                           object_uid(owner), visit_cached, pruning);
        return TAKE(pruning->err);
    }
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_sink sink = {.each = visit_listed, .data = pruning};
    struct error *err = client_list_each(pruning->run->framework->options.client, owner_watch->gvr,
                                         object_namespace(owner), NULL, &sink, &version);
    return error_ignore(err, ERROR_FORBIDDEN); /* what it may not see it may not delete */
}

/* Owners and owned objects share a namespace, so cluster-scoped kinds are not considered. */
struct error *prune_add(struct framework_run *run, struct graph *graph)
{
    const struct framework *framework = run->framework;
    SCOPED(pruning) pruning = {.run = run, .graph = graph};
    find_wanted(&pruning);
    for (size_t i = 0; i < framework->options.watch_count; i++) {
        const struct owner_watch *owner_watch = &framework->owner_watches[i + 1];
        if (!owner_watch->watch.map && owner_watch->namespaced && owner_watch->is_deletable)
            TRY(node_classify(prune_kind(&pruning, owner_watch), 0));
    }
    return NULL;
}
