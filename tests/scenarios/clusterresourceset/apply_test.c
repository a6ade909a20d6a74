/* Applying to a cluster that answers: what is asked, and what is there afterwards. */
#include "json/path.h"
#include "scenarios/clusterresourceset/apply_fixture.h"

#define MAP  APPLY_FIXTURE_MAP
#define MAPS APPLY_FIXTURE_MAPS

SIM_TEST(crs_30_apply_once_is_one_post_per_object)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP("a", "\"k\":\"1\""), MAP("b", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 2, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\nPOST " MAPS "\n"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("1"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/b", "data.k"), STR("2"));
}

SIM_TEST(crs_33_apply_once_leaves_alone_what_exists)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    apply_fixture_do(&fixture, "POST", MAPS, MAP("a", "\"k\":\"old\""));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP("a", "\"k\":\"new\""));
    apply_fixture_check(&fixture, 0, 0, 1);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\n"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("old"));
}

SIM_TEST(crs_35_reconcile_creates_what_is_absent)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_check(&fixture, 1, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " MAPS "/a\nPOST " MAPS "\n"));
}

SIM_TEST(what_was_never_applied_is_created_without_a_look)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    fixture.is_first = true;
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_check(&fixture, 1, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\n"));

    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("POST " MAPS "\nGET " MAPS "/a\nPATCH " MAPS "/a\n"));
}

SIM_TEST(a_refusal_that_comes_from_an_object_that_is_there_is_none)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    fixture.is_first = true;
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "POST", .part = MAPS, .times = 1, .status = 422});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("2"));

    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "POST", .part = MAPS, .times = 1, .status = 422});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("b", "\"k\":\"2\""));
    CHECK_CONTAINS(apply_fixture_text(&fixture),
                   STR("creating object /v1, Kind=ConfigMap default/b: "));
}

SIM_TEST(fw_104_objects_carry_nothing_of_ours)
{
    static const enum apply_strategy strategies[] = {APPLY_ONCE, APPLY_MERGE_PATCH};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(apply_fixture) fixture;
        apply_fixture_init(&fixture);
        APPLY_FIXTURE_APPLY(&fixture, strategies[i], MAP("a", "\"k\":\"1\""));
        CHECK_EQ(buf_str(&fixture.proxy.sent), STR(MAP("a", "\"k\":\"1\"")));
        CHECK_EQ(apply_fixture_call(&fixture, "GET", MAPS "/a", NULL), 200);
        const struct json_value *metadata =
            json_get(json_doc_root(fixture.apiserver.doc), STR("metadata"));
        CHECK_EQ((int)json_type(json_get(metadata, STR("labels"))), (int)JSON_ABSENT);
        CHECK_EQ((int)json_type(json_get(metadata, STR("annotations"))), (int)JSON_ABSENT);
        CHECK_EQ((int)json_type(json_get(metadata, STR("ownerReferences"))), (int)JSON_ABSENT);
        CHECK_EQ(json_path_str(metadata, "managedFields.0.manager"), STR("manager"));
    }
}

SIM_TEST(crs_38_reconcile_brings_the_live_object_to_the_manifest)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " MAPS "/a\nPATCH " MAPS "/a\n"));
    CHECK_EQ(buf_str(&fixture.proxy.sent), STR("{\"data\":{\"k\":\"2\"}}"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("2"));
}

SIM_TEST(crs_39_all_are_looked_at_and_the_changed_one_is_sent)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"0\""),
                        MAP("b", "\"k\":\"0\""), MAP("c", "\"k\":\"0\""));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"0\""),
                        MAP("b", "\"k\":\"1\""), MAP("c", "\"k\":\"0\""));
    apply_fixture_check(&fixture, 0, 1, 2);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("GET " MAPS "/a\nGET " MAPS "/b\nPATCH " MAPS "/b\nGET " MAPS "/c\n"));
}

SIM_TEST(crs_40_what_was_deleted_is_created_anew)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_do(&fixture, "DELETE", MAPS "/a", NULL);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 1, 0, 0);
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("2"));
}

