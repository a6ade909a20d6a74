/*
 * A cache against a server that has all the habits of a bad one: it forgets, resets, refuses,
 * repeats and delays. Whatever the seed, the cache tells a consistent story and ends up equal.
 */
#include "async/event.h"
#include "base/log.h"
#include "base/random.h"
#include "controller/cache/cache_fixture_test.h"

#define SEEDS   150
#define NAMES   12
#define CHANGES 200

struct change {
    int name;
    int version;
    enum { CREATED, CHANGED, DELETED } what;
};

struct bad_server {
    struct http_server *server;
    int versions[NAMES]; /* 0: there is none */
    struct change changes[CHANGES + 1];
    size_t count;  /* of changes; the version is the same number */
    size_t oldest; /* changes before are forgotten */
    bool is_good;  /* from now on */
    size_t loads;  /* lists and streaming lists that were asked for */
    struct event changed;
};

/* A copy of the cache that is built from the events of its handler. */
struct mirror {
    int versions[NAMES];
    bool is_wrong;
    size_t repeats; /* updates that changed nothing */
};

static bool happens(struct bad_server *bad, double chance)
{
    return !bad->is_good && random_double(loop_random(loop_current())) < chance;
}

static void write_item(struct buf *out, int name, int version)
{
    buf_print(out,
              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"o%d\","
              "\"namespace\":\"ns\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\"}}",
              name, name, version);
}

static struct error *send_event(struct bad_server *bad, struct http_request *request,
                                const char *type, int name, int version)
{
    SCOPED(buf) line = {0};
    buf_print(&line, "{\"type\":\"%s\",\"object\":", type);
    write_item(&line, name, version);
    buf_add(&line, STR("}\n"));
    if (happens(bad, 0.05)) {
        TRY(http_request_write(request, str_slice(buf_str(&line), 0, line.len / 2)));
        return error_new(ERROR_INTERNAL, "reset");
    }
    TRY(http_request_write(request, buf_str(&line)));
    return happens(bad, 0.1) ? http_request_write(request, buf_str(&line)) : NULL;
}

static struct error *send_change(struct bad_server *bad, struct http_request *request,
                                 size_t number)
{
    static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};
    const struct change *change = &bad->changes[number];
    return send_event(bad, request, types[change->what], change->name, change->version);
}

