#include "client/discovery/discovery_read.h"

#include "apimachinery/gvk.h"
#include "base/buf.h"
#include "client/discovery/discovery.h"
#include "json/json.h"
#include "testing/test.h"

TEST(discovery_tells_aggregated_answers_by_their_type)
{
    const struct {
        const char *name, *type;
        bool aggregated;
    } cases[] = {
        {"v2",                              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",      true },
        {"v2beta1",                         "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
         true                                                                                                                 },
        {"any order, blanks, another case",
         "Application/JSON; AS=APIGroupDiscoveryList ;V=v2; G=apidiscovery.k8s.io",                                      true },
        {"a charset more",
         "application/json;charset=utf-8;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",                           true },
        {"plain",                           "application/json",                                                          false},
        {"plain with a charset",            "application/json; charset=utf-8",                                           false},
        {"nothing",                         "",                                                                          false},
        {"a version to come",
         "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList",                                         false},
        {"another group",                   "application/json;g=meta.k8s.io;v=v2;as=APIGroupDiscoveryList",              false},
        {"another form",                    "application/json;g=apidiscovery.k8s.io;v=v2;as=Table",                      false},
        {"another encoding",
         "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",                      false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(discovery_is_aggregated(str_from_c(cases[i].type)), cases[i].aggregated);
    }
}

static const char plain_gadgets[] =
    "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"lab.example.com/v1\","
    "\"resources\":[{\"name\":\"widgets\",\"singularName\":\"\",\"namespaced\":false,"
    "\"kind\":\"Widget\",\"verbs\":[\"get\"]},"
    "{\"name\":\"gadgets/scale\",\"singularName\":\"\",\"namespaced\":true,\"group\":"
    "\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":[\"get\"]},"
    "{\"name\":\"gadgets\",\"singularName\":\"gadget\",\"namespaced\":true,\"kind\":\"Gadget\","
    "\"verbs\":[\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"create\",\"update\","
    "\"watch\"],\"shortNames\":[\"gd\",\"gdg\"],\"categories\":[\"all\"],"
    "\"storageVersionHash\":\"DOoUir5fsbc=\"},"
    "{\"name\":\"gadgets/status\",\"singularName\":\"\",\"namespaced\":true,\"kind\":\"Gadget\","
    "\"verbs\":[\"get\",\"patch\",\"update\"]},"
    "{\"name\":\"pods/http_requests\",\"namespaced\":true,\"kind\":\"MetricValueList\"}]}";

static const char aggregated_gadgets[] =
    "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"metadata\":{},"
    "\"items\":[{\"metadata\":{\"name\":\"lab.example.com\",\"creationTimestamp\":null},"
    "\"versions\":[{\"version\":\"v1\",\"freshness\":\"Current\",\"resources\":["
    "{\"resource\":\"gadgets\",\"responseKind\":{\"group\":\"lab.example.com\",\"version\":\"v1\","
    "\"kind\":\"Gadget\"},\"scope\":\"Namespaced\",\"singularResource\":\"gadget\",\"verbs\":["
    "\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"],"
    "\"shortNames\":[\"gd\",\"gdg\"],\"categories\":[\"all\"],\"subresources\":[{\"subresource\":"
    "\"scale\",\"responseKind\":{\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\"},"
    "\"verbs\":[\"get\"]},{\"subresource\":\"status\",\"responseKind\":{\"group\":\"\",\"version\":"
    "\"\",\"kind\":\"Gadget\"},\"verbs\":[\"get\",\"patch\",\"update\"]}]},"
    "{\"resource\":\"ghosts\",\"scope\":\"Namespaced\",\"verbs\":[\"get\"]},"
    "{\"resource\":\"widgets\",\"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":"
    "\"Widget\"},\"scope\":\"Cluster\",\"singularResource\":\"widget\",\"verbs\":[\"get\"]}]}]}]}";

static struct json_doc *read_json(struct str text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(text, &doc));
    return doc;
}

TEST(discovery_reads_the_same_table_from_both_kinds_of_document)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) plain_doc = read_json(str_from_c(plain_gadgets));
    OWNED(json_doc) aggregated_doc = read_json(str_from_c(aggregated_gadgets));
    OWNED(discovery_pool) pool = discovery_pool_new();
    SCOPED(discovery_versions) plain = {.arena = &arena};
    SCOPED(discovery_versions) aggregated = {.arena = &arena};
    CHECK_OK(discovery_read_resources(plain_doc, STR("lab.example.com"), STR("v1"), &plain));
    CHECK_OK(discovery_read_aggregated(aggregated_doc, false, &aggregated));
    CHECK_EQ(plain.count, (size_t)1);
    CHECK_EQ(aggregated.count, (size_t)1);

    OWNED(discovery_table) first = discovery_table_of(pool, &plain.items[0]);
    OWNED(discovery_table) second = discovery_table_of(pool, &aggregated.items[0]);
    CHECK_EQ(first, second);
    CHECK_EQ(map_count(&pool->tables), (size_t)1);
    CHECK_EQ(first->is.count, (size_t)2);

    const struct discovery_resource *gadgets = discovery_version_find(&first->is, STR("Gadget"));
    CHECK(gadgets);
    CHECK_EQ(gadgets->resource, STR("gadgets"));
    CHECK_EQ(gadgets->short_names[1], STR("gdg"));
    CHECK_EQ(gadgets->verbs, 0xff);
    CHECK(gadgets->namespaced && gadgets->has_status && gadgets->has_scale);
    const struct discovery_resource *widgets = discovery_version_find(&first->is, STR("Widget"));
    CHECK(widgets);
    CHECK_EQ(widgets->singular, STR("widget"));
    CHECK_EQ(widgets->verbs, DISCOVERY_GET);
    CHECK(!widgets->namespaced && !widgets->has_status && !widgets->has_scale);
}