SIM_TEST(crs_41_members_that_the_manifest_lost_are_removed)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\",\"gone\":\"1\""));
    apply_fixture_do(&fixture, "PATCH", MAPS "/a", "{\"metadata\":{\"labels\":{\"by\":\"hand\"}}}");
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(buf_str(&fixture.proxy.sent),
             STR("{\"metadata\":{\"labels\":null},\"data\":{\"gone\":null}}"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.gone"), STR(""));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "metadata.labels.by"), STR(""));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("1"));
}

SIM_TEST(crs_42_objects_that_the_content_lost_stay)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", ""), MAP("b", ""));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/b", "metadata.name"), STR("b"));
}

SIM_TEST(crs_43_one_failure_does_not_stop_the_others)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP("a", ""), MAP("b", "\"/\":\"\""), MAP("c", ""));
    CHECK(error_is(fixture.err, ERROR_INVALID));
    CHECK(str_starts_with(apply_fixture_text(&fixture),
                          STR("creating object /v1, Kind=ConfigMap default/b: ConfigMap \"b\" is "
                              "invalid: data[/]: Invalid value:")));
    CHECK_EQ(fixture.report.created, 2);
    CHECK_EQ(fixture.report.failed, 1);
    CHECK_EQ(failures_find_single(&fixture.failures)->key, STR("data"));
    CHECK_EQ(failures_find_single(&fixture.failures)->document, 2);
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "metadata.name"), STR("a"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/c", "metadata.name"), STR("c"));
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("POST " MAPS "\nPOST " MAPS "\nPOST " MAPS "\n"));
}

SIM_TEST(several_failures_are_one_error)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "POST", .part = "/", .times = 2, .status = 403});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, MAP("a", ""), MAP("b", ""), MAP("c", ""));
    CHECK(error_is(fixture.err, ERROR_FORBIDDEN));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("2 of 3 objects failed: 2 objects: said no: ConfigMap default/a (ConfigMap cm1, "
                 "key data, document 1), ConfigMap default/b"));
    CHECK_EQ(fixture.report.created, 1);
}

SIM_TEST(each_request_has_its_text)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "GET", .part = MAPS, .times = 1, .status = 403});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", ""));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("reading object /v1, Kind=ConfigMap default/a: said no"));
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "POST", .part = MAPS, .times = 1, .status = 403});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", ""));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("creating object /v1, Kind=ConfigMap default/a: said no"));
    apply_fixture_do(&fixture, "POST", MAPS, MAP("a", ""));
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){.method = "PATCH", .part = MAPS, .times = 1, .status = 403});
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    CHECK_EQ(apply_fixture_text(&fixture),
             STR("patching object /v1, Kind=ConfigMap default/a: said no"));
}

#define HINT                                                                                     \
    "; set metadata.namespace, or the annotation corset.dev/default-namespace of the ConfigMap " \
    "or Secret"

SIM_TEST(crs_72_what_lacks_a_namespace_or_a_type_fails_without_a_request)
{
    static const struct {
        const char *name, *object, *once, *reconcile;
    } cases[] = {
        {"no namespace",
         "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}",              "creating object /v1, Kind=ConfigMap a: an empty namespace may not be set during creation" HINT,
         "reading object /v1, Kind=ConfigMap a: an empty namespace may not be set when a resource "
         "name is provided" HINT                                                                                                                                                                                                                                                                },
        {"no kind",      "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}",
         "creating object /v1, Kind= n/a: Object 'Kind' is missing in 'unstructured object has no "
         "kind'",                                                                                                                                                                                      "reading object /v1, Kind= n/a: Object 'Kind' is missing in 'unstructured object has no "
         "kind'"                                                                                                                                                                                                                                                               },
        {"no version",   "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}",
         "creating object /, Kind=ConfigMap a: Object 'apiVersion' is missing in 'unstructured "
         "object has no version'",                                                                                                                                                                     "reading object /, Kind=ConfigMap a: Object 'apiVersion' is missing in 'unstructured "
         "object has no version'"                                                                                                                                                                                                                             },
        {"nothing",      "{}",
         "creating object /, Kind= : Object 'Kind' is missing in 'unstructured object has no kind'",                                                                                                   "reading object /, Kind= : Object 'Kind' is missing in 'unstructured object has no kind'"},
        {"a list",       "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}",
         "creating object /v1, Kind=List : no matches for kind \"List\" in version \"v1\"",                                                                                                            "reading object /v1, Kind=List : no matches for kind \"List\" in version \"v1\""         },
    };
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, cases[i].object);
        CHECK_EQ(apply_fixture_text(&fixture), str_from_c(cases[i].once));
        APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, cases[i].object);
        CHECK_EQ(apply_fixture_text(&fixture), str_from_c(cases[i].reconcile));
        CHECK_EQ(buf_str(&fixture.proxy.asked), STR(""));
    }
}

