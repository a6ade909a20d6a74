/* Questions to all clusters: FQ-13 to FQ-26. */
#include "base/map.h"
#include "clustercache/clustercache_each.h"
#include "http/headers.h"
#include "scenarios/fleet/fleet_fixture.h"
#include "testing/test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static const struct fleet_options plain = {0};

static struct str item_at(const struct json_value *root, size_t index, const char *path)
{
    return json_path_str(json_at(json_get(root, STR("items")), index), path);
}

static struct str cluster_at(const struct json_value *root, size_t index)
{
    const struct json_value *item = json_at(json_get(root, STR("items")), index);
    return json_to_str(
        json_get(json_path(item, "metadata.annotations"), STR("fleet.corset.dev/cluster")));
}

static void read_body(struct fleet_fixture *fixture, struct json_doc **ret_doc)
{
    json_doc_free(*ret_doc);
    *ret_doc = NULL;
    CHECK(!fixture->is_broken);
    CHECK_OK(json_read(buf_str(&fixture->body), ret_doc));
}

SIM_TEST(fq_13_items_of_all_clusters_are_annotated_and_ordered)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(buf) first = {0};
    OWNED(json_doc) doc = NULL;
    fleet_fixture_init(&fixture, 3, &plain);
    fleet_fixture_config_map(&fixture, "vc-0003", "a");
    fleet_fixture_config_map(&fixture, "vc-0001", "b");
    fleet_fixture_config_map(&fixture, "vc-0001", "a");
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    buf_add(&first, buf_str(&fixture.body));
    read_body(&fixture, &doc);
    const struct json_value *root = json_doc_root(doc);
    CHECK_EQ(json_path_str(root, "kind"), STR("ConfigMapList"));
    CHECK_EQ(json_path_str(root, "apiVersion"), STR("v1"));
    CHECK_EQ(json_path_str(root, "metadata.clusters"),
             STR("asked=3, answered=3, failed=0, forbidden=0"));
    CHECK_EQ(json_count(json_get(root, STR("items"))), (size_t)3);
    CHECK_EQ(cluster_at(root, 0), STR("default/vc-0001"));
    CHECK_EQ(item_at(root, 0, "metadata.name"), STR("a"));
    CHECK_EQ(item_at(root, 1, "metadata.name"), STR("b"));
    CHECK_EQ(cluster_at(root, 2), STR("default/vc-0003"));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    CHECK_EQ(buf_str(&fixture.body), buf_str(&first));

    TEST_CASE("one object of each");
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS "/a?emptyClusters=true"), 200);
    read_body(&fixture, &doc);
    CHECK_EQ(json_count(json_get(json_doc_root(doc), STR("items"))), (size_t)2);
    CHECK_EQ(json_path_str(json_doc_root(doc), "metadata.emptyClusters.0"), STR("default/vc-0002"));

    TEST_CASE("metadata alone");
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "GET", FLEET_ALL MAPS,
                               "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                               NULL),
             200);
    read_body(&fixture, &doc);
    CHECK_EQ(json_path_str(json_doc_root(doc), "kind"), STR("PartialObjectMetadataList"));
    CHECK_EQ(json_count(json_get(json_doc_root(doc), STR("items"))), (size_t)3);
}

SIM_TEST(fq_14_a_table_begins_with_the_cluster)
{
    SCOPED(fleet_fixture) fixture;
    OWNED(json_doc) doc = NULL;
    fleet_fixture_init(&fixture, 2, &plain);
    fleet_fixture_config_map(&fixture, "vc-0002", "a");
    CHECK_EQ(
        fleet_fixture_ask(&fixture, NULL, "GET", FLEET_ALL "/api/v1/configmaps", FLEET_TABLE, NULL),
        200);
    read_body(&fixture, &doc);
    const struct json_value *root = json_doc_root(doc);
    CHECK_EQ(json_path_str(root, "kind"), STR("Table"));
    CHECK_EQ(json_path_str(root, "columnDefinitions.0.name"), STR("Cluster"));
    CHECK_EQ(json_path_str(root, "columnDefinitions.1.name"), STR("Name"));
    CHECK_EQ(json_path_str(root, "rows.0.cells.0"), STR("default/vc-0002"));
    CHECK_EQ(json_path_str(root, "rows.0.cells.1"), STR("a"));
    CHECK_EQ(json_path_str(root, "rows.0.object.metadata.namespace"), STR("default"));
    CHECK(json_path_str(root, "rows.0.cells.3").len > 0);
}

