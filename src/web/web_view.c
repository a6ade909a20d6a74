#include "web/web_view.h"

#include "web/web_contents.h"

bool web_scope_has(const struct web_scope *scope, struct str namespace)
{
    for (size_t i = 0; !scope->is_all && i < scope->count; i++)
        if (str_eq(scope->namespaces[i], namespace))
            return true;
    return scope->is_all;
}

static void take_sets(struct web_view *view, const struct status_model *model)
{
    struct status_set **sets = arena_alloc_array(view->arena, model->set_count + 1, sizeof(*sets));
    for (size_t i = 0; i < model->set_count; i++) {
        struct status_set *set = model->sets[i];
        if (!web_scope_has(&view->scope, set->key.namespace))
            continue;
        sets[view->set_count++] = set;
        view->set_counts[set->state]++;
    }
    view->sets = sets;
}

static void take_clusters(struct web_view *view, const struct status_model *model)
{
    struct status_cluster **clusters =
        arena_alloc_array(view->arena, model->cluster_count + 1, sizeof(*clusters));
    for (size_t i = 0; i < model->cluster_count; i++) {
        struct status_cluster *cluster = model->clusters[i];
        if (!web_scope_has(&view->scope, cluster->key.namespace))
            continue;
        clusters[view->cluster_count++] = cluster;
        view->cluster_counts[cluster->state]++;
        view->has_namespaces |= !str_eq(cluster->key.namespace, clusters[0]->key.namespace);
    }
    view->clusters = clusters;
}

struct web_view web_view_make(struct arena *arena, const struct web_facts *facts,
                              const struct web_scope *scope, timestamp now)
{
    struct web_view view = {.facts = facts, .scope = *scope, .now = now, .arena = arena};
    take_sets(&view, &facts->model);
    take_clusters(&view, &facts->model);
    for (size_t i = 0; i < view.set_count; i++)
        view.has_namespaces |= !str_eq(view.sets[i]->key.namespace, view.sets[0]->key.namespace);
    return view;
}

const struct status_set *web_view_find_set(const struct web_view *view, struct key key)
{
    for (size_t i = 0; i < view->set_count; i++)
        if (key_eq(view->sets[i]->key, key))
            return view->sets[i];
    return NULL;
}

const struct status_cluster *web_view_find_cluster(const struct web_view *view, struct key key)
{
    return web_scope_has(&view->scope, key.namespace)
               ? map_find(&view->facts->model.by_key, key_text(view->arena, key))
               : NULL;
}

const struct web_content *web_view_find_content(const struct web_view *view,
                                                const struct status_set *set, size_t ref)
{
    const struct resource_ref *resource = &set->spec.refs[ref];
    const struct key key = {set->key.namespace, resource->name};
    return view->facts->contents ? web_contents_find(view->facts->contents, resource->kind, key)
                                 : NULL;
}

const struct status_cell *web_view_find_cell(const struct status_cluster *cluster, struct str set)
{
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (str_eq(cluster->cells[i].set->key.name, set))
            return &cluster->cells[i];
    return NULL;
}
