/* A cache without a server: what arrives is handed to it directly. */
#include "controller/cache/cache.h"

#include "controller/cache/cache_fixture_test.h"
#include "controller/cache/cache_internal.h"

/* A cache, a store that is being loaded, and the recorded events of a handler. */
struct offline_cache_fixture {
    struct event synced;
    struct cache *cache;
    struct cache_store loading;
    struct cache_fixture online; /* only its handler is used */
};

static void offline_cache_fixture_init_with(struct offline_cache_fixture *fixture,
                                            const struct cache_options *options)
{
    *fixture = (struct offline_cache_fixture){0};
    fixture->cache = cache_new(NULL, &fixture->synced, options);
    cache_store_init_like(&fixture->loading, &fixture->cache->store);
    cache_fixture_handler_init(&fixture->online);
    cache_add_handler(fixture->cache, &fixture->online.handler);
}

static void offline_cache_fixture_init(struct offline_cache_fixture *fixture)
{
    offline_cache_fixture_init_with(fixture, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
}

static void offline_cache_fixture_done(struct offline_cache_fixture *fixture)
{
    cache_store_done(&fixture->loading);
    cache_free(fixture->cache);
    buf_done(&fixture->online.told);
}

static struct object *made(const char *name, const char *namespace, int version, const char *more)
{
    SCOPED(buf) text = {0};
    struct object *object = NULL;
    buf_print(&text,
              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
              "\"namespace\":\"%s\",\"uid\":\"u\",\"resourceVersion\":\"%d\"}%s}",
              name, namespace, version, more);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

static void load(struct offline_cache_fixture *fixture, const char *name, int version)
{
    OWNED(object) object = made(name, "ns", version, "");
    CHECK(cache_load(fixture->cache, &fixture->loading, object));
}

static void replace(struct offline_cache_fixture *fixture, const char *version)
{
    cache_replace(fixture->cache, &fixture->loading, str_from_c(version));
    cache_store_done(&fixture->loading);
    cache_store_init_like(&fixture->loading, &fixture->cache->store);
}

static void happen(struct offline_cache_fixture *fixture, const char *name, int version,
                   bool is_deleted)
{
    OWNED(object) object = made(name, "ns", version, "");
    cache_apply(fixture->cache, object, is_deleted);
    cache_advance(fixture->cache, object_resource_version(object));
}

static void check_told(struct offline_cache_fixture *fixture, const char *expected)
{
    CHECK_EQ(buf_str(&fixture->online.told), str_from_c(expected));
    buf_clear(&fixture->online.told);
}

TEST(a_list_replaces_a_cache_in_one_step)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "b", 4);
    load(&fixture, "a", 5);
    CHECK_EQ(cache_count(fixture.cache), (size_t)0);
    CHECK(!cache_is_synced(fixture.cache));
    CHECK_EQ(cache_resource_version(fixture.cache), STR(""));
    check_told(&fixture, "");
    replace(&fixture, "9");
    check_told(&fixture, "+a5! +b4! ");
    CHECK(cache_is_synced(fixture.cache));
    CHECK_EQ(cache_count(fixture.cache), (size_t)2);
    CHECK_EQ(cache_resource_version(fixture.cache), STR("9"));
    load(&fixture, "a", 5);
    load(&fixture, "b", 11);
    load(&fixture, "d", 12);
    replace(&fixture, "12");
    check_told(&fixture, "~a5>5= ~b4>11 +d12 ");
    replace(&fixture, "13");
    check_told(&fixture, "-a5? -b11? -d12? ");
    CHECK_EQ(cache_count(fixture.cache), (size_t)0);
    CHECK_EQ(cache_bytes(fixture.cache), (size_t)0);
}

TEST(a_list_that_comes_in_anew_shares_what_did_not_change)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 5);
    replace(&fixture, "9");
    OWNED(object_text) before = cache_get_text(fixture.cache, KEY("ns", "a"));
    load(&fixture, "a", 5);
    replace(&fixture, "10");
    OWNED(object_text) after = cache_get_text(fixture.cache, KEY("ns", "a"));
    CHECK(before == after);
    CHECK_EQ(cache_bytes(fixture.cache), object_text_json(after).len);
}

TEST(events_change_a_cache_one_at_a_time)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 5);
    replace(&fixture, "9");
    check_told(&fixture, "+a5! ");
    happen(&fixture, "a", 10, false);
    happen(&fixture, "b", 11, false);
    happen(&fixture, "a", 12, true);
    check_told(&fixture, "~a5>10 +b11 -a10 ");
    CHECK_EQ(cache_resource_version(fixture.cache), STR("12"));
    CHECK(!cache_get(fixture.cache, KEY("ns", "a")));
    OWNED(object) b = cache_get(fixture.cache, KEY("ns", "b"));
    CHECK_EQ(object_resource_version(b), STR("11"));
}