static void serve_custom_kind(struct fleet_fixture *fixture)
{
    fleet_fixture_put(
        fixture, FLEET_ONE("vc-0002") "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"crs.example.com\"},\"spec\":{\"group\":\"example.com\",\"names\":{"
        "\"kind\":\"Cr\",\"plural\":\"crs\",\"singular\":\"cr\",\"listKind\":\"CrList\"},\"scope\":"
        "\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    CHECK_OK(fiber_sleep(5 * SECOND));
    fleet_fixture_put(fixture, FLEET_ONE("vc-0002") "/apis/example.com/v1/namespaces/default/crs",
                      "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Cr\",\"metadata\":{\"name\":"
                      "\"x\"}}");
}

SIM_TEST(fq_15_discovery_is_the_union_of_all_clusters)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 3, &plain);
    serve_custom_kind(&fixture);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis"), 200);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"name\":\"example.com\""), (size_t)1);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"name\":\"apps\""), (size_t)1);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis/example.com"), 200);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis/example.com/v1"), 200);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"name\":\"crs\""), (size_t)1);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("\"groupVersion\":\"example.com/v1\""));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/api"), 200);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"v1\""), (size_t)2);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/api/v1"), 200);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"name\":\"configmaps\""), (size_t)1);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis/nowhere.example/v1"), 404);

    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis/example.com/v1/crs"), 200);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"fleet.corset.dev/cluster\":\"default/vc-0002\""),
             (size_t)1);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("\"kind\":\"CrList\""));
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("asked=3, answered=3, failed=0"));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/apis/example.com/v1/others"), 404);
}

SIM_TEST(fq_16_selectors_apply_where_they_belong)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 3, &plain);
    OWNED(object) ignored = NULL;
    CHECK_OK(client_patch(fixture.admin, GVR("cluster.x-k8s.io", "v1beta2", "clusters"),
                          KEY("default", "vc-0002"), CLIENT_PATCH_MERGE,
                          STR("{\"metadata\":{\"labels\":{\"env\":\"prod\"}}}"), NULL, &ignored));
    for (int i = 1; i <= 3; i++) {
        SCOPED(buf) name = {0};
        buf_print(&name, "vc-000%d", i);
        fleet_fixture_config_map(&fixture, buf_c(&name), "a");
        fleet_fixture_config_map(&fixture, buf_c(&name), "b");
    }
    CHECK_OK(fiber_sleep(SECOND));
    const struct {
        const char *query;
        size_t items;
        const char *clusters;
    } rows[] = {
        {"",                                                     6, "asked=3,"},
        {"?clusterSelector=env%3Dprod",                          2, "asked=1,"},
        {"?clusterSelector=env!%3Dprod",                         4, "asked=2,"},
        {"?labelSelector=name%3Da",                              3, "asked=3,"},
        {"?fieldSelector=metadata.name%3Db&clusterSelector=env", 1, "asked=1,"},
        {"?clusters=default/vc-0001,default/vc-0003",            4, "asked=2,"},
        {"?clusters=default/none",                               0, "asked=0,"},
        {"?clusterNamespace=default",                            6, "asked=3,"},
        {"?clusterNamespace=other",                              0, "asked=0,"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SCOPED(buf) target = {0};
        TEST_CASE("%s", rows[i].query);
        buf_print(&target, FLEET_ALL MAPS "%s", rows[i].query);
        CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), 200);
        CHECK_EQ(fleet_fixture_count(&fixture, "\"fleet.corset.dev/cluster\""), rows[i].items);
        CHECK_CONTAINS(buf_str(&fixture.body), str_from_c(rows[i].clusters));
    }
    const struct {
        const char *query;
        int status;
    } refused[] = {
        {"?watch=true",             405},
        {"?clusterSelector=%3D%3D", 400},
        {"?clusters=nothing",       400},
        {"?limit=5001",             400},
        {"?limit=-1",               400},
        {"?timeoutSeconds=61",      400},
        {"?partial=maybe",          400},
        {"/a/status",               400},
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        SCOPED(buf) target = {0};
        TEST_CASE("%s", refused[i].query);
        buf_print(&target, FLEET_ALL MAPS "%s", refused[i].query);
        CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), refused[i].status);
    }
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL "/api/v1/watch/configmaps"), 405);
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "POST", FLEET_ALL MAPS, NULL, "{}"), 405);
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "GET", FLEET_ALL MAPS,
                               "application/vnd.kubernetes.protobuf", NULL),
             406);
}

