/* corset apiserver: the embedded API server alone. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/secret_file.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/signals.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "net/network.h"
#include "net/tcp.h"
#include "standalone/standalone.h"

#define DRAIN_TIMEOUT (10 * SECOND)
#define PORT_DEFAULT  7443

struct settings {
    const char *data_dir, *listen, *write_kubeconfig, *write_clusters, *inject;
    bool in_memory;
    size_t virtual_clusters;
    const char *history_age;
    duration history_span;

    struct str host;
    uint16_t port;
    struct inject faults;
};

static bool is_loopback(struct str host)
{
    return str_starts_with(host, STR("127.")) || str_eq(host, STR("::1")) ||
           str_eq(host, STR("localhost"));
}

static bool read_listen(struct settings *settings)
{
    struct str text = str_from_c(settings->listen);
    uint64_t port;
    const size_t colon = str_find_last_char(text, ':');
    if (colon == STR_NONE || !str_to_uint64(str_skip(text, colon + 1), &port) || port > UINT16_MAX)
        return false;
    settings->host = str_slice(text, 0, colon);
    if (settings->host.len > 2 && settings->host.ptr[0] == '[')
        settings->host = str_slice(settings->host, 1, settings->host.len - 1);
    if (settings->host.len == 0)
        settings->host = STR("0.0.0.0");
    settings->port = (uint16_t)port;
    return true;
}

/* Written beside its place and renamed, so that who finds it finds all of it. */
static struct error *write_file(const char *path, struct str content)
{
    SCOPED(buf) folder = {.limit = 0};
    const struct str whole = str_from_c(path);
    const size_t slash = str_find_last_char(whole, '/');
    const struct str name = slash == STR_NONE ? whole : str_skip(whole, slash + 1);
    if (slash == STR_NONE)
        buf_add_char(&folder, '.');
    else
        buf_add(&folder, str_slice(whole, 0, slash ? slash : 1));
    return secret_file_write(buf_c(&folder), name.ptr, content);
}

static struct error *write_kubeconfig(const struct standalone *standalone, const char *path)
{
    SCOPED(buf) text = {.secret = true};
    standalone_admin_kubeconfig(standalone, &text);
    return write_file(path, buf_str(&text));
}

static struct error *write_cluster(const struct standalone *standalone, const char *folder,
                                   size_t index)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(buf) name = {.limit = 0};
    standalone_cluster_kubeconfig(standalone, index, &text);
    buf_print(&name, "%.*s.kubeconfig",
              STR_ARG(apiserver_cluster_name(standalone_server(standalone), index)));
    return secret_file_remake(folder, buf_c(&name), buf_str(&text));
}

/* An earlier run may have had more clusters. */
static void remove_leftovers(const char *folder, size_t count)
{
    for (;;) {
        SCOPED(buf) path = {.limit = 0};
        buf_print(&path, "%s/vc-%04zu.kubeconfig", folder, ++count);
        if (unlink(buf_c(&path)) != 0)
            return;
    }
}

static struct error *write_clusters(const struct standalone *standalone, const char *folder)
{
    const size_t count = apiserver_cluster_count(standalone_server(standalone));
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return error_from_errno(errno, "make %s", folder);
    for (size_t i = 0; i < count; i++)
        TRY(write_cluster(standalone, folder, i));
    remove_leftovers(folder, count);
    return NULL;
}

static struct error *write_files(const struct settings *settings,
                                 const struct standalone *standalone)
{
    SCOPED(buf) path = {.limit = 0};
    SCOPED(buf) clusters = {.limit = 0};
    if (settings->data_dir) {
        buf_print(&path, "%s/kubeconfig", settings->data_dir);
        buf_print(&clusters, "%s/clusters", settings->data_dir);
        TRY(write_kubeconfig(standalone, buf_c(&path)));
        TRY(write_clusters(standalone, buf_c(&clusters)));
    }
    if (settings->write_clusters)
        TRY(write_clusters(standalone, settings->write_clusters));
    if (settings->write_kubeconfig)
        TRY(write_kubeconfig(standalone, settings->write_kubeconfig));
    return NULL;
}

