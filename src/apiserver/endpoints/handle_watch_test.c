#include "apiserver/endpoints/handle_watch.h"

#include "apiserver/endpoints/large_maps_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static void make_map(struct apiserver_fixture *fixture, const char *name, const char *labels)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
              "\"labels\":{%s}}}",
              name, labels);
    apiserver_fixture_create(fixture, MAPS, buf_c(&body));
}

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

static duration since(int64_t start)
{
    return loop_now(loop_current()) - start;
}

/* Only the type and the name of the next event. */
static struct str next(struct http_response *watch, struct buf *out)
{
    struct str text = apiserver_fixture_event(watch, out), head;
    str_cut(&text, '@', &head);
    return head;
}

SIM_TEST(a_watch_tells_what_happens_in_order)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    make_map(&fixture, "before", "");
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, MAPS "?watch=true");
    CHECK_EQ(next(watch, &event), STR("ADDED before"));
    make_map(&fixture, "a", "");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/a", ""), 200);
    CHECK_EQ(next(watch, &event), STR("ADDED a"));
    CHECK_EQ(next(watch, &event), STR("MODIFIED a"));
    CHECK_EQ(next(watch, &event), STR("DELETED a"));
}

SIM_TEST(a_watch_with_a_selector_sees_objects_come_and_go)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    make_map(&fixture, "a", "\"color\":\"red\"");
    OWNED(http_response)
    watch = apiserver_fixture_watch(&fixture,
                                    MAPS "?watch=1&resourceVersion=1&labelSelector=color%3Dred");
    make_map(&fixture, "b", "\"color\":\"blue\"");
    static const char *const colors[] = {"red", "red", "blue", "red"};
    for (size_t i = 0; i < COUNT(colors); i++) {
        char patch[100];
        snprintf(patch, sizeof(patch),
                 "{\"metadata\":{\"labels\":{\"color\":\"%s\"}},\"data\":{\"n\":\"%zu\"}}",
                 colors[i], i);
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/b", patch), 200);
    }
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/b", ""), 200);
    CHECK_EQ(next(watch, &event), STR("ADDED a"));
    CHECK_EQ(next(watch, &event), STR("ADDED b"));
    CHECK_EQ(next(watch, &event), STR("MODIFIED b"));
    CHECK_EQ(next(watch, &event), STR("DELETED b"));
    CHECK_EQ(next(watch, &event), STR("ADDED b"));
    CHECK_EQ(next(watch, &event), STR("DELETED b"));
}

SIM_TEST(what_leaves_a_selection_is_shown_as_it_was_under_the_new_version)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    make_map(&fixture, "a", "\"color\":\"red\"");
    OWNED(http_response)
    watch = apiserver_fixture_watch(&fixture,
                                    MAPS "?watch=1&labelSelector=color%3Dred&resourceVersion=0");
    SCOPED(buf) event = {.limit = 0};
    CHECK_EQ(next(watch, &event), STR("ADDED a"));
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"metadata\":{\"labels\":null}}"),
        200);
    struct str line;
    OWNED(json_doc) doc = NULL;
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_OK(json_read(line, &doc));
    CHECK_EQ(json_path_str(json_doc_root(doc), "type"), STR("DELETED"));
    CHECK_EQ(json_path_str(json_doc_root(doc), "object.metadata.labels.color"), STR("red"));
    CHECK_EQ(json_path_str(json_doc_root(doc), "object.metadata.resourceVersion"),
             apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
}

SIM_TEST(a_watch_of_one_name_sees_no_other)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    OWNED(http_response)
    watch = apiserver_fixture_watch(&fixture, MAPS "?watch=1&fieldSelector=metadata.name%3Db");
    make_map(&fixture, "a", "");
    make_map(&fixture, "b", "");
    CHECK_EQ(next(watch, &event), STR("ADDED b"));
}

