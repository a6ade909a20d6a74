/* Applying what depends on each other: namespaces, definitions and their objects. */
#include "async/fiber.h"
#include "scenarios/clusterresourceset/apply_fixture.h"

#define DEFINITION      APPLY_FIXTURE_DEFINITION
#define WEB             APPLY_FIXTURE_WEB
#define MAP_IN          APPLY_FIXTURE_MAP_IN
#define NAMESPACE       APPLY_FIXTURE_NAMESPACE
#define DEFINITIONS     APPLY_FIXTURE_DEFINITIONS
#define WEBS            APPLY_FIXTURE_WEBS
#define NAMESPACES      APPLY_FIXTURE_NAMESPACES
#define WEB_DISCOVERY   "/apis/apps.corset.dev/v1?"
#define MAPS_IN_N1      NAMESPACES "/n1/configmaps"
#define NO_WEB          "no matches for kind \"Web\" in version \"apps.corset.dev/v1\""
#define NOT_ESTABLISHED DEFINITIONS "/webs.apps.corset.dev"

SIM_TEST(crs_70_requests_go_out_in_the_order_of_the_objects)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, NAMESPACE("n1"), MAP_IN("n1", "a", ""),
                        APPLY_FIXTURE_MAP("b", ""));
    apply_fixture_check(&fixture, 3, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("POST " NAMESPACES "\nPOST " MAPS_IN_N1 "\nPOST " APPLY_FIXTURE_MAPS "\n"));
}

SIM_TEST(a_namespace_that_comes_later_is_made_up_for_at_the_end)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP_IN("n1", "a", ""), NAMESPACE("n1"));
    apply_fixture_check(&fixture, 2, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("POST " MAPS_IN_N1 "\nPOST " NAMESPACES "\nPOST " MAPS_IN_N1 "\n"));
}

SIM_TEST(a_namespace_that_does_not_come_fails_after_one_more_try)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP_IN("ns1", "cm1", ""));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("creating object /v1, Kind=ConfigMap ns1/cm1: namespaces \"ns1\" not found"));
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("POST " NAMESPACES "/ns1/configmaps\nPOST " NAMESPACES "/ns1/configmaps\n"));
}

SIM_TEST(a_definition_and_its_objects_go_in_one_pass)
{
    static const enum apply_strategy strategies[] = {APPLY_ONCE, APPLY_MERGE_PATCH};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(apply_fixture) fixture;
        apply_fixture_init(&fixture);
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], APPLY_FIXTURE_MAP("known", ""));
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], DEFINITION("webs", "v1"), WEB("a", "1"),
                            WEB("b", "2"));
        apply_fixture_check(&fixture, 3, 0, 0);
        CHECK_EQ(apply_fixture_look(&fixture, WEBS "/b", "metadata.name"), STR("b"));
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], DEFINITION("webs", "v1"), WEB("a", "1"),
                            WEB("b", "2"));
        CHECK_EQ(apply_fixture_text(&fixture), STR(""));
        CHECK_EQ(fixture.report.created, 0);
    }
}

SIM_TEST(a_definition_is_waited_for_until_it_is_established_and_discovered)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.part = NOT_ESTABLISHED,
                                                    .times = 3,
                                                    .status = 200,
                                                    .body = DEFINITION("webs", "v1")});
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.part = WEB_DISCOVERY, .times = 4, .status = 404});
    const int64_t begin = loop_now(loop_current());
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v1"), WEB("a", "1"));
    apply_fixture_check(&fixture, 2, 0, 0);
    const duration took = loop_now(loop_current()) - begin;
    CHECK(took > 500 * MILLISECOND && took < 10 * SECOND);
}

