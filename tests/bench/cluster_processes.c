#include "cluster_processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "async/scope.h"
#include "base/base64.h"
#include "client/client.h"

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

static void create(struct cluster_processes *processes, struct gvr gvr, const struct buf *text)
{
    OWNED(object) object = NULL;
    must(buf_check(text));
    must(object_read(buf_str(text), &object));
    must(client_create(processes->client, gvr, object, NULL, NULL));
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
    static const struct str provisioned =
        STR_INIT("{\"status\":{\"initialization\":{\"infrastructureProvisioned\":true,"
                 "\"controlPlaneInitialized\":true},\"phase\":\"Provisioned\"}}");
    const struct rest_config *config = &processes->servers[server].config;
    char name[48];
    SCOPED(buf) kubeconfig = {.secret = true};
    SCOPED(buf) secret = {.secret = true};
    SCOPED(buf) cluster = {0};
    snprintf(name, sizeof(name), "p%zu-vc-%04zu", server, number);
    read_kubeconfig(&processes->servers[server], number, &kubeconfig);
    buf_print(&secret,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"cluster.x-k8s.io/secret\","
              "\"metadata\":{\"name\":\"%s-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"%s\"}},\"data\":{\"value\":\"",
              name, name);
    base64_encode(&secret, buf_str(&kubeconfig));
    buf_add(&secret, STR("\"}}"));
    create(processes, GVR_SECRETS, &secret);
    buf_print(&cluster,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"%s\",\"namespace\":\"default\",\"labels\":{\"corset.dev/virtual\":"
              "\"true\"}},\"spec\":{\"controlPlaneEndpoint\":{\"host\":\"%.*s\",\"port\":%u}}}",
              name, STR_ARG(config->server.host), config->server.port);
    create(processes, GVR_CLUSTERS, &cluster);
    must(client_patch(processes->client, GVR_CLUSTERS,
                      (struct key){STR("default"), str_from_c(name)}, CLIENT_PATCH_MERGE,
                      provisioned, &(struct client_write_options){.subresource = STR("status")},
                      NULL));
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
