#include "custom/scale.h"

#include "custom/custom_rig_test.h"

/* What a kind with the subresource needs to have here. */
static const struct kind deployments = {.plural = STR_INIT("deployments")};

static void check_read(const struct kind *kind, const char *object, const char *expected)
{
    OWNED(json_doc) doc = rig_read(str_from_c(object));
    OWNED(json_doc) scale = NULL;
    SCOPED(buf) text = {.limit = 0};
    OWNED(error) err = custom_scale_read(kind, json_doc_root(doc), &scale);
    if (!err)
        json_write(&text, json_doc_root(scale));
    CHECK_EQ(err ? str_from_c(err->message) : buf_str(&text), str_from_c(expected));
}

/* clang-format off: an object and its scale belong together */
TEST(custom_scale_read_of_custom_resources)
{
    static const struct {
        const char *name, *object, *scale;
    } cases[] = {
        {"crd-073",
         "{\"metadata\":{\"name\":\"g1\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"700\",\"creationTimestamp\":\"2026-11-15T08:34:19Z\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"replicas\":3}}",
         "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"g1\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"700\",\"creationTimestamp\":\"2026-11-15T08:34:19Z\"},\"spec\":{\"replicas\":3},\"status\":{\"replicas\":0}}"},
        {"crd-076",
         "{\"metadata\":{\"name\":\"g1\"},\"spec\":{\"replicas\":4},\"status\":{\"replicas\":2,\"selector\":\"a=b\"}}",
         "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"g1\"},\"spec\":{\"replicas\":4},\"status\":{\"replicas\":2,\"selector\":\"a=b\"}}"                                                                                        },
        {"zero",    "{\"metadata\":{\"name\":\"g1\"},\"spec\":{\"replicas\":0}}",
         "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"g1\"},\"spec\":{},\"status\":{\"replicas\":0}}"                                                                                                                           },
        {"absent",  "{\"metadata\":{\"name\":\"g1\"}}",
         "Internal error occurred: the spec replicas field \"spec.replicas\" does not exist"                                                                                                                                                                       },
        {"text",    "{\"spec\":{\"replicas\":\"x\"}}",
         "Internal error occurred: .spec.replicas accessor error: x is of the type string, expected int64"                                                                                                                                                         },
    };
    OWNED(custom) custom = rig_custom(STR("gadgets.crd.run.example.com"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_read(custom_kind(custom, 0), cases[i].object, cases[i].scale);
    }
}

TEST(custom_scale_read_of_built_in_kinds)
{
    TEST_CASE("deployment-021");
    check_read(
        &deployments,
        "{\"metadata\":{\"name\":\"d1\"},\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":{\"app\":\"d1\"}}},\"status\":{\"replicas\":5}}",
        "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"d1\"},\"spec\":{\"replicas\":3},\"status\":{\"replicas\":5,\"selector\":\"app=d1\"}}");
    TEST_CASE("a replication controller");
    check_read(
        &deployments,
        "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"b\":\"2\",\"a\":\"1\"}}}",
        "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"name\":\"r\"},\"spec\":{\"replicas\":1},\"status\":{\"replicas\":0,\"selector\":\"a=1,b=2\"}}");
}

static void check_write(const struct kind *kind, const char *object, const char *scale,
                        const char *expected)
{
    OWNED(json_doc) doc = rig_read(str_from_c(object));
    OWNED(json_doc) wanted = rig_read(str_from_c(scale));
    OWNED(json_doc) changed = NULL;
    SCOPED(buf) text = {.limit = 0};
    OWNED(error)
    err = custom_scale_write(kind, json_doc_root(doc), json_doc_root(wanted), &changed);
    if (!err)
        json_write(&text, json_doc_root(changed));
    CHECK_EQ(err ? str_from_c(err->message) : buf_str(&text), str_from_c(expected));
}

TEST(custom_scale_write_sets_the_replicas)
{
    OWNED(custom) custom = rig_custom(STR("gadgets.crd.run.example.com"));
    const struct kind *gadget = custom_kind(custom, 0);
    check_write(gadget, "{\"spec\":{\"replicas\":3,\"size\":1}}", "{\"spec\":{\"replicas\":4}}",
                "{\"spec\":{\"replicas\":4,\"size\":1}}");
    check_write(gadget, "{\"spec\":{\"size\":1}}", "{\"spec\":{}}",
                "{\"spec\":{\"size\":1,\"replicas\":0}}");
    check_write(gadget, "{\"metadata\":{\"resourceVersion\":\"2\"},\"spec\":{}}",
                "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":-1}}",
                "{\"metadata\":{\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":-1}}");
    check_write(
        gadget, "{\"spec\":{}}", "{\"spec\":{\"replicas\":\"4\"}}",
        "json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32");
    check_write(
        gadget, "{\"spec\":{}}", "{\"spec\":{\"replicas\":3000000000}}",
        "json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32");
    TEST_CASE("deployment-025");
    check_write(
        &deployments, "{\"spec\":{}}",
        "{\"metadata\":{\"name\":\"d1\"},\"spec\":{\"replicas\":-1}}",
        "Scale.autoscaling \"d1\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0");
}
/* clang-format on */
