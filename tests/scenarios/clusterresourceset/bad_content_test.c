/*
 * Content that is no good, on its way through the controllers: the rest is applied, what is said
 * names the resource, the document and the reason, and memory stays bounded.
 */
#include <stdio.h>

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"
#include "scenarios/clusterresourceset/memory_gauge.h"

#define GOOD        CRS_FIXTURE_MANIFEST("a", "1")
#define ALSO_GOOD   CRS_FIXTURE_MANIFEST("z", "1")
#define SEPARATOR   "---\n"
#define BAD_WHERE   "1 of 1 clusters failed: c1: ConfigMap cm1, key data, document 2: "
#define BAD_CONTENT "ConfigMap cm1: failed converting data to unstructured objects: "
#define SECRET_TOO  "ConfigMap/cm1 Secret/s1"

/* What one process may take for one resource, over all that it takes anyway. */
#define MEMORY_BOUND ((size_t)64 * 1024 * 1024)

/* crs1 applies cm1, which is bad, and s1, which is not, to c1; told when it has been tried. */
static void try(struct crs_fixture *fixture, const char *strategy, const char *text)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    crs_fixture_secret(fixture, "s1", "", CRS_FIXTURE_MANIFEST("s", "1"));
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", strategy, SECRET_TOO);
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_OBJECT("1", "s"), "data.k"), STR("1"));
}

static void check_told(struct crs_fixture *fixture, const char *where, const char *reason)
{
    CHECK_CONTAINS(crs_fixture_condition(fixture, "crs1", "ResourcesApplied"), str_from_c(where));
    CHECK_CONTAINS(crs_fixture_condition(fixture, "crs1", "ResourcesApplied"), str_from_c(reason));
    CHECK_CONTAINS(crs_fixture_condition(fixture, "crs1", "Failed"), str_from_c(where));
    CHECK_CONTAINS(crs_fixture_condition(fixture, "crs1", "Failed"), str_from_c(reason));
    CHECK_CONTAINS(crs_fixture_deprecated(fixture, "crs1"), STR("False/ApplyFailed/Warning/"));
    CHECK_CONTAINS(crs_fixture_deprecated(fixture, "crs1"), str_from_c(reason));
    CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR(""));
}

/* Documents of which the second is bad: the first and the third are applied. */
static const struct {
    const char *name, *document, *once, *reconcile; /* reasons; NULL: the same */
} objects[] = {
    {"wrong kind",                    "apiVersion: v1\nkind: Nonsense\nmetadata: {name: x, namespace: default}\n",
     "no matches for kind \"Nonsense\" in version \"v1\"",                                                                                                                          NULL                                                                },
    {"unknown API",
     "apiVersion: example.com/v9\nkind: Thing\nmetadata: {name: x, namespace: default}\n",                         "no matches for kind \"Thing\" in version \"example.com/v9\"",   NULL                                                                },
    {"no kind",                       "apiVersion: v1\nmetadata: {name: x, namespace: default}\n",
     "Object 'Kind' is missing in 'unstructured object has no kind'",                                                                                                               NULL                                                                },
    {"no version",                    "kind: ConfigMap\nmetadata: {name: x, namespace: default}\n",
     "Object 'apiVersion' is missing in 'unstructured object has no version'",                                                                                                      NULL                                                                },
    {"nothing at all",                "{}\n",                                                                      "Object 'Kind' is missing in 'unstructured object has no kind'",
     NULL                                                                                                                                                                                                                                               },
    {"no name",                       "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: default}\n",
     "name or generateName is required",                                                                                                                                            "resource name may not be empty"                                    },
    {"no namespace",                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
     "an empty namespace may not be set during creation",                                                                                                                           "an empty namespace may not be set when a resource name is provided"},
    {"a namespace that is not there",
     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: nowhere}\n",                                 "namespaces \"nowhere\" not found",                              NULL                                                                },
    {"a name that is none",
     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: X_, namespace: default}\n",                                "metadata.name: Invalid value: \"X_\"",                          NULL                                                                },
    {"schema violation",
     "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: default}\n"
     "spec: {replicas: 1}\n",                                                                                      "spec.selector: Required value",                                 NULL                                                                },
    {"a field of another type",
     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\ndata: {k: [1]}\n",                 "ConfigMap in version \"v1\" cannot be handled as a ConfigMap",  NULL                                                                },
    {"metadata of another type",      "apiVersion: v1\nkind: ConfigMap\nmetadata: 7\n",                            "",                                                              NULL                                                                },
};

static void print_name(char name[16], const char *prefix, size_t index)
{
    snprintf(name, 16, "%s%zu", prefix, index);
}