/* Reads a page, notes its items as "cluster/name", and returns the token of the next. */
static struct str read_page(struct fleet_fixture *fixture, struct arena *arena, struct str token,
                            struct map *seen, size_t most)
{
    SCOPED(buf) target = {.limit = MEGABYTE};
    OWNED(json_doc) doc = NULL;
    const struct json_value *item;
    buf_print(&target, FLEET_ALL MAPS "?limit=7%s%.*s", token.len ? "&continue=" : "",
              STR_ARG(token));
    CHECK_EQ(fleet_fixture_get(fixture, buf_c(&target)), 200);
    read_body(fixture, &doc);
    CHECK(json_count(json_get(json_doc_root(doc), STR("items"))) <= most);
    JSON_FOREACH (key, item, json_get(json_doc_root(doc), STR("items"))) {
        (void)key;
        const struct str cluster = json_to_str(
            json_get(json_path(item, "metadata.annotations"), STR("fleet.corset.dev/cluster")));
        const struct str name =
            ARENA_JOIN(arena, cluster, STR("/"), json_path_str(item, "metadata.name"));
        TEST_CASE("%.*s", STR_ARG(name));
        CHECK(!map_has(seen, name));
        map_put(seen, name, NULL);
    }
    return arena_str(arena, json_path_str(json_doc_root(doc), "metadata.continue"));
}

/* A cluster that comes while pages are read, with an item like those of the others. */
static struct error *serve_newcomer(void *data, struct http_request *request)
{
    struct error *err = NULL;
    (void)data;
    if (fleet_fixture_serve_basics(request, &err))
        return err;
    return http_request_answer(
        request, 200, STR("application/json"),
        STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[{"
            "\"metadata\":{\"name\":\"m0\",\"namespace\":\"default\"}}]}"));
}

SIM_TEST(fq_17_pages_have_every_item_once_while_clusters_come_and_go)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(map) seen = {0};
    SCOPED(arena) arena = {0};
    fleet_fixture_init(&fixture, 20, &plain);
    for (int i = 1; i <= 20; i++)
        for (int j = 0; j < 3; j++) {
            SCOPED(buf) cluster = {0};
            SCOPED(buf) name = {0};
            buf_print(&cluster, "vc-%04d", i);
            buf_print(&name, "m%d", j);
            fleet_fixture_config_map(&fixture, buf_c(&cluster), buf_c(&name));
        }
    struct str token = STR("");
    struct http_server *newcomer = NULL;
    int pages = 0;
    do {
        token = read_page(&fixture, &arena, token, &seen, 7);
        if (++pages == 3) { /* one that was not read yet goes, and one comes */
            newcomer = fleet_fixture_cluster(&fixture, "default", "vc-0012-new", "new.test",
                                             serve_newcomer, NULL);
            fleet_fixture_await(&fixture, 21);
            CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "DELETE",
                                       "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/"
                                       "clusters/vc-0015",
                                       NULL, NULL),
                     200);
            CHECK_OK(fiber_sleep(5 * SECOND));
        }
    } while (token.len && pages < 30);
    CHECK(pages >= 9 && pages < 30);
    for (int i = 1; i <= 20; i++)
        for (int j = 0; j < 3 && i != 15; j++) {
            const struct str name = arena_print(&arena, "default/vc-%04d/m%d", i, j);
            TEST_CASE("%.*s", STR_ARG(name));
            CHECK(map_has(&seen, name));
        }
    TEST_CASE("a cluster that came behind the page that was read");
    CHECK(map_has(&seen, STR("default/vc-0012-new/m0")));
    http_server_free(newcomer);
    CHECK_EQ(map_count(&seen), (size_t)58);
}