TEST(events_that_come_twice_or_late_change_nothing)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 5);
    replace(&fixture, "9");
    happen(&fixture, "a", 10, false);
    happen(&fixture, "b", 11, false);
    check_told(&fixture, "+a5! ~a5>10 +b11 ");
    happen(&fixture, "a", 10, false); /* twice */
    happen(&fixture, "a", 7, false);  /* late */
    happen(&fixture, "a", 8, true);   /* the deletion of one before it */
    check_told(&fixture, "");
    CHECK_EQ(cache_resource_version(fixture.cache), STR("11")); /* does not go back */
    happen(&fixture, "a", 12, true);
    check_told(&fixture, "-a10 ");
    happen(&fixture, "a", 10, false); /* it is gone and stays so */
    happen(&fixture, "a", 12, true);
    check_told(&fixture, "");
    happen(&fixture, "a", 13, false); /* made again */
    happen(&fixture, "a", 13, true);  /* a server that does not count deletions */
    check_told(&fixture, "+a13 -a13 ");
    cache_advance(fixture.cache, STR("30"));
    cache_advance(fixture.cache, STR("20"));
    CHECK_EQ(cache_resource_version(fixture.cache), STR("30"));
}

#define CONFIG_MAP(version, rest) "{\"kind\":\"ConfigMap\",\"apiVersion\":\"" version "\"," rest "}"
#define OTHER_GROUP               CONFIG_MAP("apps/v1", ITEM_META("a", "1"))
#define NO_NAME                   CONFIG_MAP("v1", "\"metadata\":{}")
#define ZERO_BYTE                 CONFIG_MAP("v1", ITEM_META("a\\u0000", "1"))

TEST(objects_of_an_unexpected_kind_are_skipped)
{
    const struct {
        const char *name, *text;
    } rows[] = {
        {"another group", OTHER_GROUP},
        {"no name",       NO_NAME    },
        {"a zero byte",   ZERO_BYTE  },
    };
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s", rows[i].name);
        OWNED(object) object = NULL;
        CHECK_OK(object_read(str_from_c(rows[i].text), &object));
        CHECK(!cache_load(fixture.cache, &fixture.loading, object));
        cache_apply(fixture.cache, object, false);
        CHECK_EQ(cache_count(fixture.cache), (size_t)0);
    }
}

TEST(managed_fields_are_dropped)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    OWNED(object) object = NULL;
    CHECK_OK(object_read(STR("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                             "\"a\",\"resourceVersion\":\"4\",\"managedFields\":[{\"x\":1}]}}"),
                         &object));
    cache_apply(fixture.cache, object, false);
    OWNED(object_text) text = cache_get_text(fixture.cache, KEY("", "a"));
    CHECK_EQ(object_text_json(text),
             STR("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                 "\"resourceVersion\":\"4\"}}"));
}

static struct error *refuse_b(void *data, struct object *object, struct object **ret_object)
{
    ++*(int *)data;
    if (str_eq(object_name(object), STR("b")))
        return error_new(ERROR_INVALID, "not b");
    *ret_object = object_ref(object);
    return NULL;
}

TEST(a_transform_runs_once_and_may_refuse)
{
    int calls = 0;
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init_with(&fixture, &(struct cache_options){.gvr = GVR_CONFIG_MAPS,
                                                                      .transform = refuse_b,
                                                                      .transform_data = &calls});
    OWNED(object) b = made("b", "ns", 2, "");
    load(&fixture, "a", 1);
    CHECK(!cache_load(fixture.cache, &fixture.loading, b));
    replace(&fixture, "3");
    load(&fixture, "a", 1);
    replace(&fixture, "4");
    CHECK_EQ(calls, 2);
    OWNED(object) later = made("b", "ns", 5, "");
    cache_apply(fixture.cache, later, true); /* of what was refused */
    check_told(&fixture, "+a1! ~a1>1= ");
}

struct names {
    struct buf text;
    size_t most;
};

static bool note_name(void *data, struct object_text *text)
{
    struct names *names = data;
    key_write(&names->text, object_text_key(text));
    buf_add_char(&names->text, ' ');
    return --names->most > 0;
}

static void check_names(struct names *names, const char *expected)
{
    CHECK_EQ(buf_str(&names->text), str_from_c(expected));
    buf_done(&names->text);
    *names = (struct names){.most = SIZE_MAX};
}

