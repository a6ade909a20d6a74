/* CRS-66 to CRS-73: from the text of a resource to objects in a cluster. CRS-74 is with CRS-19. */
#include "scenarios/clusterresourceset/crs_fixture.h"

#define A CRS_FIXTURE_MANIFEST("a", "1")
#define B CRS_FIXTURE_MANIFEST("b", "1")
#define JSON(name)                                                                 \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name \
    "\",\"namespace\":\"default\"},\"data\":{\"k\":\"1\"}}"

static void apply(struct crs_fixture *fixture, const char *text)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
}

/* Objects a and b, and as many requests. */
static void check_objects(struct crs_fixture *fixture, size_t count)
{
    crs_fixture_await_applied(fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture->workloads[0], CRS_FIXTURE_POST), count);
    CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    if (count > 1)
        CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_errors(fixture), 0.0);
}

SIM_TEST(crs_66_documents_are_objects)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture, A "---\n" B);
    check_objects(&fixture, 2);
}

SIM_TEST(crs_67_empty_documents_are_skipped)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture,
          "---\n---\n# a comment\n---\n" A "---\n\n---\n--- # and more\n" B "---\n~\n---\n");
    check_objects(&fixture, 2);
}

SIM_TEST(crs_68_elements_of_a_json_list_are_objects)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture, "  [ " JSON("a") ", " JSON("b") " ]\n");
    check_objects(&fixture, 2);
}

SIM_TEST(crs_69_one_json_object_is_one_object)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture, JSON("a"));
    check_objects(&fixture, 1);
}

SIM_TEST(crs_70_kinds_come_in_the_order_that_others_need)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture,
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: new}\n"
          "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n"
          "    spec: {containers: [{name: c, image: i}]}\n"
          "---\n" CRS_FIXTURE_MANIFEST_IN(
              "new", "a", "1") "---\n"
                               "apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "POST "), 3);
    CHECK(crs_fixture_is_before(&fixture.workloads[0], "POST /api/v1/namespaces?",
                                "POST /api/v1/namespaces/new/configmaps") ||
          crs_fixture_is_before(&fixture.workloads[0], "POST /api/v1/namespaces\n",
                                "POST /api/v1/namespaces/new/configmaps"));
    CHECK(crs_fixture_is_before(&fixture.workloads[0], "POST /api/v1/namespaces/new/configmaps",
                                "POST /apis/apps/v1/namespaces/new/deployments"));
}

#define HASH(index) "spec.bindings.0.resources." index ".hash"

static struct str hash_of(struct crs_fixture *fixture, const char *path, struct buf *out)
{
    buf_add(out, crs_fixture_look(fixture, CRS_FIXTURE_BINDING, path));
    return buf_str(out);
}

SIM_TEST(crs_71_values_come_in_the_order_of_their_keys)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    SCOPED(buf) hash = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"other\"}}");
    buf_add(&body, STR("{\"metadata\":{\"name\":\"cm1\"},\"data\":{\"b\":"));
    buf_add_json_string(&body, STR("---\n" CRS_FIXTURE_MANIFEST_IN("other", "b", "1")));
    buf_add(&body, STR(",\"a\":"));
    buf_add_json_string(&body, STR(A));
    buf_add(&body, STR("}}"));
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_MAPS, buf_c(&body));
    crs_fixture_map(&fixture, "cm2", A "---\n" CRS_FIXTURE_MANIFEST_IN("other", "b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_is_before(&fixture.workloads[0], CRS_FIXTURE_POST,
                                "POST /api/v1/namespaces/other/configmaps"));
    hash_of(&fixture, HASH("0"), &hash);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, HASH("1")), buf_str(&hash));
}

#define NO_NAMESPACE                                                                              \
    "creating object /v1, Kind=ConfigMap a: an empty namespace may not be set during creation; "  \
    "set metadata.namespace, or the annotation corset.dev/default-namespace of the ConfigMap or " \
    "Secret"

SIM_TEST(crs_72_a_namespaced_object_without_a_namespace_fails)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n" B);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED);
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/ApplyFailed/Warning/" NO_NAMESPACE));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 false hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
}

#define DEFAULT_NAMESPACE(name) \
    "{\"metadata\":{\"annotations\":{\"corset.dev/default-namespace\":" name "}}}"

/* The annotation alone is a change that is applied; the data stay as they are. */
SIM_TEST(crs_72_the_default_namespace_of_a_resource_is_followed)
{
    SCOPED(crs_fixture) fixture;
    apply(&fixture, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n" B);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED);
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR(NO_NAMESPACE));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_MAP, DEFAULT_NAMESPACE("\"default\""));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
}

SIM_TEST(crs_73_the_bytes_of_a_secret_are_what_counts)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) hash = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    /* "one" is a manifest with two bytes to a letter, "two" one with CRLF. */
    crs_fixture_do(
        &fixture, "POST", CRS_FIXTURE_SECRETS,
        "{\"metadata\":{\"name\":\"s1\"},\"type\":\"" CRS_FIXTURE_SECRET_TYPE "\","
        "\"stringData\":{\"one\":\"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a, "
        "namespace: default}\\ndata: {k: \\\"gr\\u00fcn\\\"}\\n\",\"two\":\"---\\r\\napiVersion"
        ": v1\\r\\nkind: ConfigMap\\r\\nmetadata: {name: b, namespace: default}\\r\\n\"}}");
    crs_fixture_map(&fixture, "cm1",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
                    "data: {k: \"gr\303\274n\"}\n---\r\napiVersion: v1\r\nkind: ConfigMap\r\n"
                    "metadata: {name: b, namespace: default}\r\n");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "Secret/s1 ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"),
             STR("gr\303\274n"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    hash_of(&fixture, HASH("0"), &hash);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, HASH("1")), buf_str(&hash));
}