SIM_TEST(fq_18_altered_continue_tokens_show_nothing)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(map) seen = {0};
    SCOPED(arena) arena = {0};
    SCOPED(buf) target = {0};
    fleet_fixture_init(&fixture, 2, &plain);
    for (int i = 0; i < 9; i++) {
        SCOPED(buf) name = {0};
        buf_print(&name, "m%d", i);
        fleet_fixture_config_map(&fixture, "vc-0001", buf_c(&name));
    }
    const struct str token = read_page(&fixture, &arena, STR(""), &seen, 7);
    CHECK(token.len > 0);
    buf_print(&target, FLEET_ALL MAPS "?limit=7&continue=AAAA%.*s", STR_ARG(str_skip(token, 4)));
    CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), 410);
    buf_clear(&target);
    buf_print(&target, FLEET_ALL "/api/v1/secrets?limit=7&continue=%.*s", STR_ARG(token));
    CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), 400);
    CHECK_OK(fiber_sleep(HOUR + MINUTE));
    buf_clear(&target);
    buf_print(&target, FLEET_ALL MAPS "?limit=7&continue=%.*s", STR_ARG(token));
    CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), 410);
}

/* A cluster of the test, by how it answers a list. */
struct stranger {
    const char *body; /* NULL: no answer at all */
    int status;
    size_t copies; /* of the item, one by one and slowly */
    size_t open;   /* requests under way */
};

static struct error *serve_slowly(const struct stranger *stranger, struct http_request *request)
{
    SCOPED(buf) item = {0};
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\","
                                        "\"metadata\":{},\"items\":[")));
    buf_add(&item,
            STR("{\"metadata\":{\"name\":\"x\",\"namespace\":\"default\"},\"data\":{\"k\":\""));
    for (int i = 0; i < 1024; i++)
        buf_add(&item, STR("0123456789abcdef"));
    buf_add(&item, STR("\"}}"));
    for (size_t i = 0; i < stranger->copies; i++) {
        TRY(http_request_write(request, i ? STR(",") : STR("")));
        TRY(http_request_write(request, buf_str(&item)));
        TRY(fiber_sleep(10 * MILLISECOND));
    }
    return http_request_write(request, STR("]}"));
}

static struct error *stranger_answer(const struct stranger *stranger, struct http_request *request)
{
    SCOPED(http_headers) headers = {0};
    if (!stranger->body && !stranger->copies)
        return fiber_sleep(HOUR);
    if (stranger->copies)
        return serve_slowly(stranger, request);
    TRY(http_headers_add(&headers, STR("Set-Cookie"), STR("evil=1")));
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    TRY(http_request_respond(request, stranger->status ? stranger->status : 200, &headers));
    return http_request_write(request, str_from_c(stranger->body));
}

static struct error *stranger_serve(void *data, struct http_request *request)
{
    struct stranger *stranger = data;
    struct error *err = NULL;
    if (fleet_fixture_serve_basics(request, &err))
        return err;
    stranger->open++;
    err = stranger_answer(stranger, request);
    stranger->open--;
    return err;
}

