#include <stdlib.h>

#include "base/memory.h"
#include "client/client.h"
#include "scenarios/clustercache/cc_fixture.h"

SIM_TEST(cc_05_nothing_happens_before_the_infrastructure_is_there)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    cc_fixture_cluster(&fixture, "c", false);
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_EQ(clustercache_count(fixture.cache), (size_t)1);
    CHECK(!cc_fixture_is_connected(&fixture));
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
    CHECK(cc_fixture_logged(&fixture,
                            "Can't connect yet, Cluster infrastructure is not provisioned"));
}

static void check_down(struct cc_fixture *fixture)
{
    OWNED(cluster_connection) connection = NULL;
    const struct clustercache_watch watch = {.name = STR("w"), .gvk = CC_FIXTURE_NODE};
    CHECK_FAILS(clustercache_get_client(fixture->cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED,
                "error getting client: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_reader(fixture->cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED,
                "error getting client reader: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_uncached_client(fixture->cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED,
                "error getting uncached client: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_get_rest_config(fixture->cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED,
                "error getting REST config: connection to the workload cluster is down");
    CHECK_FAILS(clustercache_watch(fixture->cache, CC_FIXTURE_KEY, &watch), ERROR_NOT_CONNECTED,
                "error creating watch w for Node: connection to the workload cluster is down");
}

SIM_TEST(cc_06_a_cluster_nobody_knows)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    check_down(&fixture);
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(health.last_probe, 0);
    CHECK_EQ(health.last_success, 0);
    CHECK_EQ(health.last_success_wall, 0);
    CHECK_EQ(health.failures, 0U);
}

SIM_TEST(cc_07_connects)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "1");
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)1);
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK(health.last_probe > 0 && health.last_probe == health.last_success);
    CHECK(health.last_probe_wall > SIM_EPOCH);
    CHECK_EQ(health.failures, 0U);
    CHECK(cc_fixture_logged(&fixture, "\"Connected\""));
    CHECK(cc_fixture_logged(&fixture, "duration="));
    TEST_CASE("what the server sees");
    CHECK_EQ(buf_str(&fixture.asked), STR("GET /?timeout=5s\nGET /api?timeout=10s\nGET "
                                          "/apis?timeout=10s\nGET /api/v1/namespaces/"
                                          "kube-system?timeout=10s\n"));
}

SIM_TEST(cc_08_without_a_secret_it_fails)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_fail_to_connect(&fixture);
    CHECK(cc_fixture_logged(&fixture,
                            "error creating REST config: error getting kubeconfig secret: Secret "
                            "\\\"c-kubeconfig\\\" not found"));
    CHECK(cc_fixture_logged(&fixture, "\"Connect failed\""));
    CHECK(cc_fixture_logged(&fixture, "Requeuing after 29.9s (connection creation failed)") ||
          cc_fixture_logged(&fixture, "Requeuing after 30s (connection creation failed)"));
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(health.failures, 1U);
    CHECK(health.last_probe > 0);
    CHECK_EQ(health.last_success, 0);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "0");
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)1);
}

/* A Secret that comes is another matter: new_cluster_test.c. */
SIM_TEST(cc_09_a_failed_attempt_is_not_repeated_at_once)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    fixture.status = 503;
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    cc_fixture_forget(&fixture);
    fixture.status = 0;
    const duration delay = cc_fixture_reconcile(&fixture);
    CHECK(delay >= 28 * SECOND && delay <= 30 * SECOND);
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK(cc_fixture_logged(&fixture, "as connection creation already failed within the last 30s"));
}

SIM_TEST(cc_10_but_30_s_later)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    fixture.status = 503;
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    fixture.status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 30 * SECOND), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
}

SIM_TEST(cc_11_a_secret_without_a_value)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_SECRETS "/c-kubeconfig",
                  "{\"data\":{\"value\":null,\"a\":\"YQ==\"}}");
    cc_fixture_settle();
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    CHECK(cc_fixture_logged(&fixture,
                            "error creating REST config: error getting kubeconfig secret: missing "
                            "key \\\"value\\\" in secret data"));
}

/* The connect with this kubeconfig fails with this error. */
static void check_refused(struct cc_fixture *fixture, const char *kubeconfig, const char *text)
{
    cc_fixture_forget(fixture);
    cc_fixture_secret(fixture, "c", kubeconfig);
    cc_fixture_check_delay(cc_fixture_reconcile_after(fixture, 31 * SECOND), 30 * SECOND);
    if (!cc_fixture_logged(fixture, text))
        test_fail(TEST_PLACE("log"), "%.*s", STR_ARG(buf_str(&fixture->log)));
}

