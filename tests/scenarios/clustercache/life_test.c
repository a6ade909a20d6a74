#include "base/memory.h"
#include "client/client.h"
#include "scenarios/clustercache/rig.h"

SIM_TEST(cc_05_nothing_happens_before_the_infrastructure_is_there)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_credentials(&rig, RIG_HOST, "one");
    rig_cluster(&rig, "c", false);
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_EQ(clustercache_count(rig.cache), (size_t)1);
    CHECK(!rig_is_connected(&rig));
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK_EQ(rig_series(&rig), (size_t)0);
    CHECK(rig_logged(&rig, "Can't connect yet, Cluster infrastructure is not provisioned"));
}

static void check_down(struct rig *rig)
{
    OWNED(cluster_connection) connection = NULL;
    const struct clustercache_watch watch = {.name = STR("w"), .gvk = RIG_NODE};
    CHECK_FAILS(clustercache_get_client(rig->cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED,
                "error getting client: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_reader(rig->cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED,
                "error getting client reader: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_uncached_client(rig->cache, RIG_KEY, &connection),
                ERROR_NOT_CONNECTED,
                "error getting uncached client: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_rest_config(rig->cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED,
                "error getting REST config: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_watch(rig->cache, RIG_KEY, &watch), ERROR_NOT_CONNECTED,
                "error creating watch w for Node: connection to the workload cluster is down");
}

SIM_TEST(cc_06_a_cluster_nobody_knows)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    check_down(&rig);
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK_EQ(health.last_probe, 0);
    CHECK_EQ(health.last_success, 0);
    CHECK_EQ(health.last_success_wall, 0);
    CHECK_EQ(health.failures, 0U);
}

SIM_TEST(cc_07_connects)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(rig_metric(&rig, RIG_UP), "1");
    CHECK_EQ(rig_series(&rig), (size_t)1);
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK(health.last_probe > 0 && health.last_probe == health.last_success);
    CHECK(health.last_probe_wall > SIM_EPOCH);
    CHECK_EQ(health.failures, 0U);
    CHECK(rig_logged(&rig, "\"Connected\""));
    CHECK(rig_logged(&rig, "duration="));
    TEST_CASE("what the server sees");
    CHECK_EQ(buf_str(&rig.asked), STR("GET /?timeout=5s\nGET /api?timeout=10s\nGET "
                                      "/apis?timeout=10s\n"));
}

SIM_TEST(cc_08_without_a_secret_it_fails)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_fail_to_connect(&rig);
    CHECK(rig_logged(&rig, "error creating REST config: error getting kubeconfig secret: Secret "
                           "\\\"c-kubeconfig\\\" not found"));
    CHECK(rig_logged(&rig, "\"Connect failed\""));
    CHECK(rig_logged(&rig, "Requeuing after 29.9s (connection creation failed)") ||
          rig_logged(&rig, "Requeuing after 30s (connection creation failed)"));
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK_EQ(health.failures, 1U);
    CHECK(health.last_probe > 0);
    CHECK_EQ(health.last_success, 0);
    CHECK_EQ(rig_metric(&rig, RIG_UP), "0");
    CHECK_EQ(rig_series(&rig), (size_t)1);
}

SIM_TEST(cc_09_a_failed_attempt_is_not_repeated_at_once)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_fail_to_connect(&rig);
    rig_credentials(&rig, RIG_HOST, "one");
    const duration delay = rig_reconcile(&rig);
    CHECK(delay >= 28 * SECOND && delay <= 30 * SECOND);
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK(rig_logged(&rig, "as connection creation already failed within the last 30s"));
}

SIM_TEST(cc_10_but_30_s_later)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_fail_to_connect(&rig);
    rig_credentials(&rig, RIG_HOST, "one");
    rig_check_delay(rig_reconcile_after(&rig, 30 * SECOND), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
}

SIM_TEST(cc_11_a_secret_without_a_value)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig_do(&rig, "PATCH", RIG_SECRETS "/c-kubeconfig",
           "{\"data\":{\"value\":null,\"a\":\"YQ==\"}}");
    rig_settle();
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND);
    CHECK(rig_logged(&rig, "error creating REST config: error getting kubeconfig secret: missing "
                           "key \\\"value\\\" in secret data"));
}

/* The connect with this kubeconfig fails with this error. */
static void check_refused(struct rig *rig, const char *kubeconfig, const char *text)
{
    rig_forget(rig);
    rig_secret(rig, "c", kubeconfig);
    rig_check_delay(rig_reconcile_after(rig, 31 * SECOND), 30 * SECOND);
    if (!rig_logged(rig, text))
        test_fail(TEST_PLACE("log"), "%.*s", STR_ARG(buf_str(&rig->log)));
}

