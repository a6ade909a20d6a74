#include "clusterresourceset/types/crs_spec.h"

#include "testing/test.h"

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

static void read_set(const char *spec, struct crs_spec *set)
{
    SCOPED(buf) text = {0};
    buf_print(&text, "{\"kind\":\"ClusterResourceSet\",\"spec\":%s}", spec);
    OWNED(object) object = read_object(buf_c(&text));
    crs_spec_read(object, set);
}

/* "ConfigMap/a Secret/b " */
static void write_refs(struct buf *out, const struct crs_spec *set)
{
    for (size_t i = 0; i < set->ref_count; i++) {
        const struct str kind = resource_kind_name(set->refs[i].kind);
        buf_print(out, "%.*s/%.*s ", STR_ARG(kind), STR_ARG(set->refs[i].name));
    }
}

TEST(crs_spec_outlives_its_object)
{
    SCOPED(crs_spec) set = {0};
    SCOPED(buf) refs = {0};
    read_set(
        "{\"clusterSelector\":{\"matchLabels\":{\"cni\":\"calico\"}},\"strategy\":\"Reconcile\","
        "\"resources\":[{\"kind\":\"Secret\",\"name\":\"s1\"}]}",
        &set);
    write_refs(&refs, &set);
    CHECK_EQ(buf_str(&refs), STR("Secret/s1 "));
    CHECK_EQ(set.strategy_text, STR("Reconcile"));
    CHECK(!set.selector_error);
    CHECK(!set.selector.nothing);
}

TEST(crs_spec_strategies)
{
    static const struct {
        const char *spec;
        enum resource_strategy strategy;
        const char *text;
    } cases[] = {
        {"{}",                           RESOURCE_APPLY_ONCE,       ""         },
        {"{\"strategy\":\"\"}",          RESOURCE_APPLY_ONCE,       ""         },
        {"{\"strategy\":null}",          RESOURCE_APPLY_ONCE,       ""         },
        {"{\"strategy\":7}",             RESOURCE_APPLY_ONCE,       ""         },
        {"{\"strategy\":\"ApplyOnce\"}", RESOURCE_APPLY_ONCE,       "ApplyOnce"},
        {"{\"strategy\":\"Reconcile\"}", RESOURCE_RECONCILE,        "Reconcile"},
        {"{\"strategy\":\"reconcile\"}", RESOURCE_STRATEGY_UNKNOWN, "reconcile"},
        {"{\"strategy\":\"Foo\"}",       RESOURCE_STRATEGY_UNKNOWN, "Foo"      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_spec) set = {0};
        TEST_CASE("%s", cases[i].spec);
        read_set(cases[i].spec, &set);
        CHECK_EQ(set.strategy, cases[i].strategy);
        CHECK_EQ(set.strategy_text, str_from_c(cases[i].text));
    }
}

TEST(crs_spec_names_in_order_with_repetitions)
{
    static const struct {
        const char *resources, *refs;
    } cases[] = {
        {"null",                                                                           ""           },
        {"[]",                                                                             ""           },
        {"\"cm1\"",                                                                        ""           },
        {"[null,1,\"x\",{}]",                                                              ""           },
        {"[{\"kind\":\"Secret\",\"name\":\"b\"},{\"kind\":\"ConfigMap\",\"name\":\"a\"}]",
         "Secret/b ConfigMap/a "                                                                        },
        {"[{\"kind\":\"Secret\",\"name\":\"b\"},{\"kind\":\"Secret\",\"name\":\"b\"}]",
         "Secret/b Secret/b "                                                                           },
        {"[{\"kind\":\"Pod\",\"name\":\"p\"},{\"kind\":\"ConfigMap\",\"name\":\"a\"}]",
         "ConfigMap/a "                                                                                 },
        {"[{\"kind\":\"secret\",\"name\":\"b\"},{\"kind\":\"ConfigMap\"}]",                "ConfigMap/ "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_spec) set = {0};
        SCOPED(buf) spec = {0};
        SCOPED(buf) refs = {0};
        TEST_CASE("%s", cases[i].resources);
        buf_print(&spec, "{\"resources\":%s}", cases[i].resources);
        read_set(buf_c(&spec), &set);
        write_refs(&refs, &set);
        CHECK_EQ(buf_str(&refs), str_from_c(cases[i].refs));
    }
}

