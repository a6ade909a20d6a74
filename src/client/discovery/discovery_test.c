#include "client/discovery/discovery.h"

#include "client/discovery/discovery_internal.h"
#include "client/discovery/discovery_site_test.h"

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
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_plain(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_EQ(site.requests, (size_t)0);

    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(discovery_find_kind(discovery, &arena, CONFIG_MAP, &mapping));
    check_seen(&site, "/api /apis /api/v1 ");
    CHECK(gvr_eq(mapping.gvr, GVR("", "v1", "configmaps")));
    CHECK_EQ(mapping.verbs, 0xffU);
    CHECK(mapping.namespaced && !mapping.has_status && !mapping.has_scale);

    CHECK_OK(discovery_find_kind(discovery, &arena, GVK("", "v1", "Namespace"), &mapping));
    CHECK(!mapping.namespaced && mapping.has_status);
    check_seen(&site, "");

    CHECK_OK(
        discovery_find_resource(discovery, &arena, GVR("apps", "v1", "deployments"), &mapping));
    CHECK(gvk_eq(mapping.gvk, DEPLOYMENT));
    CHECK(mapping.has_status && mapping.has_scale);
    CHECK_EQ(mapping.verbs, (unsigned)(DISCOVERY_GET | DISCOVERY_LIST));
    check_seen(&site, "/apis/apps/v1 ");
}

SIM_TEST(discovery_of_an_aggregated_server_takes_two_requests)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&site, "/api /apis ");
    CHECK_EQ(discovery_pool_table_count(pool), (size_t)3);
}

SIM_TEST(discovery_takes_half_aggregated_answers_for_plain_ones)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_plain(&site);
    site_whole(&site, "/apis", NULL, WHOLE_GROUPS);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&site, "/api /apis /apis/apps/v1 ");
}

SIM_TEST(discovery_tolerates_a_server_without_a_core_group)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_whole(&site, "/apis", NULL, WHOLE_GROUPS);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    check_seen(&site, "/api /apis ");
    check_no_match(find_kind(discovery, CONFIG_MAP),
                   "no matches for kind \"ConfigMap\" in version \"v1\"");
}

SIM_TEST(discovery_finds_a_kind_that_is_installed_later)
{
    for (int plain = 0; plain < 2; plain++) {
        TEST_CASE(plain ? "plain" : "aggregated");
        SCOPED(site) site;
        CHECK_OK(site_init(&site));
        if (plain)
            site_fill_plain(&site);
        else
            site_fill_whole(&site);
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
        check_no_match(find_kind(discovery, WIDGET),
                       "no matches for kind \"Widget\" in version \"lab.example.com/v1\"");
        check_seen(&site, "/api /apis ");

        site_plain(&site, "/apis/lab.example.com/v1", PAGE_WIDGETS);
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, WIDGET));
        check_seen(&site, "/apis/lab.example.com/v1 ");
        CHECK_OK(find_kind(discovery, WIDGET));
        check_seen(&site, "");
    }
}

SIM_TEST(discovery_asks_for_unknown_kinds_once_a_second)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
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
    CHECK(site.requests >= 16 && site.requests <= 22);
    CHECK(map_count(&discovery->marks) <= 2);

    /* Names that no server can have are not asked for at all. */
    const size_t before = site.requests;
    check_no_match(find_kind(discovery, GVK("../../etc", "v1", "A")),
                   "no matches for kind \"A\" in version \"../../etc/v1\"");
    check_no_match(find_kind(discovery, GVK("a", "v1?x=", "A")),
                   "no matches for kind \"A\" in version \"a/v1?x=\"");
    check_no_match(find_kind(discovery, GVK("a", "v1", "")),
                   "no matches for kind \"\" in version \"a/v1\"");
    CHECK_EQ(site.requests, before);
}

