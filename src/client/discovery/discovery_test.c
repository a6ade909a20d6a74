#include "client/discovery/discovery.h"

#include "client/discovery/discovery_fixture_test.h"
#include "client/discovery/discovery_internal.h"

/* Looks a kind up; the texts of the mapping end with this call unless an arena is given. */
static struct error *find_kind(struct discovery *discovery, struct gvk gvk)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    TRY(discovery_find_kind(discovery, &arena, gvk, &mapping));
    CHECK(gvk_eq(mapping.gvk, gvk));
    return NULL;
}

static void check_no_match(struct error *err, const char *message)
{
    OWNED(error) owned = err;
    CHECK(discovery_is_no_match(owned));
    CHECK_EQ(owned->message, message);
}

#define CONFIG_MAP GVK("", "v1", "ConfigMap")
#define DEPLOYMENT GVK("apps", "v1", "Deployment")
#define WIDGET     GVK("lab.example.com", "v1", "Widget")

SIM_TEST(discovery_of_a_plain_server_fetches_what_is_asked_for)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_EQ(fixture.requests, (size_t)0);

    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(discovery_find_kind(discovery, &arena, CONFIG_MAP, &mapping));
    check_seen(&fixture, "/api /apis /api/v1 ");
    CHECK_EQ(discovery_least_version(discovery), STR(""));
    CHECK(gvr_eq(mapping.gvr, GVR("", "v1", "configmaps")));
    CHECK_EQ(mapping.verbs, 0xffU);
    CHECK(mapping.namespaced && !mapping.has_status && !mapping.has_scale);

    CHECK_OK(discovery_find_kind(discovery, &arena, GVK("", "v1", "Namespace"), &mapping));
    CHECK(!mapping.namespaced && mapping.has_status);
    check_seen(&fixture, "");

    CHECK_OK(discovery_find_kind(discovery, &arena, DEPLOYMENT, &mapping));
    CHECK(gvr_eq(mapping.gvr, GVR("apps", "v1", "deployments")));
    CHECK(mapping.has_status && mapping.has_scale);
    CHECK_EQ(mapping.verbs, (unsigned)(DISCOVERY_GET | DISCOVERY_LIST));
    check_seen(&fixture, "/apis/apps/v1 ");
}

SIM_TEST(discovery_of_an_aggregated_server_takes_two_requests)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_EQ(discovery_least_version(discovery), STR(""));
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&fixture, "/api /apis ");
    CHECK_EQ(discovery_least_version(discovery), STR("v1.26"));
    CHECK_EQ(map_count(&pool->tables), (size_t)3);
}

SIM_TEST(discovery_takes_half_aggregated_answers_for_plain_ones)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    discovery_fixture_whole(&fixture, "/apis", WHOLE_GROUPS);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&fixture, "/api /apis /apis/apps/v1 ");
    CHECK_EQ(discovery_least_version(discovery), STR(""));
}

SIM_TEST(discovery_tolerates_a_server_without_a_core_group)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_whole(&fixture, "/apis", WHOLE_GROUPS);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&fixture, "/api /apis ");
    check_no_match(find_kind(discovery, CONFIG_MAP),
                   "no matches for kind \"ConfigMap\" in version \"v1\"");
}

SIM_TEST(discovery_finds_a_kind_that_is_installed_later)
{
    for (int plain = 0; plain < 2; plain++) {
        TEST_CASE(plain ? "plain" : "aggregated");
        SCOPED(discovery_fixture) fixture;
        CHECK_OK(discovery_fixture_init(&fixture));
        if (plain)
            discovery_fixture_fill_plain(&fixture);
        else
            discovery_fixture_fill_whole(&fixture);
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
        check_no_match(find_kind(discovery, WIDGET),
                       "no matches for kind \"Widget\" in version \"lab.example.com/v1\"");
        check_seen(&fixture, "/api /apis ");

        discovery_fixture_plain(&fixture, "/apis/lab.example.com/v1", PAGE_WIDGETS);
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, WIDGET));
        check_seen(&fixture, "/apis/lab.example.com/v1 ");
        CHECK_OK(find_kind(discovery, WIDGET));
        check_seen(&fixture, "");
    }
}