SIM_TEST(a_definition_that_is_never_established_is_waited_for_once)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){.part = NOT_ESTABLISHED,
                                                    .times = 1000,
                                                    .status = 200,
                                                    .body = DEFINITION("webs", "v1")});
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.part = WEB_DISCOVERY, .times = 1000, .status = 404});
    const int64_t begin = loop_now(loop_current());
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v1"), WEB("a", "1"),
                        WEB("b", "1"), APPLY_FIXTURE_MAP("c", ""));
    CHECK(loop_now(loop_current()) - begin < 12 * SECOND);
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("2 of 4 objects failed: 2 objects: " NO_WEB ": Web default/a (ConfigMap cm1, key "
                 "data, document 2), Web default/b"));
    CHECK_EQ(fixture.report.created, 2);
}

SIM_TEST(a_definition_that_comes_later_is_made_up_for_at_the_end)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, WEB("a", "1"), DEFINITION("webs", "v1"));
    apply_fixture_check(&fixture, 2, 0, 0);
}

SIM_TEST(a_definition_of_another_version_is_not_waited_for)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    const int64_t begin = loop_now(loop_current());
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v2"), WEB("a", "1"));
    CHECK(loop_now(loop_current()) - begin < SECOND);
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("creating object apps.corset.dev/v1, Kind=Web default/a: " NO_WEB));
}

/* The live definition is another one and ApplyOnce leaves it alone. */
SIM_TEST(a_definition_that_lacks_the_version_in_the_cluster_is_not_waited_for)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_fixture_do(&fixture, "POST", DEFINITIONS, DEFINITION("webs", "v2"));
    const int64_t begin = loop_now(loop_current());
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v1"), WEB("a", "1"));
    CHECK(loop_now(loop_current()) - begin < SECOND);
    CHECK_EQ(fixture.report.unchanged, 1);
    CHECK_EQ(fixture.report.failed, 1);
}

SIM_TEST(an_unknown_kind_is_looked_for_again_at_the_end)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, APPLY_FIXTURE_MAP("known", ""));
    CHECK_OK(fiber_sleep(5 * SECOND)); /* what discovery knows is no longer fresh */
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, WEB("a", "1"), APPLY_FIXTURE_MAP("b", ""));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("reading object apps.corset.dev/v1, Kind=Web default/a: " NO_WEB));
    CHECK_EQ(fixture.report.created, 1);
    CHECK_EQ(fixture.proxy.lookups, 2);
    CHECK_EQ(failures_find_single(&fixture.failures)->document, 1);
}

SIM_TEST(what_breaks_the_schema_fails_with_the_words_of_the_server)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v1"), WEB("a", "\"x\""),
                        WEB("b", "1"));
    CHECK(error_is(fixture.err, ERROR_INVALID));
    CHECK(str_starts_with(apply_fixture_text(&fixture),
                          STR("creating object apps.corset.dev/v1, Kind=Web default/a: "
                              "Web.apps.corset.dev \"a\" is invalid: spec.size: Invalid value:")));
    CHECK_EQ(fixture.report.created, 2);
}

static void replace_definition(struct apply_fixture *fixture, const char *new_one)
{
    apply_fixture_do(fixture, "DELETE", DEFINITIONS "/webs.apps.corset.dev", NULL);
    while (apply_fixture_call(fixture, "GET", DEFINITIONS "/webs.apps.corset.dev", NULL) == 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    if (new_one)
        apply_fixture_do(fixture, "POST", DEFINITIONS, new_one);
    CHECK_OK(fiber_sleep(5 * SECOND));
}

SIM_TEST(a_kind_that_has_moved_is_found_in_its_new_place)
{
    static const enum apply_strategy strategies[] = {APPLY_ONCE, APPLY_MERGE_PATCH};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(apply_fixture) fixture;
        apply_fixture_init(&fixture);
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], DEFINITION("webs", "v1"), WEB("a", "1"));
        replace_definition(&fixture, DEFINITION("sites", "v1"));
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], WEB("a", "1"));
        apply_fixture_check(&fixture, 1, 0, 0);
    }
}

SIM_TEST(a_kind_that_has_gone_is_no_match)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, DEFINITION("webs", "v1"), WEB("a", "1"));
    replace_definition(&fixture, NULL);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, WEB("a", "1"));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("reading object apps.corset.dev/v1, Kind=Web default/a: " NO_WEB));
}