SIM_TEST(cc_12_a_path_the_server_does_not_have)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_grow_old(&fixture);
    OWNED_PTR char *kubeconfig = cc_fixture_kubeconfig(CC_FIXTURE_HOST "/nowhere", "one");
    check_refused(&fixture, kubeconfig,
                  "error creating HTTP client and mapper: cluster is not reachable: the server "
                  "could not find the requested resource");
    CHECK_EQ(cc_fixture_count(&fixture, "GET /nowhere/?timeout=5s\n"), (size_t)1);
    TEST_CASE("a 401 is a failure like others here");
    fixture.wants = "two";
    OWNED_PTR char *other = cc_fixture_kubeconfig(CC_FIXTURE_HOST, "one");
    check_refused(&fixture, other,
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
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_grow_old(&fixture);
    check_refused(&fixture, CONFIG("https://workload.test", EXEC),
                  "error creating REST config: ExecProvider is not supported in ClusterCache");
    check_refused(&fixture, CONFIG("http://workload.test", EXEC),
                  "ExecProvider is not supported in ClusterCache");
    check_refused(&fixture, CONFIG("https://workload.test", "\"auth-provider\":{\"name\":\"gcp\"}"),
                  "error creating REST config: AuthProvider is not supported in ClusterCache");
    check_refused(&fixture, CONFIG("https://workload.test", "\"tokenFile\":\"/etc/hostname\""),
                  "error creating REST config: error parsing kubeconfig: invalid configuration: ");
    TEST_CASE("an exec that is malformed is no kubeconfig");
    check_refused(&fixture,
                  CONFIG("https://workload.test", "\"exec\":{\"command\":\"/bin/false\"}"),
                  "error creating REST config: error parsing kubeconfig: ");
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 5U);
}

SIM_TEST(cc_14_what_is_no_kubeconfig)
{
    static const char prefix[] = "error creating REST config: error parsing kubeconfig: ";
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_grow_old(&fixture);
    check_refused(&fixture, "\x01\x02 this: [is not", prefix);
    check_refused(&fixture, "{\"apiVersion\":\"v1\",\"kind\":\"Config\"}", prefix);
    check_refused(&fixture, "", prefix);
}

SIM_TEST(cc_15_a_connection_that_is_there_is_not_made_again)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct cluster_connection *before = cc_fixture_accessor(&fixture)->connection;
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    for (int i = 0; i < 5; i++)
        CHECK(cc_fixture_reconcile_after(&fixture, SECOND) > 0);
    CHECK(cc_fixture_accessor(&fixture)->connection == before);
    CHECK_EQ(fixture.asked.len, (size_t)0);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).last_probe, health.last_probe);
}

SIM_TEST(cc_16_indexes_are_synced_before_anybody_sees_the_connection)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", "a");
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.indexes = &cc_fixture_node_index;
    options.index_count = 1;
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK_EQ(cc_fixture_count(&fixture, "/api/v1/nodes?watch=true"), (size_t)1);
    CHECK_EQ(fixture.streams, (size_t)1);
    clustercache_free(TAKE(fixture.cache));

    TEST_CASE("a server that does not deliver");
    cc_fixture_forget(&fixture);
    fixture.status = 503;
    fixture.part = "/nodes";
    options.timing.sync_timeout = 20 * SECOND;
    cc_fixture_start(&fixture, &options);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    CHECK(cc_fixture_logged(&fixture,
                            "error when waiting for cache to sync: context deadline exceeded"));
    cc_fixture_settle();
    CHECK_EQ(fixture.streams, (size_t)0);
    clustercache_free(TAKE(fixture.cache));

    TEST_CASE("no index, no list and no watch");
    cc_fixture_forget(&fixture);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK_EQ(cc_fixture_count(&fixture, "nodes"), (size_t)0);
}

SIM_TEST(cc_17_a_server_without_nodes)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    fixture.status = 404;
    fixture.part = "/api";
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    CHECK(cc_fixture_logged(&fixture,
                            "error creating HTTP client and mapper: error getting REST mapping: "));
}

SIM_TEST(cc_18_does_it_run_on_the_cluster_itself)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_do(&fixture, "POST", CC_FIXTURE_WORKLOAD "/api/v1/namespaces/default/pods",
                  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
                  "\"containers\":[{\"name\":\"a\",\"image\":\"a\"}]}}");
    SCOPED(arena) arena = {0};
    const struct str uid = arena_str(
        &arena, json_to_str(json_get(
                    json_get(json_doc_root(fixture.apiserver.doc), STR("metadata")), STR("uid"))));
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
        struct clustercache_options options = cc_fixture_options(&fixture);
        options.pod_namespace = cases[i].namespace;
        options.pod_name = cases[i].pod;
        options.pod_uid = cases[i].uid;
        cc_fixture_forget(&fixture);
        cc_fixture_start(&fixture, &options);
        cc_fixture_ready(&fixture);
        /* Outside of a cluster there is no other server to go to. */
        cc_fixture_check_delay(cc_fixture_reconcile(&fixture),
                               cases[i].is_on ? 30 * SECOND : 10 * SECOND);
        CHECK_EQ(cc_fixture_logged(&fixture, "error getting in-cluster REST config: "),
                 cases[i].is_on);
        clustercache_free(TAKE(fixture.cache));
    }
    TEST_CASE("a refusal is a failure");
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.pod_namespace = options.pod_name = options.pod_uid = STR("x");
    fixture.status = 403;
    fixture.part = "/pods/";
    cc_fixture_start(&fixture, &options);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    CHECK(cc_fixture_logged(&fixture, "error checking if we're running on workload cluster: "));
}

