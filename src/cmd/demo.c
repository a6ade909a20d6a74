/*
 * corset demo: a set of manifests reaches every cluster of a fleet, in one process, in memory.
 *
 * The demo uses the management API, the virtual clusters and the controllers of corset up. Results
 * are read back from the clusters. show_rollout() is the script: start everything, create the
 * example, wait for the bindings, read the objects back, print a table.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "apiserver/registry/kind_age.h"
#include "app/controller_manager.h"
#include "app/standalone.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "cmd/demo_check.h"
#include "cmd/demo_example.h"
#include "cmd/global_flags.h"
#include "cmd/progress.h"
#include "cmd/user_agent.h"
#include "controller/cache/cache.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define CLUSTERS_DEFAULT 3
#define CLUSTERS_MAX     10000
#define ROLLOUT_TIMEOUT  (120 * SECOND)
#define FRAME            (100 * MILLISECOND)
#define ROWS_SHOWN       20

struct settings {
    size_t clusters;
    bool manifests;
    struct global_flags globals;
};

/* Members are made in this order and released in the opposite order. */
struct demo {
    const struct settings *settings;
    struct progress progress;
    struct demo_example example;
    struct network *network;
    struct tls_context *tls;
    struct standalone *standalone;
    struct rest_config config;
    struct client *client;
    struct controller_manager *controllers;
    struct cache_set *caches;
    struct cache *bindings;
    struct demo_row *rows;
    bool has_stopped; /* the controllers */
};

static void demo_done(struct demo *demo)
{
    cache_set_free(demo->caches);
    controller_manager_free(demo->controllers);
    client_free(demo->client);
    rest_config_done(&demo->config);
    standalone_free(demo->standalone);
    tls_context_free(demo->tls);
    network_free(demo->network);
    demo_example_done(&demo->example);
    for (size_t i = 0; demo->rows && i < demo->settings->clusters; i++)
        demo_row_done(&demo->rows[i]);
    mem_free(demo->rows);
}

/* The demo connects over a real socket, with the kubeconfig that users would get. */
static struct error *open_server(struct demo *demo)
{
    SCOPED(buf) text = {.secret = true};
    demo->network = tcp_network_new(loop_current());
    demo->tls = tls_context_new();
    const struct apiserver_options options = {
        .network = demo->network,
        .host = STR("127.0.0.1"),
        .virtual_clusters = demo->settings->clusters,
    };
    TRY(standalone_new(loop_current(), &options, &demo->standalone), "start the API server");
    standalone_admin_kubeconfig(demo->standalone, &text);
    return kubeconfig_read(buf_str(&text), STR(""), NULL, &demo->config);
}

/* The demo has its own client and its own cache of bindings, besides those of the controllers. */
static struct error *open_controllers(struct demo *demo)
{
    demo->client =
        client_new(loop_current(), &(struct client_options){.config = &demo->config,
                                                            .network = demo->network,
                                                            .tls = demo->tls,
                                                            .user_agent = user_agent_name(),
                                                            .qps = -1});
    const struct controller_manager_options options = {
        .config = &demo->config,
        .network = demo->network,
        .tls = demo->tls,
        .user_agent = user_agent_name(),
    };
    TRY(controller_manager_new(loop_current(), &options, &demo->controllers),
        "start the controllers");
    demo->caches = cache_set_new(loop_current(), demo->client);
    demo->bindings = cache_set_get(
        demo->caches, &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS});
    return cache_wait_synced(demo->bindings);
}

/* The fiber of the controllers. watch_rollout() ends early if they fail. */
static struct error *run_controllers(void *data)
{
    struct demo *demo = data;
    struct error *err = controller_manager_run(demo->controllers);
    demo->has_stopped = true;
    return err;
}

/* The ConfigMaps come before the set, in the order of the manifest. */
static struct error *apply_example(struct demo *demo)
{
    for (size_t i = 0; i < demo->example.count; i++) {
        const struct object *object = demo->example.objects[i];
        const bool is_map = str_eq(object_kind(object), STR("ConfigMap"));
        TRY(client_create(demo->client, is_map ? GVR_CONFIG_MAPS : GVR_CLUSTER_RESOURCE_SETS,
                          object, NULL, NULL),
            "create %.*s %.*s", STR_ARG(object_kind(object)), STR_ARG(object_name(object)));
    }
    return NULL;
}

