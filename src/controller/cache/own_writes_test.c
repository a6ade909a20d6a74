#include "controller/cache/own_writes.h"

#include "apimachinery/wellknown.h"
#include "async/event.h"
#include "base/buf.h"
#include "controller/cache/cache_internal.h"
#include "testing/test.h"

/* A cache without a server, and the writes that it may lack. */
struct own_writes_fixture {
    struct event synced;
    struct cache *cache;
    struct own_writes *writes;
};

static void own_writes_fixture_init(struct own_writes_fixture *fixture, enum own_writes_kept kept)
{
    *fixture = (struct own_writes_fixture){0};
    fixture->cache =
        cache_new(NULL, &fixture->synced, &(struct cache_options){.gvr = GVR_CONFIG_MAPS});
    fixture->writes = own_writes_new(fixture->cache, kept);
}

static void own_writes_fixture_done(struct own_writes_fixture *fixture)
{
    own_writes_free(fixture->writes);
    cache_free(fixture->cache);
}

static struct object *new_config_map(const char *name, const char *version)
{
    SCOPED(buf) text = {0};
    struct object *object = NULL;
    buf_print(&text,
              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
              "\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":\"%s\"}}",
              name, version);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

static void put_write(struct own_writes_fixture *fixture, const char *name, const char *version)
{
    OWNED(object) object = new_config_map(name, version);
    own_writes_put(fixture->writes, object);
}

static void watch_event(struct own_writes_fixture *fixture, const char *name, const char *version,
                        bool is_deleted)
{
    OWNED(object) object = new_config_map(name, version);
    cache_apply(fixture->cache, object, is_deleted);
    cache_advance(fixture->cache, object_resource_version(object));
}

/* The version that a read of "a" is answered with; NULL: no object. */
static void check_read(struct own_writes_fixture *fixture, const char *version)
{
    OWNED(object_text) text = own_writes_get_text(fixture->writes, KEY("ns", "a"));
    CHECK_EQ(text ? object_text_resource_version(text) : STR(""),
             version ? str_from_c(version) : STR(""));
}

static bool is_behind(struct own_writes_fixture *fixture, const char *name)
{
    return own_writes_is_behind(fixture->writes,
                                (struct key){.namespace = STR("ns"), .name = str_from_c(name)});
}

TEST(a_read_is_answered_with_the_newer_of_write_and_cache)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_OBJECTS);
    check_read(&fixture, NULL);
    put_write(&fixture, "a", "5"); /* into a cache that is not synced */
    check_read(&fixture, "5");
    watch_event(&fixture, "a", "4", false);
    check_read(&fixture, "5");
    CHECK(is_behind(&fixture, "a"));
    watch_event(&fixture, "a", "5", false);
    CHECK(!is_behind(&fixture, "a"));
    check_read(&fixture, "5");
    watch_event(&fixture, "a", "10", false);
    check_read(&fixture, "10");
    put_write(&fixture, "a", "9"); /* the cache is ahead of this write */
    check_read(&fixture, "10");
}

TEST(a_write_is_forgotten_once_the_cache_has_seen_it_deleted)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_OBJECTS);
    watch_event(&fixture, "a", "3", false);
    put_write(&fixture, "a", "5");
    watch_event(&fixture, "a", "7", true);
    check_read(&fixture, NULL);
    CHECK(!is_behind(&fixture, "a"));
}

TEST(a_change_of_another_object_brings_the_cache_forward)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_VERSIONS);
    put_write(&fixture, "a", "5");
    put_write(&fixture, "b", "7");
    CHECK(is_behind(&fixture, "a"));
    watch_event(&fixture, "other", "6", false);
    CHECK(!is_behind(&fixture, "a"));
    CHECK(is_behind(&fixture, "b"));
    CHECK(!is_behind(&fixture, "c"));
}

TEST(an_older_answer_does_not_replace_a_newer_one)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_OBJECTS);
    put_write(&fixture, "a", "10");
    put_write(&fixture, "a", "9");
    check_read(&fixture, "10");
    put_write(&fixture, "a", "11");
    check_read(&fixture, "11");
}

TEST(an_object_that_is_gone_is_left_to_the_cache)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_OBJECTS);
    watch_event(&fixture, "a", "3", false);
    put_write(&fixture, "a", "5");
    own_writes_forget(fixture.writes, KEY("ns", "a"));
    own_writes_forget(fixture.writes, KEY("ns", "unknown"));
    check_read(&fixture, "3");
    put_write(&fixture, "a", "4"); /* older than what was forgotten */
    check_read(&fixture, "4");
}

TEST(versions_that_cannot_be_compared_are_never_caught_up_with)
{
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_OBJECTS);
    put_write(&fixture, "a", "x1");
    watch_event(&fixture, "other", "6", false);
    check_read(&fixture, "x1");
    put_write(&fixture, "a", "x0");
    check_read(&fixture, "x0");
    CHECK(is_behind(&fixture, "a"));
}

/* More keys than a sweep waits for: what the cache lacks survives, whenever a sweep takes place. */
TEST(sweeps_keep_what_the_cache_lacks)
{
    enum { KEYS = 1000 };
    SCOPED(own_writes_fixture) fixture;
    own_writes_fixture_init(&fixture, OWN_WRITES_VERSIONS);
    for (int i = 1; i <= KEYS; i++) {
        SCOPED(buf) text = {0};
        buf_print(&text, "%d", i);
        put_write(&fixture, buf_c(&text), buf_c(&text));
        if (i % 10 == 0)
            watch_event(&fixture, "other", buf_c(&text), false);
    }
    watch_event(&fixture, "other", "1000", false);
    put_write(&fixture, "last", "1001");
    CHECK(!is_behind(&fixture, "999"));
    CHECK(is_behind(&fixture, "last"));
    for (int i = 2001; i <= 2000 + KEYS; i++) {
        SCOPED(buf) text = {0};
        buf_print(&text, "%d", i);
        put_write(&fixture, buf_c(&text), buf_c(&text));
    }
    for (int i = 2001; i <= 2000 + KEYS; i++) {
        SCOPED(buf) text = {0};
        buf_print(&text, "%d", i);
        CHECK(is_behind(&fixture, buf_c(&text)));
    }
}
