/* Objects that the owner has and no node wants any more are deleted. */
#include "client/client.h"
#include "client/discovery.h"
#include "framework/framework_internal.h"
#include "json/path.h"

/* The target of a deletion node; lives in the loop's arena. */
struct victim {
    struct framework *framework;
    struct gvr gvr;
    struct key key;
    struct str uid;
};

static struct error *delete_victim(void *data, struct graph_node *node,
                                   enum graph_outcome *ret_outcome)
{
    const struct victim *victim = data;
    OWNED(object) left = NULL;
    const struct client_delete_options options = {.uid = victim->uid,
                                                  .propagation_policy = STR("Background")};
    (void)node;
    (void)ret_outcome;
    struct error *err =
        client_delete(victim->framework->options.client, victim->gvr, victim->key, &options, &left);
    return node_classify(error_ignore(err, ERROR_NOT_FOUND), 0);
}

/* By group, kind, name and uid: a namesake's children are not ours. */
static bool is_ours(const struct object *owner, const struct object *object)
{
    const struct json_value *reference;
    JSON_FOREACH (key, reference, object_owner_references(object)) {
        bool controller = false;
        struct gvk gvk;
        if (!json_to_bool(json_get(reference, STR("controller")), &controller) || !controller)
            continue;
        OWNED(error)
        malformed = gvk_from_api_version(json_path_str(reference, "apiVersion"),
                                         json_path_str(reference, "kind"), &gvk);
        if (!malformed && str_eq(gvk.group, object_gvk(owner).group) &&
            str_eq(gvk.kind, object_kind(owner)) &&
            str_eq(json_path_str(reference, "name"), object_name(owner)) &&
            str_eq(json_path_str(reference, "uid"), object_uid(owner)))
            return true;
    }
    return false;
}

static bool is_wanted(const struct graph *graph, const struct object *object)
{
    for (size_t i = 0; i < graph_count(graph); i++) {
        const struct object *wanted = graph_node_options(graph_at(graph, i))->object;
        if (wanted && str_eq(object_gvk(wanted).group, object_gvk(object).group) &&
            str_eq(object_kind(wanted), object_kind(object)) &&
            key_eq(object_key(wanted), object_key(object)))
            return true;
    }
    return false;
}

static struct error *look_at(struct framework_loop *loop, struct graph *graph, struct gvr gvr,
                             const struct object *object)
{
    struct graph_node *node;
    if (object_is_deleting(object) || !is_ours(loop->owner, object) || is_wanted(graph, object))
        return NULL;
    struct victim *victim = ARENA_NEW(&loop->arena, struct victim);
    *victim = (struct victim){
        loop->framework,
        gvr,
        {arena_str(&loop->arena, object_namespace(object)),
          arena_str(&loop->arena, object_name(object))},
        arena_str(&loop->arena, object_uid(object)),
    };
    return graph_add(
        graph,
        &(struct graph_node_options){.kind = GRAPH_CUSTOM, .run = delete_victim, .data = victim},
        &node);
}

struct found {
    struct framework_loop *loop;
    struct graph *graph;
    struct gvr gvr;
};

static struct error *each(void *data, struct object *object)
{
    const struct found *found = data;
    return look_at(found->loop, found->graph, found->gvr, object);
}

/* The kinds that are watched are those the controller makes. */
struct error *prune_add(struct framework_loop *loop, struct graph *graph)
{
    struct framework *framework = loop->framework;
    for (size_t i = 0; i < framework->options.watch_count; i++) {
        const struct framework_watch *watch = &framework->options.watches[i];
        struct sight sight;
        if (watch->map)
            continue;
        struct error *err = sight_find(framework, &loop->arena, watch->gvk, &sight);
        TRY(node_classify(err, 0));
        if (!sight.namespaced)
            continue;
        const struct found found = {loop, graph, sight.gvr};
        const struct client_list_sink sink = {.each = each, .data = (void *)&found};
        SCOPED(buf) version = {.limit = 0};
        TRY(node_classify(client_list_each(framework->options.client, sight.gvr,
                                           object_namespace(loop->owner), NULL, &sink, &version),
                          0));
    }
    return NULL;
}