TEST(objects_are_visited_in_the_order_of_keys)
{
    static const struct key keys[] = {
        {STR_INIT("a-b"), STR_INIT("x")},
        {STR_INIT("a"),   STR_INIT("z")},
        {STR_INIT("a"),   STR_INIT("y")},
        {STR_INIT(""),    STR_INIT("k")},
        {STR_INIT("ab"),  STR_INIT("x")},
    };
    SCOPED(offline_cache_fixture) fixture;
    struct names names = {.most = SIZE_MAX};
    offline_cache_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(keys); i++) {
        OWNED(object) object = made(keys[i].name.ptr, keys[i].namespace.ptr, (int)i + 1, "");
        cache_apply(fixture.cache, object, false);
    }
    cache_each(fixture.cache, STR(""), note_name, &names);
    check_names(&names, "k a/y a/z a-b/x ab/x ");
    cache_each(fixture.cache, STR("a"), note_name, &names);
    check_names(&names, "a/y a/z ");
    cache_each(fixture.cache, STR("nowhere"), note_name, &names);
    check_names(&names, "");
    names.most = 2;
    cache_each(fixture.cache, STR(""), note_name, &names);
    check_names(&names, "k a/y ");
}

static void by_color(void *data, const struct object *object, cache_emit_fn *emit, void *emit_data)
{
    (void)data;
    const struct json_value *value;
    JSON_FOREACH (key, value, object_path(object, "data.colors")) {
        (void)key;
        emit(emit_data, json_to_str(value));
    }
}

static void color(struct offline_cache_fixture *fixture, const char *namespace, const char *name,
                  int version, const char *colors)
{
    SCOPED(buf) more = {0};
    buf_print(&more, ",\"data\":{\"colors\":[%s]}", colors);
    OWNED(object) object = made(name, namespace, version, buf_c(&more));
    cache_apply(fixture->cache, object, false);
    cache_advance(fixture->cache, object_resource_version(object));
}

static void check_color(struct offline_cache_fixture *fixture, const char *namespace,
                        struct str value, const char *expected)
{
    struct names names = {.most = SIZE_MAX};
    cache_each_indexed(fixture->cache, STR("color"), str_from_c(namespace), value, note_name,
                       &names);
    check_names(&names, expected);
}

static void check_colors(struct offline_cache_fixture *fixture)
{
    check_color(fixture, "", STR("red"), "m/b n/a n/c ");
    check_color(fixture, "n", STR("red"), "n/a n/c ");
    check_color(fixture, "m", STR("red"), "m/b ");
    check_color(fixture, "", STR("blue"), "n/a ");
    check_color(fixture, "", STR("re"), "");
    check_color(fixture, "", STR(""), "n/c ");
    check_color(fixture, "", STR("r\0n"), "n/c ");
    check_color(fixture, "", STR("r"), "");
}

TEST(indexes_follow_objects_whenever_they_are_added)
{
    for (int when = 0; when < 3; when++) {
        TEST_CASE("added at time %d", when);
        SCOPED(offline_cache_fixture) fixture;
        offline_cache_fixture_init(&fixture);
        if (when == 0)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        color(&fixture, "n", "a", 1, "\"red\",\"blue\",\"red\"");
        color(&fixture, "m", "b", 2, "\"green\"");
        if (when == 1)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        color(&fixture, "m", "b", 3, "\"red\"");
        color(&fixture, "n", "c", 4, "\"red\",\"\",\"r\\u0000n\"");
        color(&fixture, "n", "d", 5, "\"red\"");
        OWNED(object) d = made("d", "n", 6, "");
        cache_apply(fixture.cache, d, true);
        if (when == 2)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        cache_add_index(fixture.cache, STR("color"), by_color, NULL); /* the same */
        check_colors(&fixture);
        check_color(&fixture, "", STR("green"), "");
    }
}

static bool load_again(void *data, struct object_text *text)
{
    struct offline_cache_fixture *fixture = data;
    OWNED(object) object = NULL;
    CHECK_OK(object_text_read(text, &object));
    return cache_load(fixture->cache, &fixture->loading, object);
}

TEST(indexes_outlive_a_list_that_comes_in_anew)
{
    for (int when = 0; when < 3; when++) {
        TEST_CASE("added at time %d", when);
        SCOPED(offline_cache_fixture) fixture;
        offline_cache_fixture_init(&fixture);
        color(&fixture, "n", "a", 1, "\"red\",\"blue\"");
        color(&fixture, "m", "b", 2, "\"red\"");
        if (when == 0)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        cache_store_done(&fixture.loading);
        cache_store_init_like(&fixture.loading, &fixture.cache->store);
        OWNED(object) c = made("c", "n", 4, ",\"data\":{\"colors\":[\"red\",\"\",\"r\\u0000n\"]}");
        CHECK(cache_load(fixture.cache, &fixture.loading, c));
        if (when == 1)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        cache_each(fixture.cache, STR(""), load_again, &fixture);
        replace(&fixture, "9");
        if (when == 2)
            cache_add_index(fixture.cache, STR("color"), by_color, NULL);
        check_colors(&fixture);
    }
}