SIM_TEST(discovery_asks_for_unknown_kinds_once_a_second)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    const struct gvk unknown[] = {WIDGET, GVK("lab.example.com", "v1", "Gizmo"),
                                  GVK("apps", "v1", "Toy")};
    for (int i = 0; i < 1000; i++) {
        for (size_t j = 0; j < COUNT(unknown); j++) {
            OWNED(error) err = find_kind(discovery, unknown[j]);
            CHECK(discovery_is_no_match(err));
        }
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    }
    /* Ten seconds, two group/versions; the lists count for the first second. */
    CHECK(fixture.requests >= 16 && fixture.requests <= 22);
    CHECK(map_count(&discovery->marks) <= 2);

    /* Names that no server can have are not asked for at all. */
    const size_t before = fixture.requests;
    check_no_match(find_kind(discovery, GVK("../../etc", "v1", "A")),
                   "no matches for kind \"A\" in version \"../../etc/v1\"");
    check_no_match(find_kind(discovery, GVK("a", "v1?x=", "A")),
                   "no matches for kind \"A\" in version \"a/v1?x=\"");
    check_no_match(find_kind(discovery, GVK("a", "v1", "")),
                   "no matches for kind \"\" in version \"a/v1\"");
    CHECK_EQ(fixture.requests, before);
}

SIM_TEST(discovery_forgets_a_group_that_vanishes)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, GVK("apps", "v1beta1", "Deployment")));
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_seen(&fixture, "/api /apis /apis/apps/v1beta1 /apis/apps/v1 ");

    discovery_fixture_fail(&fixture, "/apis/apps/v1beta1", 404);
    check_no_match(find_kind(discovery, GVK("apps", "v1beta1", "Toy")),
                   "no matches for kind \"Toy\" in version \"apps/v1beta1\"");
    check_no_match(find_kind(discovery, GVK("apps", "v1beta1", "Deployment")),
                   "no matches for kind \"Deployment\" in version \"apps/v1beta1\"");
    check_seen(&fixture, "/apis/apps/v1beta1 ");
    CHECK_OK(find_kind(discovery, DEPLOYMENT)); /* the rest of the group is asked for again */
    check_seen(&fixture, "/apis/apps/v1 ");

    discovery_fixture_fail(&fixture, "/apis/apps/v1", 404);
    discovery_forget(discovery, STR("apps"), STR("v1"));
    check_no_match(find_kind(discovery, DEPLOYMENT),
                   "no matches for kind \"Deployment\" in version \"apps/v1\"");
    check_seen(&fixture, "/apis/apps/v1 ");
}

SIM_TEST(discovery_of_a_broken_group_fails_there_alone)
{
    for (int plain = 0; plain < 2; plain++) {
        TEST_CASE(plain ? "plain" : "aggregated");
        SCOPED(discovery_fixture) fixture;
        CHECK_OK(discovery_fixture_init(&fixture));
        if (plain)
            discovery_fixture_fill_plain(&fixture);
        else
            discovery_fixture_fill_whole(&fixture);
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
        const struct gvk metrics = GVK("metrics.k8s.io", "v1beta1", "PodMetrics");
        CHECK_FAILS(find_kind(discovery, metrics), ERROR_SERVICE_UNAVAILABLE,
                    "discover /apis/metrics.k8s.io/v1beta1");
        CHECK_ERROR(find_kind(discovery, metrics), ERROR_SERVICE_UNAVAILABLE);
        CHECK_OK(find_kind(discovery, DEPLOYMENT));
        CHECK_OK(find_kind(discovery, CONFIG_MAP));
        check_seen(&fixture, plain
                                 ? "/api /apis /apis/metrics.k8s.io/v1beta1 /apis/apps/v1 /api/v1 "
                                 : "/api /apis /apis/metrics.k8s.io/v1beta1 ");

        discovery_fixture_plain(
            &fixture, "/apis/metrics.k8s.io/v1beta1",
            "{\"kind\":\"APIResourceList\",\"groupVersion\":\"metrics.k8s.io/v1beta1\","
            "\"resources\":[{\"name\":\"pods\",\"kind\":\"PodMetrics\"}]}");
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, metrics));
    }
}

SIM_TEST(discovery_uses_what_is_known_about_a_stale_group)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, GVK("metrics.k8s.io", "v1beta1", "NodeMetrics")));
    check_seen(&fixture, "/api /apis ");
}

/* Slow answers: a lookup asks for everything once, however long that takes. */
SIM_TEST(discovery_without_a_match_asks_for_everything_once)
{
    SCOPED(discovery_fixture) fixture;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    fixture.delay = 3 * SECOND;
    check_no_match(discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Toy"), &mapping),
                   "no matches for kind \"Toy\" in group \"apps\"");
    check_seen(&fixture, "/api /apis /apis/apps/v1 /apis/apps/v1beta1 ");
}