static struct error *serve(void *data)
{
    const struct settings *settings = data;
    struct loop *loop = loop_current();
    OWNED(signals) signals = NULL;
    OWNED(network) network = NULL;
    OWNED(standalone) standalone = NULL;
    TRY(signals_new(loop, &signals));
    network = tcp_network_new(loop);
    const struct apiserver_options options = {
        .network = network,
        .host = settings->host,
        .port = settings->port,
        .folder = settings->data_dir,
        .virtual_clusters = settings->virtual_clusters,
        .inject = settings->faults,
        .history_age = settings->history_span,
        .history_events = settings->history_span ? 1 : 0,
    };
    TRY(standalone_new(loop, &options, &standalone), "start the API server");
    TRY(write_files(settings, standalone));
    const struct str url = standalone_url(standalone);
    fprintf(stderr, "corset: ready on %.*s\n", STR_ARG(url));
    TRY(signals_wait(signals));
    fprintf(stderr, "corset: stopping\n");
    FIBER_TIMEOUT(DRAIN_TIMEOUT);
    OWNED(error) late = apiserver_drain(standalone_server(standalone));
    return NULL;
}

static int run(int argc, char **argv)
{
    struct settings settings = {.listen = "127.0.0.1:7443"};
    const struct flag flags[] = {
        {"data-dir",                  FLAG_TEXT,  &settings.data_dir        },
        {"in-memory",                 FLAG_BOOL,  &settings.in_memory       },
        {"listen",                    FLAG_TEXT,  &settings.listen          },
        {"write-kubeconfig",          FLAG_TEXT,  &settings.write_kubeconfig},
        {"virtual-clusters",          FLAG_COUNT, &settings.virtual_clusters},
        {"write-cluster-kubeconfigs", FLAG_TEXT,  &settings.write_clusters  },
        {"inject",                    FLAG_TEXT,  &settings.inject          },
        {"history-age",               FLAG_TEXT,  &settings.history_age     },
    };
    if (!flags_read(&command_apiserver, argc, argv, flags, COUNT(flags)))
        return COMMAND_USAGE;
    if (settings.in_memory == (settings.data_dir != NULL))
        return command_misused(&command_apiserver, "give one of --data-dir and --in-memory");
    if (!read_listen(&settings))
        return command_misused(&command_apiserver, "--listen wants HOST:PORT, not '%s'",
                               settings.listen);
    OWNED(error)
    wrong = inject_read(str_from_c(settings.inject ? settings.inject : ""), &settings.faults);
    if (wrong)
        return command_misused(&command_apiserver, "--inject: %s", wrong->message);
    if (settings.history_age &&
        (!duration_read(str_from_c(settings.history_age), &settings.history_span) ||
         settings.history_span <= 0))
        return command_misused(&command_apiserver, "--history-age wants a duration such as 5m");
    if (!is_loopback(settings.host))
        fprintf(stderr,
                "corset: warning: listening on %s, where other machines can reach it; who has a "
                "credential has the cluster\n",
                settings.listen);
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, serve, &settings);
    return err ? command_fail(err) : COMMAND_DONE;
}

const struct command command_apiserver = {
    .name = "apiserver",
    .summary = "run the embedded API server alone",
    .help =
        "Runs the embedded API server until SIGINT or SIGTERM. kubectl and controllers take it for\n"
        "Kubernetes; Pods are not run. ClusterResourceSets, their bindings and Clusters are there from\n"
        "the start.\n\n"
        "Usage: corset apiserver (--data-dir DIR | --in-memory) [FLAGS]\n\n"
        "  --data-dir DIR           keep everything in DIR: corset.db, pki/, kubeconfig, lock\n"
        "  --in-memory              keep nothing\n"
        "  --listen HOST:PORT       where to listen (default 127.0.0.1:7443; port 0: any)\n"
        "  --write-kubeconfig FILE  where to write the admin's kubeconfig; DIR/kubeconfig is\n"
        "                           written anyway\n"
        "  --virtual-clusters N     N more APIs, in memory, below /clusters/vc-0001 and so on;\n"
        "                           DIR/clusters/vc-0001.kubeconfig reaches the first. Each is a\n"
        "                           Cluster in namespace default, with a kubeconfig Secret\n"
        "  --write-cluster-kubeconfigs DIR\n"
        "                           where else to write vc-0001.kubeconfig and so on\n"
        "  --inject FAULTS          how virtual clusters misbehave, for example\n"
        "                           latency=20ms,jitter=5ms,error=0.01,drop=0.001,hole=0.001,seed=7\n"
        "                           (changed later by PUT /debug/inject[?cluster=NAME]; see\n"
        "                           docs/virtual-clusters.md)\n"
        "  --history-age DURATION   how long changes can be watched and listed afterwards\n"
        "                           (default: 5m, and the last 1000 however old)\n\n"
        "Try it:\n"
        "  corset apiserver --in-memory --write-kubeconfig /tmp/corset.kubeconfig &\n"
        "  kubectl --kubeconfig /tmp/corset.kubeconfig get namespaces\n",
    .run = run,
};
