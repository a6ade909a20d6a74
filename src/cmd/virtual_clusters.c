#include "cmd/virtual_clusters.h"

#include "api/wellknown.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "clustercache/kubeconfig_secret.h"
#include "cmd/agent.h"
#include "standalone/standalone.h"

#define DELETERS 64

/* Names of virtual clusters that are registered, and who of the fibers does which. */
struct renewal {
    struct client *client;
    size_t count; /* of clusters that there are */
    struct arena arena;
    struct str *names;
    size_t name_count, capacity, next;
};

static void renewal_done(struct renewal *renewal)
{
    client_free(renewal->client);
    arena_done(&renewal->arena);
    mem_free(renewal->names);
}

static struct error *note(void *data, struct object *cluster)
{
    struct renewal *renewal = data;
    if (renewal->name_count == renewal->capacity) {
        renewal->capacity = renewal->capacity ? 2 * renewal->capacity : 64;
        renewal->names =
            mem_realloc_array(renewal->names, renewal->capacity, sizeof(*renewal->names));
    }
    renewal->names[renewal->name_count++] = arena_str(&renewal->arena, object_name(cluster));
    return NULL;
}

static void forget(void *data)
{
    ((struct renewal *)data)->name_count = 0;
}

static struct error *delete_one(struct client *client, struct gvr gvr, struct str name)
{
    const struct key key = {STANDALONE_NAMESPACE, name};
    return error_ignore(client_delete(client, gvr, key, NULL, NULL), ERROR_NOT_FOUND);
}

/* "vc-0007" is above six. */
static bool is_left_over(const struct renewal *renewal, struct str name)
{
    uint64_t number;
    return str_starts_with(name, STR("vc-")) && str_to_uint64(str_skip(name, 3), &number) &&
           number > renewal->count;
}

static struct error *renew_one(struct renewal *renewal, struct str name)
{
    SCOPED(buf) secret = {.limit = 0};
    buf_print(&secret, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(name));
    TRY(delete_one(renewal->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, name));
    if (!is_left_over(renewal, name))
        return NULL;
    TRY(delete_one(renewal->client, GVR_CLUSTERS, name));
    return delete_one(renewal->client, GVR_SECRETS, buf_str(&secret));
}

static struct error *renew_some(void *data)
{
    struct renewal *renewal = data;
    while (renewal->next < renewal->name_count)
        TRY(renew_one(renewal, renewal->names[renewal->next++]));
    return NULL;
}

static struct error *list_clusters(struct renewal *renewal)
{
    SCOPED(buf) selector = {.limit = 0};
    SCOPED(buf) version = {.limit = 0};
    buf_print(&selector, "%.*s=true", STR_ARG(STANDALONE_VIRTUAL_LABEL));
    const struct client_list_options options = {.label_selector = buf_str(&selector),
                                                .form = CLIENT_METADATA};
    const struct client_list_sink sink = {.each = note, .restart = forget, .data = renewal};
    return client_list_each(renewal->client, GVR_CLUSTERS, STANDALONE_NAMESPACE, &options, &sink,
                            &version);
}

struct error *virtual_clusters_renew(const struct rest_config *config, struct network *network,
                                     struct tls_context *tls, size_t count)
{
    SCOPED(renewal) renewal = {.count = count};
    SCOPED(scope) scope = {0};
    renewal.client = client_new(loop_current(), &(struct client_options){.config = config,
                                                                         .network = network,
                                                                         .tls = tls,
                                                                         .user_agent = agent_name(),
                                                                         .qps = -1});
    TRY(list_clusters(&renewal));
    for (size_t i = 0; i < DELETERS && i < renewal.name_count; i++)
        scope_start(&scope, "renew", renew_some, &renewal);
    return scope_wait(&scope);
}
