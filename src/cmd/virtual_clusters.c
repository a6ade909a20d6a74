#include "cmd/virtual_clusters.h"

#include "apimachinery/wellknown.h"
#include "app/standalone.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/kubeconfig_secret.h"
#include "cmd/agent.h"

#define DELETERS 64

/* Names of clusters that are left over, and which is next. */
struct tidying {
    struct client *client;
    size_t count; /* of clusters that there are */
    struct arena arena;
    struct str *names;
    size_t name_count, capacity, next;
};

static void tidying_done(struct tidying *tidying)
{
    client_free(tidying->client);
    arena_done(&tidying->arena);
    mem_free(tidying->names);
}

/* "vc-0007" is above six. */
static bool is_left_over(const struct tidying *tidying, struct str name)
{
    uint64_t number;
    return str_starts_with(name, STR("vc-")) && str_to_uint64(str_skip(name, 3), &number) &&
           number > tidying->count;
}

static struct error *note(void *data, struct object *cluster)
{
    struct tidying *tidying = data;
    if (!is_left_over(tidying, object_name(cluster)))
        return NULL;
    if (tidying->name_count == tidying->capacity) {
        tidying->capacity = tidying->capacity ? 2 * tidying->capacity : 64;
        tidying->names =
            mem_realloc_array(tidying->names, tidying->capacity, sizeof(*tidying->names));
    }
    tidying->names[tidying->name_count++] = arena_str(&tidying->arena, object_name(cluster));
    return NULL;
}

static void forget(void *data)
{
    ((struct tidying *)data)->name_count = 0;
}

static struct error *delete_one(struct client *client, struct gvr gvr, struct str name)
{
    const struct key key = {STANDALONE_NAMESPACE, name};
    return error_ignore(client_delete(client, gvr, key, NULL, NULL), ERROR_NOT_FOUND);
}

static struct error *tidy_one(struct tidying *tidying, struct str name)
{
    SCOPED(buf) secret = {.limit = 0};
    buf_print(&secret, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(name));
    TRY(delete_one(tidying->client, GVR_CLUSTERS, name));
    TRY(delete_one(tidying->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, name));
    return delete_one(tidying->client, GVR_SECRETS, buf_str(&secret));
}

static struct error *tidy_some(void *data)
{
    struct tidying *tidying = data;
    while (tidying->next < tidying->name_count)
        TRY(tidy_one(tidying, tidying->names[tidying->next++]));
    return NULL;
}

static struct error *list_clusters(struct tidying *tidying)
{
    SCOPED(buf) selector = {.limit = 0};
    SCOPED(buf) version = {.limit = 0};
    buf_print(&selector, "%.*s=true", STR_ARG(STANDALONE_VIRTUAL_LABEL));
    const struct client_list_options options = {.label_selector = buf_str(&selector),
                                                .form = CLIENT_METADATA};
    const struct client_list_sink sink = {.each = note, .restart = forget, .data = tidying};
    return client_list_each(tidying->client, GVR_CLUSTERS, STANDALONE_NAMESPACE, &options, &sink,
                            &version);
}

struct error *virtual_clusters_tidy(const struct rest_config *config, struct network *network,
                                    struct tls_context *tls, size_t count)
{
    SCOPED(tidying) tidying = {.count = count};
    SCOPED(scope) scope = {0};
    tidying.client = client_new(loop_current(), &(struct client_options){.config = config,
                                                                         .network = network,
                                                                         .tls = tls,
                                                                         .user_agent = agent_name(),
                                                                         .qps = -1});
    TRY(list_clusters(&tidying));
    for (size_t i = 0; i < DELETERS && i < tidying.name_count; i++)
        scope_start(&scope, "tidy", tidy_some, &tidying);
    return scope_wait(&scope);
}
