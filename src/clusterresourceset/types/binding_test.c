#include "clusterresourceset/types/binding.h"

#include "json/compare.h"
#include "json/json.h"
#include "json/path.h"
#include "testing/test.h"

#define OWNER(name, uid)                                                                   \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\"," \
    "\"name\":\"" name "\",\"uid\":\"" uid "\"}"
#define APPLIED(name, hash, time)                                    \
    "{\"name\":\"" name "\",\"kind\":\"ConfigMap\",\"hash\":\"" hash \
    "\",\"lastAppliedTime\":\"" time "\",\"applied\":true}"
#define FAILED(name, time)                                                      \
    "{\"name\":\"" name "\",\"kind\":\"ConfigMap\",\"lastAppliedTime\":\"" time \
    "\",\"applied\":false}"
#define ENTRY(set, resources) \
    "{\"clusterResourceSetName\":\"" set "\",\"resources\":[" resources "]}"
#define BARE(set)     "{\"clusterResourceSetName\":\"" set "\"}"
#define T1            "2026-01-01T00:00:00Z"
#define T2            "2026-01-02T00:00:00Z"
#define OTHER         ENTRY("other", APPLIED("x", "sha256:x", T1))
#define CONFIG_MAP(n) ((struct resource_ref){RESOURCE_CONFIG_MAP, STR(n)})

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

static struct object *make_binding(const char *owners, const char *entries)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"kind\":\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"c1\","
              "\"ownerReferences\":[%s]},\"spec\":{\"clusterName\":\"c1\",\"bindings\":[%s]}}",
              owners, entries);
    return read_object(buf_c(&text));
}

static struct owner_reference own(const char *uid)
{
    return crs_owner_reference(STR("crs1"), str_from_c(uid));
}

