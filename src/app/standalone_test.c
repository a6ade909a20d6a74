#include "app/standalone.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"

#define CLUSTERS "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters"
#define SECRETS  "/api/v1/namespaces/default/secrets"

/* A server on a real socket, and who asks it with a kubeconfig. */
struct ground {
    struct network *network;
    struct tls_context *tls;
    struct standalone *standalone;
    struct rest_config config;
    struct client *client;
    struct json_doc *doc; /* the last answer */
};

static void connect(struct ground *ground, struct str kubeconfig)
{
    client_free(TAKE(ground->client));
    rest_config_done(&ground->config);
    ground->config = (struct rest_config){0};
    CHECK_OK(kubeconfig_read(kubeconfig, STR(""), NULL, &ground->config));
    const struct client_options options = {
        .config = &ground->config, .network = ground->network, .tls = ground->tls, .qps = -1};
    ground->client = client_new(loop_current(), &options);
}

static void ground_start(struct ground *ground, const char *folder, size_t clusters)
{
    SCOPED(buf) text = {.secret = true};
    const struct apiserver_options options = {
        .network = ground->network,
        .host = STR("0.0.0.0"),
        .folder = folder,
        .virtual_clusters = clusters,
    };
    CHECK_OK(standalone_new(loop_current(), &options, &ground->standalone));
    standalone_admin_kubeconfig(ground->standalone, &text);
    connect(ground, buf_str(&text));
}

static void ground_init(struct ground *ground)
{
    *ground = (struct ground){.network = tcp_network_new(loop_current()), .tls = tls_context_new()};
}

static void ground_stop(struct ground *ground)
{
    client_free(TAKE(ground->client));
    rest_config_done(&ground->config);
    ground->config = (struct rest_config){0};
    standalone_free(TAKE(ground->standalone));
}

static void ground_done(struct ground *ground)
{
    ground_stop(ground);
    json_doc_free(ground->doc);
    tls_context_free(ground->tls);
    network_free(ground->network);
}

/* The status; the answer is in the ground. */
static int ask(struct ground *ground, const char *method, const char *target, struct str body)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) answer = {.limit = 16 * MEGABYTE};
    struct client_raw_answer result = {0};
    const bool is_patch = strcmp(method, "PATCH") == 0;
    const struct client_raw_request request = {
        .method = str_from_c(method),
        .path = str_from_c(target),
        .content_type = is_patch ? STR("application/merge-patch+json") : STR("application/json"),
        .body = body,
    };
    OWNED(error) err = client_raw(ground->client, &request, &arena, &answer, &result);
    if (err)
        return status_http_status(err);
    json_doc_free(TAKE(ground->doc));
    CHECK_OK(json_read(buf_str(&answer), &ground->doc));
    return result.status;
}

static struct str look(struct ground *ground, const char *target, const char *path)
{
    CHECK_EQ(ask(ground, "GET", target, STR("")), 200);
    return json_path_str(json_doc_root(ground->doc), path);
}

static bool is_true(const struct ground *ground, const char *path)
{
    bool truth = false;
    return json_to_bool(json_path(json_doc_root(ground->doc), path), &truth) && truth;
}

