/* From a ConfigMap's text to objects in a cluster. */
#include "scenarios/clusterresourceset/apply_fixture.h"

static void apply_resource(struct apply_fixture *fixture, enum apply_strategy strategy,
                           const char *text)
{
    OWNED(object) resource = NULL;
    CHECK_OK(object_read(str_from_c(text), &resource));
    OWNED(content) content = content_read(resource);
    CHECK(!content_error(content));
    apply_fixture_forget(fixture);
    apply_fixture_apply_items(fixture, strategy, apply_items_read(content, &fixture->arena),
                              content_count(content));
}

#define RESOURCE(data) RESOURCE_WITH("", data)
#define RESOURCE_WITH(metadata, data)                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\"," \
    "\"namespace\":\"ns\"" metadata "},\"data\":{" data "}}"
#define DOCUMENT(kind, name) "apiVersion: v1\\nkind: " kind "\\nmetadata:\\n  name: " name "\\n"
#define MAP(namespace, name) DOCUMENT("ConfigMap", name) "  namespace: " namespace "\\n"

SIM_TEST(crs_68_a_json_list_is_applied_element_by_element)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(
        &fixture, APPLY_ONCE,
        RESOURCE("\"a\":\"[{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"Namespace\\\","
                 "\\\"metadata\\\":{\\\"name\\\":\\\"n1\\\"}},{\\\"apiVersion\\\":"
                 "\\\"v1\\\",\\\"kind\\\":\\\"ConfigMap\\\",\\\"metadata\\\":{\\\"name\\\":"
                 "\\\"a\\\",\\\"namespace\\\":\\\"n1\\\"}}]\""));
    apply_fixture_check(&fixture, 2, 0, 0);
}

SIM_TEST(crs_70_a_value_is_posted_by_kind)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(&fixture, APPLY_ONCE,
                   RESOURCE("\"a\":\"" MAP("n1", "a") "---\\n" DOCUMENT("Namespace", "n1") "\""));
    apply_fixture_check(&fixture, 2, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("POST " APPLY_FIXTURE_NAMESPACES "\nPOST " APPLY_FIXTURE_NAMESPACES
                 "/n1/configmaps\n"));
}

SIM_TEST(crs_71_values_follow_each_other_and_the_end_makes_up_for_it)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(
        &fixture, APPLY_MERGE_PATCH,
        RESOURCE("\"b\":\"" DOCUMENT("Namespace", "n1") "\",\"a\":\"" MAP("n1", "a") "\""));
    apply_fixture_check(&fixture, 2, 0, 0);
}

SIM_TEST(a_failure_names_its_value_and_document)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(&fixture, APPLY_ONCE,
                   RESOURCE("\"a\":\"" MAP("default", "a") "\",\"b\":\"" MAP(
                       "default", "b") "---\\n" DOCUMENT("ConfigMap", "c") "\""));
    CHECK_EQ(fixture.report.created, 2);
    CHECK_EQ(failures_find_single(&fixture.failures)->key, STR("b"));
    CHECK_EQ(failures_find_single(&fixture.failures)->document, 2);
}

#define NO_NAMESPACE(name)                      \
    "creating object /v1, Kind=ConfigMap " name \
    ": an empty namespace may not be set during creation"
#define HINT                                                                                     \
    "; set metadata.namespace, or the annotation corset.dev/default-namespace of the ConfigMap " \
    "or Secret"

SIM_TEST(what_lacks_a_namespace_fails_with_one_hint)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(&fixture, APPLY_ONCE, RESOURCE("\"a\":\"" DOCUMENT("ConfigMap", "a") "\""));
    CHECK_EQ(apply_fixture_text(&fixture), STR(NO_NAMESPACE("a") HINT));
    apply_resource(&fixture, APPLY_ONCE,
                   RESOURCE("\"a\":\"" DOCUMENT("ConfigMap", "a") "---\\n" DOCUMENT(
                       "ConfigMap", "b") "---\\n" MAP("nowhere", "c") "\""));
    CHECK_EQ(
        apply_fixture_text(&fixture),
        STR("3 of 3 objects failed: 2 objects: an empty namespace may not be set during "
            "creation" HINT ": ConfigMap a (ConfigMap cm1, key a, document 1), ConfigMap b; 1 "
            "object: namespaces \"nowhere\" not found: ConfigMap nowhere/c (ConfigMap cm1, key "
            "a, document 3)"));
    CHECK(error_is(fixture.err, ERROR_INVALID));
}

#define IN_OTHER ",\"annotations\":{\"corset.dev/default-namespace\":\"other\"}"
#define OTHER    APPLY_FIXTURE_NAMESPACES "/other/configmaps/"

SIM_TEST(what_lacks_a_namespace_goes_to_the_default)
{
    static const enum apply_strategy strategies[] = {APPLY_ONCE, APPLY_MERGE_PATCH};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(apply_fixture) fixture;
        apply_fixture_init(&fixture);
        apply_resource(
            &fixture, strategies[i],
            RESOURCE_WITH(IN_OTHER,
                          "\"a\":\"" DOCUMENT("ConfigMap", "a") "---\\n" MAP(
                              "default", "b") "---\\n" DOCUMENT("Namespace", "other") "\""));
        apply_fixture_check(&fixture, 3, 0, 0);
        CHECK_EQ(apply_fixture_look(&fixture, OTHER "a", "metadata.namespace"), STR("other"));
        CHECK_EQ(apply_fixture_look(&fixture, APPLY_FIXTURE_MAPS "/b", "metadata.name"), STR("b"));
        CHECK_EQ(apply_fixture_look(&fixture, APPLY_FIXTURE_NAMESPACES "/other", "metadata.name"),
                 STR("other"));
        apply_resource(&fixture, strategies[i],
                       RESOURCE_WITH(IN_OTHER, "\"a\":\"" DOCUMENT("ConfigMap", "a") "\""));
        apply_fixture_check(&fixture, 0, 0, 1);
    }
}

SIM_TEST(a_failure_in_the_default_namespace_names_it)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_resource(&fixture, APPLY_ONCE,
                   RESOURCE_WITH(IN_OTHER, "\"a\":\"" DOCUMENT("ConfigMap", "a") "\""));
    CHECK_EQ(apply_fixture_text(&fixture), STR("creating object /v1, Kind=ConfigMap other/a: "
                                               "namespaces \"other\" not found"));
}