/*
 * The number of clusters whose binding records all resources as applied. Clusters that are
 * complete are not looked at again.
 */
static size_t count_done(struct demo *demo)
{
    struct apiserver *server = standalone_server(demo->standalone);
    size_t done = 0;
    for (size_t i = 0; i < demo->settings->clusters; i++) {
        struct demo_row *row = &demo->rows[i];
        if (row->resources < demo->example.content_count) {
            OWNED(object)
            binding = cache_get(demo->bindings, (struct key){STANDALONE_NAMESPACE,
                                                             apiserver_cluster_name(server, i)});
            demo_check_binding(&demo->example, binding, row);
        }
        done += row->resources == demo->example.content_count;
    }
    return done;
}

/*
 * Returns when every cluster is complete, when the controllers have stopped, or after
 * ROLLOUT_TIMEOUT; the table shows what is missing. Suspends.
 */
static struct error *watch_rollout(struct demo *demo)
{
    const size_t all = demo->settings->clusters;
    const int64_t until = loop_now(loop_current()) + ROLLOUT_TIMEOUT;
    size_t done = 0;
    for (;;) {
        done = count_done(demo);
        progress_count(&demo->progress, done, all, "clusters have everything");
        if (done == all || demo->has_stopped || loop_now(loop_current()) >= until)
            break;
        TRY(fiber_sleep(FRAME));
    }
    progress_end(&demo->progress);
    return NULL;
}

/* True if the binding records all resources and the cluster itself has all objects. */
static bool is_complete(const struct demo *demo, const struct demo_row *row)
{
    return !row->err && row->resources == demo->example.content_count &&
           row->objects == demo_example_size(&demo->example);
}

static void print_row(const struct demo *demo, size_t index)
{
    const struct demo_row *row = &demo->rows[index];
    const struct str name = apiserver_cluster_name(standalone_server(demo->standalone), index);
    char age[KIND_AGE_MAX] = "-";
    struct str since = STR("-");
    if (row->since)
        since = kind_age_write(kind_age_between(row->since, loop_wall(loop_current())), age);
    printf("%-10.*s %zu of %-6zu %zu of %-4zu %.*s%s%s\n", STR_ARG(name), row->resources,
           demo->example.content_count, row->objects, demo_example_size(&demo->example),
           STR_ARG(since), row->err ? "  " : "", row->err ? row->err->message : "");
}

/*
 * Prints all incomplete clusters and at most ROWS_SHOWN complete ones. Returns the number of
 * complete clusters.
 */
static size_t print_table(const struct demo *demo)
{
    size_t complete = 0, shown = 0;
    printf("\n%-10s %-11s %-9s %s\n", "CLUSTER", "RESOURCES", "OBJECTS", "SINCE");
    for (size_t i = 0; i < demo->settings->clusters; i++) {
        const bool is_fine = is_complete(demo, &demo->rows[i]);
        complete += is_fine;
        if (is_fine && shown == ROWS_SHOWN)
            continue;
        shown += is_fine;
        print_row(demo, i);
    }
    if (complete > shown)
        printf("… and %zu more that have everything\n", complete - shown);
    return complete;
}

/* Counts the objects on every cluster. */
static struct error *read_back(struct demo *demo)
{
    struct demo_check check = {
        .example = &demo->example,
        .standalone = demo->standalone,
        .network = demo->network,
        .tls = demo->tls,
        .rows = demo->rows,
        .count = demo->settings->clusters,
    };
    return demo_check_clusters(&check);
}

