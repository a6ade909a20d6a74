/*
 * A Cluster that is replaced by another one of its name, over real sockets: the new cluster gets
 * everything, the old one nothing more, and what is recorded is true of the new one.
 *
 * The scenarios CRS-15 have the same in virtual time. Here the moments are those of sockets.
 * Several Clusters are replaced at a time, because the ClusterCache looks at each once a second.
 */
#include <stdio.h>

#include "app/controller_manager.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/base64.h"
#include "base/log.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "scenarios/virtual_clusters/vc_fixture.h"
#include "testing/sim.h"

#define CLUSTERS   5
#define ROUNDS     10 /* for each of them */
#define WORKLOADS  2  /* for each of them, in turn */
#define GLANCE     (20 * MILLISECOND)
#define TEST_LIMIT (150 * SECOND) /* a machine that has nothing else to do needs a tenth of it */
#define OBJECT     "/api/v1/namespaces/default/configmaps/a"
#define ADDONS     "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/"
#define SETS       ADDONS "clusterresourcesets"

struct replace_fixture;

/* One Cluster, and the workload clusters that stand behind it one after the other. */
struct replaced_cluster {
    struct replace_fixture *fixture;
    size_t number; /* from 1 */
    struct vc_fixture_user workloads[WORKLOADS];
    char target[128], binding[128];
};

struct replace_fixture {
    struct vc_fixture servers;
    struct vc_fixture_user admin;
    struct replaced_cluster clusters[CLUSTERS];
    struct controller_manager *controllers;
    struct scope running;
    struct buf log;
};

static void on_line(void *data, struct str line)
{
    struct replace_fixture *fixture = data;
    buf_add(&fixture->log, line);
}

static struct error *run_controllers(void *data)
{
    struct replace_fixture *fixture = data;
    return controller_manager_run(fixture->controllers);
}

static void put_text(struct replace_fixture *fixture, struct str text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(text, &doc));
    CHECK_OK(apiserver_put(fixture->servers.server, doc));
}

static size_t place_of(const struct replaced_cluster *cluster, size_t workload)
{
    return (cluster->number - 1) * WORKLOADS + workload;
}

/* The Cluster's kubeconfig Secret, for one of its workload clusters. */
static void put_kubeconfig(struct replaced_cluster *cluster, size_t workload)
{
    struct apiserver *server = cluster->fixture->servers.server;
    SCOPED(rest_config) config = {0};
    SCOPED(buf) token = {.secret = true};
    SCOPED(buf) text = {.secret = true};
    SCOPED(buf) secret = {.secret = true};
    const size_t place = place_of(cluster, workload);
    apiserver_cluster_token(server, place, &token);
    config.auth.token = buf_str(&token);
    config.host = arena_print(&config.arena, "https://127.0.0.1:%u/clusters/%.*s",
                              (unsigned)apiserver_port(server),
                              STR_ARG(apiserver_cluster_name(server, place)));
    config.tls.trust_pem = apiserver_authority(server);
    kubeconfig_write(&text, STR("it"), &config);
    buf_print(&secret,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
              "\"c%zu-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"c%zu\"}},\"type\":\"cluster.x-k8s.io/secret\","
              "\"data\":{\"value\":\"",
              cluster->number, cluster->number);
    base64_encode(&secret, buf_str(&text));
    buf_add(&secret, STR("\"}}"));
    put_text(cluster->fixture, buf_str(&secret));
}

static void put_cluster(struct replaced_cluster *cluster)
{
    SCOPED(buf) text = {.limit = KILOBYTE};
    buf_print(&text,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"default\",\"labels\":{\"cni\":\"yes\"}},"
              "\"spec\":{},\"status\":{\"initialization\":{\"infrastructureProvisioned\":true,"
              "\"controlPlaneInitialized\":true}}}",
              cluster->number);
    put_text(cluster->fixture, buf_str(&text));
}

