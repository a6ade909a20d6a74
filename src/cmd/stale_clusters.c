/*
 * corset up keeps its objects on disk, but --virtual-clusters may be smaller than in the last run.
 * stale_clusters_delete() lists Clusters with the label of virtual clusters and deletes those with
 * higher numbers, DELETERS at a time.
 */
#include "cmd/stale_clusters.h"

#include "apimachinery/wellknown.h"
#include "app/standalone.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/array.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/kubeconfig_secret.h"
#include "cmd/user_agent.h"

#define DELETERS 64

/* The names of the clusters to delete, and the index of the next one. */
struct deletion {
    struct client *client;
    size_t count; /* of clusters that there are */
    struct arena arena;
    struct str *names;
    size_t name_count, capacity, next;
};

static void deletion_done(struct deletion *deletion)
{
    client_free(deletion->client);
    arena_done(&deletion->arena);
    mem_free(deletion->names);
}

/* With six clusters, "vc-0007" is left over. */
static bool is_left_over(const struct deletion *deletion, struct str name)
{
    uint64_t number;
    return str_starts_with(name, STR("vc-")) && str_to_uint64(str_skip(name, 3), &number) &&
           number > deletion->count;
}

/* Takes a Cluster from the list. */
static struct error *note_stale(void *data, struct object *cluster)
{
    struct deletion *deletion = data;
    if (!is_left_over(deletion, object_name(cluster)))
        return NULL;
    ARRAY_PUSH(deletion->names, deletion->name_count, deletion->capacity,
               arena_str(&deletion->arena, object_name(cluster)));
    return NULL;
}

/* The list restarts from the beginning when its continue token has expired. */
static void forget_stale(void *data)
{
    ((struct deletion *)data)->name_count = 0;
}

/* An object that is gone already is fine. */
static struct error *delete_one(struct client *client, struct gvr gvr, struct str name)
{
    const struct key key = {STANDALONE_NAMESPACE, name};
    return error_ignore(client_delete(client, gvr, key, NULL, NULL), ERROR_NOT_FOUND);
}

/* The binding is deleted too, because a new cluster of the same name starts empty. */
static struct error *delete_cluster(struct deletion *deletion, struct str name)
{
    SCOPED(buf) secret = {.limit = 0};
    buf_print(&secret, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(name));
    TRY(delete_one(deletion->client, GVR_CLUSTERS, name));
    TRY(delete_one(deletion->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, name));
    return delete_one(deletion->client, GVR_SECRETS, buf_str(&secret));
}

static struct error *delete_some(void *data)
{
    struct deletion *deletion = data;
    while (deletion->next < deletion->name_count)
        TRY(delete_cluster(deletion, deletion->names[deletion->next++]));
    return NULL;
}

static struct error *list_clusters(struct deletion *deletion)
{
    SCOPED(buf) selector = {.limit = 0};
    SCOPED(buf) version = {.limit = 0};
    buf_print(&selector, "%.*s=true", STR_ARG(STANDALONE_VIRTUAL_LABEL));
    const struct client_list_options options = {.label_selector = buf_str(&selector),
                                                .form = CLIENT_METADATA};
    const struct client_list_sink sink = {
        .each = note_stale, .restart = forget_stale, .data = deletion};
    return client_list_each(deletion->client, GVR_CLUSTERS, STANDALONE_NAMESPACE, &options, &sink,
                            &version);
}

struct error *stale_clusters_delete(const struct rest_config *config, struct network *network,
                                    struct tls_context *tls, size_t count)
{
    SCOPED(deletion) deletion = {.count = count};
    SCOPED(scope) scope = {0};
    deletion.client =
        client_new(loop_current(), &(struct client_options){.config = config,
                                                            .network = network,
                                                            .tls = tls,
                                                            .user_agent = user_agent_name(),
                                                            .qps = -1});
    TRY(list_clusters(&deletion));
    for (size_t i = 0; i < DELETERS && i < deletion.name_count; i++)
        scope_start(&scope, "delete", delete_some, &deletion);
    return scope_wait(&scope);
}