SIM_TEST(bookmarks_come_every_minute_and_before_the_end)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    const int64_t start = loop_now(loop_current());
    OWNED(http_response)
    watch = apiserver_fixture_watch(&fixture,
                                    MAPS "?watch=1&allowWatchBookmarks=true&timeoutSeconds=90");
    /* What happens elsewhere moves bookmarks on. */
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n1\"}}");
    const struct str first = apiserver_fixture_event(watch, &event);
    CHECK(str_starts_with(first, STR("BOOKMARK @")));
    CHECK_CONTAINS(first, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    CHECK(since(start) >= 60 * SECOND && since(start) < 62 * SECOND);
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n2\"}}");
    CHECK(str_starts_with(apiserver_fixture_event(watch, &event), STR("BOOKMARK @")));
    CHECK(since(start) >= 87 * SECOND && since(start) < 90 * SECOND);
    CHECK_EQ(apiserver_fixture_event(watch, &event), STR(""));
    CHECK(since(start) >= 90 * SECOND && since(start) < 92 * SECOND);
}

SIM_TEST(without_being_asked_for_there_are_no_bookmarks)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    OWNED(http_response)
    watch = apiserver_fixture_watch(&fixture, MAPS "?watch=1&timeoutSeconds=200");
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n1\"}}");
    CHECK_EQ(apiserver_fixture_event(watch, &event), STR(""));
}

SIM_TEST(a_watch_without_a_timeout_ends_within_the_hour)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    const int64_t start = loop_now(loop_current());
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, MAPS "?watch=1");
    CHECK_EQ(apiserver_fixture_event(watch, &event), STR(""));
    CHECK(since(start) >= 30 * MINUTE && since(start) <= 61 * MINUTE);
}

SIM_TEST(a_streaming_list_ends_with_a_marked_bookmark)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    make_map(&fixture, "a", "");
    make_map(&fixture, "b", "");
    OWNED(http_response)
    watch = apiserver_fixture_watch(
        &fixture, MAPS "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                       "&allowWatchBookmarks=true&resourceVersion=");
    CHECK_EQ(next(watch, &event), STR("ADDED a"));
    CHECK_EQ(next(watch, &event), STR("ADDED b"));
    struct str line;
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_CONTAINS(line, STR("\"type\":\"BOOKMARK\""));
    CHECK_CONTAINS(line, STR("\"k8s.io/initial-events-end\":\"true\""));
    make_map(&fixture, "c", "");
    CHECK_EQ(next(watch, &event), STR("ADDED c"));
}

SIM_TEST(a_streaming_list_from_the_future_is_refused_before_it_begins)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    const int64_t start = loop_now(loop_current());
    CHECK_EQ(apiserver_fixture_get(
                 &fixture, MAPS "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                "&resourceVersion=99999999&allowWatchBookmarks=true"),
             504);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("Too large resource version: 99999999"));
    CHECK(since(start) >= 3 * SECOND && since(start) < 5 * SECOND);
}

/* Silence would hide from a client that the server has lost what the client knows. */
SIM_TEST(a_watch_from_the_future_is_refused_before_it_begins)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    const int64_t start = loop_now(loop_current());
    CHECK_EQ(
        apiserver_fixture_get(&fixture, MAPS "?watch=1&resourceVersion=99999999&timeoutSeconds=60"),
        504);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("Too large resource version: 99999999"));
    CHECK(since(start) >= 3 * SECOND && since(start) < 5 * SECOND);
}

SIM_TEST(a_watch_from_before_the_history_is_told_so)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.history_events = 1;
    fixture.options.history_age = SECOND;
    CHECK_OK(apiserver_fixture_start(&fixture));
    make_map(&fixture, "a", "");
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, MAPS "?watch=1&resourceVersion=%.*s",
              STR_ARG(apiserver_fixture_text(&fixture, "metadata.resourceVersion")));
    for (int i = 0; i < 1100; i++) {
        char patch[64];
        snprintf(patch, sizeof(patch), "{\"data\":{\"n\":\"%d\"}}", i);
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", patch), 200);
    }
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":null}"), 200);
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, buf_c(&target));
    struct str line;
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_CONTAINS(line, STR("{\"type\":\"ERROR\",\"object\":{"));
    CHECK_CONTAINS(line, STR("\"code\":410"));
    CHECK_CONTAINS(line, STR("too old resource version"));
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK(line.ptr == NULL);
}

/* Writes that are larger in all than what may be under way to one client. */
static void write_much(struct apiserver_fixture *fixture)
{
    SCOPED(buf) patch = {.limit = 0};
    buf_add(&patch, STR("{\"data\":{\"text\":\""));
    for (size_t i = 0; i < 200 * KILOBYTE; i++)
        buf_add_char(&patch, 'x');
    buf_add(&patch, STR("\",\"number\":\""));
    const size_t head = patch.len;
    for (int i = 0; i < 50; i++) {
        patch.len = head;
        buf_print(&patch, "%d\"}}", i);
        CHECK_EQ(apiserver_fixture_call(fixture, "PATCH", MAPS "/a", buf_c(&patch)), 200);
    }
}