/* Clusters default/x0 and so on behind the virtual ones. */
static void add_strangers(struct fleet_fixture *fixture, struct stranger *strangers, size_t count,
                          struct http_server **servers)
{
    for (size_t i = 0; i < count; i++) {
        SCOPED(buf) name = {0};
        SCOPED(buf) host = {0};
        buf_print(&name, "x%zu", i);
        buf_print(&host, "x%zu.test", i);
        servers[i] = fleet_fixture_cluster(fixture, "default", buf_c(&name), buf_c(&host),
                                           stranger_serve, &strangers[i]);
    }
}

static void free_servers(struct http_server **servers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        http_server_free(servers[i]);
}

SIM_TEST(fq_19_clusters_that_do_not_answer_are_named)
{
    SCOPED(fleet_fixture) fixture;
    struct stranger silent[2] = {{0}};
    struct http_server *servers[2];
    fleet_fixture_init(&fixture, 8, &plain);
    add_strangers(&fixture, silent, 2, servers);
    fleet_fixture_await(&fixture, 10);
    fleet_fixture_config_map(&fixture, "vc-0008", "a");
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    CHECK(loop_now(loop_current()) - begun <= 6 * SECOND);
    CHECK_EQ(fleet_fixture_count(&fixture, "\"fleet.corset.dev/cluster\""), (size_t)1);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("asked=10, answered=8, failed=2, forbidden=0"));
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("2 of 10 clusters are missing: default/x0: "));
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("default/x1: "));

    TEST_CASE("partial=forbid");
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS "?partial=forbid&timeoutSeconds=1"), 504);
    CHECK_CONTAINS(buf_str(&fixture.clusters), str_from_c("failed=2"));
    CHECK_CONTAINS(buf_str(&fixture.warning),
                   str_from_c("299 - \"2 of 10 clusters are missing: default/x0"));
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("2 of 10 clusters are missing"));

    TEST_CASE("no cluster answers");
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS "?clusterSelector=own"), 504);
    CHECK_OK(fiber_sleep(SECOND)); /* the requests that were given up have ended */
    CHECK_EQ(silent[0].open + silent[1].open, (size_t)0);
    free_servers(servers, 2);
}

SIM_TEST(fq_20_refusals_and_unknown_kinds_are_counted_apart)
{
    SCOPED(fleet_fixture) fixture;
    struct stranger strangers[] = {
        {.status = 403,
         .body = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"no\","
                 "\"reason\":\"Forbidden\",\"code\":403}"},
        {.status = 404, .body = "404 page not found\n"   },
        {.status = 500, .body = "oops"                   },
    };
    struct http_server *servers[3];
    fleet_fixture_init(&fixture, 1, &plain);
    add_strangers(&fixture, strangers, 3, servers);
    fleet_fixture_await(&fixture, 4);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("asked=4, answered=2, failed=1, forbidden=1"));
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("default/x0: not allowed"));
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("default/x2: answered with status 500"));
    free_servers(servers, 3);
}

struct leaving {
    struct fleet_fixture *fixture;
    size_t bytes;
};

/* Reads some of the answer and goes away. */
static struct error *leave_early(void *data)
{
    struct leaving *leaving = data;
    OWNED(http_response) response = NULL;
    const struct client_stream_request request = {.path = STR(FLEET_ALL MAPS)};
    TRY(client_stream(leaving->fixture->admin, &request, &response));
    while (leaving->bytes < MEGABYTE) {
        struct str piece;
        TRY(http_response_read_piece(response, &piece));
        if (!piece.len)
            break;
        leaving->bytes += piece.len;
    }
    return NULL;
}

