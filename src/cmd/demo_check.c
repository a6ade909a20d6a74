#include "cmd/demo_check.h"

#include "app/standalone.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/types/content.h"
#include "cmd/demo_example.h"
#include "cmd/user_agent.h"

#define CHECKERS      64
#define CHECK_TIMEOUT (30 * SECOND)

void demo_row_done(struct demo_row *row)
{
    error_free(row->err);
}

/* Counts one ConfigMap of the example, and keeps the newest time of application. */
static void count_resource(const struct object *binding, const struct object *config_map,
                           struct demo_row *row)
{
    const struct resource_ref ref = {RESOURCE_CONFIG_MAP, object_name(config_map)};
    struct binding_resource found;
    timestamp when;
    if (!binding_find_resource(binding, STR(DEMO_EXAMPLE_SET), ref, &found) || !found.applied)
        return;
    row->resources++;
    if (timestamp_read(found.last_applied_time, &when) && when > row->since)
        row->since = when;
}

void demo_check_binding(const struct demo_example *example, const struct object *binding,
                        struct demo_row *row)
{
    row->resources = 0;
    row->since = 0;
    for (size_t i = 0; binding && i < example->count; i++)
        if (str_eq(object_kind(example->objects[i]), STR("ConfigMap")))
            count_resource(binding, example->objects[i], row);
}

/* One cluster that is being checked. */
struct visit {
    struct client *client;
    struct discovery *discovery;
    struct demo_row *row;
};

/* Counts an object that the cluster has. A missing object is an error, which ends up in the row. */
static struct error *find_object(const struct visit *visit, const struct object *object)
{
    SCOPED(arena) arena = {0};
    OWNED(object) found = NULL;
    struct discovery_mapping mapping;
    TRY(discovery_find_kind(visit->discovery, &arena, object_gvk(object), &mapping));
    TRY(client_get(visit->client, mapping.gvr, object_key(object), NULL, &found));
    visit->row->objects++;
    return NULL;
}

static struct error *find_objects(const struct visit *visit, const struct demo_example *example)
{
    for (size_t i = 0; i < example->content_count; i++)
        for (size_t j = 0; j < content_count(example->contents[i]); j++)
            TRY(find_object(visit, content_object(example->contents[i], j)));
    return NULL;
}

/* What the checking fibers share: the next cluster, and discovery for all of them. */
struct round {
    struct demo_check *check;
    struct discovery_pool *pool;
    size_t next;
};

/* Connects with the kubeconfig that users would get. */
static struct error *visit_cluster(struct round *round, size_t index)
{
    struct demo_check *check = round->check;
    SCOPED(buf) text = {.secret = true};
    SCOPED(rest_config) config = {0};
    FIBER_TIMEOUT(CHECK_TIMEOUT);
    standalone_cluster_kubeconfig(check->standalone, index, &text);
    TRY(kubeconfig_read(buf_str(&text), STR(""), NULL, &config));
    OWNED(client)
    client = client_new(loop_current(), &(struct client_options){.config = &config,
                                                                 .network = check->network,
                                                                 .tls = check->tls,
                                                                 .user_agent = user_agent_name()});
    OWNED(discovery) discovery = discovery_new(client, round->pool, NULL);
    const struct visit visit = {client, discovery, &check->rows[index]};
    return find_objects(&visit, check->example);
}

/*
 * The fiber: takes the next cluster until there is none. An error of one cluster stays in its row.
 */
static struct error *visit_clusters(void *data)
{
    struct round *round = data;
    while (round->next < round->check->count) {
        const size_t index = round->next++;
        struct error *err = visit_cluster(round, index);
        if (error_is(err, ERROR_CANCELED))
            return err;
        round->check->rows[index].err = err;
    }
    return NULL;
}

/* CHECKERS fibers share the clusters. */
struct error *demo_check_clusters(struct demo_check *check)
{
    OWNED(discovery_pool) pool = discovery_pool_new();
    struct round round = {.check = check, .pool = pool};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < CHECKERS && i < check->count; i++)
        scope_start(&scope, "check", visit_clusters, &round);
    return scope_wait(&scope);
}
