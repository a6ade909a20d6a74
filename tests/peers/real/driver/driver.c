#include "driver.h"

#include <stdio.h>
#include <stdlib.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "controller/controller.h"
#include "input.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

struct gvr driver_read_resource(struct str text)
{
    struct gvr gvr = {
        .resource = {NULL, 0}
    };
    str_cut(&text, '.', &gvr.resource);
    str_cut(&text, '.', &gvr.version);
    gvr.group = text;
    return gvr;
}

struct gvk driver_read_kind(struct str text)
{
    const struct gvr gvr = driver_read_resource(text);
    return (struct gvk){gvr.group, gvr.version, gvr.resource};
}

static struct error *read_setting(struct driver_settings *settings, struct str name,
                                  struct str value)
{
    const struct {
        struct str name;
        struct str *text;
        duration *span;
        uint64_t *number;
    } known[] = {
        {STR("kubeconfig"),  &settings->kubeconfig, NULL,                    NULL                  },
        {STR("namespace"),   &settings->namespace,  NULL,                    NULL                  },
        {STR("outage"),      NULL,                  &settings->outage,       NULL                  },
        {STR("probe"),       NULL,                  &settings->timing.probe, NULL                  },
        {STR("retry"),       NULL,                  &settings->timing.retry, NULL                  },
        {STR("sources"),     NULL,                  NULL,                    &settings->sources    },
        {STR("concurrency"), NULL,                  NULL,                    &settings->concurrency},
    };
    if (str_eq(name, STR("index"))) {
        settings->has_index = str_eq(value, STR("on"));
        return NULL;
    }
    if (str_eq(name, STR("uncached"))) {
        settings->uncached = driver_read_kind(value);
        return NULL;
    }
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!str_eq(known[i].name, name))
            continue;
        if (known[i].text)
            *known[i].text = value;
        else if (known[i].span ? !duration_read(value, known[i].span)
                               : !str_to_uint64(value, known[i].number))
            break;
        return NULL;
    }
    return error_new(ERROR_INVALID, "%.*s=%.*s", STR_ARG(name), STR_ARG(value));
}

static struct error *read_settings(struct driver_settings *settings, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct str value = str_from_c(argv[i]), name;
        (void)str_cut(&value, '=', &name);
        TRY(read_setting(settings, name, value), "settings");
    }
    if (!settings->kubeconfig.len || settings->sources > DRIVER_SOURCES_MAX)
        return error_new(ERROR_INVALID, "kubeconfig= is required, sources= is at most %zu",
                         DRIVER_SOURCES_MAX);
    return NULL;
}

static void emit_provider(void *index_data, const struct object *object, cache_emit_fn *emit,
                          void *data)
{
    (void)index_data;
    const struct str id = json_to_str(object_path(object, "spec.providerID"));
    if (id.len)
        emit(data, id);
}

static bool passes(void *data, const struct object *cluster)
{
    const struct driver *driver = data;
    (void)cluster;
    return !driver->is_filtered_out;
}

static void note_told(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    (void)cluster;
    (void)queue;
    (void)priority;
    ++*(size_t *)data;
}

static void add_sources(struct driver *driver)
{
    const struct driver_settings *settings = &driver->settings;
    for (size_t i = 0; i < settings->sources; i++) {
        const struct clustercache_source source = {.controller = STR("driver"),
                                                   .queue = driver->told_queue,
                                                   .map = note_told,
                                                   .data = &driver->told[i],
                                                   .probe_failures = &settings->outage,
                                                   .probe_failure_count = settings->outage > 0};
        clustercache_add_source(driver->cache, &source);
    }
}

