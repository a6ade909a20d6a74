/*
 * The management cluster: Clusters c0, c1, … with provisioned infrastructure, and their kubeconfig
 * Secrets. Nothing changes but the Secrets, whose token is replaced by chaos_management_rotate().
 */
#include <inttypes.h>

#include "async/fiber.h"
#include "base/base64.h"
#include "http/server.h"
#include "soak/clusters/chaos.h"

#define HOST STR("management.test")

static void write_cluster(void *data, size_t index, uint64_t version, struct buf *out)
{
    (void)data;
    buf_print(out,
              "\"metadata\":{\"name\":\"c%zu\",\"namespace\":\"default\",\"uid\":\"u%zu\","
              "\"resourceVersion\":\"%" PRIu64 "\"},\"status\":{\"initialization\":{"
              "\"infrastructureProvisioned\":true}}",
              index, index, version);
}

/* The token is the newest one of the cluster, so a Secret that changes has another kubeconfig. */
static void write_kubeconfig(const struct chaos *chaos, size_t index, struct buf *out)
{
    const struct workload_cluster *cluster = &chaos->workload_clusters[index];
    SCOPED(buf) host = {0};
    SCOPED(buf) token = {0};
    buf_print(&host, "%s://%s", chaos->tls_server ? "https" : "http", cluster->host);
    buf_print(&token, "t%" PRIu64, cluster->token);
    const struct rest_config config = {
        .host = buf_str(&host),
        .tls = {.trust_pem = buf_str(&chaos->authority)},
        .auth = {.token = buf_str(&token)},
    };
    kubeconfig_write(out, STR("c"), &config);
}

static void write_secret(void *data, size_t index, uint64_t version, struct buf *out)
{
    SCOPED(buf) kubeconfig = {0};
    SCOPED(buf) value = {0};
    write_kubeconfig(data, index, &kubeconfig);
    base64_encode(&value, buf_str(&kubeconfig));
    buf_print(out,
              "\"metadata\":{\"name\":\"c%zu-kubeconfig\",\"namespace\":\"default\","
              "\"uid\":\"s%zu\",\"resourceVersion\":\"%" PRIu64 "\"},\"data\":{\"value\":\"%.*s\"}",
              index, index, version, STR_ARG(buf_str(&value)));
}

static struct error *serve_management(void *data, struct http_request *request)
{
    struct chaos *chaos = data;
    const bool of_secrets = str_contains(http_request_target(request), STR("/secrets"));
    return collection_serve(of_secrets ? &chaos->secrets : &chaos->clusters, request);
}

void chaos_management_open(struct chaos *chaos)
{
    chaos->clusters = (struct collection){.api_version = "cluster.x-k8s.io/v1beta2",
                                          .kind = "Cluster",
                                          .write = write_cluster,
                                          .data = chaos};
    chaos->secrets = (struct collection){
        .api_version = "v1", .kind = "Secret", .write = write_secret, .data = chaos};
    collection_init(&chaos->clusters, chaos->options.clusters);
    collection_init(&chaos->secrets, chaos->options.clusters);
    const struct http_server_options options = {.network = chaos->network,
                                                .host = HOST,
                                                .port = 80,
                                                .handler = serve_management,
                                                .data = chaos};
    CHECK_OK(http_server_new(loop_current(), &options, &chaos->management));
    chaos->config.server = (struct url){.scheme = URL_HTTP, .host = HOST, .port = 80};
    chaos->config.host = STR("http://management.test");
}

void chaos_management_close(struct chaos *chaos)
{
    http_server_free(chaos->management);
    collection_done(&chaos->clusters);
    collection_done(&chaos->secrets);
}

void chaos_management_rotate(struct chaos *chaos, size_t index)
{
    chaos->workload_clusters[index].token++;
    collection_change(&chaos->secrets, index);
}