SIM_TEST(fq_21_a_slow_giant_delays_no_other_cluster_and_ends_with_the_caller)
{
    SCOPED(fleet_fixture) fixture;
    struct stranger giant[] = {{.copies = 65536}};
    struct http_server *servers[1];
    fleet_fixture_init(&fixture, 2, &plain);
    add_strangers(&fixture, giant, 1, servers);
    fleet_fixture_await(&fixture, 3);
    fleet_fixture_config_map(&fixture, "vc-0001", "a");
    struct leaving leaving = {&fixture, 0};
    const int64_t begun = loop_now(loop_current());
    CHECK_OK(leave_early(&leaving));
    CHECK(leaving.bytes >= MEGABYTE);
    CHECK(loop_now(loop_current()) - begun < 5 * SECOND);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(giant[0].open, (size_t)0);

    TEST_CASE("others while it runs");
    SCOPED(scope) scope = {0};
    leaving.bytes = 0;
    scope_start(&scope, "giant", leave_early, &leaving);
    CHECK_OK(fiber_sleep(100 * MILLISECOND));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS "?clusters=default/vc-0001"), 200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("asked=1, answered=1"));
    scope_done(&scope);
    free_servers(servers, 1);
}

struct holding {
    struct fleet_fixture *fixture;
    struct clustercache_each_memory memory;
    bool has_ended;
};

static struct error *stop_at_giant(void *data, struct clustercache_answer *answer)
{
    (void)data;
    clustercache_answer_stop(answer);
    return NULL;
}

static struct error *ask_and_hold(void *data)
{
    struct holding *holding = data;
    SCOPED(clustercache_each_summary) summary = {0};
    const struct clustercache_each_options options = {.path = STR(MAPS),
                                                      .memory = &holding->memory};
    struct error *err =
        clustercache_each(controller_manager_clusters(holding->fixture->controllers), &options,
                          stop_at_giant, NULL, &summary);
    holding->has_ended = true;
    return err;
}

/* The first cluster is silent until its time is up; the giant behind it must wait so long. */
SIM_TEST(fq_21_a_giant_ahead_of_its_turn_holds_its_share)
{
    SCOPED(fleet_fixture) fixture;
    struct stranger strangers[] = {{0}, {.copies = 65536}};
    struct http_server *servers[2];
    fleet_fixture_init(&fixture, 0, &plain);
    add_strangers(&fixture, strangers, 2, servers);
    fleet_fixture_await(&fixture, 2);
    struct holding holding = {.fixture = &fixture};
    size_t most = 0;
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "question", ask_and_hold, &holding);
        while (!holding.has_ended) {
            CHECK_OK(fiber_sleep(20 * MILLISECOND));
            most = holding.memory.used > most ? holding.memory.used : most;
        }
        CHECK_OK(scope_wait(&scope));
    }
    CHECK(most >= CLUSTERCACHE_EACH_AHEAD / 2);
    CHECK(most <= CLUSTERCACHE_EACH_AHEAD + 64 * KILOBYTE); /* what one read brings more */
    CHECK_EQ(holding.memory.used, (size_t)0);
    free_servers(servers, 2);
}

/* Requests that were sent, and a fiber that is ready in every iteration of the loop. */
struct pace {
    size_t wanted, sent, most;
};

static void count_request(void *data, struct key cluster, struct buf *query)
{
    (void)cluster;
    (void)query;
    ((struct pace *)data)->sent++;
}

static struct error *watch_pace(void *data)
{
    struct pace *pace = data;
    while (pace->sent < pace->wanted) {
        const size_t before = pace->sent;
        TRY(fiber_yield());
        if (pace->sent - before > pace->most)
            pace->most = pace->sent - before;
    }
    return NULL;
}

static struct error *skip_answer(void *data, struct clustercache_answer *answer)
{
    (void)data;
    (void)answer;
    return NULL;
}