static void open_cluster(struct replace_fixture *fixture, size_t number)
{
    struct replaced_cluster *cluster = &fixture->clusters[number - 1];
    cluster->fixture = fixture;
    cluster->number = number;
    snprintf(cluster->target, sizeof cluster->target,
             "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/c%zu", number);
    snprintf(cluster->binding, sizeof cluster->binding, ADDONS "clusterresourcesetbindings/c%zu",
             number);
    for (size_t i = 0; i < WORKLOADS; i++) {
        SCOPED(buf) name = {.limit = KILOBYTE};
        buf_add(&name, apiserver_cluster_name(fixture->servers.server, place_of(cluster, i)));
        vc_fixture_admin(&fixture->servers, buf_c(&name), &cluster->workloads[i]);
    }
}

static void replace_fixture_init(struct replace_fixture *fixture)
{
    struct apiserver_options options = {.host = STR("127.0.0.1"),
                                        .virtual_clusters = (size_t)CLUSTERS * WORKLOADS};
    *fixture = (struct replace_fixture){0};
    log_set_sink(on_line, fixture);
    fixture->servers =
        (struct vc_fixture){.network = tcp_network_new(loop_current()), .tls = tls_context_new()};
    options.network = fixture->servers.network;
    standalone_add_kinds(&options);
    CHECK_OK(apiserver_new(loop_current(), &options, &fixture->servers.server));
    vc_fixture_admin(&fixture->servers, VC_FIXTURE_MAIN, &fixture->admin);
    for (size_t i = 1; i <= CLUSTERS; i++)
        open_cluster(fixture, i);
    const struct controller_manager_options controllers = {
        .config = &fixture->admin.config,
        .network = fixture->servers.network,
        .tls = fixture->servers.tls,
        .user_agent = STR("corset/v1 (linux)"),
    };
    CHECK_OK(controller_manager_new(loop_current(), &controllers, &fixture->controllers));
    scope_start(&fixture->running, "controllers", run_controllers, fixture);
}

static void replace_fixture_done(struct replace_fixture *fixture)
{
    scope_done(&fixture->running);
    controller_manager_free(fixture->controllers);
    for (size_t i = 0; i < CLUSTERS; i++)
        for (size_t w = 0; w < WORKLOADS; w++)
            vc_fixture_user_done(&fixture->clusters[i].workloads[w]);
    vc_fixture_user_done(&fixture->admin);
    vc_fixture_done(&fixture->servers);
    log_set_sink(NULL, NULL);
    buf_done(&fixture->log);
}

static void make_set(struct replace_fixture *fixture)
{
    while (vc_fixture_ask(&fixture->admin, "GET", SETS, NULL, NULL) != 200)
        CHECK_OK(fiber_sleep(GLANCE));
    put_text(fixture, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                          "\"cm1\",\"namespace\":\"default\"},\"data\":{\"a\":"
                          "\"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: "
                          "default}}\"}}"));
    CHECK_EQ(vc_fixture_ask(&fixture->admin, "POST", SETS,
                            "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                            "\"ClusterResourceSet\",\"metadata\":{\"name\":\"crs1\"},\"spec\":{"
                            "\"strategy\":\"ApplyOnce\",\"clusterSelector\":{\"matchLabels\":{"
                            "\"cni\":\"yes\"}},\"resources\":[{\"kind\":\"ConfigMap\",\"name\":"
                            "\"cm1\"}]}}",
                            NULL),
             201);
}

static bool has_object(struct replaced_cluster *cluster, size_t workload)
{
    return vc_fixture_ask(&cluster->workloads[workload], "GET", OBJECT, NULL, NULL) == 200;
}

