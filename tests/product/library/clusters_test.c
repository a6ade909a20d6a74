/* Controllers of workload clusters as processes, against an API server with virtual clusters. */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/library_fixture.h"
#include "testing/sim.h"

#define GVR_NODES GVR("", "v1", "nodes")
#define CLUSTER   KEY("default", "vc-0001")

/* An API server with virtual clusters, a controller, and a client of the first cluster. */
struct fleet {
    struct library_fixture fixture;
    struct rest_config config;
    struct client *workload;
};

static void fleet_init(struct fleet *fleet, const char *program)
{
    struct library_fixture *fixture = &fleet->fixture;
    *fleet = (struct fleet){
        .fixture = {.owners = GVR_CLUSTERS, .owner = CLUSTER}
    };
    library_fixture_start_server(fixture, "3");
    const struct kubeconfig_paths paths = {
        .file = str_from_c(folder_file(&fixture->folder, "clusters/vc-0001.kubeconfig"))};
    CHECK_OK(kubeconfig_load(&paths, NULL, &fleet->config));
    const struct client_options options = {
        .config = &fleet->config, .network = fixture->network, .tls = fixture->tls, .qps = -1};
    fleet->workload = client_new(loop_current(), &options);
    library_fixture_run(fixture, program, NULL);
}

static void fleet_done(struct fleet *fleet)
{
    client_free(fleet->workload);
    rest_config_done(&fleet->config);
    library_fixture_done(&fleet->fixture);
}

/* Until the annotation of a Cluster has this text. */
static void wait_for(struct fleet *fleet, const char *cluster, const char *key, const char *text)
{
    const struct key name = {STR("default"), str_from_c(cluster)};
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (;;) {
        struct str seen = STR("(none)");
        OWNED(object) object = library_fixture_get(&fleet->fixture, GVR_CLUSTERS, name);
        CHECK(object);
        object_find_annotation(object, str_from_c(key), &seen);
        TEST_CASE("%s: %s is %.*s", cluster, key, STR_ARG(seen));
        if (str_eq(seen, str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

static void add_node(struct fleet *fleet, const char *name, const char *zone)
{
    SCOPED(buf) yaml = {.limit = 0};
    buf_print(&yaml,
              "{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {zone: %s}},"
              " spec: {providerID: \"x://%s\"}}",
              name, zone, name);
    library_fixture_apply_to(fleet->workload, GVR_NODES, buf_str(&yaml));
}

static void set_ready(struct fleet *fleet, const char *name, const char *status)
{
    SCOPED(buf) body = {.limit = 0};
    const struct client_write_options options = {.subresource = STR("status")};
    buf_print(&body, "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}]}}",
              status);
    CHECK_OK(client_patch(fleet->workload, GVR_NODES, (struct key){STR(""), str_from_c(name)},
                          CLIENT_PATCH_MERGE, buf_str(&body), &options, NULL));
}

/* An empty text: the first cluster is well again. */
static void set_faults(struct fleet *fleet, const char *faults)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = KILOBYTE};
    struct client_raw_answer answer;
    const struct client_raw_request request = {
        .method = STR("PUT"),
        .path = STR("/debug/inject"),
        .query = STR("cluster=vc-0001"),
        .content_type = STR("text/plain"),
        .body = str_from_c(faults),
    };
    CHECK_OK(client_raw(fleet->fixture.client, &request, &arena, &body, &answer));
}

LOOP_TEST(a_controller_reads_writes_and_watches_in_all_clusters)
{
    SCOPED(fleet) fleet;
    fleet_init(&fleet, TEST_FLEET);
    wait_for(&fleet, "vc-0001", "state", "up");
    wait_for(&fleet, "vc-0002", "state", "up");
    wait_for(&fleet, "vc-0003", "state", "down"); /* filtered out: there is no connection */
    wait_for(&fleet, "vc-0003", "why",
             "Cluster default/vc-0003: error getting client reader: connection to the workload "
             "cluster is down");
    wait_for(&fleet, "vc-0001", "nodes", "0");
    wait_for(&fleet, "vc-0001", "mirror", "vc-0001");
    wait_for(&fleet, "vc-0002", "mirror", "vc-0002");
    wait_for(&fleet, "vc-0001", "config", "whole");
    wait_for(&fleet, "vc-0001", "key", "pem");
    wait_for(&fleet, "vc-0001", "health", "good");
    add_node(&fleet, "n1", "a");
    add_node(&fleet, "n2", "b");
    wait_for(&fleet, "vc-0001", "nodes", "2");
    wait_for(&fleet, "vc-0001", "zone-a", "1");
    wait_for(&fleet, "vc-0001", "probed", "yes");
    wait_for(&fleet, "vc-0001", "answers", "2 of 2");
    wait_for(&fleet, "vc-0002", "nodes", "0");
    library_fixture_apply_to(fleet.workload, GVR_CONFIG_MAPS,
                             STR("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default,"
                                 " name: note}, data: {text: hello}}"));
    wait_for(&fleet, "vc-0001", "note", "hello");
    CHECK_OK(child_stop(&fleet.fixture.controller));
}

LOOP_TEST(a_cluster_that_dies_and_comes_back_is_watched_again)
{
    SCOPED(fleet) fleet;
    fleet_init(&fleet, TEST_FLEET);
    add_node(&fleet, "n1", "a");
    wait_for(&fleet, "vc-0001", "nodes", "1");
    wait_for(&fleet, "vc-0001", "state", "up");
    set_faults(&fleet, "drop=1");
    wait_for(&fleet, "vc-0001", "state", "down");
    set_faults(&fleet, "");
    wait_for(&fleet, "vc-0001", "state", "up");
    add_node(&fleet, "n2", "a"); /* the watch of the new connection sees it */
    wait_for(&fleet, "vc-0001", "nodes", "2");
    wait_for(&fleet, "vc-0001", "zone-a", "2");
    library_fixture_apply_to(fleet.workload, GVR_CONFIG_MAPS,
                             STR("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default,"
                                 " name: note}, data: {text: again}}"));
    wait_for(&fleet, "vc-0001", "note", "again");
    CHECK_OK(child_stop(&fleet.fixture.controller));
}

LOOP_TEST(the_example_counts_ready_nodes_on_their_clusters)
{
    static const char annotation[] = "example.corset.dev/ready-nodes";
    SCOPED(fleet) fleet;
    fleet_init(&fleet, TEST_NODES);
    wait_for(&fleet, "vc-0001", annotation, "0");
    add_node(&fleet, "n1", "a");
    add_node(&fleet, "n2", "a");
    set_ready(&fleet, "n1", "True");
    wait_for(&fleet, "vc-0001", annotation, "1");
    set_ready(&fleet, "n2", "True");
    wait_for(&fleet, "vc-0001", annotation, "2");
    set_ready(&fleet, "n1", "False");
    wait_for(&fleet, "vc-0001", annotation, "1");
    CHECK_OK(client_delete(fleet.workload, GVR_NODES, KEY("", "n2"), NULL, NULL));
    wait_for(&fleet, "vc-0001", annotation, "0");
    wait_for(&fleet, "vc-0003", annotation, "0");
    library_fixture_check_steady(&fleet.fixture);
    OWNED(object) cluster = library_fixture_get(&fleet.fixture, GVR_CLUSTERS, CLUSTER);
    CHECK_EQ(library_fixture_condition(cluster, "InProgress", "status"), STR("")); /* not ours */
    CHECK_OK(child_stop(&fleet.fixture.controller));
}