SIM_TEST(cc_12_a_path_the_server_does_not_have)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_cluster(&rig, "c", true);
    OWNED_PTR char *kubeconfig = rig_kubeconfig(RIG_HOST "/nowhere", "one");
    check_refused(&rig, kubeconfig,
                  "error creating HTTP client and mapper: cluster is not reachable: the server "
                  "could not find the requested resource");
    CHECK_EQ(rig_count(&rig, "GET /nowhere/?timeout=5s\n"), (size_t)1);
    TEST_CASE("a 401 is a failure like others here");
    rig.wants = "two";
    OWNED_PTR char *other = rig_kubeconfig(RIG_HOST, "one");
    check_refused(&rig, other,
                  "cluster is not reachable: the server has asked for the client to provide "
                  "credentials");
}

#define CONFIG(server, user)                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\",\"clusters\":[{" \
    "\"name\":\"c\",\"cluster\":{\"server\":\"" server                                     \
    "\"}}],\"users\":[{\"name\":\"u\",\"user\":"                                           \
    "{" user "}}],\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}]}"
#define EXEC                                                                      \
    "\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"command\":\"" \
    "/bin/false\",\"interactiveMode\":\"Never\"}"

SIM_TEST(cc_13_programs_and_files_of_this_machine_are_refused)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_cluster(&rig, "c", true);
    check_refused(&rig, CONFIG("https://workload.test", EXEC),
                  "error creating REST config: ExecProvider is not supported in ClusterCache");
    check_refused(&rig, CONFIG("http://workload.test", EXEC),
                  "ExecProvider is not supported in ClusterCache");
    check_refused(&rig, CONFIG("https://workload.test", "\"auth-provider\":{\"name\":\"gcp\"}"),
                  "error creating REST config: AuthProvider is not supported in ClusterCache");
    check_refused(&rig, CONFIG("https://workload.test", "\"tokenFile\":\"/etc/hostname\""),
                  "error creating REST config: error parsing kubeconfig: invalid configuration: ");
    TEST_CASE("an exec that is malformed is no kubeconfig");
    check_refused(&rig, CONFIG("https://workload.test", "\"exec\":{\"command\":\"/bin/false\"}"),
                  "error creating REST config: error parsing kubeconfig: ");
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 5U);
}

SIM_TEST(cc_14_what_is_no_kubeconfig)
{
    static const char prefix[] = "error creating REST config: error parsing kubeconfig: ";
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_cluster(&rig, "c", true);
    check_refused(&rig, "\x01\x02 this: [is not", prefix);
    check_refused(&rig, "{\"apiVersion\":\"v1\",\"kind\":\"Config\"}", prefix);
    check_refused(&rig, "", prefix);
}

SIM_TEST(cc_15_a_connection_that_is_there_is_not_made_again)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    const struct cluster_connection *before = rig_accessor(&rig)->connection;
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    for (int i = 0; i < 5; i++)
        CHECK(rig_reconcile_after(&rig, SECOND) > 0);
    CHECK(rig_accessor(&rig)->connection == before);
    CHECK_EQ(rig.asked.len, (size_t)0);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).last_probe, health.last_probe);
}

SIM_TEST(cc_16_indexes_are_synced_before_anybody_sees_the_connection)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_node(&rig, "n1", "a");
    struct clustercache_options options = rig_options(&rig);
    options.indexes = &rig_node_index;
    options.index_count = 1;
    rig_start(&rig, &options);
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK_EQ(rig_count(&rig, "/api/v1/nodes?watch=true"), (size_t)1);
    CHECK_EQ(rig.streams, (size_t)1);
    clustercache_free(TAKE(rig.cache));

    TEST_CASE("a server that does not deliver");
    rig_forget(&rig);
    rig.status = 503;
    rig.part = "/nodes";
    options.timing.sync_timeout = 20 * SECOND;
    rig_start(&rig, &options);
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND);
    CHECK(rig_logged(&rig, "error when waiting for cache to sync: context deadline exceeded"));
    rig_settle();
    CHECK_EQ(rig.streams, (size_t)0);
    clustercache_free(TAKE(rig.cache));

    TEST_CASE("no index, no list and no watch");
    rig_forget(&rig);
    rig_start(&rig, NULL);
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK_EQ(rig_count(&rig, "nodes"), (size_t)0);
}

SIM_TEST(cc_17_a_server_without_nodes)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig.status = 404;
    rig.part = "/api";
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND);
    CHECK(rig_logged(&rig, "error creating HTTP client and mapper: error getting REST mapping: "));
}