/* The script of the demo. ERROR_NOT_FOUND if a cluster lacks something. */
static struct error *show_rollout(struct demo *demo)
{
    const size_t count = demo->settings->clusters;
    SCOPED(scope) scope = {0};
    progress_say(&demo->progress, "Starting a management API, %zu virtual cluster%s, controllers",
                 count, count == 1 ? "" : "s");
    TRY(demo_example_read(&demo->example));
    TRY(open_server(demo));
    TRY(open_controllers(demo));
    scope_start(&scope, "controllers", run_controllers, demo);
    progress_say(&demo->progress,
                 "Creating the ClusterResourceSet %s: %zu ConfigMaps with %zu objects (a network "
                 "plugin)",
                 DEMO_EXAMPLE_SET, demo->example.content_count, demo_example_size(&demo->example));
    TRY(apply_example(demo));
    const int64_t begun = loop_now(loop_current());
    TRY(watch_rollout(demo));
    const duration took = loop_now(loop_current()) - begun;
    progress_say(&demo->progress, "Reading everything back from the clusters");
    TRY(read_back(demo));
    const size_t complete = print_table(demo);
    if (complete < count)
        return error_new(ERROR_NOT_FOUND, "%zu of %zu clusters do not have everything",
                         count - complete, count);
    printf(
        "\n%zu objects on %zu cluster%s in %.1f s. Try it with an API of your own:\n\n"
        "  corset up --data-dir ~/.local/share/corset --virtual-clusters 3 &\n"
        "  corset demo --manifests | kubectl --kubeconfig ~/.local/share/corset/kubeconfig apply -f -\n"
        "  corset status --kubeconfig ~/.local/share/corset/kubeconfig -w\n"
        "  corset web --kubeconfig ~/.local/share/corset/kubeconfig --open\n",
        count * demo_example_size(&demo->example), count, count == 1 ? "" : "s",
        (double)took / (double)SECOND);
    return NULL;
}

static struct error *show_demo(void *data)
{
    const struct settings *settings = data;
    SCOPED(demo) demo = {.settings = settings};
    demo.rows = mem_alloc_zero(settings->clusters * sizeof(*demo.rows));
    progress_init(&demo.progress);
    return show_rollout(&demo);
}

/* The log of the controllers would break the line in place. The table shows what went wrong. */
static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"clusters",  FLAG_COUNT, AT(clusters),  FLAG_ANY},
    {"manifests", FLAG_BOOL,  AT(manifests), FLAG_ANY},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* An incomplete rollout is the answer no, not a failure. */
static int run_demo(int argc, char **argv)
{
    struct settings settings = {.clusters = CLUSTERS_DEFAULT, .globals = GLOBAL_FLAGS_DEFAULT};
    if (!flags_read(&command_demo, argc, argv, &settings))
        return COMMAND_USAGE;
    if (settings.clusters < 1 || settings.clusters > CLUSTERS_MAX)
        return command_misused(&command_demo, "--clusters takes a number from 1 to %d",
                               CLUSTERS_MAX);
    const int misused = global_flags_use(&settings.globals, &command_demo);
    if (misused)
        return misused;
    if (settings.manifests)
        return command_print(demo_example_text());
    if (!settings.globals.verbosity)
        log_set_sink(drop_line, NULL);
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, show_demo, &settings);
    const bool is_no = error_is(err, ERROR_NOT_FOUND);
    const int code = err ? command_fail(err) : COMMAND_DONE;
    return is_no ? COMMAND_NO : code;
}

const struct command command_demo = {
    .name = "demo",
    .summary = "show what corset does, in one process, in seconds",
    .help =
        "Starts a management API, virtual workload clusters and the controllers in one process,\n"
        "in memory; creates an example ClusterResourceSet, waits until every cluster has its\n"
        "objects, and reads them back from the clusters. Nothing outside of the process changes.\n\n"
        "Usage: corset demo [--clusters N] [--manifests]\n\n"
        "  --clusters N  how many clusters, 1 to 10000 (default 3)\n"
        "  --manifests   print the example instead, for 'kubectl apply -f -'\n"
        "  --v N         also show the log of the controllers\n\n"
        "Exits with 0 when every cluster has everything.\n\n"
        "Try it:\n"
        "  corset demo --clusters 100\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_demo,
};