SIM_TEST(discovery_forgets_a_group_that_vanishes)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_plain(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(find_kind(discovery, GVK("apps", "v1beta1", "Deployment")));
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_seen(&site, "/api /apis /apis/apps/v1beta1 /apis/apps/v1 ");

    site_fail(&site, "/apis/apps/v1beta1", 404);
    check_no_match(find_kind(discovery, GVK("apps", "v1beta1", "Toy")),
                   "no matches for kind \"Toy\" in version \"apps/v1beta1\"");
    check_no_match(find_kind(discovery, GVK("apps", "v1beta1", "Deployment")),
                   "no matches for kind \"Deployment\" in version \"apps/v1beta1\"");
    check_seen(&site, "/apis/apps/v1beta1 ");
    CHECK_OK(find_kind(discovery, DEPLOYMENT)); /* the rest of the group is asked for again */
    check_seen(&site, "/apis/apps/v1 ");

    site_fail(&site, "/apis/apps/v1", 404);
    discovery_forget(discovery, STR("apps"), STR("v1"));
    check_no_match(find_kind(discovery, DEPLOYMENT),
                   "no matches for kind \"Deployment\" in version \"apps/v1\"");
    check_seen(&site, "/apis/apps/v1 ");
}

SIM_TEST(discovery_of_a_broken_group_fails_there_alone)
{
    for (int plain = 0; plain < 2; plain++) {
        TEST_CASE(plain ? "plain" : "aggregated");
        SCOPED(site) site;
        CHECK_OK(site_init(&site));
        if (plain)
            site_fill_plain(&site);
        else
            site_fill_whole(&site);
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
        const struct gvk metrics = GVK("metrics.k8s.io", "v1beta1", "PodMetrics");
        CHECK_FAILS(find_kind(discovery, metrics), ERROR_SERVICE_UNAVAILABLE,
                    "discover /apis/metrics.k8s.io/v1beta1");
        CHECK_ERROR(find_kind(discovery, metrics), ERROR_SERVICE_UNAVAILABLE);
        CHECK_OK(find_kind(discovery, DEPLOYMENT));
        CHECK_OK(find_kind(discovery, CONFIG_MAP));
        check_seen(&site, plain ? "/api /apis /apis/metrics.k8s.io/v1beta1 /apis/apps/v1 /api/v1 "
                                : "/api /apis /apis/metrics.k8s.io/v1beta1 ");

        site_plain(&site, "/apis/metrics.k8s.io/v1beta1",
                   "{\"kind\":\"APIResourceList\",\"groupVersion\":\"metrics.k8s.io/v1beta1\","
                   "\"resources\":[{\"name\":\"pods\",\"kind\":\"PodMetrics\"}]}");
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, metrics));
    }
}

SIM_TEST(discovery_uses_what_is_known_about_a_stale_group)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(find_kind(discovery, GVK("metrics.k8s.io", "v1beta1", "NodeMetrics")));
    check_seen(&site, "/api /apis ");
}