static bool is_applied(struct replace_fixture *fixture)
{
    SCOPED(buf) answer = {.limit = MEGABYTE};
    OWNED(json_doc) doc = NULL;
    const struct json_value *condition;
    if (vc_fixture_ask(&fixture->admin, "GET", SETS "/crs1", NULL, &answer) != 200)
        return false;
    CHECK_OK(json_read(buf_str(&answer), &doc));
    JSON_FOREACH (key, condition, json_path(json_doc_root(doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("ResourcesApplied")))
            return str_eq(json_path_str(condition, "status"), STR("True"));
    return false;
}

/* The binding is not the one that had this UID, and says that the set is applied. */
static bool is_recorded(struct replaced_cluster *cluster, struct str old_uid)
{
    SCOPED(buf) answer = {.limit = MEGABYTE};
    OWNED(json_doc) doc = NULL;
    bool applied = false;
    if (vc_fixture_ask(&cluster->fixture->admin, "GET", cluster->binding, NULL, &answer) != 200)
        return false;
    CHECK_OK(json_read(buf_str(&answer), &doc));
    const struct json_value *root = json_doc_root(doc);
    return !str_eq(json_path_str(root, "metadata.uid"), old_uid) &&
           json_to_bool(json_path(root, "spec.bindings.0.resources.0.applied"), &applied) &&
           applied;
}

/* Suspends until the cluster is served and recorded; the test's deadline limits it. */
static void await_served(struct replaced_cluster *cluster, size_t workload, struct str old_uid)
{
    while (!has_object(cluster, workload) || !is_recorded(cluster, old_uid))
        CHECK_OK(fiber_sleep(GLANCE));
}

/* The Cluster goes and comes back after a while; what stands behind it has nothing. */
static void replace_cluster(struct replaced_cluster *cluster, size_t workload, bool is_secret_first,
                            duration gap)
{
    for (size_t i = 0; i < WORKLOADS; i++)
        vc_fixture_ask(&cluster->workloads[i], "DELETE", OBJECT, NULL, NULL);
    CHECK_EQ(vc_fixture_ask(&cluster->fixture->admin, "DELETE", cluster->target, NULL, NULL), 200);
    if (is_secret_first)
        put_kubeconfig(cluster, workload);
    if (gap)
        CHECK_OK(fiber_sleep(gap));
    if (!is_secret_first)
        put_kubeconfig(cluster, workload);
    put_cluster(cluster);
}

static struct error *replace_often(void *data)
{
    static const duration gaps[] = {
        0, MILLISECOND, 5 * MILLISECOND, 20 * MILLISECOND, 50 * MILLISECOND, 500 * MILLISECOND};
    struct replaced_cluster *cluster = data;
    size_t now = 0;
    put_kubeconfig(cluster, now);
    put_cluster(cluster);
    await_served(cluster, now, STR(""));
    for (size_t i = 0; i < ROUNDS; i++) {
        SCOPED(arena) arena = {0};
        const size_t gap = (i + cluster->number) % COUNT(gaps);
        const struct str old_uid =
            vc_fixture_look(&cluster->fixture->admin, &arena, cluster->binding, "metadata.uid");
        if (i % 3) /* else the same one again, as after kubectl replace --force */
            now = 1 - now;
        TEST_CASE("c%zu, round %zu, gap %zu, workload %zu", cluster->number, i, gap, now);
        replace_cluster(cluster, now, i % 2, gaps[gap]);
        await_served(cluster, now, old_uid);
        CHECK_EQ(has_object(cluster, 1 - now), false);
    }
    return NULL;
}

LOOP_TEST(crs_15_a_cluster_replaced_over_sockets_gets_everything)
{
    FIBER_TIMEOUT(TEST_LIMIT);
    SCOPED(replace_fixture) fixture;
    SCOPED(scope) users = {0};
    replace_fixture_init(&fixture);
    make_set(&fixture);
    for (size_t i = 0; i < CLUSTERS; i++)
        scope_start(&users, "a user", replace_often, &fixture.clusters[i]);
    CHECK_OK(scope_wait(&users));
    while (!is_applied(&fixture))
        CHECK_OK(fiber_sleep(GLANCE));
}
