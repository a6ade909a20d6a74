/* Applying to a cluster that does not answer, or not as it should. */
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "scenarios/clusterresourceset/apply_fixture.h"

#define MAP   APPLY_FIXTURE_MAP
#define MAPS  APPLY_FIXTURE_MAPS
#define THREE MAP("a", ""), MAP("b", ""), MAP("c", "")

static void start(struct apply_fixture *fixture)
{
    apply_fixture_init(fixture);
    APPLY_FIXTURE_APPLY(fixture, APPLY_ONCE, MAP("known", ""));
}

static void check_all_failed(const struct apply_fixture *fixture, enum error_code code)
{
    CHECK_EQ(error_code_name(fixture->err ? fixture->err->code : ERROR_NONE),
             error_code_name(code));
    CHECK_EQ(fixture->report.failed, 3);
    CHECK_EQ(fixture->failures.cause_count, 1);
    CHECK_EQ(fixture->failures.first->count, 3);
    CHECK_EQ(fixture->failures.first->last->name, STR("c"));
}

SIM_TEST(nobody_listens_and_the_rest_is_not_tried)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    CHECK_OK(fiber_sleep(HOUR)); /* connections are let go */
    apply_fixture_refuse(&fixture, true);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    check_all_failed(&fixture, ERROR_UNREACHABLE);
    apply_fixture_refuse(&fixture, false);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    apply_fixture_check(&fixture, 3, 0, 0);
}

SIM_TEST(refused_credentials_are_shown_once)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.part = MAPS, .times = 9, .status = 401});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    check_all_failed(&fixture, ERROR_UNAUTHORIZED);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\n"));
}

SIM_TEST(a_connection_that_breaks_ends_the_pass)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.method = "POST", .part = MAPS, .times = 9});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    check_all_failed(&fixture, ERROR_CONNECTION);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\n"));
}

SIM_TEST(one_request_that_hangs_is_one_failure)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "POST", .part = MAPS, .times = 1, .hangs = true});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    CHECK(error_is(fixture.err, ERROR_DEADLINE));
    CHECK_EQ(fixture.report.failed, 1);
    CHECK_EQ(fixture.report.created, 2);
}

SIM_TEST(a_server_that_hangs_is_given_up_after_two_requests)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.part = MAPS, .times = 9, .hangs = true});
    const int64_t begin = loop_now(loop_current());
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    check_all_failed(&fixture, ERROR_DEADLINE);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\nPOST " MAPS "\n"));
    CHECK(loop_now(loop_current()) - begin < 21 * SECOND);
}

SIM_TEST(the_deadline_of_the_caller_ends_the_pass)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.part = MAPS, .times = 9, .hangs = true});
    {
        FIBER_TIMEOUT(3 * SECOND);
        APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, THREE);
    }
    check_all_failed(&fixture, ERROR_DEADLINE);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\n"));
}

static struct error *apply_three(void *data)
{
    APPLY_FIXTURE_APPLY(data, APPLY_ONCE, THREE);
    return NULL;
}

SIM_TEST(a_pass_can_be_cancelled_in_the_middle)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    /* The first goes through, the second stays in the proxy. */
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.part = MAPS, .skipped = 1, .times = 9, .hangs = true});
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "apply", apply_three, &fixture);
        CHECK_OK(fiber_sleep(SECOND));
        scope_cancel(&scope);
        CHECK_OK(scope_wait(&scope));
    }
    CHECK(error_is(fixture.err, ERROR_CANCELED));
    CHECK_EQ(fixture.report.created, 1);
    CHECK_EQ(fixture.report.failed, 2);
}

/* A ConfigMap of so many bytes. */
static const char *large_map(struct buf *text, size_t size)
{
    buf_add(text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                      "\"large\",\"namespace\":\"default\"},\"data\":{\"a\":\""));
    memset(buf_reserve(text, size), 'x', size);
    buf_grow(text, size);
    buf_add(text, STR("\"}}"));
    return buf_c(text);
}

SIM_TEST(an_object_too_large_for_the_server_fails_alone)
{
    SCOPED(apply_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    start(&fixture);
    const char *large = large_map(&text, (size_t)4 * MEGABYTE);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, large, MAP("b", ""));
    CHECK(error_is(fixture.err, ERROR_TOO_LARGE));
    CHECK_CONTAINS(apply_fixture_text(&fixture),
                   STR("creating object /v1, Kind=ConfigMap default/large: Request entity too"));
    CHECK_EQ(fixture.report.created, 1);
}

SIM_TEST(a_connection_that_breaks_under_a_large_object_says_nothing_about_the_next)
{
    SCOPED(apply_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    start(&fixture);
    const char *large = large_map(&text, (size_t)2 * MEGABYTE);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.method = "POST", .part = MAPS, .times = 1});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, large, MAP("b", ""));
    CHECK(error_is(fixture.err, ERROR_CONNECTION));
    CHECK_EQ(fixture.report.created, 1);
}

SIM_TEST(a_404_without_words_means_the_object_once_the_kind_is_confirmed)
{
    SCOPED(apply_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "GET", .part = MAPS "/a", .times = 2, .status = 404});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", ""));
    apply_fixture_check(&fixture, 1, 0, 0);
    CHECK_EQ(fixture.proxy.lookups, 1);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " MAPS "/a\nGET " MAPS "/a\nPOST " MAPS "\n"));
}