SIM_TEST(discovery_finds_names_as_command_lines_write_them)
{
    const struct {
        const char *name, *text, *resource;
    } cases[] = {
        {"plural",                            "deployments",              "deployments.v1.apps"     },
        {"singular",                          "deployment",               "deployments.v1.apps"     },
        {"short",                             "deploy",                   "deployments.v1.apps"     },
        {"kind",                              "Deployment",               "deployments.v1.apps"     },
        {"another case",                      "DePloy",                   "deployments.v1.apps"     },
        {"with its group",                    "deploy.apps",              "deployments.v1.apps"     },
        {"with version and group",            "deployments.v1beta1.apps", "deployments.v1beta1.apps"},
        {"core first",                        "events",                   "events.v1."              },
        {"not core when the group is given",  "events.events.k8s.io",     "events.v1.events.k8s.io" },
        {"core when that is given",           "ev.v1.",                   "events.v1."              },
        {"full names before short ones",      "namespaces",               "namespaces.v1."          },
        {"in no preferred version",           "oldie",                    "oldies.v1beta1.apps"     },
        {"a short name of no core kind",      "cm",                       "configmaps.v1."          },
        {"kind with group and no preference", "Oldie.apps",               "oldies.v1beta1.apps"     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(site) site;
        SCOPED(arena) arena = {0};
        struct discovery_mapping mapping;
        CHECK_OK(site_init(&site));
        site_fill_plain(&site);
        OWNED(discovery_pool) pool = discovery_pool_new();
        OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
        CHECK_OK(discovery_find_name(discovery, &arena, str_from_c(cases[i].text), &mapping));
        CHECK_EQ(gvr_write(&arena, mapping.gvr), str_from_c(cases[i].resource));
    }
}

SIM_TEST(discovery_says_when_no_name_matches)
{
    SCOPED(site) site;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(site_init(&site));
    site_fill_plain(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    /* Slow answers: a lookup asks for everything once, however long that takes. */
    site.delay = 3 * SECOND;
    check_no_match(discovery_find_name(discovery, &arena, STR("toys"), &mapping),
                   "the server doesn't have a resource type \"toys\"");
    check_seen(&site, "/api /apis /api/v1 /apis/apps/v1 /apis/apps/v1beta1 "
                      "/apis/metrics.k8s.io/v1beta1 /apis/events.k8s.io/v1 ");
    check_no_match(discovery_find_name(discovery, &arena, STR("toys.apps"), &mapping),
                   "the server doesn't have a resource type \"toys.apps\"");
    check_no_match(discovery_find_resource(discovery, &arena, GVR("apps", "v1", "toys"), &mapping),
                   "no matches for apps/v1, Resource=toys");
}

SIM_TEST(discovery_prefers_the_version_the_server_does)
{
    SCOPED(site) site;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(site_init(&site));
    site_fill_plain(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(
        discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Deployment"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1"));
    check_seen(&site, "/api /apis /apis/apps/v1 ");
    CHECK_OK(discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Oldie"), &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1beta1"));
    check_seen(&site, "/apis/apps/v1beta1 ");
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_no_match(discovery_find_group_kind(discovery, &arena, STR("apps"), STR("Toy"), &mapping),
                   "no matches for kind \"Toy\" in group \"apps\"");
    check_seen(&site, "/apis/apps /apis/apps/v1 /apis/apps/v1beta1 ");

    /* A group that is new, with two versions. */
    check_no_match(discovery_find_group_kind(discovery, &arena, STR("lab.example.com"),
                                             STR("Widget"), &mapping),
                   "no matches for kind \"Widget\" in group \"lab.example.com\"");
    site_plain(&site, "/apis/lab.example.com",
               "{\"kind\":\"APIGroup\",\"name\":\"lab.example.com\",\"versions\":[{\"version\":"
               "\"v1alpha1\"},{\"version\":\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}}");
    site_plain(&site, "/apis/lab.example.com/v1", PAGE_WIDGETS);
    CHECK_OK(fiber_sleep(2 * SECOND));
    buf_clear(&site.seen);
    CHECK_OK(discovery_find_group_kind(discovery, &arena, STR("lab.example.com"), STR("Widget"),
                                       &mapping));
    CHECK_EQ(mapping.gvk.version, STR("v1"));
    check_seen(&site, "/apis/lab.example.com /apis/lab.example.com/v1 ");
}

SIM_TEST(discovery_puts_a_version_found_later_where_servers_would)
{
    SCOPED(site) site;
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    site_plain(&site, "/apis/apps/v2",
               "{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v2\",\"resources\":["
               "{\"name\":\"deployments\",\"kind\":\"Deployment\"}]}");
    site_plain(&site, "/apis/apps/v1beta1", PAGE_APPS_V1BETA1);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
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

SIM_TEST(discovery_refresh_is_cheap_when_nothing_has_changed)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    CHECK_OK(discovery_refresh(discovery));
    CHECK_EQ(site.not_modified, (size_t)0);
    const struct discovery_surface *before = discovery->surface;
    CHECK_OK(discovery_refresh(discovery));
    CHECK_EQ(site.not_modified, (size_t)2);
    CHECK_EQ((const void *)discovery->surface, (const void *)before);

    /* One list changes, the other does not. */
    site_whole(&site, "/apis", "\"groups-2\"", WHOLE_LIST(WHOLE_METRICS));
    CHECK_OK(discovery_refresh(discovery));
    CHECK_EQ(site.not_modified, (size_t)3);
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
    check_seen(&site, "/api /apis /api /apis /api /apis ");
    check_no_match(find_kind(discovery, DEPLOYMENT),
                   "no matches for kind \"Deployment\" in version \"apps/v1\"");

    /* What was amended is read in full again, and a failure changes nothing. */
    discovery_forget(discovery, STR("metrics.k8s.io"), STR("v1beta1"));
    CHECK_OK(discovery_refresh(discovery));
    CHECK_EQ(site.not_modified, (size_t)4);
    site_fail(&site, "/api", 500);
    CHECK_ERROR(discovery_refresh(discovery), ERROR_INTERNAL);
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
}

SIM_TEST(discovery_fails_when_the_lists_do)
{
    const struct {
        const char *name;
        struct page page;
        enum error_code code;
    } cases[] = {
        {"unavailable",              {"/apis", SITE_PLAIN, NULL, "", 503},       ERROR_SERVICE_UNAVAILABLE},
        {"forbidden",                {"/api", SITE_PLAIN, NULL, "", 403},        ERROR_FORBIDDEN          },
        {"no /apis",                 {"/apis", SITE_PLAIN, NULL, "", 404},       ERROR_NOT_FOUND          },
        {"rubbish",                  {"/apis", SITE_PLAIN, NULL, "<html>", 200}, ERROR_PROTOCOL           },
        {"not modified, unasked",    {"/apis", SITE_PLAIN, NULL, "", 304},       ERROR_PROTOCOL           },
        {"plain under a wrong type",
         {"/apis", SITE_AGGREGATED, NULL, PAGE_GROUPS, 200},
         ERROR_PROTOCOL                                                                                   },
        {"too large",
         {"/apis", SITE_AGGREGATED, NULL, WHOLE_GROUPS WHOLE_GROUPS, 200},
         ERROR_TOO_LARGE                                                                                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(site) site;
        CHECK_OK(site_init(&site));
        site_fill_whole(&site);
        site_set(&site, cases[i].page);
        OWNED(discovery_pool) pool = discovery_pool_new();
        const struct discovery_options options = {.document_max = sizeof(WHOLE_GROUPS) + 100};
        OWNED(discovery) discovery = discovery_new(site.client, pool, &options);
        OWNED(error) err = find_kind(discovery, CONFIG_MAP);
        CHECK(error_is(err, cases[i].code));
        CHECK(!discovery_is_no_match(err));
        const size_t requests = site.requests;
        CHECK_ERROR(find_kind(discovery, CONFIG_MAP), cases[i].code);
        CHECK_EQ(site.requests, requests);

        site_fill_whole(&site);
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_OK(find_kind(discovery, CONFIG_MAP));
    }
}

SIM_TEST(discovery_of_a_server_that_is_away_fails_as_the_connection_does)
{
    SCOPED(site) site;
    CHECK_OK(site_init(&site));
    site_fill_whole(&site);
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(site.client, pool, NULL);
    sim_network_set_faults(site.network, SITE_HOST, &(struct sim_faults){.refuse = true});
    OWNED(error) err = find_kind(discovery, CONFIG_MAP);
    CHECK(error_is(err, ERROR_UNREACHABLE));
    CHECK(!discovery_is_no_match(err));
    sim_network_set_faults(site.network, SITE_HOST, &(struct sim_faults){0});
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_OK(find_kind(discovery, CONFIG_MAP));
}

SIM_TEST(discovery_asks_for_the_version_of_the_server)
{
    SCOPED(site) site;
    SCOPED(arena) arena = {0};
    struct str version;
    CHECK_OK(site_init(&site));
    site_plain(&site, "/version", "{\"major\":\"1\",\"minor\":\"36\",\"gitVersion\":\"v1.36.4\"}");
    CHECK_OK(discovery_server_version(site.client, &arena, &version));
    CHECK_EQ(version, STR("v1.36.4"));
    site_plain(&site, "/version", "{}");
    CHECK_FAILS(discovery_server_version(site.client, &arena, &version), ERROR_PROTOCOL,
                "gitVersion");
    site_fail(&site, "/version", 404);
    CHECK_ERROR(discovery_server_version(site.client, &arena, &version), ERROR_NOT_FOUND);
}