TEST(crs_spec_selects)
{
    static const struct {
        const char *name, *selector;
        bool plain, labelled; /* selects one without labels, with cni=calico */
        const char *error;    /* NULL: none */
    } cases[] = {
        {"absent",                                     "null",                                         false, false, NULL                                            },
        {"empty selects nothing",                      "{}",                                           false, false, NULL                                            },
        {"empty members select nothing",               "{\"matchLabels\":{},\"matchExpressions\":[]}", false,
         false,                                                                                                      NULL                                            },
        {"labels",                                     "{\"matchLabels\":{\"cni\":\"calico\"}}",       false, true,  NULL                                            },
        {"other labels",                               "{\"matchLabels\":{\"cni\":\"x\"}}",            false, false, NULL                                            },
        {"crs_12: NotIn selects what lacks the label",
         "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"NotIn\",\"values\":[\"calico\"]}]}",
         true,                                                                                                false, NULL                                            },
        {"unknown operator",
         "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"Foo\"}],"
         "\"matchLabels\":{\"cni\":\"calico\"}}",                                                      false, false, "\"Foo\" is not a valid label selector operator"},
    };
    OWNED(object) plain = read_object("{\"metadata\":{}}");
    OWNED(object) labelled = read_object("{\"metadata\":{\"labels\":{\"cni\":\"calico\"}}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_spec) set = {0};
        SCOPED(buf) spec = {0};
        TEST_CASE("%s", cases[i].name);
        buf_print(&spec, "{\"clusterSelector\":%s}", cases[i].selector);
        read_set(buf_c(&spec), &set);
        CHECK_EQ(selector_matches(&set.selector, object_labels(plain)), cases[i].plain);
        CHECK_EQ(selector_matches(&set.selector, object_labels(labelled)), cases[i].labelled);
        CHECK_EQ(set.selector_error != NULL, cases[i].error != NULL);
        if (cases[i].error)
            CHECK_CONTAINS(str_from_c(set.selector_error->message), str_from_c(cases[i].error));
    }
}

TEST(crs_spec_without_a_spec)
{
    SCOPED(crs_spec) set = {0};
    OWNED(object) object = read_object("{\"kind\":\"ClusterResourceSet\",\"spec\":[]}");
    crs_spec_read(object, &set);
    CHECK_EQ(set.ref_count, (size_t)0);
    CHECK(set.selector.nothing);
    CHECK(!set.selector_error);
}

TEST(resource_kinds_by_name)
{
    enum resource_kind kind;
    CHECK(resource_kind_from(STR("ConfigMap"), &kind) && kind == RESOURCE_CONFIG_MAP);
    CHECK(resource_kind_from(STR("Secret"), &kind) && kind == RESOURCE_SECRET);
    CHECK(!resource_kind_from(STR("configmap"), &kind));
    CHECK(!resource_kind_from(STR(""), &kind));
}

TEST(crs_spec_is_paused_by_the_annotation_alone)
{
    static const struct {
        const char *object;
        bool paused;
    } cases[] = {
        {"{}",                                                                       false},
        {"{\"spec\":{\"paused\":true}}",                                             false},
        {"{\"metadata\":{\"labels\":{\"cluster.x-k8s.io/paused\":\"\"}}}",           false},
        {"{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}",      true },
        {"{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"false\"}}}", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object) object = read_object(cases[i].object);
        TEST_CASE("%s", cases[i].object);
        CHECK_EQ(crs_is_paused(object), cases[i].paused);
    }
}

TEST(crs_spec_owner_has_four_fields)
{
    const struct owner_reference owner = crs_owner_reference(STR("crs1"), STR("u1"));
    CHECK_EQ(owner.api_version, STR("addons.cluster.x-k8s.io/v1beta2"));
    CHECK_EQ(owner.kind, STR("ClusterResourceSet"));
    CHECK_EQ(owner.name, STR("crs1"));
    CHECK_EQ(owner.uid, STR("u1"));
    CHECK(!owner.controller && !owner.block_owner_deletion);
}