/* cm<index>, whose good objects are a<index> and z<index>, with another document between them. */
static void put_map(struct crs_fixture *fixture, size_t index, const char *document)
{
    SCOPED(buf) text = {.limit = 0};
    char map[16];
    print_name(map, "cm", index);
    buf_print(
        &text,
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%zu, namespace: default}\n---\n"
        "%s---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: z%zu, namespace: default}\n",
        index, document, index);
    crs_fixture_map(fixture, map, buf_c(&text));
}

/* A set of its own for each: crs<index> with cm<index>. */
static void put_set(struct crs_fixture *fixture, size_t index, const char *strategy)
{
    char set[16], resource[32];
    print_name(set, "crs", index);
    snprintf(resource, sizeof(resource), "ConfigMap/cm%zu", index);
    crs_fixture_set(fixture, set, strategy, resource);
}

static void check_object(struct crs_fixture *fixture, size_t index, const char *reason)
{
    SCOPED(buf) text = {.limit = 0};
    char set[16];
    print_name(set, "crs", index);
    crs_fixture_await_condition(fixture, set, "ResourcesApplied", "False/NotApplied/");
    buf_print(&text, "1 of 1 clusters failed: c1: ConfigMap cm%zu, key data, document 2: ", index);
    CHECK_CONTAINS(crs_fixture_condition(fixture, set, "ResourcesApplied"), buf_str(&text));
    CHECK_CONTAINS(crs_fixture_condition(fixture, set, "ResourcesApplied"), str_from_c(reason));
    CHECK_CONTAINS(crs_fixture_deprecated(fixture, set), str_from_c(reason));
    buf_clear(&text);
    buf_print(&text, "ConfigMap/cm%zu false hash", index);
    CHECK_EQ(crs_fixture_entry(fixture, "c1", set), buf_str(&text));
    for (const char *good = "az"; *good; good++) {
        buf_clear(&text);
        buf_print(&text, CRS_FIXTURE_OBJECTS("1") "/%c%zu", *good, index);
        CHECK(crs_fixture_exists(fixture, buf_c(&text)));
    }
}

SIM_TEST(bad_objects_fail_alone_when_applied_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    for (size_t i = 0; i < COUNT(objects); i++) {
        put_map(&fixture, i, objects[i].document);
        put_set(&fixture, i, "ApplyOnce");
    }
    crs_fixture_start(&fixture, NULL);
    for (size_t i = 0; i < COUNT(objects); i++) {
        TEST_CASE("%s", objects[i].name);
        check_object(&fixture, i, objects[i].once);
    }
}

/* They come into sets that were applied before. */
SIM_TEST(bad_objects_fail_alone_when_reconciled)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    for (size_t i = 0; i < COUNT(objects); i++) {
        put_map(&fixture, i, "");
        put_set(&fixture, i, "Reconcile");
    }
    crs_fixture_start(&fixture, NULL);
    for (size_t i = 0; i < COUNT(objects); i++) {
        char set[16];
        print_name(set, "crs", i);
        TEST_CASE("%s", objects[i].name);
        crs_fixture_await_applied(&fixture, set);
        put_map(&fixture, i, objects[i].document);
        check_object(&fixture, i, objects[i].reconcile ? objects[i].reconcile : objects[i].once);
    }
}

/* Texts that cannot be read: nothing of the resource is applied, and all of the others. */
static const struct {
    const char *name, *text, *where, *reason;
} texts[] = {
    {"broken YAML",                 GOOD SEPARATOR "apiVersion: v1\nkind: {\n",   "the 2nd yaml document", "line " },
    {"a scalar",                    GOOD SEPARATOR ALSO_GOOD SEPARATOR "hello\n", "the 3rd yaml document", ""      },
    {"tabs",                        GOOD SEPARATOR "a:\n\tb: 1\n",                "the 2nd yaml document", "line " },
    {"a separator with content",    GOOD "--- {a: b}\n" ALSO_GOOD,                BAD_CONTENT,
     "invalid Yaml document separator"                                                                             },
    {"a JSON list that ends early", "[" CRS_FIXTURE_NOT_APPLIED,                  BAD_CONTENT,             ""      },
    {"an unknown anchor",           GOOD SEPARATOR "a: *x\n",                     "the 2nd yaml document", "anchor"},
    {"an anchor inside of itself",  GOOD SEPARATOR "a: &x [*x]\n",                "the 2nd yaml document",
     "anchor"                                                                                                      },
    {"a number that is none",       GOOD SEPARATOR "a: .nan\n",                   "the 2nd yaml document",
     "not a finite number"                                                                                         },
};

SIM_TEST(bad_texts_stop_their_resource_alone)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", texts[i].name);
        try(&fixture, "ApplyOnce", texts[i].text);
        check_told(&fixture, BAD_CONTENT, texts[i].reason);
        check_told(&fixture, texts[i].where, texts[i].reason);
        CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
                 STR("ConfigMap/cm1 false, Secret/s1 true hash"));
    }
}