/* What controllers have to do comes between the requests of a question, however many there are. */
SIM_TEST(a_question_sends_its_requests_one_by_one)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(clustercache_each_summary) summary = {0};
    SCOPED(scope) onlookers = {0};
    struct pace pace = {.wanted = 20};
    const struct clustercache_each_options options = {
        .path = STR(MAPS), .add_query = count_request, .add_query_data = &pace};
    fleet_fixture_init(&fixture, pace.wanted, &plain);
    scope_start(&onlookers, "onlooker", watch_pace, &pace);
    CHECK_OK(clustercache_each(controller_manager_clusters(fixture.controllers), &options,
                               skip_answer, NULL, &summary));
    CHECK_OK(scope_wait(&onlookers));
    CHECK_EQ(summary.answered, pace.wanted);
    CHECK_EQ(pace.sent, pace.wanted);
    CHECK(pace.most <= 2); /* one behind us in the last round, one before us */
}

#define LIST_OF(items) \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[" items "]}"

SIM_TEST(fq_22_hostile_answers_leave_nothing_behind)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(buf) deep = {0};
    buf_add(&deep, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":"
                       "{\"name\":\"evil\",\"namespace\":\"default\"},\"x\":"));
    for (int i = 0; i < 200; i++)
        buf_add_char(&deep, '[');
    for (int i = 0; i < 200; i++)
        buf_add_char(&deep, ']');
    buf_add(&deep, STR("}]}"));
    struct stranger strangers[] = {
        {.body = "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{"
                 "\"name\":\"evil\",\"namespace\":\"default\"}},{bad]}"},
        {.body = "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{"
                 "\"name\":\"evil\",\"namespace\":\"default\"}}]}"},
        {.body = buf_c(&deep)},
        {.body = LIST_OF("{\"kind\":\"Secret\",\"metadata\":{\"name\":\"evil\"}}")},
        {.body = LIST_OF("{\"metadata\":{\"name\":\"evil\",\"namespace\":\"other\"}}")},
        {.body = LIST_OF("{\"metadata\":\"evil\"}")},
        {.body = LIST_OF("\"evil\"")},
        {.body = LIST_OF("{\"metadata\":{\"name\":\"evil\",\"namespace\":\"default\"}}") "evil"},
        {.body = "evil"},
        {.body = ""},
        {.body = LIST_OF("{\"metadata\":{\"name\":\"liar\",\"namespace\":\"default\","
                         "\"annotations\":{\"fleet.corset.dev/cluster\":\"default/vc-0001\","
                         "\"a\":\"b\"}}}")},
    };
    struct http_server *servers[COUNT(strangers)];
    fleet_fixture_init(&fixture, 1, &plain);
    add_strangers(&fixture, strangers, COUNT(strangers), servers);
    fleet_fixture_await(&fixture, 1 + COUNT(strangers));
    fleet_fixture_config_map(&fixture, "vc-0001", "good");
    OWNED(json_doc) doc = NULL;
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    read_body(&fixture, &doc);
    CHECK_EQ(fleet_fixture_count(&fixture, "evil"), (size_t)0);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("asked=12, answered=2, failed=10, forbidden=0"));
    CHECK_EQ(cluster_at(json_doc_root(doc), 0), STR("default/vc-0001"));
    CHECK_EQ(cluster_at(json_doc_root(doc), 1), STR("default/x10"));
    CHECK_EQ(fleet_fixture_count(&fixture, "\"default/vc-0001\""), (size_t)1);
    free_servers(servers, COUNT(strangers));
}

struct crowd {
    struct fleet_fixture *fixture;
    struct fleet_fixture_user users[9];
    size_t answered, refused, next;
};

static struct error *ask_in_crowd(void *data)
{
    struct crowd *crowd = data;
    OWNED(http_response) response = NULL;
    struct client *client = crowd->users[crowd->next++ % 9].client;
    const struct client_stream_request request = {.path = STR(FLEET_ALL MAPS)};
    TRY(client_stream(client, &request, &response));
    const bool is_refused = http_response_status(response) == 429;
    if (is_refused)
        CHECK_EQ(http_headers_find(http_response_headers(response), STR("retry-after")), STR("1"));
    *(is_refused ? &crowd->refused : &crowd->answered) += 1;
    return NULL;
}

