/* A set that goes: it is taken out of every binding of its namespace, whatever it selects. */
#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/crs_internal.h"
#include "clusterresourceset/types/binding.h"

#define WRITERS 16

struct removal {
    struct crs_set *set;
    struct arena arena;
    struct key *keys; /* of bindings that mention the set */
    size_t count, capacity, next;
};

static void removal_done(struct removal *removal)
{
    mem_free(removal->keys);
    arena_done(&removal->arena);
}

static struct error *note_binding(void *data, struct object *binding)
{
    struct removal *removal = data;
    if (!binding_mentions(binding, set_owner_reference(removal->set)))
        return NULL;
    binding_store_put(removal->set->controllers->binding_store, binding);
    if (removal->count == removal->capacity) {
        removal->capacity = removal->capacity ? 2 * removal->capacity : 16;
        removal->keys = mem_realloc_array(removal->keys, removal->capacity, sizeof(struct key));
    }
    removal->keys[removal->count++] = key_copy(&removal->arena, object_key(binding));
    return NULL;
}

static void begin_anew(void *data)
{
    struct removal *removal = data;
    removal->count = 0;
}

static struct error *forget(void *data, struct object *binding, struct object **ret_binding)
{
    const struct crs_set *set = data;
    return binding_forget(binding, set_owner_reference(set), ret_binding);
}

/* One of several that work through the list. */
static struct error *withdraw_some(void *data)
{
    struct removal *removal = data;
    struct crs_set *set = removal->set;
    while (removal->next < removal->count) {
        const struct key key = removal->keys[removal->next++];
        TRY(binding_store_change_or_delete(set->controllers->binding_store, key, forget, set),
            "take the set out of ClusterResourceSetBinding %.*s/%.*s", STR_ARG(key.namespace),
            STR_ARG(key.name));
    }
    return NULL;
}

/* The server is asked for the list: a cache may not know yet what an earlier process wrote. */
struct error *set_remove_from_bindings(struct crs_set *set)
{
    SCOPED(removal) removal = {.set = set};
    SCOPED(scope) scope = {0};
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_sink sink = {note_binding, begin_anew, &removal};
    TRY(client_list_each(set->controllers->options.client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                         str_from_c(set->namespace), NULL, &sink, &version),
        "failed to get ClusterResourceSetBinding during ClusterResourceSet deletion");
    for (size_t i = 0; i < WRITERS && i < removal.count; i++)
        scope_start(&scope, "withdraw", withdraw_some, &removal);
    return scope_wait(&scope);
}