TEST(discovery_tables_differ_when_anything_does)
{
    const struct str short_name[] = {STR("a"), STR("b")}, joined[] = {STR("ab")};
    struct discovery_resource resources[] = {
        {STR("as"), STR("a"),  STR("A"), short_name, 2, 1, true,  false, false},
        {STR("as"), STR("a"),  STR("A"), joined,     1, 1, true,  false, false},
        {STR("as"), STR("a"),  STR("A"), short_name, 2, 1, false, false, false},
        {STR("as"), STR("a"),  STR("A"), short_name, 2, 1, true,  true,  false},
        {STR("as"), STR("a"),  STR("A"), short_name, 2, 1, true,  false, true },
        {STR("as"), STR("a"),  STR("A"), short_name, 2, 2, true,  false, false},
        {STR("a"),  STR("sa"), STR("A"), short_name, 2, 1, true,  false, false},
    };
    OWNED(discovery_pool) pool = discovery_pool_new();
    struct discovery_table *tables[COUNT(resources) + 3];
    for (size_t i = 0; i < COUNT(resources); i++)
        tables[i] = discovery_table_of(
            pool,
            &(struct discovery_version){STR("g"), STR("v1"), DISCOVERY_KNOWN, &resources[i], 1});
    const struct discovery_version others[] = {
        {STR("g"),  STR("v1"), DISCOVERY_STALE, resources, 1},
        {STR("g"),  STR("v2"), DISCOVERY_KNOWN, resources, 1},
        {STR("gv"), STR("1"),  DISCOVERY_KNOWN, resources, 1},
    };
    for (size_t i = 0; i < COUNT(others); i++)
        tables[COUNT(resources) + i] = discovery_table_of(pool, &others[i]);
    CHECK_EQ(map_count(&pool->tables), COUNT(tables));
    for (size_t i = 0; i < COUNT(tables); i++)
        discovery_table_free(tables[i]);
    CHECK_EQ(map_count(&pool->tables), (size_t)0);
}

TEST(discovery_lists_versions_as_the_server_prefers_them)
{
    SCOPED(arena) arena = {0};
    SCOPED(discovery_versions) versions = {.arena = &arena};
    OWNED(json_doc)
    doc = read_json(
        STR("{\"kind\":\"APIGroupList\",\"groups\":["
            "{\"name\":\"b\",\"versions\":[{\"groupVersion\":\"b/v2\",\"version\":\"v2\"},"
            "{\"version\":\"v1\"},{\"version\":\"v1beta1\"}],"
            "\"preferredVersion\":{\"groupVersion\":\"b/v1\",\"version\":\"v1\"}},"
            "{\"name\":\"a\",\"versions\":[{\"version\":\"v1\"}]}]}"));
    CHECK_OK(discovery_read_groups(doc, &versions));
    const char *expected[] = {"b/v1", "b/v2", "b/v1beta1", "a/v1"};
    CHECK_EQ(versions.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct discovery_version *version = &versions.items[i];
        CHECK_EQ(gvk_api_version(&arena, (struct gvk){version->group, version->version, STR("")}),
                 str_from_c(expected[i]));
        CHECK_EQ(version->state, DISCOVERY_LISTED);
    }
}