static struct error *send_bookmark(struct http_request *request, size_t version, bool ends_load)
{
    SCOPED(buf) line = {0};
    buf_print(&line,
              "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
              "\"metadata\":{\"resourceVersion\":\"%zu\"%s}}}\n",
              version,
              ends_load ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
    return http_request_write(request, buf_str(&line));
}

static struct error *send_expired(struct http_request *request)
{
    return http_request_write(request, STR(EVENT("ERROR", FAILURE("410", "Expired"))));
}

static struct error *follow_changes(struct bad_server *bad, struct http_request *request,
                                    size_t version)
{
    const int64_t ends = loop_now(loop_current()) + 100 * SECOND;
    while (loop_now(loop_current()) < ends && !happens(bad, 0.02)) {
        if (version < bad->oldest)
            return send_expired(request);
        if (version < bad->count) {
            /* Now and then one that was sent before comes again. */
            if (version > bad->oldest + 1 && happens(bad, 0.1))
                TRY(send_change(bad, request,
                                version - random_below(loop_random(loop_current()), 2)));
            TRY(send_change(bad, request, ++version));
            continue;
        }
        if (happens(bad, 0.1))
            TRY(send_bookmark(request, version, false));
        FIBER_TIMEOUT(5 * SECOND);
        struct error *err = event_wait(&bad->changed, "a change");
        TRY(error_ignore(err, ERROR_DEADLINE));
    }
    return NULL;
}

/* The state of one moment, with pauses in between in which it moves on. */
static struct error *stream(struct bad_server *bad, struct http_request *request)
{
    int versions[NAMES];
    const size_t version = bad->count;
    memcpy(versions, bad->versions, sizeof(versions));
    for (int i = 0; i < NAMES; i++) {
        if (versions[i])
            TRY(send_event(bad, request, "ADDED", i, versions[i]));
        if (happens(bad, 0.1))
            TRY(fiber_sleep(3 * SECOND));
    }
    TRY(send_bookmark(request, version, true));
    return follow_changes(bad, request, version);
}

static struct error *list(struct bad_server *bad, struct http_request *request)
{
    SCOPED(buf) body = {0};
    const char *comma = "";
    buf_print(&body,
              "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
              "\"resourceVersion\":\"%zu\"},\"items\":[",
              bad->count);
    for (int i = 0; i < NAMES; i++)
        if (bad->versions[i]) {
            buf_add(&body, str_from_c(comma));
            write_item(&body, i, bad->versions[i]);
            comma = ",";
        }
    buf_add(&body, STR("]}"));
    return http_request_answer(request, 200, STR("application/json"), buf_str(&body));
}

static size_t asked_version(struct str target)
{
    const struct str name = STR("resourceVersion=");
    const size_t at = str_find(target, name);
    struct str rest = at == STR_NONE ? STR("0") : str_skip(target, at + name.len), value;
    uint64_t version = 0;
    str_cut(&rest, '&', &value);
    CHECK(str_to_uint64(value, &version));
    return (size_t)version;
}

static struct error *serve_badly(void *data, struct http_request *request)
{
    static const int statuses[] = {401, 403, 410, 422, 429, 500, 503};
    struct bad_server *bad = data;
    const struct str target = http_request_target(request);
    const bool is_watch = str_contains(target, STR("watch=true"));
    const bool is_stream = str_contains(target, STR("sendInitialEvents=true"));
    bad->loads += !is_watch || is_stream;
    if (happens(bad, 0.2)) {
        const size_t which = random_below(loop_random(loop_current()), COUNT(statuses));
        return http_request_answer(request, statuses[which], STR("text/plain"), STR("no"));
    }
    if (!is_watch)
        return list(bad, request);
    TRY(http_request_respond(request, 200, NULL));
    if (is_stream)
        return stream(bad, request);
    return follow_changes(bad, request, asked_version(target));
}

static void change_one(struct bad_server *bad)
{
    const int name = (int)random_below(loop_random(loop_current()), NAMES);
    const int version = (int)++bad->count;
    const bool is_there = bad->versions[name] != 0;
    const bool goes = is_there && random_below(loop_random(loop_current()), 3) == 0;
    bad->changes[version] = (struct change){name, version,
                                            goes       ? DELETED
                                            : is_there ? CHANGED
                                                       : CREATED};
    bad->versions[name] = goes ? 0 : version;
    if (happens(bad, 0.05))
        bad->oldest = bad->count > 3 ? bad->count - 3 : 0;
    event_wake_all(&bad->changed);
}

/* A story is consistent when each event goes on from where the last one left the object. */
static void reflect(void *data, const struct cache_event *event)
{
    struct mirror *mirror = data;
    const struct object_text *any = event->now ? event->now : event->old;
    int64_t name = 0, old = 0, now = 0;
    CHECK(str_to_int64(str_skip(object_text_key(any).name, 1), &name));
    if (event->old)
        CHECK(str_to_int64(object_text_resource_version(event->old), &old));
    if (event->now)
        CHECK(str_to_int64(object_text_resource_version(event->now), &now));
    mirror->repeats += event->is_unchanged;
    mirror->is_wrong |= mirror->versions[name] != old;
    mirror->is_wrong |= now != 0 && now < old;
    mirror->is_wrong |= event->is_unchanged != (now != 0 && now == old);
    mirror->versions[name] = (int)now;
}

static bool is_equal(const struct cache *cache, const struct bad_server *bad)
{
    size_t there = 0;
    for (int i = 0; i < NAMES; i++) {
        char name[16], version[16];
        snprintf(name, sizeof(name), "o%d", i);
        snprintf(version, sizeof(version), "%d", bad->versions[i]);
        OWNED(object_text)
        text = cache_get_text(cache, (struct key){STR("ns"), str_from_c(name)});
        there += text != NULL;
        if ((text != NULL) != (bad->versions[i] != 0))
            return false;
        if (text && !str_eq(object_text_resource_version(text), str_from_c(version)))
            return false;
    }
    return there == cache_count(cache);
}

struct play {
    struct bad_server bad;
    struct mirror mirror;
    struct rest_config config;
    struct network *network;
    struct client *client;
    struct cache_set *set;
    struct cache *cache;
    struct cache_handler handler;
};

static struct client *play_client_new(const struct play *play)
{
    return client_new(
        loop_current(),
        &(struct client_options){.config = &play->config, .network = play->network, .qps = -1});
}

/* Of a zeroed one. */
static void play_init(struct play *play)
{
    play->config = (struct rest_config){
        .host = STR("http://server.test"),
        .server = {.scheme = URL_HTTP, .host = STR("server.test"), .port = FIXTURE_PORT}
    };
    play->network = sim_network_new(loop_current());
    CHECK_OK(http_server_new(loop_current(),
                             &(struct http_server_options){.network = play->network,
                                                           .host = STR("server.test"),
                                                           .port = FIXTURE_PORT,
                                                           .handler = serve_badly,
                                                           .data = &play->bad},
                             &play->bad.server));
    play->client = play_client_new(play);
    play->set = cache_set_new(loop_current(), play->client);
    play->cache = cache_set_get(play->set, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
    play->handler = (struct cache_handler){.changed = reflect, .data = &play->mirror};
    cache_add_handler(play->cache, &play->handler);
}

static void play_done(struct play *play)
{
    cache_set_free(play->set);
    client_free(play->client);
    http_server_free(play->bad.server);
    while (sim_network_connections(play->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(play->network);
}

static void change_client(struct play *play)
{
    struct client *old = play->client;
    play->client = play_client_new(play);
    cache_set_use(play->set, play->client);
    client_free(old);
}

static void check_equal(const struct play *play)
{
    CHECK(cache_is_synced(play->cache));
    CHECK(is_equal(play->cache, &play->bad));
    CHECK(!play->mirror.is_wrong);
    for (int i = 0; i < NAMES; i++)
        CHECK_EQ(play->mirror.versions[i], play->bad.versions[i]);
}

/* Every so many changes the client is changed, too; 0: never. */
static struct error *follow_bad_server(void *data)
{
    const int *every = data;
    SCOPED(play) play = {0};
    play_init(&play);
    sim_network_set_faults(play.network, STR("server.test"),
                           &(struct sim_faults){.jitter = 50 * MILLISECOND, .reset = 0.02});
    for (int i = 0; i < CHANGES; i++) {
        CHECK_OK(fiber_sleep((duration)random_below(loop_random(loop_current()), 2 * SECOND)));
        change_one(&play.bad);
        if (*every && i % *every == 0)
            change_client(&play);
    }
    play.bad.is_good = true;
    sim_network_set_faults(play.network, STR("server.test"), &(struct sim_faults){0});
    CHECK_OK(fiber_sleep(5 * MINUTE));
    check_equal(&play);
    return NULL;
}

static void say_nothing(void *data, struct str line)
{
    (void)data;
    (void)line;
}

static void play_with_seed(uint64_t seed, int every)
{
    struct loop *loop = sim_loop_new(seed);
    log_set_sink(say_nothing, NULL);
    CHECK_OK(loop_run(loop, follow_bad_server, &every));
    loop_free(loop);
}

TEST(whatever_a_server_does_a_cache_ends_up_equal)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        TEST_CASE("seed %llu", (unsigned long long)seed);
        play_with_seed(seed, 0);
    }
}

TEST(whatever_a_server_does_clients_can_be_changed)
{
    for (uint64_t seed = 1; seed <= SEEDS / 3; seed++) {
        const int every = 1 + (int)(seed % 7);
        TEST_CASE("seed %llu", (unsigned long long)seed);
        play_with_seed(seed, every);
    }
}

/* Bits of events are under way whenever the client changes. */
SIM_TEST(clients_are_changed_without_a_list_and_nothing_is_lost_or_told_twice)
{
    SCOPED(play) play = {.bad.is_good = true};
    play_init(&play);
    sim_network_set_faults(play.network, STR("server.test"),
                           &(struct sim_faults){.jitter = 30 * MILLISECOND});
    CHECK_OK(cache_wait_synced(play.cache));
    for (int i = 0; i < CHANGES; i++) {
        change_one(&play.bad);
        CHECK_OK(fiber_sleep((duration)random_below(loop_random(loop_current()), SECOND / 8)));
        if (i % 4 == 0)
            change_client(&play);
    }
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_equal(&play);
    CHECK_EQ(play.bad.loads, (size_t)1);
    CHECK_EQ(play.mirror.repeats, (size_t)0);
    CHECK_EQ(sim_network_connections(play.network), (size_t)1);
}

/* While it connects, loads and follows. */
SIM_TEST(a_client_can_be_changed_at_any_moment)
{
    for (int64_t moment = 0; moment < 1200; moment += 5) {
        TEST_CASE("after %lld ms", (long long)moment);
        SCOPED(play) play = {.bad.is_good = true};
        play_init(&play);
        sim_network_set_faults(play.network, STR("server.test"),
                               &(struct sim_faults){.jitter = 100 * MILLISECOND});
        for (int i = 0; i < NAMES; i++)
            change_one(&play.bad);
        CHECK_OK(fiber_sleep(moment * MILLISECOND));
        change_client(&play);
        change_one(&play.bad);
        CHECK_OK(fiber_sleep(10 * SECOND));
        check_equal(&play);
        CHECK(play.bad.loads <= 2);
        CHECK_EQ(play.mirror.repeats, (size_t)0);
    }
}
