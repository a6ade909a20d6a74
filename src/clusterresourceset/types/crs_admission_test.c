#include "clusterresourceset/types/crs_admission.h"

#include "apimachinery/rows_test.h"
#include "apimachinery/status.h"
#include "apimachinery/wellknown.h"
#include "json/builder.h"
#include "json/compare.h"

/* A set whose spec is this. */
static struct json_doc *set_of(const struct json_value *spec)
{
    SCOPED(json_builder) builder = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&builder);
    json_builder_add_value(&builder, "spec", spec);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    return doc;
}

static void check_text(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    json_write_canonical(&left, seen);
    json_write_canonical(&right, expected);
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

static void check_status(const struct json_value *expected, const struct field_errors *errors)
{
    OWNED(error) err = status_invalid(GVK_CLUSTER_RESOURCE_SET, STR("crs1"), errors);
    OWNED(json_doc) status = status_doc(err);
    const struct json_value *value;
    JSON_FOREACH (key, value, expected)
        check_text(json_get(json_doc_root(status), key), value);
}

static void check_row(const struct json_value *row)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    const struct json_value *was = json_get(row, STR("old"));
    OWNED(json_doc) given = set_of(json_get(row, STR("new")));
    OWNED(json_doc) old = was ? set_of(was) : NULL;
    OWNED(json_doc) filled = NULL;
    bool allowed = false;
    CHECK_OK(crs_default_set(given, &filled));
    crs_validate_set(old ? json_doc_root(old) : NULL, json_doc_root(filled), &errors);
    CHECK(json_to_bool(json_get(row, STR("allowed")), &allowed));
    CHECK_EQ(errors.count == 0, allowed);
    if (!allowed)
        check_status(json_get(row, STR("status")), &errors);
}

TEST(crs_admission_oracle)
{
    size_t count = 0;
    ROWS_FOREACH(row, "oracle/admission.jsonl")
    {
        check_row(row);
        count++;
    }
    CHECK_EQ(count, (size_t)25);
}

static struct json_doc *read_doc(const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

TEST(crs_admission_defaults_nothing_but_the_strategy)
{
    const struct {
        const char *name, *given, *expected;
    } cases[] = {
        {"absent",  "{\"spec\":{\"a\":1}}",                    "{\"spec\":{\"a\":1,\"strategy\":\"ApplyOnce\"}}"       },
        {"empty",   "{\"spec\":{\"strategy\":\"\"}}",          "{\"spec\":{\"strategy\":\"ApplyOnce\"}}"               },
        {"kept",    "{\"spec\":{\"strategy\":\"Reconcile\"}}",
         "{\"spec\":{\"strategy\":\"Reconcile\"}}"                                                                     },
        {"no spec", "{\"kind\":\"A\"}",                        "{\"kind\":\"A\",\"spec\":{\"strategy\":\"ApplyOnce\"}}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = read_doc(cases[i].given);
        OWNED(json_doc) expected = read_doc(cases[i].expected);
        OWNED(json_doc) filled = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(crs_default_set(doc, &filled));
        check_text(json_doc_root(filled), json_doc_root(expected));
    }
}

/* All errors as one text; empty for none. */
static void validate_text(struct buf *out, bool is_set, const char *old, const char *object)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) before = old ? read_doc(old) : NULL;
    OWNED(json_doc) after = read_doc(object);
    const struct json_value *was = before ? json_doc_root(before) : NULL;
    if (is_set)
        crs_validate_set(was, json_doc_root(after), &errors);
    else
        crs_validate_binding(was, json_doc_root(after), &errors);
    buf_clear(out);
    if (errors.count)
        field_errors_write(out, &errors);
}

TEST(crs_admission_of_bindings)
{
    SCOPED(buf) text = {.limit = 0};
    const struct {
        const char *name, *old, *object, *expected;
    } cases[] = {
        {"created",   NULL,                                 "{\"spec\":{\"clusterName\":\"a\"}}", ""},
        {"kept",      "{\"spec\":{\"clusterName\":\"a\"}}", "{\"spec\":{\"clusterName\":\"a\"}}", ""},
        {"set later", "{\"spec\":{}}",                      "{\"spec\":{\"clusterName\":\"a\"}}", ""},
        {"changed",   "{\"spec\":{\"clusterName\":\"a\"}}", "{\"spec\":{\"clusterName\":\"b\"}}",
         "spec.clusterName: Invalid value: \"b\": field is immutable"                               },
        {"cleared",   "{\"spec\":{\"clusterName\":\"a\"}}", "{\"spec\":{}}",
         "spec.clusterName: Invalid value: \"\": field is immutable"                                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        validate_text(&text, false, cases[i].old, cases[i].object);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].expected));
    }
}

TEST(crs_admission_shows_selectors_as_go_does)
{
    SCOPED(buf) text = {.limit = 0};
    const char *old = "{\"spec\":{\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\"}}}}";
    const struct {
        const char *name, *selector, *expected;
    } cases[] = {
        {"labels are sorted",        "{\"matchLabels\":{\"z\":\"1\",\"b\":\"2\"}}",
         "{\"matchLabels\":{\"b\":\"2\",\"z\":\"1\"}}"                                                                                                },
        {"members have an order",
         "{\"matchExpressions\":[{\"values\":[\"x\"],\"operator\":\"In\",\"key\":\"k\"}],"
         "\"matchLabels\":{\"a\":\"b\"}}",                                          "{\"matchLabels\":{\"a\":\"b\"},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\","
         "\"values\":[\"x\"]}]}"                                                                            },
        {"empty ones are not shown",
         "{\"matchLabels\":{},\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\","
         "\"values\":[]}]}",                                                        "{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\"}]}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        const struct str object =
            arena_print(&arena, "{\"spec\":{\"clusterSelector\":%s}}", cases[i].selector);
        validate_text(&text, true, old, object.ptr);
        CHECK_EQ(buf_str(&text),
                 arena_print(&arena, "spec.clusterSelector: Invalid value: %s: field is immutable",
                             cases[i].expected));
    }
}