SIM_TEST(cc_29_a_cluster_that_is_gone_leaves_nothing)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    fixture.status = 400;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)4);
    OWNED(cluster_connection) connection = NULL;
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_EQ(clustercache_count(fixture.cache), (size_t)0);
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)0);
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
    CHECK(cc_fixture_logged(&fixture, "\"Cluster has been deleted, disconnecting\""));
    check_down(&fixture);
    TEST_CASE("a reference is still safe to use");
    OWNED(object) node = NULL;
    CHECK(!cluster_connection_is_connected(connection));
    CHECK_ERROR(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n"), &node),
                ERROR_NOT_CONNECTED);
    fixture.status = 0;
    CHECK_ERROR(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                           KEY("", "n"), NULL, &node),
                ERROR_NOT_FOUND);
}

SIM_TEST(cc_29_a_probe_that_ends_later_brings_no_series_back)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK_OK(fiber_sleep(10 * SECOND));
    fixture.hangs = true;
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(fixture.cache, CC_FIXTURE_KEY, &result));
    CHECK(cc_fixture_accessor(&fixture)->is_probing);
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
    TEST_CASE("nor does a connect");
    cc_fixture_cluster(&fixture, "c", true);
    CHECK_OK(clustercache_reconcile(fixture.cache, CC_FIXTURE_KEY, &result));
    CHECK(cc_fixture_accessor(&fixture)->is_connecting);
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)0);
}

SIM_TEST(cc_30_a_cluster_that_cannot_be_read)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    /* A cache that is not synced: what it does not have may well be there. */
    OWNED(cache_set) other = cache_set_new(loop_current(), fixture.client);
    fixture.cache->config->options.clusters =
        cache_set_get(other, &(struct cache_options){.gvr = GVR("none", "v1", "clusters")});
    const struct clustercache_health health =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 20 * SECOND), 10 * SECOND);
    CHECK(cc_fixture_logged(&fixture, "Requeuing after 10s (error getting Cluster object)"));
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).last_probe, health.last_probe);
    CHECK_EQ(fixture.asked.len, (size_t)0);
}

SIM_TEST(another_cluster_of_the_same_name_begins_anew)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 400;
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    fixture.status = 0;
    cc_fixture_remove_cluster(&fixture, "c");
    cc_fixture_cluster(&fixture, "c", true);
    const struct cluster_connection *before = cc_fixture_accessor(&fixture)->connection;
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK(cc_fixture_accessor(&fixture)->connection != before);
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
    CHECK_EQ(cc_fixture_series(&fixture), (size_t)1);
}

SIM_TEST(a_private_key_is_made_once_where_it_is_asked_for)
{
    SCOPED(cc_fixture) fixture;
    struct str pem, again;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.private_keys = true;
    cc_fixture_start(&fixture, &options);
    CHECK_FAILS(clustercache_get_private_key(fixture.cache, CC_FIXTURE_KEY, &pem), ERROR_NOT_FOUND,
                "error getting client certificate private key: private key was not generated yet");
    cc_fixture_cluster(&fixture, "c", false);
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_OK(clustercache_get_private_key(fixture.cache, CC_FIXTURE_KEY, &pem));
    CHECK_EQ(pem.len, (size_t)0);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_private_key(fixture.cache, CC_FIXTURE_KEY, &pem));
    CHECK(str_starts_with(pem, STR("-----BEGIN PRIVATE KEY-----")));
    fixture.wants = "two";
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    fixture.wants = NULL;
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK_OK(clustercache_get_private_key(fixture.cache, CC_FIXTURE_KEY, &again));
    CHECK_EQ(pem, again);
}

/* All workload clusters share the series, which stay when a cluster goes. */
SIM_TEST(requests_to_workload_clusters_are_counted_together)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const char *good =
        "rest_client_requests_total{code=\"200\",host=\"workload-clusters\",method=\"GET\"}";
    const char *bad =
        "rest_client_requests_total{code=\"503\",host=\"workload-clusters\",method=\"GET\"}";
    const long before = strtol(cc_fixture_metric(&fixture, good), NULL, 10);
    CHECK(before > 0);
    CHECK_EQ(cc_fixture_metric(&fixture, bad), "-");
    cc_fixture_reconcile_after(&fixture, 10 * SECOND);
    CHECK_EQ(strtol(cc_fixture_metric(&fixture, good), NULL, 10), before + 1);
    fixture.status = 503;
    cc_fixture_reconcile_after(&fixture, 10 * SECOND);
    CHECK_EQ(cc_fixture_metric(&fixture, bad), "1");
    cc_fixture_remove_cluster(&fixture, "c");
    cc_fixture_reconcile(&fixture);
    CHECK_EQ(cc_fixture_metric(&fixture, bad), "1");
}
