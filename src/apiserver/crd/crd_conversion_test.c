#include "apiserver/crd/crd_conversion.h"

#include "apiserver/crd/crd_fixture_test.h"

static struct crd *compile_webhook_crd(void)
{
    struct crd *crd = NULL;
    OWNED(json_doc)
    definition = fixture_read(STR(
        "{\"spec\":{\"group\":\"a.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"apps\","
        "\"kind\":\"App\",\"singular\":\"app\",\"listKind\":\"AppList\"},\"conversion\":{"
        "\"strategy\":\"Webhook\",\"webhook\":{\"clientConfig\":{\"url\":\"https://a.io/\"},"
        "\"conversionReviewVersions\":[\"v1\"]}},\"versions\":[{\"name\":\"v1\",\"served\":true,"
        "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{"
        "\"a\":{\"type\":\"string\"}}}}},{\"name\":\"v2\",\"served\":true,\"storage\":false,"
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":"
        "\"string\"}}}}}]}}"));
    CHECK_OK(crd_compile(json_doc_root(definition), NULL, &crd));
    return crd;
}

static struct json_doc *stored_app(const char *version)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"a.io/v1\",\"kind\":\"App\",\"metadata\":{\"name\":\"x\","
              "\"resourceVersion\":\"%s\",\"labels\":{\"a\":\"1\"},\"generation\":3},"
              "\"a\":\"value\"}",
              version);
    return fixture_read(buf_str(&text));
}

/* A question is written down once, without the version; its answer holds for every version. */
TEST(a_conversion_is_asked_for_and_then_known)
{
    SCOPED(arena) arena = {0};
    SCOPED(crd_conversions) conversions = {0};
    OWNED(crd) crd = compile_webhook_crd();
    const struct kind *kind =
        crd_conversions_view(&conversions, &arena, fixture_kind(crd, STR("v2")));
    OWNED(json_doc) stored = stored_app("7");
    OWNED(json_doc) later = stored_app("8");
    OWNED(json_doc) shown = NULL;
    CHECK_EQ(json_path_str(crd_conversion_webhook(kind), "clientConfig.url"), STR("https://a.io/"));
    CHECK_ERROR(kind->ops->present(kind, stored, &shown), ERROR_SERVICE_UNAVAILABLE);
    CHECK_ERROR(kind->ops->present(kind, later, &shown), ERROR_SERVICE_UNAVAILABLE);
    CHECK_EQ(conversions.count, 1);
    const struct crd_question question = conversions.questions[0];
    CHECK_EQ(question.to.version, STR("v2"));
    CHECK(!json_path(json_doc_root(question.object), "metadata.resourceVersion"));
    crd_conversions_put(&conversions, &question,
                        fixture_read(STR("{\"apiVersion\":\"a.io/v2\",\"kind\":\"App\","
                                         "\"metadata\":{\"name\":\"x\",\"generation\":9,"
                                         "\"annotations\":{\"n\":\"2\"}},\"b\":\"value\","
                                         "\"unknown\":1}")));
    CHECK_OK(kind->ops->present(kind, later, &shown));
    OWNED(json_doc)
    expected = fixture_read(STR("{\"apiVersion\":\"a.io/v2\",\"kind\":\"App\",\"metadata\":{"
                                "\"name\":\"x\",\"generation\":3,\"resourceVersion\":\"8\","
                                "\"annotations\":{\"n\":\"2\"}},\"b\":\"value\"}"));
    fixture_check_json(json_doc_root(shown), json_doc_root(expected));
}

TEST(an_object_of_a_version_that_is_gone_is_not_converted)
{
    SCOPED(arena) arena = {0};
    SCOPED(crd_conversions) conversions = {0};
    OWNED(crd) crd = compile_webhook_crd();
    const struct kind *kind =
        crd_conversions_view(&conversions, &arena, fixture_kind(crd, STR("v2")));
    OWNED(json_doc)
    stored = fixture_read(STR("{\"apiVersion\":\"a.io/v0\",\"kind\":\"App\",\"metadata\":{"
                              "\"name\":\"x\"},\"a\":\"value\"}"));
    struct json_doc *shown = NULL;
    CHECK_FAILS(kind->ops->present(kind, stored, &shown), ERROR_UNKNOWN,
                "request to convert CR from an invalid group/version: a.io/v0");
    CHECK_EQ(conversions.count, 0);
}

/* The kind of the crd itself has no conversions: objects stay as they are stored. */
TEST(without_conversions_objects_stay_in_their_version)
{
    OWNED(crd) crd = compile_webhook_crd();
    const struct kind *kind = fixture_kind(crd, STR("v2"));
    OWNED(json_doc) stored = stored_app("7");
    OWNED(json_doc) read = NULL;
    OWNED(json_doc) written = NULL;
    CHECK(crd_keeps_version(kind));
    CHECK_OK(kind->ops->present(kind, stored, &read));
    CHECK(read == stored);
    CHECK_OK(crd_to_storage(kind, read, &written));
    CHECK(written == stored);
}
