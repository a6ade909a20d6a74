#include "cluster_processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async/scope.h"
#include "client/client.h"
#include "registration.h"

#define WRITERS        32
#define KUBECONFIG_MAX (64 * KILOBYTE)

static void must(struct error *err)
{
    api_fixture_must(err);
}

/* Clusters of one process; the last one has the rest. */
static size_t share_of(const struct cluster_processes *processes, size_t server)
{
    const size_t each = processes->clusters / processes->count;
    return server + 1 < processes->count ? each : processes->clusters - server * each;
}

void cluster_processes_start(struct cluster_processes *processes, size_t count, size_t clusters,
                             const char *faults)
{
    *processes = (struct cluster_processes){.count = count, .clusters = clusters};
    for (size_t i = 0; i < count; i++) {
        char folder[48], share[32];
        snprintf(folder, sizeof(folder), "bench-clusters-%zu", i);
        snprintf(share, sizeof(share), "%zu", share_of(processes, i));
        const char *const more[] = {"--virtual-clusters", share, "--inject", faults, NULL};
        api_fixture_make_folder(processes->servers[i].folder, folder);
        api_fixture_start(&processes->servers[i], more);
    }
}

void cluster_processes_stop(struct cluster_processes *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        api_fixture_stop(&processes->servers[i]);
        rest_config_done(&processes->servers[i].config);
        api_fixture_remove_folder(processes->servers[i].folder);
    }
}

double cluster_processes_cpu(const struct cluster_processes *processes)
{
    double sum = 0;
    for (size_t i = 0; i < processes->count; i++)
        sum += api_fixture_cpu(&processes->servers[i]);
    return sum;
}

/* The kubeconfig that the server has written for its cluster. */
static void read_kubeconfig(const struct api_fixture *server, size_t number, struct buf *out)
{
    char path[API_FIXTURE_PATH + 64];
    snprintf(path, sizeof(path), "%s/clusters/vc-%04zu.kubeconfig", server->folder, number);
    FILE *file = fopen(path, "re");
    char *room = buf_reserve(out, KUBECONFIG_MAX);
    const size_t len = file ? fread(room, 1, KUBECONFIG_MAX, file) : 0;
    if (!len) {
        perror(path);
        abort();
    }
    buf_grow(out, len);
    fclose(file);
}

static void register_one(struct cluster_processes *processes, size_t server, size_t number)
{
    const struct rest_config *config = &processes->servers[server].config;
    char name[48];
    SCOPED(buf) kubeconfig = {.secret = true};
    snprintf(name, sizeof(name), "p%zu-vc-%04zu", server, number);
    read_kubeconfig(&processes->servers[server], number, &kubeconfig);
    registration_make(processes->client,
                      &(struct registration){.name = name,
                                             .labels = "\"corset.dev/virtual\":\"true\"",
                                             .kubeconfig = buf_str(&kubeconfig),
                                             .host = config->server.host,
                                             .port = config->server.port});
}

static struct error *register_some(void *data)
{
    struct cluster_processes *processes = data;
    const size_t each = processes->clusters / processes->count;
    while (processes->next < processes->clusters) {
        const size_t index = processes->next++;
        const size_t server = index / each < processes->count ? index / each : processes->count - 1;
        register_one(processes, server, index - server * each + 1);
    }
    return NULL;
}

void cluster_processes_register(struct cluster_processes *processes, struct client *client)
{
    SCOPED(scope) writers = {0};
    processes->client = client;
    for (size_t i = 0; i < WRITERS; i++)
        scope_start(&writers, "writer", register_some, processes);
    must(scope_wait(&writers));
}
