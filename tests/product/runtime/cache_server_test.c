/* Caches and our own API server: many writers, a restart in the middle, and both are equal. */
#include "apimachinery/object_edit.h"
#include "apimachinery/wellknown.h"
#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/random.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "controller/cache/cache.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "peers/interop/folder.h"
#include "testing/sim.h"

#define WRITERS 4
#define OBJECTS 1000
#define CHANGES 600
#define PATIENT (60 * SECOND)

struct server_fixture {
    struct folder folder;
    struct network *network;
    struct tls_context *tls;
    struct apiserver *server;
    uint16_t port;
    struct rest_config config;
    struct client *client;
    struct cache_set *set;
    size_t restarts;
};

static void server_fixture_serve(struct server_fixture *fixture)
{
    const struct apiserver_options options = {.network = fixture->network,
                                              .host = STR("127.0.0.1"),
                                              .port = fixture->port,
                                              .folder = fixture->folder.path};
    CHECK_OK(apiserver_new(loop_current(), &options, &fixture->server));
    fixture->port = apiserver_port(fixture->server);
}

static void server_fixture_stop(struct server_fixture *fixture)
{
    FIBER_TIMEOUT(SECOND);
    error_free(apiserver_drain(fixture->server)); /* watches end; who is late is cut off */
    apiserver_free(TAKE(fixture->server));
}

static void server_fixture_init(struct server_fixture *fixture)
{
    *fixture = (struct server_fixture){0};
    folder_init(&fixture->folder);
    fixture->network = tcp_network_new(loop_current());
    fixture->tls = tls_context_new();
    server_fixture_serve(fixture);
    fixture->config.host = STR("https://127.0.0.1");
    fixture->config.server =
        (struct url){.scheme = URL_HTTPS, .host = STR("127.0.0.1"), .port = fixture->port};
    CHECK_OK(tls_trust_read(apiserver_authority(fixture->server), &fixture->config.tls.trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(fixture->server),
                               apiserver_admin_key(fixture->server),
                               &fixture->config.tls.identity));
    const struct client_options options = {
        .config = &fixture->config, .network = fixture->network, .tls = fixture->tls, .qps = -1};
    fixture->client = client_new(loop_current(), &options);
    fixture->set = cache_set_new(loop_current(), fixture->client);
}

static void server_fixture_done(struct server_fixture *fixture)
{
    cache_set_free(fixture->set);
    client_free(fixture->client);
    server_fixture_stop(fixture);
    rest_config_done(&fixture->config);
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    folder_done(&fixture->folder);
}

struct writer {
    struct server_fixture *fixture;
    int number;
    struct random random;
};

static struct object *object_made(int name, uint64_t value)
{
    SCOPED(buf) text = {0};
    struct object *object = NULL;
    buf_print(&text,
              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"o%04d\","
              "\"namespace\":\"default\"},\"data\":{\"value\":\"%llu\"}}",
              name, (unsigned long long)value);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

/* A writer alone touches its names; while the server is away nothing comes of it. */
static void write_one(struct writer *writer, int name)
{
    struct client *client = writer->fixture->client;
    const uint64_t value = random_below(&writer->random, 10);
    OWNED(object) object = object_made(name, value);
    struct error *err;
    if (value == 0)
        err = client_delete(client, GVR_CONFIG_MAPS, object_key(object), NULL, NULL);
    else
        err = client_update(client, GVR_CONFIG_MAPS, object, NULL, NULL);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        err = client_create(client, GVR_CONFIG_MAPS, object, NULL, NULL);
    }
    error_free(err);
}

/* Suspends until it is there, however often the server goes away meanwhile. */
static struct error *create_one(struct writer *writer, int name)
{
    OWNED(object) object = object_made(name, 1);
    FIBER_TIMEOUT(PATIENT);
    for (;;) {
        struct error *err =
            client_create(writer->fixture->client, GVR_CONFIG_MAPS, object, NULL, NULL);
        if (!err || error_is(err, ERROR_ALREADY_EXISTS)) {
            error_free(err);
            return NULL;
        }
        error_free(err);
        TRY(fiber_sleep(20 * MILLISECOND));
    }
}

static struct error *write_many(void *data)
{
    struct writer *writer = data;
    const int own = OBJECTS / WRITERS, first = writer->number * own;
    for (int i = 0; i < own; i++)
        TRY(create_one(writer, first + i));
    for (int i = 0; i < CHANGES / WRITERS; i++)
        write_one(writer, first + (int)random_below(&writer->random, own));
    /* And some when the server has come back, so that the end is on the other side. */
    while (!writer->fixture->restarts)
        TRY(fiber_sleep(10 * MILLISECOND));
    for (int i = 0; i < CHANGES / WRITERS; i++)
        write_one(writer, first + (int)random_below(&writer->random, own));
    return NULL;
}