static void check_same(const struct object *seen, const struct object *expected)
{
    SCOPED(buf) left = {0};
    SCOPED(buf) right = {0};
    json_write_canonical(&left, object_root(seen));
    json_write_canonical(&right, object_root(expected));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

TEST(crs_25_a_new_binding_has_its_cluster_and_one_owner)
{
    OWNED(object) binding = NULL;
    OWNED(object)
    expected = read_object(
        "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSetBinding\","
        "\"metadata\":{\"namespace\":\"ns\",\"name\":\"c1\",\"ownerReferences\":[" OWNER(
            "crs1", "u1") "]},\"spec\":{\"clusterName\":\"c1\"}}");
    CHECK_OK(binding_new((struct key){STR("ns"), STR("c1")}, own("u1"), &binding));
    check_same(binding, expected);
    CHECK(binding_is_empty(binding));
    CHECK(binding_mentions(binding, own("u1")));
    CHECK(binding_is_owned(binding, own("u1")));
}

TEST(binding_needs_by_strategy)
{
    static const struct {
        const char *name;
        enum resource_strategy strategy;
        bool is_there, applied;
        const char *hash;
        bool needs;
    } cases[] = {
        {"crs_30: once, no entry",              RESOURCE_APPLY_ONCE,       false, false, "",  true },
        {"crs_31: once, applied, another hash", RESOURCE_APPLY_ONCE,       true,  true,  "b", false},
        {"once, applied, no hash",              RESOURCE_APPLY_ONCE,       true,  true,  "",  false},
        {"crs_32: once, not applied",           RESOURCE_APPLY_ONCE,       true,  false, "a", true },
        {"crs_35: reconcile, no entry",         RESOURCE_RECONCILE,        false, false, "",  true },
        {"crs_36: reconcile, not applied",      RESOURCE_RECONCILE,        true,  false, "a", true },
        {"crs_37: reconcile, same hash",        RESOURCE_RECONCILE,        true,  true,  "a", false},
        {"crs_38: reconcile, another hash",     RESOURCE_RECONCILE,        true,  true,  "b", true },
        {"reconcile, no hash",                  RESOURCE_RECONCILE,        true,  true,  "",  true },
        {"unknown, no entry",                   RESOURCE_STRATEGY_UNKNOWN, false, false, "",  true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct binding_resource found = {.applied = cases[i].applied,
                                               .hash = str_from_c(cases[i].hash)};
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(binding_needs(cases[i].strategy, cases[i].is_there ? &found : NULL, STR("a")),
                 cases[i].needs);
    }
}

/* A result without a hash is of content that could not be used: nothing was tried. */
TEST(a_set_has_begun_where_it_was_tried)
{
    static const struct {
        const char *name, *entries;
        bool has_begun;
    } cases[] = {
        {"nothing",   "",                  false         },
        {                   "others alone",      OTHER,               false              },
        {        "no results",      OTHER "," BARE("crs1"),                         false},
        {  "empty results",      ENTRY("crs1",                         ""),                       false},
        { "refused content",       ENTRY("crs1",                     FAILED("a",                                   T1)), false},
        {       "one applied", ENTRY("crs1", FAILED("a",     T1) "," APPLIED("b", "sha256:b", T1)), true},
        {               "one that failed",
         ENTRY("crs1",              "{\"name\":\"a\",\"kind\":\"Secret\",\"hash\":\"x\",\"applied\":false}"),
         true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object) binding = make_binding("", cases[i].entries);
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(binding_has_begun(binding, STR("crs1")), cases[i].has_begun);
    }
    CHECK(!binding_has_begun(NULL, STR("crs1")));
}

TEST(crs_77_an_entry_is_found_in_any_place)
{
    OWNED(object)
    binding = make_binding(
        "", "null," OTHER "," ENTRY("crs1", "null,{\"name\":\"cm1\",\"kind\":\"Secret\"}," APPLIED(
                                                "cm1", "sha256:a", T1)));
    struct binding_resource found;
    CHECK(binding_find_resource(binding, STR("crs1"), CONFIG_MAP("cm1"), &found));
    CHECK(found.applied);
    CHECK_EQ(found.hash, STR("sha256:a"));
    CHECK_EQ(found.last_applied_time, STR(T1));
    const struct resource_ref secret = {RESOURCE_SECRET, STR("cm1")};
    CHECK(binding_find_resource(binding, STR("crs1"), secret, &found));
    CHECK(!found.applied);
    CHECK_EQ(found.hash, STR(""));
    CHECK(!binding_find_resource(binding, STR("crs1"), CONFIG_MAP("x"), &found));
    CHECK(!binding_find_resource(binding, STR("crs2"), CONFIG_MAP("cm1"), &found));
    CHECK(!binding_find_resource(NULL, STR("crs1"), CONFIG_MAP("cm1"), &found));
    CHECK(!binding_has_entry(NULL, STR("crs1")));
}

/* What is recorded in most tests: cm1 applied, cm2 not. */
static const struct binding_resource both[] = {
    {{RESOURCE_CONFIG_MAP, STR_INIT("cm1")}, true,  STR_INIT("sha256:a"), STR_INIT(T2)},
    {{RESOURCE_CONFIG_MAP, STR_INIT("cm2")}, false, STR_INIT(""),         STR_INIT(T2)},
};

#define BOTH APPLIED("cm1", "sha256:a", T2) "," FAILED("cm2", T2)

struct recording {
    const char *name, *owners, *before, *owners_after, *after;
    size_t count; /* of both */
};

static void check_records(struct recording recording)
{
    OWNED(object) binding = make_binding(recording.owners, recording.before);
    OWNED(object) expected = make_binding(recording.owners_after, recording.after);
    OWNED(object) after = NULL;
    OWNED(object) again = NULL;
    const struct binding_change change = {
        .owner = own("u1"), .resources = both, .count = recording.count};
    TEST_CASE("%s", recording.name);
    CHECK_OK(binding_record(binding, &change, &after));
    check_same(after, expected);
    CHECK_OK(binding_record(after, &change, &again));
    CHECK(again == after); /* nothing to write the second time */
}

TEST(binding_records)
{
    check_records((struct recording){"crs_18: an entry without resources", OWNER("crs1", "u1"), "",
                                     OWNER("crs1", "u1"), BARE("crs1"), 0});
    check_records((struct recording){"crs_13: two resources", OWNER("crs1", "u1"), "",
                                     OWNER("crs1", "u1"), ENTRY("crs1", BOTH), 2});
    check_records((struct recording){"crs_26: beside another set", OWNER("other", "u9"), OTHER,
                                     OWNER("other", "u9") "," OWNER("crs1", "u1"),
                                     OTHER "," ENTRY("crs1", BOTH), 2});
    check_records((struct recording){
        "crs_77: positions are kept", OWNER("crs1", "u1"),
        OTHER "," ENTRY(
            "crs1", FAILED("cm2", T1) "," FAILED("z", T1) "," FAILED("cm1", T1)) "," BARE("last"),
        OWNER("crs1", "u1"),
        OTHER "," ENTRY("crs1", FAILED("cm2", T2) "," FAILED("z", T1) "," APPLIED(
                                    "cm1", "sha256:a", T2)) "," BARE("last"),
        2});
    check_records((struct recording){"crs_47: what is no longer named stays", OWNER("crs1", "u1"),
                                     ENTRY("crs1", APPLIED("gone", "sha256:g", T1)),
                                     OWNER("crs1", "u1"),
                                     ENTRY("crs1", APPLIED("gone", "sha256:g", T1) "," BOTH), 2});
    check_records((struct recording){
        "crs_81: the uid of a set that came again replaces the old one",
        OWNER("other", "u9") "," OWNER("crs1", "u0") "," OWNER("third", "u3"), "",
        OWNER("other", "u9") "," OWNER("crs1", "u1") "," OWNER("third", "u3"), BARE("crs1"), 0});
    check_records((struct recording){
        "members that we do not know stay", OWNER("crs1", "u1"),
        "{\"clusterResourceSetName\":\"crs1\",\"note\":{\"a\":1},\"resources\":[{\"name\":\"cm1\","
        "\"kind\":\"ConfigMap\",\"applied\":false,\"why\":\"x\"}]}",
        OWNER("crs1", "u1"),
        "{\"clusterResourceSetName\":\"crs1\",\"note\":{\"a\":1},\"resources\":[{\"name\":\"cm1\","
        "\"kind\":\"ConfigMap\",\"hash\":\"sha256:a\",\"lastAppliedTime\":\"" T2
        "\",\"applied\":true,\"why\":\"x\"}," FAILED("cm2", T2) "]}",
        2});
    check_records((struct recording){"null items stay where they are", "",
                                     "null," BARE("crs1") ",null", OWNER("crs1", "u1"),
                                     "null," ENTRY("crs1", BOTH) ",null", 2});
    check_records((struct recording){
        "of two entries the first is ours", "",
        ENTRY("crs1", FAILED("cm1", T1)) "," ENTRY("crs1", FAILED("cm1", T1)), OWNER("crs1", "u1"),
        ENTRY("crs1", BOTH) "," ENTRY("crs1", FAILED("cm1", T1)), 2});
    check_records((struct recording){
        "a hash that is no longer true goes", "",
        ENTRY("crs1", APPLIED("cm1", "sha256:a", T2) "," APPLIED("cm2", "sha256:b", T1)),
        OWNER("crs1", "u1"), ENTRY("crs1", BOTH), 2});
}

TEST(of_a_resource_that_is_named_twice_the_last_result_is_recorded)
{
    const struct binding_resource twice[] = {
        {CONFIG_MAP("cm1"), false, STR(""),         STR(T1)},
        {CONFIG_MAP("cm2"), true,  STR("sha256:b"), STR(T1)},
        {CONFIG_MAP("cm1"), true,  STR("sha256:a"), STR(T2)},
    };
    const struct binding_change change = {.owner = own("u1"), .resources = twice, .count = 3};
    static const char *const befores[] = {"", ENTRY("crs1", FAILED("cm1", T1))};
    OWNED(object)
    expected = make_binding(
        OWNER("crs1", "u1"),
        ENTRY("crs1", APPLIED("cm1", "sha256:a", T2) "," APPLIED("cm2", "sha256:b", T1)));
    for (size_t i = 0; i < COUNT(befores); i++) {
        OWNED(object) before = make_binding("", befores[i]);
        OWNED(object) after = NULL;
        CHECK_OK(binding_record(before, &change, &after));
        check_same(after, expected);
    }
}

/* An entry of crs1 with so many resources, "r0" and on. */
static struct object *make_full(size_t count)
{
    SCOPED(buf) text = {0};
    for (size_t i = 0; i < count; i++)
        buf_print(
            &text,
            "%s{\"name\":\"r%zu\",\"kind\":\"ConfigMap\",\"applied\":true,\"lastAppliedTime\":"
            "\"" T1 "\"}",
            i ? "," : "", i);
    SCOPED(buf) entry = {0};
    buf_print(&entry, "{\"clusterResourceSetName\":\"crs1\",\"resources\":[%s]}", buf_c(&text));
    return make_binding(OWNER("crs1", "u1"), buf_c(&entry));
}

static void check_names(const struct object *binding, size_t count, const char *const *names)
{
    const struct json_value *list = object_path(binding, "spec.bindings.0.resources");
    CHECK_EQ(json_count(list), count);
    for (size_t i = 0; names[i]; i++) {
        struct binding_resource found;
        const bool wanted = names[i][0] != '!';
        const struct resource_ref ref = {RESOURCE_CONFIG_MAP, str_from_c(names[i] + !wanted)};
        TEST_CASE("%s", names[i]);
        CHECK_EQ(binding_find_resource(binding, STR("crs1"), ref, &found), wanted);
    }
}

TEST(v_22_at_the_limit_the_oldest_that_are_no_longer_named_go)
{
    const struct resource_ref named[] = {CONFIG_MAP("cm1"), CONFIG_MAP("cm2"), CONFIG_MAP("r0")};
    const struct binding_change change = {
        .owner = own("u1"), .resources = both, .count = 2, .named = named, .named_count = 3};
    static const struct {
        size_t before, after;
        const char *names[5];
    } cases[] = {
        {98,  100, {"r0", "r1", "r97", "cm2", NULL}    },
        {99,  100, {"r0", "!r1", "r2", "cm1", NULL}    },
        {100, 100, {"r0", "!r1", "!r2", "r3", "cm2"}   },
        {110, 100, {"r0", "!r12", "r13", "cm1", "r109"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object) before = make_full(cases[i].before);
        OWNED(object) after = NULL;
        const char *names[6] = {0};
        for (size_t j = 0; j < 5; j++)
            names[j] = cases[i].names[j];
        CHECK_OK(binding_record(before, &change, &after));
        check_names(after, cases[i].after, names);
    }
}

TEST(what_the_set_names_is_never_pruned)
{
    SCOPED(arena) arena = {0};
    struct resource_ref named[BINDING_RESOURCES_MAX];
    for (size_t i = 0; i < COUNT(named); i++)
        named[i] = (struct resource_ref){RESOURCE_CONFIG_MAP, arena_print(&arena, "r%zu", i + 1)};
    const struct binding_resource last = {named[COUNT(named) - 1], true, STR(""), STR(T2)};
    const struct binding_change change = {.owner = own("u1"),
                                          .resources = &last,
                                          .count = 1,
                                          .named = named,
                                          .named_count = COUNT(named)};
    OWNED(object) before = make_full(100);
    OWNED(object) after = NULL;
    CHECK_OK(binding_record(before, &change, &after));
    check_names(after, 100, (const char *const[]){"!r0", "r1", "r99", "r100", NULL});
}

static void check_forgets(struct recording recording)
{
    OWNED(object) binding = make_binding(recording.owners, recording.before);
    OWNED(object) expected = make_binding(recording.owners_after, recording.after);
    OWNED(object) after = NULL;
    OWNED(object) again = NULL;
    TEST_CASE("%s", recording.name);
    CHECK(binding_mentions(binding, own("u1")));
    CHECK_OK(binding_forget(binding, own("u1"), &after));
    check_same(after, expected);
    CHECK(!binding_mentions(after, own("u1")));
    CHECK(!binding_is_empty(after));
    CHECK_OK(binding_forget(after, own("u1"), &again));
    CHECK(again == after);
}

TEST(binding_forgets)
{
    check_forgets((struct recording){"crs_49: others stay",
                                     OWNER("crs1", "u1") "," OWNER("other", "u9"),
                                     ENTRY("crs1", FAILED("cm1", T1)) "," OTHER ",null",
                                     OWNER("other", "u9"), OTHER ",null", 0});
    check_forgets((struct recording){"every entry of the name", OWNER("other", "u9"),
                                     BARE("crs1") "," OTHER "," BARE("crs1"), OWNER("other", "u9"),
                                     OTHER, 0});
    check_forgets((struct recording){"the owner alone, of another uid",
                                     OWNER("crs1", "u0") "," OWNER("other", "u9"), OTHER,
                                     OWNER("other", "u9"), OTHER, 0});
    check_forgets((struct recording){
        "a Cluster of the same name stays",
        "{\"apiVersion\":\"cluster.x-k8s.io/v1beta1\",\"kind\":\"Cluster\",\"name\":\"crs1\","
        "\"uid\":\"c\"}," OWNER("crs1", "u1"),
        OTHER,
        "{\"apiVersion\":\"cluster.x-k8s.io/v1beta1\",\"kind\":\"Cluster\",\"name\":\"crs1\","
        "\"uid\":\"c\"}",
        OTHER, 0});
}

TEST(crs_50_a_binding_without_its_last_set_is_empty)
{
    OWNED(object) binding = make_binding(OWNER("crs1", "u1"), ENTRY("crs1", FAILED("cm1", T1)));
    OWNED(object) after = NULL;
    CHECK(!binding_is_empty(binding));
    CHECK_OK(binding_forget(binding, own("u1"), &after));
    CHECK(binding_is_empty(after));
    CHECK(!object_path(after, "spec.bindings"));
    CHECK_EQ(json_path_str(object_root(after), "spec.clusterName"), STR("c1"));
}