static struct error *open_clustercache(struct driver *driver, struct network *network,
                                       struct tls_context *tls)
{
    const struct driver_settings *settings = &driver->settings;
    const struct clustercache_index index = {GVK("", "v1", "Node"), DRIVER_INDEX, emit_provider,
                                             NULL};
    const struct cache_options clusters = {.gvr = GVR_CLUSTERS, .namespace = settings->namespace};
    const struct cache_options secrets = {.gvr = GVR_SECRETS,
                                          .namespace = settings->namespace,
                                          .label_selector = STR("cluster.x-k8s.io/cluster-name")};
    const struct clustercache_options options = {
        .clusters = cache_set_get(driver->caches, &clusters),
        .secrets = cache_set_get(driver->caches, &secrets),
        .network = network,
        .tls = tls,
        .metrics = driver->metrics,
        .user_agent = DRIVER_AGENT,
        .filter = passes,
        .filter_data = driver,
        .concurrency = settings->concurrency,
        .uncached = &settings->uncached,
        .uncached_count = settings->uncached.kind.len > 0,
        .indexes = &index,
        .index_count = settings->has_index,
        .timing = settings->timing,
    };
    TRY(cache_set_wait_synced(driver->caches), "wait for Clusters and Secrets");
    return clustercache_new(loop_current(), &options, &driver->cache);
}

static struct error *driver_init(struct driver *driver, struct client *client,
                                 struct network *network, struct tls_context *tls)
{
    FIBER_TIMEOUT(MINUTE);
    list_init(&driver->watches);
    driver->metrics = metrics_new();
    driver->caches = cache_set_new(loop_current(), client);
    driver->told_queue = queue_new(loop_current(), &(struct queue_options){.name = STR("told")});
    TRY(open_clustercache(driver, network, tls));
    add_sources(driver);
    return NULL;
}

static void driver_done(struct driver *driver)
{
    clustercache_free(driver->cache);
    driver_forget_watches(driver); /* nobody tells them anything any more */
    cache_set_free(driver->caches);
    queue_free(driver->told_queue);
    metrics_free(driver->metrics);
}

static void say(const struct buf *line)
{
    fwrite(line->ptr, 1, line->len, stdout);
    fflush(stdout);
}

static void answer(struct driver *driver, struct str line)
{
    SCOPED(buf) found = {0};
    SCOPED(buf) out = {0};
    OWNED(error) err = driver_command(driver, line, &found);
    if (err)
        buf_print(&out, "error %.*s %s\n", STR_ARG(error_code_name(err->code)), err->message);
    else
        buf_print(&out, "ok %.*s\n", STR_ARG(buf_str(&found)));
    say(&out);
}

/* One line for one line, until there are no more. */
static struct error *obey(struct driver *driver)
{
    OWNED(input) input = NULL;
    SCOPED(buf) line = {0};
    SCOPED(buf) greeting = {0};
    bool is_end;
    TRY(input_new(&input));
    buf_print(&greeting, "ready\n");
    say(&greeting);
    TRY(input_next(input, &line, &is_end));
    while (!is_end) {
        answer(driver, buf_str(&line));
        TRY(input_next(input, &line, &is_end));
    }
    return NULL;
}

static struct error *run_controller(void *data)
{
    return controller_run(data);
}

static struct error *serve(void *data)
{
    const struct driver_settings *settings = data;
    const struct kubeconfig_paths paths = {.file = settings->kubeconfig};
    SCOPED(rest_config) config = {0};
    TRY(kubeconfig_load(&paths, NULL, &config), "find the management cluster");
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(tls_context) tls = tls_context_new();
    const struct client_options options = {
        .config = &config, .network = network, .tls = tls, .user_agent = DRIVER_AGENT, .qps = -1};
    OWNED(client) client = client_new(loop_current(), &options);
    SCOPED(driver) driver = {.settings = *settings};
    TRY(driver_init(&driver, client, network, tls));
    OWNED(controller) controller = clustercache_take_controller(driver.cache);
    SCOPED(scope) running = {0};
    scope_start(&running, "controller", run_controller, controller);
    return obey(&driver);
}

int main(int argc, char **argv)
{
    struct driver_settings settings = {.timing = {.jitter = -1}};
    log_set_level(6);
    OWNED(loop) loop = loop_new();
    OWNED(error) err = read_settings(&settings, argc, argv);
    if (!err)
        err = loop_run(loop, serve, &settings);
    if (err)
        fprintf(stderr, "driver: %s\n", err->message);
    return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