TEST(a_handler_that_comes_late_is_told_of_what_is_there)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 1);
    load(&fixture, "b", 2);
    replace(&fixture, "3");
    check_told(&fixture, "+a1! +b2! ");
    cache_remove_handler(fixture.cache, &fixture.online.handler);
    cache_remove_handler(fixture.cache, &fixture.online.handler);
    happen(&fixture, "b", 4, false);
    check_told(&fixture, "");
    cache_add_handler(fixture.cache, &fixture.online.handler);
    check_told(&fixture, "+a1! +b4! ");
    happen(&fixture, "b", 5, false);
    check_told(&fixture, "~b4>5 ");
}

TEST(a_resync_tells_of_everything_again)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 1);
    load(&fixture, "b", 2);
    replace(&fixture, "3");
    check_told(&fixture, "+a1! +b2! ");
    cache_resync(fixture.cache);
    check_told(&fixture, "~a1>1= ~b2>2= ");
}

/* A handler that does something to others when it is called. */
struct meddler {
    struct cache_handler handler;
    struct offline_cache_fixture *fixture;
    struct cache_handler *removes, *adds;
    int calls;
};

static void meddle(void *data, const struct cache_event *event)
{
    struct meddler *meddler = data;
    (void)event;
    meddler->calls++;
    if (meddler->removes)
        cache_remove_handler(meddler->fixture->cache, TAKE(meddler->removes));
    if (meddler->adds)
        cache_add_handler(meddler->fixture->cache, TAKE(meddler->adds));
}

static struct meddler *meddler_new(struct offline_cache_fixture *fixture)
{
    struct meddler *meddler = NEW(struct meddler);
    *meddler = (struct meddler){
        .handler = {.changed = meddle, .data = meddler},
          .fixture = fixture
    };
    return meddler;
}

TEST(handlers_may_be_removed_while_they_are_told)
{
    enum { ITSELF, THE_ONE_BEFORE, THE_ONE_BEHIND, CASES };
    for (int which = 0; which < CASES; which++) {
        TEST_CASE("case %d", which);
        SCOPED(offline_cache_fixture) fixture;
        offline_cache_fixture_init(&fixture);
        OWNED_PTR struct meddler *before = meddler_new(&fixture), *one = meddler_new(&fixture),
                                 *behind = meddler_new(&fixture), *last = meddler_new(&fixture);
        cache_add_handler(fixture.cache, &before->handler);
        cache_add_handler(fixture.cache, &one->handler);
        cache_add_handler(fixture.cache, &behind->handler);
        cache_add_handler(fixture.cache, &last->handler);
        struct cache_handler *const victims[] = {&one->handler, &before->handler, &behind->handler};
        one->removes = victims[which];
        happen(&fixture, "a", 1, false);
        happen(&fixture, "a", 2, false);
        CHECK_EQ(before->calls, which == THE_ONE_BEFORE ? 1 : 2);
        CHECK_EQ(one->calls, which == ITSELF ? 1 : 2);
        CHECK_EQ(behind->calls, which == THE_ONE_BEHIND ? 0 : 2);
        CHECK_EQ(last->calls, 2);
        cache_free(TAKE(fixture.cache)); /* before its handlers */
    }
}

TEST(a_handler_may_remove_itself_while_it_is_told_of_what_is_there)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    load(&fixture, "a", 1);
    load(&fixture, "b", 2);
    replace(&fixture, "3");
    struct meddler *one = meddler_new(&fixture);
    one->removes = &one->handler;
    cache_add_handler(fixture.cache, &one->handler);
    CHECK_EQ(one->calls, 1);
    mem_free(one);
    happen(&fixture, "a", 4, false);
}

TEST(a_handler_that_is_added_in_the_middle_is_told_once)
{
    SCOPED(offline_cache_fixture) fixture;
    offline_cache_fixture_init(&fixture);
    cache_remove_handler(fixture.cache, &fixture.online.handler);
    OWNED_PTR struct meddler *one = meddler_new(&fixture);
    one->adds = &fixture.online.handler;
    cache_add_handler(fixture.cache, &one->handler);
    load(&fixture, "a", 1);
    load(&fixture, "b", 2);
    replace(&fixture, "3");
    CHECK_EQ(one->calls, 2);
    check_told(&fixture, "+a1! +b2! ");
    happen(&fixture, "a", 4, false);
    check_told(&fixture, "~a1>4 ");
    cache_free(TAKE(fixture.cache));
}
