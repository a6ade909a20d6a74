/*
 * FQ-32: clusters come, go, fall silent and break while users ask, page and go away. What must hold
 * all the time: no item of a namespace that the user may not list, no item twice in one answer. In
 * the end: nothing is left open, which the fixture and the sanitizers check.
 */
#include "base/map.h"
#include "base/random.h"
#include "scenarios/fleet/fleet_fixture.h"
#include "testing/test.h"

#define MAPS   "/api/v1/configmaps"
#define PLACES 8
#define ROUNDS 150

enum manner {
    MANNER_WELL,
    MANNER_SILENT,
    MANNER_BROKEN,
    MANNER_FOREIGN, /* claims to be another cluster */
    MANNERS,
};

/* A cluster that may be there or not. Even ones are in namespace x, odd ones in y. */
struct place {
    struct http_server *server;
    enum manner manner;
};

struct soak {
    struct fleet_fixture fixture;
    struct place places[PLACES];
    struct fleet_fixture_user ann;
    size_t answers, items;
};

static struct error *serve_place(void *data, struct http_request *request)
{
    const struct place *place = data;
    struct error *err = NULL;
    const struct str whole = STR(
        "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[{"
        "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\"}},{\"metadata\":{\"name\":\"b\","
        "\"namespace\":\"default\",\"annotations\":{\"fleet.corset.dev/cluster\":\"y/c1\"}}}]}");
    if (fleet_fixture_serve_basics(request, &err))
        return err;
    if (place->manner == MANNER_SILENT)
        return fiber_sleep(HOUR);
    TRY(http_request_respond(request, 200, NULL));
    if (place->manner != MANNER_BROKEN)
        return http_request_write(request, whole);
    TRY(http_request_write(request, str_slice(whole, 0, whole.len / 2)));
    http_request_break(request);
    return NULL;
}

static void place_name(size_t index, bool is_secret, struct buf *target)
{
    const char *namespace = index % 2 ? "y" : "x";
    if (is_secret)
        buf_print(target, "/api/v1/namespaces/%s/secrets/c%zu-kubeconfig", namespace, index);
    else
        buf_print(target, "/apis/cluster.x-k8s.io/v1beta2/namespaces/%s/clusters/c%zu", namespace,
                  index);
}

static void remove_place(struct soak *soak, size_t index)
{
    for (int is_secret = 0; is_secret < 2; is_secret++) {
        SCOPED(buf) target = {0};
        place_name(index, is_secret, &target);
        CHECK_EQ(fleet_fixture_ask(&soak->fixture, NULL, "DELETE", buf_c(&target), NULL, NULL),
                 200);
    }
    http_server_free(soak->places[index].server);
    soak->places[index].server = NULL;
}

static void add_place(struct soak *soak, size_t index)
{
    SCOPED(buf) name = {0};
    SCOPED(buf) host = {0};
    buf_print(&name, "c%zu", index);
    buf_print(&host, "c%zu.test", index);
    soak->places[index].server =
        fleet_fixture_cluster(&soak->fixture, index % 2 ? "y" : "x", buf_c(&name), buf_c(&host),
                              serve_place, &soak->places[index]);
}

/* Every item is of namespace x, where ann may list, and is there once. */
static void check_items(struct soak *soak, const struct json_value *root, struct map *seen)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(root, STR("items"))) {
        SCOPED(buf) id = {0};
        const struct str cluster = json_to_str(
            json_get(json_path(item, "metadata.annotations"), STR("fleet.corset.dev/cluster")));
        buf_print(&id, "%.*s %.*s", STR_ARG(cluster),
                  STR_ARG(json_path_str(item, "metadata.name")));
        TEST_CASE("%s", buf_c(&id));
        CHECK(str_starts_with(cluster, STR("x/")));
        CHECK(!map_has(seen, buf_str(&id)));
        map_put(seen, buf_str(&id), NULL);
        soak->items++;
    }
}

/* 504 says that no cluster has answered. */
static void ask_all(struct soak *soak, const char *query)
{
    SCOPED(map) seen = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) target = {0};
    buf_print(&target, FLEET_ALL MAPS "?timeoutSeconds=1%s", query);
    const int status =
        fleet_fixture_ask(&soak->fixture, soak->ann.client, "GET", buf_c(&target), NULL, NULL);
    TEST_CASE("%s: %d", buf_c(&target), status);
    CHECK(status == 200 || status == 504 || status == 403);
    if (status != 200 || soak->fixture.is_broken)
        return;
    CHECK_OK(json_read(buf_str(&soak->fixture.body), &doc));
    check_items(soak, json_doc_root(doc), &seen);
    soak->answers++;
}

static struct error *ask_and_leave(void *data)
{
    struct soak *soak = data;
    OWNED(http_response) response = NULL;
    const struct client_stream_request request = {.path = STR(FLEET_ALL MAPS)};
    return client_stream(soak->ann.client, &request, &response);
}

static void leave_early(struct soak *soak)
{
    SCOPED(scope) scope = {0};
    struct fiber *asking = scope_start(&scope, "asking", ask_and_leave, soak);
    CHECK_OK(fiber_sleep(5 * MILLISECOND));
    fiber_cancel(asking);
    OWNED(error) left = scope_wait(&scope);
}

static void do_something(struct soak *soak)
{
    struct random *random = loop_random(loop_current());
    const size_t index = random_below(random, PLACES);
    switch (random_below(random, 6)) {
    case 0:
        if (soak->places[index].server)
            remove_place(soak, index);
        else
            add_place(soak, index);
        break;
    case 1:
        soak->places[index].manner = (enum manner)random_below(random, MANNERS);
        break;
    case 2:
        leave_early(soak);
        break;
    case 3:
        ask_all(soak, "&limit=3");
        break;
    case 4:
        ask_all(soak, "&clusters=x/c0,y/c1,x/c2");
        break;
    default:
        ask_all(soak, "");
        break;
    }
    CHECK_OK(fiber_sleep((duration)random_below(random, (uint64_t)(2 * SECOND))));
}

SIM_TEST(fq_32_clusters_come_and_go_while_users_ask)
{
    static const struct fleet_options plain = {0};
    struct soak soak = {0};
    fleet_fixture_init(&soak.fixture, 1, &plain);
    for (int i = 0; i < 2; i++) {
        SCOPED(buf) namespace = {0};
        buf_print(&namespace,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}",
                  i ? "y" : "x");
        fleet_fixture_put(&soak.fixture, "/api/v1/namespaces", buf_c(&namespace));
    }
    fleet_fixture_user(&soak.fixture, "ann", &soak.ann);
    fleet_fixture_allow(&soak.fixture, "ann", "list", "x", NULL);
    for (size_t i = 0; i < PLACES; i++)
        add_place(&soak, i);
    fleet_fixture_await(&soak.fixture, 1 + PLACES);
    for (int i = 0; i < ROUNDS; i++)
        do_something(&soak);
    CHECK(soak.answers > 10);
    CHECK(soak.items > 10);
    for (size_t i = 0; i < PLACES; i++)
        if (soak.places[i].server)
            remove_place(&soak, i);
    fleet_fixture_user_done(&soak.ann);
    fleet_fixture_done(&soak.fixture);
}