LOOP_TEST(standalone_registers_its_virtual_clusters)
{
    SCOPED(ground) ground;
    SCOPED(buf) kubeconfig = {.secret = true};
    ground_init(&ground);
    ground_start(&ground, NULL, 3);
    CHECK_CONTAINS(standalone_url(ground.standalone), STR("https://127.0.0.1:"));

    CHECK_EQ(ask(&ground, "GET", CLUSTERS, STR("")), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(ground.doc), "items")), (size_t)3);
    CHECK_EQ(look(&ground, CLUSTERS "/vc-0002", "metadata.name"), STR("vc-0002"));
    const struct json_value *labels = json_path(json_doc_root(ground.doc), "metadata.labels");
    CHECK_EQ(json_to_str(json_get(labels, STANDALONE_VIRTUAL_LABEL)), STR("true"));
    CHECK(is_true(&ground, "status.initialization.infrastructureProvisioned"));
    CHECK(is_true(&ground, "status.initialization.controlPlaneInitialized"));

    TEST_CASE("its schema has nothing against it");
    SCOPED(buf) same = {.limit = 0};
    json_write(&same, json_doc_root(ground.doc));
    CHECK_EQ(ask(&ground, "PUT", CLUSTERS "/vc-0002", buf_str(&same)), 200);
    CHECK_EQ(ask(&ground, "PUT", CLUSTERS "/vc-0002/status", buf_str(&same)), 200);

    TEST_CASE("the way in");
    CHECK_EQ(look(&ground, SECRETS "/vc-0002-kubeconfig", "type"), STR("cluster.x-k8s.io/secret"));
    labels = json_path(json_doc_root(ground.doc), "metadata.labels");
    CHECK_EQ(json_to_str(json_get(labels, STR("cluster.x-k8s.io/cluster-name"))), STR("vc-0002"));
    CHECK_OK(base64_decode(&kubeconfig, json_path_str(json_doc_root(ground.doc), "data.value")));
    connect(&ground, buf_str(&kubeconfig));
    CHECK_EQ(look(&ground, "/api/v1/namespaces/default", "metadata.name"), STR("default"));
    CHECK_EQ(ask(&ground, "GET", "/apis/addons.cluster.x-k8s.io/v1beta2", STR("")), 404);
}

LOOP_TEST(standalone_finds_its_clusters_again)
{
    SCOPED(ground) ground;
    SCOPED(buf) uid = {.limit = 0};
    SCOPED(buf) kubeconfig = {.secret = true};
    struct folder_fixture folder;
    folder_fixture_init(&folder);
    ground_init(&ground);
    ground_start(&ground, folder.path, 2);
    CHECK_EQ(ask(&ground, "PATCH", CLUSTERS "/vc-0001",
                 STR("{\"metadata\":{\"labels\":{\"cni\":\"calico\"}}}")),
             200);
    buf_add(&uid, look(&ground, CLUSTERS "/vc-0001", "metadata.uid"));
    ground_stop(&ground);

    TEST_CASE("with what others have added, and the address of now");
    ground_start(&ground, folder.path, 3);
    CHECK_EQ(look(&ground, CLUSTERS "/vc-0001", "metadata.labels.cni"), STR("calico"));
    CHECK_EQ(look(&ground, CLUSTERS "/vc-0001", "metadata.uid"), buf_str(&uid));
    CHECK_EQ(look(&ground, CLUSTERS "/vc-0003", "metadata.name"), STR("vc-0003"));
    CHECK_OK(
        base64_decode(&kubeconfig, look(&ground, SECRETS "/vc-0001-kubeconfig", "data.value")));
    CHECK_CONTAINS(buf_str(&kubeconfig), standalone_url(ground.standalone));
    connect(&ground, buf_str(&kubeconfig));
    CHECK_EQ(look(&ground, "/api/v1/namespaces/default", "metadata.name"), STR("default"));
    ground_stop(&ground);
    folder_fixture_done(&folder);
}

LOOP_TEST(standalone_does_not_believe_bindings_of_clusters_that_are_gone)
{
    static const char bindings[] =
        "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesetbindings";
    SCOPED(ground) ground;
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    ground_init(&ground);
    ground_start(&ground, folder.path, 1);
    CHECK_EQ(ask(&ground, "POST", bindings,
                 STR("{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\","
                     "\"kind\":\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"vc-0001\"},"
                     "\"spec\":{\"clusterName\":\"vc-0001\",\"bindings\":[{"
                     "\"clusterResourceSetName\":\"a\",\"resources\":[{\"kind\":\"ConfigMap\","
                     "\"name\":\"b\",\"applied\":true}]}]}}")),
             201);
    ground_stop(&ground);
    ground_start(&ground, folder.path, 1);
    CHECK_EQ(ask(&ground, "GET", bindings, STR("")), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(ground.doc), "items")), (size_t)1);
    CHECK(!json_path(json_doc_root(ground.doc), "items.0.spec.bindings"));
}
