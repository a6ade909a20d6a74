#include "apiserver/registry/kind_autoscaler.h"

#include "apimachinery/rows_test.h"
#include "apiserver/registry/kind_fixture_test.h"
#include "json/path.h"
#include "testing/test.h"

/* Autoscalers that a real API server showed in both versions. */
TEST(autoscalers_are_converted_as_kubernetes_does)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "kinds/autoscalers.jsonl")
    {
        OWNED(json_doc) v1 = NULL;
        TEST_CASE("%.*s", STR_ARG(json_path_str(row, "id")));
        CHECK_OK(kind_autoscaler_to_v1(json_path(row, "v2"), &v1));
        recorded_compare(json_doc_root(v1), json_path(row, "v1"));
        rows++;
    }
    CHECK_EQ(rows, (size_t)3);
}

/* What goes to v1 and back is what it was; the metric of the CPU becomes the last. */
TEST(autoscalers_lose_nothing_in_v1)
{
    ROWS_FOREACH(row, "kinds/autoscalers.jsonl")
    {
        OWNED(json_doc) v2 = NULL;
        OWNED(json_doc) v1 = NULL;
        TEST_CASE("%.*s", STR_ARG(json_path_str(row, "id")));
        CHECK_OK(kind_autoscaler_to_storage(json_path(row, "v1"), &v2));
        if (!str_eq(json_path_str(row, "id"), STR("every source of metrics")))
            recorded_compare(json_doc_root(v2), json_path(row, "v2"));
        CHECK_EQ(json_count(json_path(json_doc_root(v2), "spec.metrics")),
                 json_count(json_path(row, "v2.spec.metrics")));
        CHECK_OK(kind_autoscaler_to_v1(json_doc_root(v2), &v1));
        recorded_compare(json_doc_root(v1), json_path(row, "v1"));
    }
}

/* Annotations that hold no metrics are dropped; what the members say stays. */
TEST(autoscalers_with_unreadable_annotations)
{
    static const char *const texts[] = {"", "nonsense", "{}", "[{\"type\":5}]",
                                        "[{\"type\":\"Resource\",\"resource\":{\"name\":[]}}]"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        OWNED(json_doc) object = NULL;
        OWNED(json_doc) v2 = NULL;
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", texts[i]);
        buf_add(&text, STR("{\"metadata\":{\"name\":\"a\",\"annotations\":{\"autoscaling.alpha."
                           "kubernetes.io/metrics\":"));
        buf_add_json_string(&text, str_from_c(texts[i]));
        buf_add(&text,
                STR("}},\"spec\":{\"maxReplicas\":2,\"targetCPUUtilizationPercentage\":7}}"));
        CHECK_OK(json_read(buf_str(&text), &object));
        CHECK_OK(kind_autoscaler_to_v2(json_doc_root(object), &v2));
        const struct json_value *metrics = json_path(json_doc_root(v2), "spec.metrics");
        int64_t percent = 0;
        CHECK_EQ(json_count(metrics), (size_t)1);
        CHECK(json_to_int64(json_path(metrics, "0.resource.target.averageUtilization"), &percent));
        CHECK_EQ(percent, (int64_t)7);
        CHECK(!json_path(json_doc_root(v2), "metadata.annotations"));
    }
}
