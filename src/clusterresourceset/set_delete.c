/*
 * Lists the bindings of the namespace, notes those that mention the set, and lets several fibers
 * take the set out of them.
 */
#include "clusterresourceset/set_delete.h"

#include "apimachinery/wellknown.h"
#include "async/scope.h"
#include "base/array.h"
#include "base/buf.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/binding.h"

/* Bindings that are changed at the same time. */
#define WRITERS 16

struct set_delete {
    struct crs_set *set;
    struct arena arena;
    struct key *keys; /* of the bindings that mention the set; texts are in the arena */
    size_t count, capacity;
    size_t next; /* the first key that no writer has taken */
};

static void set_delete_done(struct set_delete *delete)
{
    mem_free(delete->keys);
    arena_done(&delete->arena);
}

/* Called for each binding of the list. The copy is as new as any: the store keeps it. */
static struct error *note_binding(void *data, struct object *binding)
{
    struct set_delete *delete = data;
    if (!binding_mentions(binding, set_owner_reference(delete->set)))
        return NULL;
    binding_store_put(set_controllers(delete->set)->binding_store, binding);
    ARRAY_PUSH(delete->keys, delete->count, delete->capacity,
               key_copy(&delete->arena, object_key(binding)));
    return NULL;
}

/* The list has expired on the server and is read again from the beginning. */
static void restart_list(void *data)
{
    struct set_delete *delete = data;
    delete->count = 0;
}

static struct error *remove_entry(void *data, struct object *binding, struct object **ret_binding)
{
    const struct crs_set *set = data;
    return binding_forget(binding, set_owner_reference(set), ret_binding);
}

/* The body of each writer: takes keys until none is left. The first failure ends its writer. */
static struct error *remove_from_some_bindings(void *data)
{
    struct set_delete *delete = data;
    struct crs_set *set = delete->set;
    while (delete->next < delete->count) {
        const struct key key = delete->keys[delete->next++];
        TRY(binding_store_change_or_delete(set_controllers(set)->binding_store, key, remove_entry,
                                           set),
            "take the set out of ClusterResourceSetBinding %.*s/%.*s", STR_ARG(key.namespace),
            STR_ARG(key.name));
    }
    return NULL;
}

/* Lists from the server: the cache may not know yet what an earlier process wrote. */
struct error *set_remove_from_bindings(struct crs_set *set)
{
    SCOPED(set_delete) delete = {.set = set};
    SCOPED(scope) scope = {0};
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_sink sink = {note_binding, restart_list, &delete};
    TRY(client_list_each(set_controllers(set)->options.client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                         set_key(set).namespace, NULL, &sink, &version),
        "failed to get ClusterResourceSetBinding during ClusterResourceSet deletion");
    for (size_t i = 0; i < WRITERS && i < delete.count; i++)
        scope_start(&scope, "withdraw", remove_from_some_bindings, &delete);
    return scope_wait(&scope);
}
