#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/crd_registry.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define CRD  CRDS "/cups.test.io"
#define CUPS "/apis/test.io/v1/cups"

#define DEFINITION(versions)                                                          \
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"           \
    "metadata: {name: cups.test.io, labels: {a: b}}\n"                                \
    "spec:\n  group: test.io\n  scope: Cluster\n  names: {plural: cups, kind: Cup}\n" \
    "  versions:\n" versions
#define VERSION(name, storage)                                                                   \
    "  - {name: " name ", served: true, storage: " storage ", schema: {openAPIV3Schema: {type: " \
    "object, x-kubernetes-preserve-unknown-fields: true}}}\n"

static const struct str first = STR_INIT(DEFINITION(VERSION("v1", "true")));
static const struct str second = STR_INIT(DEFINITION(VERSION("v1", "false") VERSION("v2", "true")));

static void start_with(struct apiserver_fixture *fixture, const struct str *text)
{
    if (fixture->server)
        apiserver_fixture_stop(fixture);
    fixture->options.definitions = text;
    fixture->options.definition_count = text ? 1 : 0;
    CHECK_OK(apiserver_fixture_start(fixture));
}

/* The text at a path of the definition. */
static struct str look(struct apiserver_fixture *fixture, const char *path)
{
    CHECK_EQ(apiserver_fixture_get(fixture, CRD), 200);
    return apiserver_fixture_text(fixture, path);
}

SIM_TEST(a_definition_is_installed_and_renewed)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    start_with(&fixture, &first);
    CHECK_EQ(look(&fixture, "metadata.labels.a"), STR("b"));
    CHECK_EQ(look(&fixture, "status.storedVersions.0"), STR("v1"));
    apiserver_fixture_create(
        &fixture, CUPS,
        "{\"apiVersion\":\"test.io/v1\",\"kind\":\"Cup\",\"metadata\":{\"name\":\"x\"}}");

    TEST_CASE("the same again changes nothing");
    SCOPED(buf) version = {.limit = 0};
    buf_add(&version, look(&fixture, "metadata.resourceVersion"));
    start_with(&fixture, &first);
    CHECK_EQ(look(&fixture, "metadata.resourceVersion"), buf_str(&version));

    TEST_CASE("a newer one takes its place");
    start_with(&fixture, &second);
    CHECK_EQ(look(&fixture, "spec.versions.1.name"), STR("v2"));
    CHECK_EQ(look(&fixture, "status.storedVersions.1"), STR("v2"));
    int64_t generation = 0;
    CHECK(json_to_int64(json_path(json_doc_root(fixture.doc), "metadata.generation"), &generation));
    CHECK_EQ(generation, (int64_t)2);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v2/cups/x"), 200);

    TEST_CASE("and stays when nobody brings one");
    start_with(&fixture, NULL);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v2/cups/x"), 200);
}

SIM_TEST(a_definition_of_somebody_else_is_left_alone)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    start_with(&fixture, &first);
    TEST_CASE("changed by hand");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", CRD,
                                    "{\"spec\":{\"names\":{\"shortNames\":[\"cp\"]}}}"),
             200);
    start_with(&fixture, &second);
    CHECK_EQ(look(&fixture, "spec.names.shortNames.0"), STR("cp"));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v2/cups"), 404);

    TEST_CASE("made by hand");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", CRD, ""), 200);
    apiserver_fixture_await(&fixture, CRD, 404);
    apiserver_fixture_create(
        &fixture, CRDS,
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"cups.test.io\"},\"spec\":{\"group\":\"test.io\",\"scope\":"
        "\"Cluster\",\"names\":{\"plural\":\"cups\",\"kind\":\"Cup\"},\"versions\":[{"
        "\"name\":\"v3\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
        "\"type\":\"object\"}}}]}}");
    start_with(&fixture, &second);
    CHECK_EQ(look(&fixture, "spec.versions.0.name"), STR("v3"));
}

SIM_TEST(a_definition_that_is_wrong_ends_the_start)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    const struct str texts[] = {
        STR(DEFINITION(VERSION("v1", "false"))),
        STR("{"),
        STR("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
            "metadata: {name: a.b.c}\nspec: {colour: red}\n"),
    };
    fixture.options.definition_count = 1;
    for (size_t i = 0; i < COUNT(texts); i++) {
        TEST_CASE("text %zu", i);
        fixture.options.definitions = &texts[i];
        OWNED(error) err = apiserver_new(loop_current(), &fixture.options, &fixture.server);
        CHECK(err != NULL);
        CHECK_CONTAINS(str_from_c(err->message), STR("install definitions"));
    }
}