SIM_TEST(a_watch_that_is_not_read_is_cut_off)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    make_map(&fixture, "a", "");
    OWNED(http_client) lazy = apiserver_fixture_client(&fixture, fixture.admin);
    OWNED(http_response) watch = NULL;
    const struct http_client_request request = {.target = STR(MAPS "?watch=1")};
    CHECK_OK(http_client_send(lazy, &request, &watch));
    write_much(&fixture);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    struct str line;
    struct error *err;
    do
        err = http_response_read_line(watch, &line);
    while (!err && line.ptr);
    CHECK(err != NULL); /* cut off, and not as if that had been all */
    error_free(err);
}

/* Reads what comes, and says how many objects were ADDED before the last line. */
static size_t read_all(struct http_response *watch, struct buf *ret_last)
{
    size_t added = 0;
    for (;;) {
        struct str line;
        CHECK_OK(http_response_read_line(watch, &line));
        if (!line.ptr)
            return added;
        added += str_starts_with(line, STR("{\"type\":\"ADDED\""));
        buf_clear(ret_last);
        buf_add(ret_last, str_slice(line, 0, line.len < 1000 ? line.len : 1000));
    }
}

/* What it has not taken by then is not kept for it, because that may be all states there ever were.
 */
SIM_TEST(an_initial_list_that_is_read_slowly_ends_when_its_revision_is_too_old)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) last = {.limit = 0};
    apiserver_fixture_init(&fixture);
    fixture.options.history_events = 1;
    fixture.options.history_age = SECOND;
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int i = 0; i < LARGE_MAPS; i++)
        large_map_make(&fixture, i);
    OWNED(http_client) slow = apiserver_fixture_client(&fixture, fixture.admin);
    OWNED(http_response) watch = NULL;
    const struct http_client_request request = {.target = STR(MAPS "?watch=1")};
    CHECK_OK(http_client_send(slow, &request, &watch));
    large_maps_outrun_history(&fixture);
    CHECK(read_all(watch, &last) < (size_t)LARGE_MAPS);
    CHECK_CONTAINS(buf_str(&last), STR("{\"type\":\"ERROR\",\"object\":{"));
    CHECK_CONTAINS(buf_str(&last), STR("\"code\":410"));
    CHECK_CONTAINS(buf_str(&last), STR("too old resource version"));
}

/* Large objects and many changes, but the history reaches: nothing is missing. */
SIM_TEST(an_initial_list_that_is_read_slowly_is_complete_while_the_history_reaches)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < LARGE_MAPS; i++)
        large_map_make(&fixture, i);
    OWNED(http_client) slow = apiserver_fixture_client(&fixture, fixture.admin);
    OWNED(http_response) watch = NULL;
    SCOPED(buf) last = {.limit = 0};
    const struct http_client_request request = {.target = STR(MAPS "?watch=1&timeoutSeconds=60")};
    CHECK_OK(http_client_send(slow, &request, &watch));
    large_maps_outrun_history(&fixture);
    CHECK_EQ(read_all(watch, &last), (size_t)LARGE_MAPS);
    CHECK(str_starts_with(buf_str(&last), STR("{\"type\":\"MODIFIED\"")));
}

SIM_TEST(the_watch_paths_of_old_still_watch)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    OWNED(http_response)
    one = apiserver_fixture_watch(&fixture, "/api/v1/watch/namespaces/default/configmaps/b");
    OWNED(http_response) all = apiserver_fixture_watch(&fixture, "/api/v1/watch/configmaps");
    make_map(&fixture, "a", "");
    make_map(&fixture, "b", "");
    CHECK_EQ(next(one, &event), STR("ADDED b"));
    CHECK_EQ(next(all, &event), STR("ADDED extension-apiserver-authentication"));
    CHECK_EQ(next(all, &event), STR("ADDED a"));
    CHECK_EQ(next(all, &event), STR("ADDED b"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", "/api/v1/watch/namespaces/default/configmaps",
                                    "{}"),
             405);
}