#define ROLE                                                                                   \
    "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\",\"metadata\":{" \
    "\"name\":\"r\",\"namespace\":\"n\"},\"rules\":[]}"
#define ROLES "/apis/rbac.authorization.k8s.io/v1/clusterroles"

SIM_TEST(a_namespace_too_many_is_left_out_of_the_path)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, ROLE);
    apply_fixture_check(&fixture, 1, 0, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " ROLES "/r\nPOST " ROLES "\n"));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, ROLE);
    apply_fixture_check(&fixture, 0, 0, 1);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_ONCE, ROLE);
    apply_fixture_check(&fixture, 0, 0, 1);
}

SIM_TEST(v_11_finalizers_and_owners_of_others_are_kept)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_do(
        &fixture, "PATCH", MAPS "/a",
        "{\"metadata\":{\"finalizers\":[\"corset.dev/held\"],\"ownerReferences\":[{"
        "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"x\",\"uid\":\"u\"}]}}");
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"1\""));
    apply_fixture_check(&fixture, 0, 0, 1);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " MAPS "/a\n"));
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"2\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "metadata.finalizers.0"),
             STR("corset.dev/held"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "metadata.ownerReferences.0.uid"), STR("u"));
}

/* Somebody else is faster, between our GET and our POST. */
static void create_before_post(struct proxy *proxy, struct str method, struct str target)
{
    (void)target;
    if (!str_eq(method, STR("POST")))
        return;
    proxy->on_request = NULL;
    apply_fixture_do(proxy->data, "POST", MAPS, MAP("a", "\"k\":\"theirs\""));
}

SIM_TEST(v_12_a_lost_race_to_create_ends_in_a_patch)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    fixture.proxy.data = &fixture;
    fixture.proxy.on_request = create_before_post;
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, MAP("a", "\"k\":\"ours\""));
    apply_fixture_check(&fixture, 0, 1, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked),
             STR("GET " MAPS "/a\nPOST " MAPS "\nGET " MAPS "/a\nPATCH " MAPS "/a\n"));
    CHECK_EQ(apply_fixture_look(&fixture, MAPS "/a", "data.k"), STR("ours"));
}

#define SERVICES    "/api/v1/namespaces/default/services"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define SERVICE                                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\",\"namespace\":" \
    "\"default\"},\"spec\":{\"selector\":{\"a\":\"b\"},\"ports\":[{\"port\":80}]}}"
#define DEPLOYMENT                                                                        \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\","   \
    "\"namespace\":\"default\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{" \
    "\"app\":\"d\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"d\"}},\"spec\":{"  \
    "\"containers\":[{\"name\":\"d\",\"image\":\"d:1\"}]}}}}"

/* Their patch is not empty, but it changes nothing. */
SIM_TEST(defaults_of_the_server_come_back)
{
    SCOPED(apply_fixture) fixture;
    SCOPED(arena) arena = {0};
    apply_fixture_init(&fixture);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, APPLY_FIXTURE_NAMESPACE("n1"), SERVICE,
                        DEPLOYMENT);
    apply_fixture_check(&fixture, 3, 0, 0);
    const struct str ip =
        arena_str(&arena, apply_fixture_look(&fixture, SERVICES "/s", "spec.clusterIP"));
    CHECK(ip.len > 0);
    APPLY_FIXTURE_APPLY(&fixture, APPLY_MERGE_PATCH, APPLY_FIXTURE_NAMESPACE("n1"), SERVICE,
                        DEPLOYMENT);
    apply_fixture_check(&fixture, 0, 0, 3);
    CHECK_EQ(apply_fixture_look(&fixture, SERVICES "/s", "spec.clusterIP"), ip);
    CHECK_EQ(apply_fixture_look(&fixture, APPLY_FIXTURE_NAMESPACES "/n1", "spec.finalizers.0"),
             STR("kubernetes"));
}