static void add_times(struct buf *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buf_add(out, str_from_c(text));
}

SIM_TEST(the_reason_is_shown_behind_a_long_document)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR(GOOD SEPARATOR "a: |\n"));
    add_times(&text, "  a long line of text that is quoted in the message\n", 2000);
    buf_add(&text, STR("b: *nobody\n"));
    try(&fixture, "ApplyOnce", buf_c(&text));
    check_told(&fixture, "the 2nd yaml document", "unknown anchor 'nobody' referenced");
}

SIM_TEST(nothing_of_a_bad_secret_is_shown)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", GOOD SEPARATOR "password: hunter2\nmore: *hunter3\n");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("Secret s1: failed converting data to unstructured objects: failed to "
                       "unmarshal the 2nd yaml document"));
    crs_fixture_do(&fixture, "GET", CRS_FIXTURE_SET, NULL);
    CHECK(!str_contains(buf_str(&fixture.apiserver.answer), STR("hunter")));
    crs_fixture_do(&fixture, "GET", "/apis/events.k8s.io/v1/namespaces/ns/events", NULL);
    CHECK(!str_contains(buf_str(&fixture.apiserver.answer), STR("hunter")));
    CHECK(!crs_fixture_logged(&fixture, "hunter"));
}

/* Small texts that want to become large: refused, or too much for the server, in little memory. */
static void check_bomb(const char *name, const char *text, const char *where, const char *reason)
{
    SCOPED(crs_fixture) fixture;
    TEST_CASE("%s", name);
    memory_gauge_begin();
    try(&fixture, "ApplyOnce", text);
    check_told(&fixture, where, reason);
    CHECK(memory_gauge_peak() < MEMORY_BOUND);
}

SIM_TEST(aliases_that_multiply_are_refused)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR(GOOD SEPARATOR "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int i = 1; i < 12; i++) {
        buf_print(&text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            buf_print(&text, "%s*a%d", j ? "," : "", i - 1);
        buf_add(&text, STR("]\n"));
    }
    check_bomb("a billion laughs", buf_c(&text), "the 2nd yaml document", "");
    buf_clear(&text);
    buf_add(&text, STR(GOOD SEPARATOR "a0: &a0 {k: v}\n"));
    for (int i = 1; i < 60; i++)
        buf_print(&text, "a%d: &a%d {<<: *a%d, x: *a%d, y: *a%d}\n", i, i, i - 1, i - 1, i - 1);
    check_bomb("merges", buf_c(&text), "the 2nd yaml document", "");
}

SIM_TEST(nesting_without_end_is_refused)
{
    static const char *const openings[] = {"[", "{a: "};
    for (size_t i = 0; i < COUNT(openings); i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_add(&text, STR(GOOD SEPARATOR "a: "));
        add_times(&text, openings[i], 20000);
        check_bomb(openings[i], buf_c(&text), BAD_CONTENT, "");
    }
}

SIM_TEST(lists_inside_of_lists_stay_lists_at_some_depth)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR(GOOD SEPARATOR));
    add_times(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", 40);
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}"));
    add_times(&text, "]}", 40);
    check_bomb("lists", buf_c(&text), BAD_WHERE, "no matches for kind \"List\" in version \"v1\"");
}

/* 32 values of 100 KB by 32 references to one. */
SIM_TEST(an_object_of_three_megabytes_fails_alone)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR(GOOD SEPARATOR "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, "
                                      "namespace: default}\ndata:\n  k0: &x "));
    add_times(&text, "0123456789", 10000);
    for (int i = 1; i < 32; i++)
        buf_print(&text, "\n  k%d: *x", i);
    buf_add(&text, STR("\n" SEPARATOR ALSO_GOOD));
    memory_gauge_begin();
    try(&fixture, "ApplyOnce", buf_c(&text));
    CHECK(memory_gauge_peak() < MEMORY_BOUND);
    check_told(&fixture, BAD_WHERE, "creating object /v1, Kind=ConfigMap default/x: ");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "z"), "data.k"), STR("1"));
}

/* All but one are applied; the one is named. */
SIM_TEST(ten_thousand_documents_are_applied)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    for (int i = 1; i <= 10000; i++)
        buf_print(&text,
                  SEPARATOR
                  "{kind: %s, apiVersion: v1, metadata: {name: n%d, namespace: default}}\n",
                  i == 5000 ? "Nonsense" : "ConfigMap", i);
    memory_gauge_begin();
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", buf_c(&text));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(8 * MINUTE)); /* at 20 requests a second */
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK(memory_gauge_peak() < MEMORY_BOUND);
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c1: ConfigMap cm1, key data, document 5000: creating object /v1, "
                       "Kind=Nonsense default/n5000: no matches for kind"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_OBJECTS("1"), "items"), 9999);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 false hash"));
}