SIM_TEST(discovery_prefers_the_version_the_server_does)
{
    SCOPED(discovery_fixture) fixture;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(
        discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Deployment"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1"));
    check_seen(&fixture, "/api /apis /apis/apps/v1 ");
    CHECK_OK(discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Oldie"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1beta1"));
    check_seen(&fixture, "/apis/apps/v1beta1 ");
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_no_match(discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Toy"), &mapping),
                   "no matches for kind \"Toy\" in group \"apps\"");
    check_seen(&fixture, "/apis/apps /apis/apps/v1 /apis/apps/v1beta1 ");

    /* A group that is new, with two versions. */
    check_no_match(discovery_find_group_kind(discovery, &arena, STR("lab.example.com"),
                                             STR("Widget"), &mapping),
                   "no matches for kind \"Widget\" in group \"lab.example.com\"");
    discovery_fixture_plain(
        &fixture, "/apis/lab.example.com",
        "{\"kind\":\"APIGroup\",\"name\":\"lab.example.com\",\"versions\":[{\"version\":"
        "\"v1alpha1\"},{\"version\":\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}}");
    discovery_fixture_plain(&fixture, "/apis/lab.example.com/v1", PAGE_WIDGETS);
    CHECK_OK(fiber_sleep(2 * SECOND));
    buf_clear(&fixture.seen);
    CHECK_OK(discovery_find_group_kind(discovery, &arena, STR("lab.example.com"), STR("Widget"),
                                       &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1"));
    check_seen(&fixture, "/apis/lab.example.com /apis/lab.example.com/v1 ");
}

SIM_TEST(discovery_puts_a_version_found_later_where_servers_would)
{
    SCOPED(discovery_fixture) fixture;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    discovery_fixture_plain(
        &fixture, "/apis/apps/v2",
        "{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v2\",\"resources\":["
        "{\"name\":\"deployments\",\"kind\":\"Deployment\"}]}");
    discovery_fixture_plain(&fixture, "/apis/apps/v1beta1", PAGE_APPS_V1BETA1);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_OK(find_kind(discovery, GVK("apps", "v1beta1", "Oldie")));
    CHECK_OK(
        discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Deployment"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1"));
    CHECK_OK(find_kind(discovery, GVK("apps", "v2", "Deployment")));
    CHECK_OK(
        discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Deployment"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v2"));
}

SIM_TEST(discovery_fails_when_the_lists_do)
{
    const struct {
        const char *name;
        struct page page;
        enum error_code code;
    } cases[] = {
        {"unavailable",              {"/apis", FIXTURE_PLAIN, "", 503},       ERROR_SERVICE_UNAVAILABLE},
        {"forbidden",                {"/api", FIXTURE_PLAIN, "", 403},        ERROR_FORBIDDEN          },
        {"no /apis",                 {"/apis", FIXTURE_PLAIN, "", 404},       ERROR_NOT_FOUND          },
        {"rubbish",                  {"/apis", FIXTURE_PLAIN, "<html>", 200}, ERROR_PROTOCOL           },
        {"not modified, unasked",    {"/apis", FIXTURE_PLAIN, "", 304},       ERROR_PROTOCOL           },
        {"plain under a wrong type",
         {"/apis", FIXTURE_AGGREGATED, PAGE_GROUPS, 200},
         ERROR_PROTOCOL                                                                                },
        {"too large",
         {"/apis", FIXTURE_AGGREGATED, WHOLE_GROUPS WHOLE_GROUPS, 200},
         ERROR_TOO_LARGE                                                                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(discovery_fixture) fixture;
        CHECK_OK(discovery_fixture_init(&fixture));
        discovery_fixture_fill_whole(&fixture);
        discovery_fixture_set(&fixture, cases[i].page);
        OWNED(discovery_pool) pool = discovery_pool_new();
        const struct discovery_options options = {.document_max = sizeof(WHOLE_GROUPS) + 100};
        OWNED(discovery) discovery = discovery_new(fixture.client, pool, &options);
        OWNED(error) err = find_kind(discovery, CONFIG_MAP);
        CHECK(error_is(err, cases[i].code));
        CHECK(!discovery_is_no_match(err));
        const size_t requests = fixture.requests;
        CHECK_ERROR(find_kind(discovery, CONFIG_MAP), cases[i].code);
        CHECK_EQ(fixture.requests, requests);

        discovery_fixture_fill_whole(&fixture);
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, CONFIG_MAP));
    }
}

