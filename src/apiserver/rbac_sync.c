/*
 * The index is updated from the store and not from the write, so that concurrent writers, which
 * arrive here in any order, leave it with the newest state.
 */
#include "apiserver/rbac_sync.h"

#include "apimachinery/object.h"
#include "apiserver/api.h"

static const struct {
    struct str resource;
    enum rbac_kind kind;
} resources[] = {
    {STR_INIT("roles.rbac.authorization.k8s.io"),               RBAC_ROLE                },
    {STR_INIT("clusterroles.rbac.authorization.k8s.io"),        RBAC_CLUSTER_ROLE        },
    {STR_INIT("rolebindings.rbac.authorization.k8s.io"),        RBAC_ROLE_BINDING        },
    {STR_INIT("clusterrolebindings.rbac.authorization.k8s.io"), RBAC_CLUSTER_ROLE_BINDING},
};

struct load {
    struct api *api;
    enum rbac_kind kind;
};

static bool load_one(void *data, struct key key, struct object_text *text)
{
    const struct load *load = data;
    OWNED(json_doc) doc = NULL;
    (void)key;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    if (!unreadable)
        rbac_put(load->api->rbac, load->kind, json_doc_root(doc));
    return true;
}

struct error *rbac_sync_load(struct api *api)
{
    for (size_t i = 0; i < COUNT(resources); i++) {
        struct load load = {api, resources[i].kind};
        struct store_page page;
        const struct store_range range = {.resource = resources[i].resource};
        TRY(store_scan(api->store, &range, load_one, &load, &page));
    }
    return NULL;
}

/* Puts the role or binding as it is stored now into the index, or removes it. */
static void update_index(struct api *api, enum rbac_kind kind, struct store_id id)
{
    SCOPED(store_object) found = {0};
    struct load load = {api, kind};
    OWNED(error) gone = store_get(api->store, id, &found);
    if (gone)
        rbac_remove(api->rbac, kind, id.key.namespace, id.key.name);
    else
        load_one(&load, id.key, found.text);
}

bool rbac_sync_update(struct api *api, struct store_id id)
{
    for (size_t i = 0; i < COUNT(resources); i++) {
        if (!str_eq(id.resource, resources[i].resource))
            continue;
        /* Selectors may match the old labels or the new ones. */
        const bool was_involved = rbac_is_in_aggregation(api->rbac, id.key.name);
        update_index(api, resources[i].kind, id);
        return resources[i].kind == RBAC_CLUSTER_ROLE &&
               (was_involved || rbac_is_in_aggregation(api->rbac, id.key.name));
    }
    return false;
}
