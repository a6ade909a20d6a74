#include "clusterresourceset/types/crs_conversion.h"

#include "base/random.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

#define V1 "\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta1\""
#define V2 "\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\""

typedef struct error *convert_fn(struct json_doc *doc, struct str to, struct json_doc **ret_doc);

static struct json_doc *read_doc(const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

static void check_converts(convert_fn *convert, const char *from, const char *to, const char *text)
{
    OWNED(json_doc) doc = read_doc(from);
    OWNED(json_doc) expected = read_doc(text);
    OWNED(json_doc) converted = NULL;
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    CHECK_OK(convert(doc, str_from_c(to), &converted));
    json_write_canonical(&left, json_doc_root(converted));
    json_write_canonical(&right, json_doc_root(expected));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

TEST(crs_convert_sets_there_and_back)
{
    const struct {
        const char *name, *v1, *v2;
    } cases[] = {
        {"no status",             "{" V1 ",\"spec\":{\"a\":1}}",                                             "{" V2 ",\"spec\":{\"a\":1}}"    },
        {"both families",
         "{" V1 ",\"status\":{\"observedGeneration\":3,\"conditions\":[{\"type\":\"old\"}],"
         "\"v1beta2\":{\"conditions\":[{\"type\":\"new\"}]}}}",                                              "{" V2 ",\"status\":{\"observedGeneration\":3,\"conditions\":[{\"type\":\"new\"}],"
         "\"deprecated\":{\"v1beta1\":{\"conditions\":[{\"type\":\"old\"}]}}}}"},
        {"old ones only",         "{" V1 ",\"status\":{\"conditions\":[{\"type\":\"old\"}]}}",
         "{" V2
         ",\"status\":{\"deprecated\":{\"v1beta1\":{\"conditions\":[{\"type\":\"old\"}]}}}}"                                                  },
        {"new ones only",         "{" V1 ",\"status\":{\"v1beta2\":{\"conditions\":[{\"type\":\"new\"}]}}}",
         "{" V2 ",\"status\":{\"conditions\":[{\"type\":\"new\"}]}}"                                                                          },
        {"empty lists are lists",
         "{" V1 ",\"status\":{\"conditions\":[],\"v1beta2\":{\"conditions\":[]}}}",
         "{" V2
         ",\"status\":{\"conditions\":[],\"deprecated\":{\"v1beta1\":{\"conditions\":[]}}}}"                                                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_converts(crs_convert_set, cases[i].v1, "v1beta2", cases[i].v2);
        check_converts(crs_convert_set, cases[i].v2, "v1beta1", cases[i].v1);
        check_converts(crs_convert_set, cases[i].v1, "v1beta1", cases[i].v1);
        check_converts(crs_convert_set, cases[i].v2, "v1beta2", cases[i].v2);
    }
    TEST_CASE("no empty status");
    check_converts(crs_convert_set, "{" V1 ",\"status\":{}}", "v1beta2", "{" V2 "}");
    check_converts(crs_convert_set, "{" V1 ",\"status\":{\"v1beta2\":{}}}", "v1beta2", "{" V2 "}");
}

TEST(crs_convert_bindings_there_and_back)
{
    const struct {
        const char *name, *v1, *v2;
    } cases[] = {
        {"no entries",                        "{" V1 ",\"spec\":{\"clusterName\":\"c\"}}",
         "{" V2 ",\"spec\":{\"clusterName\":\"c\"}}"               },
        {"null is an entry without anything", "{" V1 ",\"spec\":{\"bindings\":[null]}}",
         "{" V2 ",\"spec\":{\"bindings\":[{}]}}"                   },
        {"a whole one",
         "{" V1
         ",\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"s\",\"resources\":[{\"kind\":"
         "\"Secret\",\"name\":\"n\",\"hash\":\"h\",\"lastAppliedTime\":\"2026-08-21T13:29:23Z\","
         "\"applied\":true}]}]}}",                                                         "{" V2
         ",\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"s\",\"resources\":[{\"kind\":"
         "\"Secret\",\"name\":\"n\",\"hash\":\"h\",\"lastAppliedTime\":\"2026-08-21T13:29:23Z\","
         "\"applied\":true}]}]}}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_converts(crs_convert_binding, cases[i].v1, "v1beta2", cases[i].v2);
        check_converts(crs_convert_binding, cases[i].v2, "v1beta1", cases[i].v1);
    }
}

TEST(crs_convert_says_what_a_binding_leaves_open)
{
    check_converts(crs_convert_binding,
                   "{" V2 ",\"spec\":{\"bindings\":[{\"resources\":[{\"name\":\"n\"}]}]}}",
                   "v1beta1",
                   "{" V1 ",\"spec\":{\"bindings\":[{\"resources\":[{\"name\":\"n\",\"applied\":"
                   "false}]}]}}");
    check_converts(crs_convert_binding,
                   "{" V1 ",\"spec\":{\"bindings\":[{\"resources\":[{\"name\":\"n\","
                   "\"lastAppliedTime\":null,\"applied\":false}]}]}}",
                   "v1beta2",
                   "{" V2 ",\"spec\":{\"bindings\":[{\"resources\":[{\"name\":\"n\",\"applied\":"
                   "false}]}]}}");
}

TEST(crs_convert_refuses_what_it_does_not_know)
{
    OWNED(json_doc) doc = read_doc("{" V2 "}");
    OWNED(json_doc) other = read_doc("{\"apiVersion\":\"v1\"}");
    OWNED(json_doc) none = NULL;
    CHECK_FAILS(crs_convert_set(doc, STR("v1"), &none), ERROR_INVALID, "no version v1");
    CHECK_FAILS(crs_convert_binding(other, STR("v1beta1"), &none), ERROR_INVALID, "of v1");
}

static void add_conditions(struct json_builder *out, struct random *random)
{
    const uint64_t count = random_below(random, 4);
    json_builder_add_array(out, "conditions");
    for (uint64_t i = 0; i < count; i++) {
        json_builder_object(out);
        json_builder_add_int(out, "type", (int64_t)random_below(random, 100));
        json_builder_end(out);
    }
    json_builder_end(out);
}

/* Any status that v1beta2 can have. */
static struct json_doc *any_set(struct random *random)
{
    SCOPED(json_builder) out = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&out);
    json_builder_add_str(&out, "apiVersion", STR("addons.cluster.x-k8s.io/v1beta2"));
    json_builder_add_object(&out, "status");
    json_builder_add_int(&out, "observedGeneration", (int64_t)random_below(random, 9) + 1);
    if (random_below(random, 2))
        add_conditions(&out, random);
    if (random_below(random, 2)) {
        json_builder_add_object(&out, "deprecated");
        json_builder_add_object(&out, "v1beta1");
        add_conditions(&out, random);
        json_builder_end(&out);
        json_builder_end(&out);
    }
    json_builder_end(&out);
    json_builder_end(&out);
    CHECK_OK(json_builder_finish(&out, &doc));
    return doc;
}

TEST(crs_convert_loses_nothing)
{
    struct random random;
    random_init(&random, 7);
    for (size_t i = 0; i < 500; i++) {
        OWNED(json_doc) set = any_set(&random);
        OWNED(json_doc) other = NULL;
        OWNED(json_doc) again = NULL;
        CHECK_OK(crs_convert_set(set, STR("v1beta1"), &other));
        CHECK_OK(crs_convert_set(other, STR("v1beta2"), &again));
        CHECK(json_equal(json_doc_root(set), json_doc_root(again)));
    }
}