SIM_TEST(fq_24_questions_are_bounded_in_all_and_by_user)
{
    SCOPED(fleet_fixture) fixture;
    struct stranger silent[1] = {{0}};
    struct http_server *servers[1];
    fleet_fixture_init(&fixture, 1, &plain);
    add_strangers(&fixture, silent, 1, servers);
    fleet_fixture_await(&fixture, 2);
    struct crowd crowd = {.fixture = &fixture};
    for (size_t i = 0; i < 9; i++) {
        char name[8] = {'u', (char)('0' + i)};
        fleet_fixture_user(&fixture, name, &crowd.users[i]);
        crowd.users[i].config.impersonate.user =
            arena_str(&crowd.users[i].config.arena, str_from_c(name));
        fleet_fixture_allow(&fixture, name, "list", NULL, NULL);
    }
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < 65; i++)
        scope_start(&scope, "asker", ask_in_crowd, &crowd);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(crowd.refused, (size_t)1);
    CHECK_EQ(crowd.answered, (size_t)64);

    TEST_CASE("nine of one user");
    crowd.answered = crowd.refused = 0;
    for (size_t i = 0; i < 9; i++) {
        crowd.next = 0;
        scope_start(&scope, "asker", ask_in_crowd, &crowd);
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(crowd.refused, (size_t)1);
    CHECK_EQ(crowd.answered, (size_t)8);
    for (size_t i = 0; i < 9; i++)
        fleet_fixture_user_done(&crowd.users[i]);
    free_servers(servers, 1);
}

SIM_TEST(fq_25_only_namespaces_that_are_allowed_are_asked)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(fleet_fixture_user) ann;
    struct stranger other = {.body = LIST_OF("{\"metadata\":{\"name\":\"o\",\"namespace\":"
                                             "\"default\"}}")};
    fleet_fixture_init(&fixture, 2, &plain);
    fleet_fixture_put(&fixture, "/api/v1/namespaces",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":"
                      "\"x\"}}");
    OWNED(http_server)
    server = fleet_fixture_cluster(&fixture, "x", "own", "own.test", stranger_serve, &other);
    fleet_fixture_await(&fixture, 3);
    fleet_fixture_user(&fixture, "ann", &ann);
    CHECK_EQ(fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ALL MAPS, NULL, NULL), 403);
    fleet_fixture_allow(&fixture, "ann", "list", "x", NULL);
    CHECK_EQ(fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ALL MAPS, NULL, NULL), 200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("asked=1, answered=1"));
    CHECK_EQ(fleet_fixture_count(&fixture, "\"x/own\""), (size_t)1);
    CHECK_EQ(fleet_fixture_ask(&fixture, ann.client, "GET",
                               FLEET_ALL MAPS "?clusterNamespace=default", NULL, NULL),
             403);
    CHECK_EQ(fleet_fixture_ask(&fixture, ann.client, "GET",
                               FLEET_ALL MAPS "?clusters=default/vc-0001", NULL, NULL),
             200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("asked=0, answered=0"));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("asked=3,"));
}

SIM_TEST(fq_26_a_right_that_is_withdrawn_ends)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(fleet_fixture_user) ann;
    fleet_fixture_init(&fixture, 1, &plain);
    fleet_fixture_user(&fixture, "ann", &ann);
    fleet_fixture_allow(&fixture, "ann", "get", "default", "vc-0001");
    CHECK_EQ(
        fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ONE("vc-0001") "/version", NULL, NULL),
        200);
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "DELETE",
                               "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
                               NULL, NULL),
             200);
    CHECK_EQ(
        fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ONE("vc-0001") "/version", NULL, NULL),
        404);
}