static struct error *restart_once(void *data)
{
    struct server_fixture *fixture = data;
    struct cache *cache =
        cache_set_get(fixture->set, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
    while (cache_count(cache) < OBJECTS / 2)
        TRY(fiber_sleep(5 * MILLISECOND));
    server_fixture_stop(fixture);
    TRY(fiber_sleep(300 * MILLISECOND));
    server_fixture_serve(fixture);
    fixture->restarts++;
    return NULL;
}

struct difference {
    const struct cache *cache;
    size_t count, different;
};

static struct error *compare(void *data, struct object *object)
{
    struct difference *difference = data;
    OWNED(object_text) text = cache_get_text(difference->cache, object_key(object));
    difference->count++;
    difference->different +=
        !text || !str_eq(object_text_resource_version(text), object_resource_version(object)) ||
        !str_eq(object_text_uid(text), object_uid(object));
    return NULL;
}

static void begin_anew(void *data)
{
    struct difference *difference = data;
    *difference = (struct difference){.cache = difference->cache};
}

/* Suspends until a cache is what the server lists. */
static struct error *wait_equal(struct server_fixture *fixture, const struct cache *cache,
                                struct str namespace)
{
    FIBER_TIMEOUT(PATIENT);
    for (;;) {
        SCOPED(buf) version = {0};
        struct difference difference = {.cache = cache};
        const struct client_list_sink sink = {compare, begin_anew, &difference};
        TRY(client_list_each(fixture->client, GVR_CONFIG_MAPS, namespace, NULL, &sink, &version));
        if (!difference.different && difference.count == cache_count(cache))
            return NULL;
        TRY(fiber_sleep(20 * MILLISECOND));
    }
}

/* What a handler was told, counted. */
struct told {
    size_t added, deleted;
};

static void count_change(void *data, const struct cache_event *event)
{
    struct told *told = data;
    told->added += event->type == CACHE_ADDED;
    told->deleted += event->type == CACHE_DELETED;
}

static void by_value(void *data, const struct object *object, cache_emit_fn *emit, void *emit_data)
{
    (void)data;
    emit(emit_data, json_to_str(object_path(object, "data.value")));
}

static bool count_text(void *data, struct object_text *text)
{
    CHECK(!str_contains(object_text_json(text), STR("managedFields")));
    ++*(size_t *)data;
    return true;
}

LOOP_TEST(caches_equal_the_server_after_many_writes_and_a_restart)
{
    SCOPED(server_fixture) fixture;
    server_fixture_init(&fixture);
    struct told told = {0};
    struct cache_handler handler = {.changed = count_change, .data = &told};
    const struct cache_options options[] = {
        {.gvr = GVR_CONFIG_MAPS},
        { .gvr = GVR_CONFIG_MAPS,                      .no_streaming_list = true},
        { .gvr = GVR_CONFIG_MAPS, .metadata_only = true, .namespace = STR("default")},
    };
    struct cache *caches[COUNT(options)];
    for (size_t i = 0; i < COUNT(options); i++)
        caches[i] = cache_set_get(fixture.set, &options[i]);
    cache_add_handler(caches[0], &handler);
    cache_add_index(caches[0], STR("value"), by_value, NULL);
    SCOPED(scope) scope = {0};
    struct writer writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.fixture = &fixture, .number = i};
        random_init(&writers[i].random, (uint64_t)i + 1);
        scope_start(&scope, "writes", write_many, &writers[i]);
    }
    scope_start(&scope, "restarts", restart_once, &fixture);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(options); i++) {
        TEST_CASE("cache %zu", i);
        CHECK_OK(wait_equal(&fixture, caches[i], options[i].namespace));
    }
    CHECK_EQ(told.added - told.deleted, cache_count(caches[0]));
    size_t indexed = 0, all = 0;
    char value[] = "0";
    for (; value[0] <= '9'; value[0]++)
        cache_each_indexed(caches[0], STR("value"), STR("default"), str_from_c(value), count_text,
                           &indexed);
    cache_each(caches[0], STR("default"), count_text, &all);
    CHECK(all > OBJECTS / 2);
    CHECK(indexed + 1 >= all); /* kube-root-ca.crt has no value */
}