/* A list of groups; each has one version with so many resources whose names have so many bytes. */
static struct str write_groups(size_t groups, size_t resources, int length, struct buf *out)
{
    buf_add(out, STR("{\"kind\":\"APIGroupDiscoveryList\",\"items\":["));
    for (size_t i = 0; i < groups; i++) {
        buf_print(out,
                  "%s{\"metadata\":{\"name\":\"g%zu\"},\"versions\":[{\"version\":\"v1\","
                  "\"resources\":[",
                  i ? "," : "", i);
        for (size_t j = 0; j < resources; j++)
            buf_print(out,
                      "%s{\"resource\":\"r%0*zu\",\"responseKind\":{\"kind\":\"K%zu\"},"
                      "\"scope\":\"Namespaced\",\"verbs\":[\"get\"]}",
                      j ? "," : "", length, j, j);
        buf_add(out, STR("]}]}"));
    }
    buf_add(out, STR("]}"));
    return buf_str(out);
}

/* What is kept for one server is bounded: every cluster that is connected keeps its own. */
SIM_TEST(discovery_keeps_so_much_of_one_server_only)
{
    static const struct {
        const char *name;
        size_t groups, resources;
        int length;
        const char *error; /* NULL: fine */
    } cases[] = {
        {"a large cluster",    100, 50,   60,  NULL                                   },
        {"too many resources", 5,   4001, 1,
         "discover /apis: the server http://server.test has more than 20000 resources"},
        {"too many names",     90,  100,  230,
         "discover /apis: the names of the resources of the server http://server.test take more "
         "than 2097152 bytes"                                                         },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(discovery_fixture) fixture;
        SCOPED(buf) text = {0};
        write_groups(cases[i].groups, cases[i].resources, cases[i].length, &text);
        CHECK_OK(discovery_fixture_init(&fixture));
        discovery_fixture_fill_whole(&fixture);
        discovery_fixture_whole(&fixture, "/apis", buf_c(&text));
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
        OWNED(error) err = find_kind(discovery, CONFIG_MAP);
        CHECK_EQ(str_from_c(err ? err->message : ""),
                 str_from_c(cases[i].error ? cases[i].error : ""));
        CHECK(!err || error_is(err, ERROR_TOO_LARGE));
        CHECK_EQ(map_count(&pool->tables), cases[i].error ? (size_t)0 : cases[i].groups + 1);
    }
}

/* One version after the other may not make more of it, either. What is known stays. */
SIM_TEST(discovery_keeps_what_it_has_when_a_version_is_too_large)
{
    SCOPED(discovery_fixture) fixture;
    SCOPED(buf) text = {0};
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    buf_add(&text, STR("{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v1\","
                       "\"resources\":["));
    for (int i = 0; i < 8000; i++)
        buf_print(&text,
                  "%s{\"name\":\"r%0240d\",\"singularName\":\"\",\"namespaced\":true,"
                  "\"kind\":\"K%0240d\",\"verbs\":[\"get\"]}",
                  i ? "," : "", i, i);
    buf_add(&text, STR("]}"));
    discovery_fixture_plain(&fixture, "/apis/apps/v1", buf_c(&text));
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
    CHECK_FAILS(find_kind(discovery, GVK("apps", "v1", "Deployment")), ERROR_TOO_LARGE,
                "discover /apis/apps/v1: the names of the resources of the server");
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
}

SIM_TEST(discovery_of_a_server_that_is_away_fails_as_the_connection_does)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    sim_network_set_faults(fixture.network, FIXTURE_HOST, &(struct sim_faults){.refuse = true});
    OWNED(error) err = find_kind(discovery, CONFIG_MAP);
    CHECK(error_is(err, ERROR_UNREACHABLE));
    CHECK(!discovery_is_no_match(err));
    sim_network_set_faults(fixture.network, FIXTURE_HOST, &(struct sim_faults){0});
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
}

SIM_TEST(discovery_asks_for_the_version_of_the_server)
{
    SCOPED(discovery_fixture) fixture;
    SCOPED(arena) arena = {0};
    struct str version;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_plain(&fixture, "/version",
                            "{\"major\":\"1\",\"minor\":\"36\",\"gitVersion\":\"v1.36.4\"}");
    CHECK_OK(discovery_server_version(fixture.client, &arena, &version));
    CHECK_EQ(version, STR("v1.36.4"));
    discovery_fixture_plain(&fixture, "/version", "{}");
    CHECK_FAILS(discovery_server_version(fixture.client, &arena, &version), ERROR_PROTOCOL,
                "gitVersion");
    discovery_fixture_fail(&fixture, "/version", 404);
    CHECK_ERROR(discovery_server_version(fixture.client, &arena, &version), ERROR_NOT_FOUND);
}