SIM_TEST(cc_18_does_it_run_on_the_cluster_itself)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_do(&rig, "POST", RIG_WORKLOAD "/api/v1/namespaces/default/pods",
           "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
           "\"containers\":[{\"name\":\"a\",\"image\":\"a\"}]}}");
    SCOPED(arena) arena = {0};
    const struct str uid = arena_str(
        &arena,
        json_to_str(json_get(json_get(json_doc_root(rig.desk.doc), STR("metadata")), STR("uid"))));
    const struct {
        const char *name;
        struct str namespace, pod, uid;
        bool is_on;
    } cases[] = {
        {"the same",          STR("default"),     STR("p"), uid,      true },
        {"another name",      STR("default"),     STR("q"), uid,      false},
        {"another namespace", STR("kube-system"), STR("p"), uid,      false},
        {"another uid",       STR("default"),     STR("p"), STR("x"), false},
        {"no metadata",       STR("default"),     STR("p"), STR(""),  false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct clustercache_options options = rig_options(&rig);
        options.pod_namespace = cases[i].namespace;
        options.pod_name = cases[i].pod;
        options.pod_uid = cases[i].uid;
        rig_forget(&rig);
        rig_start(&rig, &options);
        rig_ready(&rig);
        /* Outside of a cluster there is no other server to go to. */
        rig_check_delay(rig_reconcile(&rig), cases[i].is_on ? 30 * SECOND : 10 * SECOND);
        CHECK_EQ(rig_logged(&rig, "error getting in-cluster REST config: "), cases[i].is_on);
        clustercache_free(TAKE(rig.cache));
    }
    TEST_CASE("a refusal is a failure");
    struct clustercache_options options = rig_options(&rig);
    options.pod_namespace = options.pod_name = options.pod_uid = STR("x");
    rig.status = 403;
    rig.part = "/pods/";
    rig_start(&rig, &options);
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND);
    CHECK(rig_logged(&rig, "error checking if we're running on workload cluster: "));
}

SIM_TEST(cc_29_a_cluster_that_is_gone_leaves_nothing)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    rig.status = 400;
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(rig_series(&rig), (size_t)4);
    OWNED(cluster_connection) connection = NULL;
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    rig_remove_cluster(&rig, "c");
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_EQ(clustercache_count(rig.cache), (size_t)0);
    CHECK_EQ(clustercache_connected(rig.cache), (size_t)0);
    CHECK_EQ(rig_series(&rig), (size_t)0);
    CHECK(rig_logged(&rig, "\"Cluster has been deleted, disconnecting\""));
    check_down(&rig);
    TEST_CASE("a reference is still safe to use");
    OWNED(object) node = NULL;
    CHECK(!cluster_connection_is_connected(connection));
    CHECK_ERROR(cluster_connection_get(connection, RIG_NODE, KEY("", "n"), &node),
                ERROR_NOT_CONNECTED);
    rig.status = 0;
    CHECK_ERROR(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                           KEY("", "n"), NULL, &node),
                ERROR_NOT_FOUND);
}

SIM_TEST(cc_29_a_probe_that_ends_later_brings_no_series_back)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK_OK(fiber_sleep(10 * SECOND));
    rig.hangs = true;
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(rig.cache, RIG_KEY, &result));
    CHECK(rig_accessor(&rig)->is_probing);
    rig_remove_cluster(&rig, "c");
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig_series(&rig), (size_t)0);
    TEST_CASE("nor does a connect");
    rig_cluster(&rig, "c", true);
    CHECK_OK(clustercache_reconcile(rig.cache, RIG_KEY, &result));
    CHECK(rig_accessor(&rig)->is_connecting);
    rig_remove_cluster(&rig, "c");
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig_series(&rig), (size_t)0);
}

SIM_TEST(cc_30_a_cluster_that_cannot_be_read)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    /* A cache that is not synced: what it does not have may well be there. */
    OWNED(cache_set) other = cache_set_new(loop_current(), rig.client);
    rig.cache->config->options.clusters =
        cache_set_get(other, &(struct cache_options){.gvr = GVR("none", "v1", "clusters")});
    const struct clustercache_health health = clustercache_get_health(rig.cache, RIG_KEY);
    CHECK_EQ(rig_reconcile_after(&rig, 20 * SECOND), 10 * SECOND);
    CHECK(rig_logged(&rig, "Requeuing after 10s (error getting Cluster object)"));
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).last_probe, health.last_probe);
    CHECK_EQ(rig.asked.len, (size_t)0);
}

SIM_TEST(another_cluster_of_the_same_name_begins_anew)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    rig.status = 400;
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    rig.status = 0;
    rig_remove_cluster(&rig, "c");
    rig_cluster(&rig, "c", true);
    const struct cluster_connection *before = rig_accessor(&rig)->connection;
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK(rig_is_connected(&rig));
    CHECK(rig_accessor(&rig)->connection != before);
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
    CHECK_EQ(rig_series(&rig), (size_t)1);
}

SIM_TEST(a_private_key_is_made_once_where_it_is_asked_for)
{
    SCOPED(rig) rig;
    struct str pem, again;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.private_keys = true;
    rig_start(&rig, &options);
    CHECK_FAILS(clustercache_get_private_key(rig.cache, RIG_KEY, &pem), ERROR_NOT_FOUND,
                "error getting client certificate private key: private key was not generated yet");
    rig_cluster(&rig, "c", false);
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_OK(clustercache_get_private_key(rig.cache, RIG_KEY, &pem));
    CHECK_EQ(pem.len, (size_t)0);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_private_key(rig.cache, RIG_KEY, &pem));
    CHECK(str_starts_with(pem, STR("-----BEGIN PRIVATE KEY-----")));
    rig.wants = "two";
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), MILLISECOND);
    rig.wants = NULL;
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK_OK(clustercache_get_private_key(rig.cache, RIG_KEY, &again));
    CHECK_EQ(pem, again);
}