enum document { CORE, GROUPS, GROUP, RESOURCES, AGGREGATED };

static struct error *read_any(enum document document, struct str text, struct arena *arena)
{
    SCOPED(discovery_versions) versions = {.arena = arena};
    OWNED(json_doc) doc = read_json(text);
    switch (document) {
    case CORE:
        return discovery_read_core(doc, &versions);
    case GROUPS:
        return discovery_read_groups(doc, &versions);
    case GROUP:
        return discovery_read_group(doc, STR("a"), &versions);
    case RESOURCES:
        return discovery_read_resources(doc, STR("a"), STR("v1"), &versions);
    case AGGREGATED:
        return discovery_read_aggregated(doc, false, &versions);
    }
    return NULL;
}

#define LIST(rest)     "{\"kind\":\"APIResourceList\",\"groupVersion\":\"a/v1\"," rest "}"
#define WHOLE(items)   "{\"kind\":\"APIGroupDiscoveryList\",\"items\":" items "}"
#define ITEM(versions) "{\"metadata\":{\"name\":\"a\"},\"versions\":" versions "}"

TEST(discovery_refuses_hostile_documents)
{
    const struct {
        const char *name;
        enum document document;
        const char *text, *part;
    } cases[] = {
        {"no object",                      CORE,       "[]",                                                      "it is no APIVersions"    },
        {"another kind",                   GROUPS,     "{\"kind\":\"Status\"}",                                   "it is no APIGroupList"   },
        {"no kind",                        GROUP,      "{\"name\":\"a\"}",                                        "it is no APIGroup"       },
        {"versions that are no list",      CORE,       "{\"kind\":\"APIVersions\",\"versions\":{}}",
         "versions"                                                                                                                         },
        {"a version that is a number",     CORE,       "{\"kind\":\"APIVersions\",\"versions\":[1]}",
         "is no name"                                                                                                                       },
        {"a version that climbs",          CORE,       "{\"kind\":\"APIVersions\",\"versions\":[\"../v1\"]}",
         "is no name"                                                                                                                       },
        {"a version twice",                CORE,       "{\"kind\":\"APIVersions\",\"versions\":[\"v1\",\"v1\"]}",
         "twice"                                                                                                                            },
        {"groups that are no list",        GROUPS,     "{\"kind\":\"APIGroupList\",\"groups\":1}",                "groups"                  },
        {"a group that is a text",         GROUPS,     "{\"kind\":\"APIGroupList\",\"groups\":[\"a\"]}",
         "expected an object"                                                                                                               },
        {"a group without a name",         GROUPS,
         "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"\",\"versions\":[]}]}",                              "without a name"          },
        {"a group that climbs",            GROUPS,
         "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a/../b\",\"versions\":[{\"version\":"
         "\"v1\"}]}]}",                                                                                           "is no name"              },
        {"a group and version twice",      GROUPS,
         "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"a\",\"versions\":[{\"version\":\"v1\"}"
         ",{\"version\":\"v1\"}]}]}",                                                                             "twice"                   },
        {"another group than asked for",   GROUP,
         "{\"kind\":\"APIGroup\",\"name\":\"b\",\"versions\":[{\"version\":\"v1\"}]}",                            "another group"           },
        {"another version than asked for", RESOURCES,
         "{\"kind\":\"APIResourceList\",\"groupVersion\":\"a/v2\",\"resources\":[]}",                             "another group or version"},
        {"resources that are no list",     RESOURCES,  LIST("\"resources\":{}"),                                  "resources"               },
        {"a resource that is a text",      RESOURCES,  LIST("\"resources\":[\"a\"]"),
         "expected an object"                                                                                                               },
        {"a name that is a number",        RESOURCES,  LIST("\"resources\":[{\"name\":1}]"),                      "name"                    },
        {"a name with a line end",         RESOURCES,
         LIST("\"resources\":[{\"name\":\"a\\nb\",\"kind\":\"A\"}]"),                                             "whose name"              },
        {"a kind with a NUL",              RESOURCES,
         LIST("\"resources\":[{\"name\":\"as\",\"kind\":\"A\\u0000\"}]"),                                         "whose name"              },
        {"a short name that is none",      RESOURCES,
         LIST("\"resources\":[{\"name\":\"as\",\"kind\":\"A\",\"shortNames\":[\" \"]}]"),
         "short name"                                                                                                                       },
        {"verbs that are no texts",        RESOURCES,
         LIST("\"resources\":[{\"name\":\"as\",\"kind\":\"A\",\"verbs\":[1]}]"),                                  "verbs"                   },
        {"items that are no list",         AGGREGATED, WHOLE("7"),                                                "items"                   },
        {"a core group among the others",  AGGREGATED, WHOLE("[{\"versions\":[]}]"),                              "other list"              },
        {"a version without a name",       AGGREGATED, WHOLE("[" ITEM("[{}]") "]"),                               "version"                 },
        {"a version that is null",         AGGREGATED, WHOLE("[" ITEM("[null]") "]"),                             "expected an object"      },
        {"subresources that are no list",  AGGREGATED,
         WHOLE("[" ITEM("[{\"version\":\"v1\",\"resources\":[{\"resource\":\"as\","
                        "\"subresources\":{}}]}]") "]"),
         "subresources"                                                                                                                     },
        {"a group and version twice over", AGGREGATED,
         WHOLE("[" ITEM("[{\"version\":\"v1\"}]") "," ITEM("[{\"version\":\"v1\"}]") "]"),                        "twice"                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(arena) arena = {0};
        CHECK_FAILS(read_any(cases[i].document, str_from_c(cases[i].text), &arena), ERROR_PROTOCOL,
                    cases[i].part);
    }
}

TEST(discovery_documents_have_limits)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    buf_add(&text, STR("{\"kind\":\"APIResourceList\",\"groupVersion\":\"a/v1\",\"resources\":["));
    for (size_t i = 0; i <= DISCOVERY_RESOURCES_MAX; i++)
        buf_print(&text, "%s{\"name\":\"a%zu\",\"kind\":\"A%zu\"}", i ? "," : "", i, i);
    buf_add(&text, STR("]}"));
    CHECK_FAILS(read_any(RESOURCES, buf_str(&text), &arena), ERROR_TOO_LARGE, "resources");

    buf_clear(&text);
    buf_add(&text, STR("{\"kind\":\"APIGroupList\",\"groups\":["));
    for (size_t i = 0; i <= DISCOVERY_VERSIONS_MAX; i++)
        buf_print(&text, "%s{\"name\":\"g%zu\",\"versions\":[{\"version\":\"v1\"}]}", i ? "," : "",
                  i);
    buf_add(&text, STR("]}"));
    CHECK_FAILS(read_any(GROUPS, buf_str(&text), &arena), ERROR_TOO_LARGE, "versions");
}

TEST(discovery_tolerates_what_servers_leave_out)
{
    const struct {
        const char *name;
        enum document document;
        const char *text;
    } cases[] = {
        {"core without versions",    CORE,       "{\"kind\":\"APIVersions\"}"                 },
        {"groups that are null",     GROUPS,     "{\"kind\":\"APIGroupList\",\"groups\":null}"},
        {"no resources",             RESOURCES,  LIST("\"resources\":null")                   },
        {"a resource without names", RESOURCES,  LIST("\"resources\":[{}]")                   },
        {"a lonely subresource",     RESOURCES,  LIST("\"resources\":[{\"name\":\"a/b\"}]")   },
        {"no items",                 AGGREGATED, WHOLE("null")                                },
        {"a stale, empty version",   AGGREGATED,
         WHOLE("[" ITEM("[{\"version\":\"v1\",\"freshness\":\"Stale\"}]") "]")                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(arena) arena = {0};
        CHECK_OK(read_any(cases[i].document, str_from_c(cases[i].text), &arena));
    }
}
