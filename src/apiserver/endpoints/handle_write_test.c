#include "apiserver/endpoints/handle_write.h"

#include "apiserver/apiserver_fixture_test.h"

#define MAPS    "/api/v1/namespaces/default/configmaps"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define ROLES   "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

SIM_TEST(a_dry_run_changes_nothing)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(
                 &fixture, "POST", MAPS "?dryRun=All",
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"),
             201);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 404);
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", MAPS "/a?dryRun=All", "{\"data\":{\"k\":\"v\"}}"),
        200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "data.k"), STR("v"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/a?dryRun=All", ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK(json_path(json_doc_root(fixture.doc), "data") == NULL);
}

#define SCALERS(version) "/apis/autoscaling/" version "/namespaces/default/horizontalpodautoscalers"
#define SCALER(version, spec)                                                                     \
    "{\"apiVersion\":\"autoscaling/" version "\",\"kind\":\"HorizontalPodAutoscaler\","           \
    "\"metadata\":{\"name\":\"a\"},\"spec\":{\"maxReplicas\":3,"                                  \
    "\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"d\"}" spec \
    "}}"

/* One object, shown and changed in two versions. */
SIM_TEST(autoscalers_have_two_versions)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, SCALERS("v2"),
        SCALER("v2", ",\"metrics\":[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\","
                     "\"target\":{\"type\":\"AverageValue\",\"averageValue\":\"5Mi\"}}}]"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", SCALERS("v1") "/a",
                                    "{\"spec\":{\"targetCPUUtilizationPercentage\":50}}"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "apiVersion"), STR("autoscaling/v1"));
    CHECK_EQ(apiserver_fixture_get(&fixture, SCALERS("v2") "/a"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "apiVersion"), STR("autoscaling/v2"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.metrics.0.resource.target.averageValue"),
             STR("5Mi"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.metrics.1.resource.name"), STR("cpu"));
    CHECK(!json_path(json_doc_root(fixture.doc), "metadata.annotations"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", SCALERS("v1"), SCALER("v1", "")), 409);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", SCALERS("v1") "?dryRun=All",
                                    "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"maxReplicas\":0}}"),
             422);
    CHECK_EQ(apiserver_fixture_get(&fixture, SCALERS("v1")), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "items.0.apiVersion"), STR("autoscaling/v1"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SCALERS("v1") "/a", ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, SCALERS("v2") "/a"), 404);
}

SIM_TEST(an_update_that_changes_nothing_keeps_its_version)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    buf_add(&version, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    buf_add(&body, buf_str(&fixture.answer));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", MAPS "/a", buf_c(&body)), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", MAPS "/a", buf_c(&body)), 409);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Conflict"));
}

SIM_TEST(generated_names_are_new_ones)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < 20; i++)
        apiserver_fixture_create(&fixture, MAPS,
                                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                 "\"generateName\":\"g-\"}}");
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)20);
}

SIM_TEST(writes_that_do_not_fit_their_place_are_refused)
{
    static const struct {
        const char *method, *target, *body;
        int status;
    } cases[] = {
        {"POST", MAPS,                 "",                                                                          400},
        {"POST", MAPS,                 "{",                                                                         400},
        {"POST", MAPS,                 "[]",                                                                        400},
        {"POST", MAPS,                 "{}",                                                                        422},
        {"POST", MAPS,                 "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}",
         400                                                                                                           },
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"x\",\"namespace\":\"other\"}}",                   400},
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"5\"}}",                 500},
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"Not A Name\"}}",                                  422},
        {"POST", MAPS "/x",            "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"POST", "/api/v1/configmaps", "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"PUT",  MAPS,                 "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"PUT",  MAPS "/x",            "{\"metadata\":{\"name\":\"y\"}}",                                           400},
        {"PUT",  MAPS "/x",            "{\"metadata\":{}}",                                                         400},
        {"PUT",  MAPS "/x",            "{\"metadata\":{\"name\":\"x\"}}",                                           404},
        {"PUT",  MAPS "/x/status",     "{\"metadata\":{\"name\":\"x\"}}",                                           404},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s %s", cases[i].method, cases[i].target, cases[i].body);
        CHECK_EQ(apiserver_fixture_call(&fixture, cases[i].method, cases[i].target, cases[i].body),
                 cases[i].status);
    }
}

/* What kube-apiserver looks at first decides which of several faults is named. */
SIM_TEST(faults_are_named_in_the_order_of_kubernetes)
{
    static const struct {
        const char *what, *method, *target, *body;
        int status;
    } cases[] = {
        {"a version on a create is looked at after the object", "POST",  MAPS,
         "{\"metadata\":{\"name\":\"No Name\",\"resourceVersion\":\"5\"}}",                                                                         422},
        {"0 is no version",                                     "POST",  MAPS,
         "{\"metadata\":{\"name\":\"zero\",\"resourceVersion\":\"0\"}}",                                                                            201},
        {"nor is what is no number",                            "POST",  MAPS,
         "{\"metadata\":{\"name\":\"text\",\"resourceVersion\":\"x\"}}",                                                                            201},
        {"a dry run does not get as far as the version",        "POST",  MAPS "?dryRun=All",
         "{\"metadata\":{\"name\":\"y\",\"resourceVersion\":\"5\"}}",                                                                               201},
        {"an object is checked before it is found to exist",    "POST",  MAPS,
         "{\"metadata\":{\"name\":\"there\",\"labels\":{\"/bad\":\"v\"}}}",                                                                         422},
        {"it exists",                                           "POST",  MAPS,                         "{\"metadata\":{\"name\":\"there\"}}",       409},
        {"a patch of nothing is not read",                      "PATCH", MAPS "/absent",               "{",                                         404},
        {"a patch of something is",                             "PATCH", MAPS "/there",                "{",                                         400},
        {"the object is absent before its version is read",     "PUT",   MAPS "/absent",
         "{\"metadata\":{\"name\":\"absent\",\"resourceVersion\":\"x\"}}",                                                                          404},
        {"an update that creates reads the version",            "PUT",   ROLES "/absent",
         "{\"metadata\":{\"name\":\"absent\",\"resourceVersion\":\"x\"},\"rules\":[]}",                                                             500},
        {"an update that creates names no uid",                 "PUT",   ROLES "/absent",
         "{\"metadata\":{\"name\":\"absent\",\"uid\":\"u\"},\"rules\":[]}",                                                                         409},
        {"the namespace of what has none is dropped",           "PUT",   "/api/v1/namespaces/default",
         "{\"metadata\":{\"name\":\"default\",\"namespace\":\"another\"}}",                                                                         200},
        {"a patch that takes the version away needs one, too",  "PATCH", BUDGETS "/b",
         "{\"metadata\":{\"resourceVersion\":\"0\"}}",                                                                                              422},
        {"other patches do not",                                "PATCH", BUDGETS "/b",                 "{\"metadata\":{\"labels\":{\"k\":\"v\"}}}",
         200                                                                                                                                           },
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, BUDGETS, "{\"metadata\":{\"name\":\"b\"}}");
    apiserver_fixture_create(&fixture, MAPS, "{\"metadata\":{\"name\":\"there\"}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].what);
        CHECK_EQ(apiserver_fixture_call(&fixture, cases[i].method, cases[i].target, cases[i].body),
                 cases[i].status);
    }
}

SIM_TEST(faults_of_bodies_and_options_are_said_in_the_words_of_kubernetes)
{
    static const struct {
        const char *method, *target, *type, *body, *message;
        int status;
    } cases[] = {
        {"POST",   MAPS,                                                              "application/json", "[]",
         "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
         "version/kind; json parse error: json: cannot unmarshal array into Go value of type struct "
         "{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
         "\"json:\\\"kind,omitempty\\\"\" } (5b5d)",                                                 400},
        {"POST",   MAPS,                                                              "application/json", "",
         "the object provided is unrecognized (must be of type ConfigMap): couldn't get "
         "version/kind; json parse error: unexpected end of JSON input (<empty>)",                   400},
        {"PUT",    MAPS "/a",                                                         "application/json", "null",
         "the name of the object (a based on URL) was undeterminable: name must be provided",        400},
        {"DELETE", MAPS "/absent",                                                    "text/plain",       "{}",
         "the body of the request was in an unknown format - accepted media types include: "
         "application/json, application/yaml, application/vnd.kubernetes.protobuf",                  415},
        {"DELETE", MAPS "/absent?propagationPolicy=",                                 "application/json", "",
         "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"\": "
         "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",                    422},
        {"GET",    MAPS "?fieldSelector=spec.nothing%3D1&resourceVersionMatch=Exact", NULL,               "",
         "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
         "resourceVersionMatch is forbidden unless resourceVersion is provided",                     422},
        {"GET",    "/apis/apps/v1/replicasets?fieldSelector=spec.x%3D1",              NULL,               "",
         "\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", 400},
        {"GET",    "/api/v1/pods?fieldSelector=spec.x%3D1",                           NULL,               "",
         "field label not supported: spec.x",                                                        400},
        {"PUT",    MAPS "/a",                                                         "application/json", "{\"metadata\":{\"namespace\":\"another\"}}",
         "the namespace of the provided object does not match the namespace sent on the request",    400},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int status = 0;
        TEST_CASE("%s %s %s", cases[i].method, cases[i].target, cases[i].body);
        CHECK_OK(apiserver_fixture_try(&fixture, cases[i].method, str_from_c(cases[i].target),
                                       cases[i].type, str_from_c(cases[i].body), &status));
        CHECK_EQ(status, cases[i].status);
        CHECK_EQ(apiserver_fixture_text(&fixture, "message"), str_from_c(cases[i].message));
    }
}

SIM_TEST(of_a_yaml_body_the_first_document_counts)
{
    static const char second[] = "---\nmetadata: {name: second}\n";
    static const struct {
        const char *method, *target, *type, *first;
        int status;
        const char *message;
    } cases[] = {
        {"POST",  MAPS,                     "application/yaml",             "metadata: {name: a}\n",                    201, ""  },
        {"POST",  MAPS,                     "application/yaml",             "---\n{\"metadata\": {\"name\": \"b\"}}\n", 201, ""  },
        {"PUT",   MAPS "/a",                "application/yaml",             "metadata: {name: a}\ndata: {k: v}\n",      200, ""  },
        {"POST",  MAPS,                     "application/yaml",             "metadata: [\n",                            400, NULL},
        {"POST",  MAPS,                     "application/yaml",             "---\n# nothing\n",                         422,
         "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"                            },
        {"PATCH", MAPS "/c?fieldManager=m", "application/apply-patch+yaml",
         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",                                                      201, ""  },
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) body = {.limit = 0};
        int status = 0;
        TEST_CASE("%s %s", cases[i].method, cases[i].first);
        buf_print(&body, "%s%s", cases[i].first, second);
        CHECK_OK(apiserver_fixture_try(&fixture, cases[i].method, str_from_c(cases[i].target),
                                       cases[i].type, buf_str(&body), &status));
        CHECK_EQ(status, cases[i].status);
        if (cases[i].message)
            CHECK_EQ(apiserver_fixture_text(&fixture, "message"), str_from_c(cases[i].message));
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "data.k"), STR("v"));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/second"), 404);
}

/* An apply is merged before it is found to name something twice. */
SIM_TEST(faults_of_an_apply_are_named_in_the_order_of_kubernetes)
{
    static const struct {
        const char *target, *body, *message;
        int status;
    } cases[] = {
        {BUDGETS "/b?fieldManager=m",
         "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{"
         "\"resourceVersion\":\"0\"}}",                                                              "poddisruptionbudgets.policy \"b\" is invalid: metadata.resourceVersion: Invalid value: 0: "
         "must be specified for an update",                                                                               422},
        {BUDGETS "/b?fieldManager=m",
         "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{"
         "\"resourceVersion\":\"\"}}",                                                               "poddisruptionbudgets.policy \"b\" is invalid: metadata.resourceVersion: Invalid value: 0: "
         "must be specified for an update",                                                                                422},
        {MAPS "/a?fieldManager=m&fieldValidation=Strict",
         "{\"metadata\":{},\"apiVersion\":\"v1\",\"kind\":\"Wrong\",\"metadata\":{\"name\":\"a\"}}", "invalid object type: /v1, Kind=Wrong",                     400},
        {MAPS "/a?fieldManager=m&fieldValidation=Strict",
         "{\"metadata\":{},\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
         "\"a\",\"managedFields\":[{}]}}",                                                           "metadata.managedFields must be nil",                       400},
        {MAPS "/a?fieldManager=m&fieldValidation=Strict",
         "{\"metadata\":{},\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
         "\"a\"}}",                                                                                  "error strict decoding YAML: duplicate field \"metadata\"", 400},
        {MAPS "/a?fieldManager=m&fieldValidation=Strict",
         "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: x\n  a: z\n",           "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line "
         "7: key \"a\" already set in map",                            400},
        {BUDGETS "/absent/status?fieldManager=m&fieldValidation=Strict",
         "{\"metadata\":{},\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\","
         "\"metadata\":{}}",                                                                         "poddisruptionbudgets.policy \"absent\" not found",         404},
        {MAPS "/a?fieldManager=m&fieldValidation=Strict",
         "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}",             "",                                                         201},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, BUDGETS, "{\"metadata\":{\"name\":\"b\"}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        int status = 0;
        TEST_CASE("%s %s", cases[i].target, cases[i].body);
        CHECK_OK(apiserver_fixture_try(&fixture, "PATCH", str_from_c(cases[i].target),
                                       "application/apply-patch+yaml", str_from_c(cases[i].body),
                                       &status));
        CHECK_EQ(apiserver_fixture_text(&fixture, "message"), str_from_c(cases[i].message));
        CHECK_EQ(status, cases[i].status);
    }
}

/* What others are told that they conflict with depends on it. */
SIM_TEST(fields_have_the_owners_that_kubernetes_gives_them)
{
    static const struct {
        const char *target, *body, *fields;
    } cases[] = {
        {"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
         "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"maxReplicas\":2,\"scaleTargetRef\":{\"kind\":"
         "\"Deployment\",\"name\":\"d\",\"apiVersion\":\"apps/v1\"}}}", "{\"f:spec\":{\"f:maxReplicas\":{},\"f:metrics\":{},\"f:minReplicas\":{},\"f:scaleTargetRef\":{"
         "\"f:apiVersion\":{},\"f:kind\":{},\"f:name\":{}}}}"                                         },
        {"/apis/networking.k8s.io/v1/namespaces/default/ingresses",
         "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"defaultBackend\":{\"service\":{\"name\":\"s\","
         "\"port\":{\"number\":80}}}}}",                                "{\"f:spec\":{\"f:defaultBackend\":{\".\":{},\"f:service\":{\".\":{},\"f:name\":{},\"f:port\":{}}}}}"},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) fields = {.limit = 0};
        TEST_CASE("%s", cases[i].target);
        apiserver_fixture_create(&fixture, cases[i].target, cases[i].body);
        json_write(&fields,
                   json_path(json_doc_root(fixture.doc), "metadata.managedFields.0.fieldsV1"));
        CHECK_EQ(buf_str(&fields), str_from_c(cases[i].fields));
    }
}

/* In a strategic merge patch the kind is one field among others, which the object does not have. */
SIM_TEST(a_strategic_patch_does_not_change_the_kind)
{
    SCOPED(apiserver_fixture) fixture;
    int status = 0;
    begin(&fixture);
    apiserver_fixture_create(&fixture, MAPS, "{\"metadata\":{\"name\":\"a\"}}");
    CHECK_OK(apiserver_fixture_try(&fixture, "PATCH", STR(MAPS "/a"),
                                   "application/strategic-merge-patch+json",
                                   STR("{\"kind\":\"Wrong\",\"apiVersion\":\"v7\"}"), &status));
    CHECK_EQ(status, 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("ConfigMap"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "apiVersion"), STR("v1"));
}

SIM_TEST(a_volume_says_since_when_it_waits)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/persistentvolumes",
                             "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":["
                             "\"ReadWriteOnce\"],\"capacity\":{\"storage\":\"1Gi\"},\"hostPath\":{"
                             "\"path\":\"/x\"}}}");
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.phase"), STR("Pending"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.lastPhaseTransitionTime"),
             apiserver_fixture_text(&fixture, "metadata.creationTimestamp"));
}

/* The same phase goes on since it began; another one begins now, or when it is told. */
SIM_TEST(a_volume_says_since_when_it_has_its_phase)
{
    const char *status = "/api/v1/persistentvolumes/v/status";
    const char *member = "status.lastPhaseTransitionTime";
    SCOPED(apiserver_fixture) fixture;
    SCOPED(arena) arena = {0};
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/persistentvolumes",
                             "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":["
                             "\"ReadWriteOnce\"],\"capacity\":{\"storage\":\"1Gi\"},\"hostPath\":{"
                             "\"path\":\"/x\"}}}");
    const struct str created = arena_str(&arena, apiserver_fixture_text(&fixture, member));
    const struct str version =
        arena_str(&arena, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", status, "{\"metadata\":{\"name\":\"v\"}}"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, member), created);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), version);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", status, "{\"status\":{\"phase\":\"Bound\"}}"),
        200);
    const struct str bound = arena_str(&arena, apiserver_fixture_text(&fixture, member));
    CHECK(!str_eq(bound, created));
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", status,
                               "{\"status\":{\"phase\":\"Released\",\"lastPhaseTransitionTime\":"
                               "\"2020-01-01T00:00:00Z\"}}"),
        200);
    CHECK_EQ(apiserver_fixture_text(&fixture, member), STR("2020-01-01T00:00:00Z"));
}

SIM_TEST(a_label_that_is_set_with_the_status_is_owned)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"m\"}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/m/status",
                                    "{\"metadata\":{\"labels\":{\"k\":\"v\"}}}"),
             200);
    bool is_owned = false;
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(json_doc_root(fixture.doc), "metadata.managedFields"))
        if (str_eq(json_path_str(entry, "subresource"), STR("status")))
            is_owned = json_path(entry, "fieldsV1.f:metadata.f:labels.f:k") != NULL;
    CHECK(is_owned);
}

SIM_TEST(an_annotation_that_comes_with_the_status_makes_no_generation)
{
    const char *deployments = "/apis/apps/v1/namespaces/default/deployments";
    const char *body =
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
        "\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{"
        "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}";
    const char *patch = "{\"metadata\":{\"annotations\":{\"k\":\"v\"}}}";
    int64_t generation = 0;
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, deployments, body);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH",
                                    "/apis/apps/v1/namespaces/default/deployments/d/status", patch),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.annotations.k"), STR("v"));
    CHECK(json_to_int64(json_path(json_doc_root(fixture.doc), "metadata.generation"), &generation));
    CHECK_EQ(generation, (int64_t)1);
    const struct json_value *entry =
        json_at(json_path(json_doc_root(fixture.doc), "metadata.managedFields"), 1);
    CHECK_EQ(json_path_str(entry, "subresource"), STR("status"));
    CHECK(json_path(entry, "fieldsV1.f:metadata.f:annotations") != NULL);
}

/* kube-apiserver looks at the metadata of some new objects last. */
SIM_TEST(faults_of_an_event_hide_those_of_its_metadata)
{
    const char *events = "/api/v1/namespaces/default/events";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", events,
                                    "{\"involvedObject\":{\"namespace\":\"x\"}}"),
             422);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("Event \"\" is invalid: involvedObject.namespace: Invalid value: \"x\": does not "
                 "match event.namespace"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", events,
                                    "{\"involvedObject\":{\"namespace\":\"default\"}}"),
             422);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("Event \"\" is invalid: metadata.name: Required value: name or generateName is "
                 "required"));
}

/* An empty list is not the same as none, which keeps them. */
SIM_TEST(owners_are_forgotten_on_request)
{
    static const struct {
        const char *body;
        size_t owners;
    } cases[] = {
        {"{\"metadata\":{\"managedFields\":null}}", 1},
        {"{\"metadata\":{\"managedFields\":[]}}",   0},
        {"{\"metadata\":{\"managedFields\":[{}]}}", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(apiserver_fixture) fixture;
        TEST_CASE("%s", cases[i].body);
        begin(&fixture);
        apiserver_fixture_create(&fixture, MAPS,
                                 "{\"metadata\":{\"name\":\"owned\"},\"data\":{\"k\":\"v\"}}");
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/owned", cases[i].body), 200);
        CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "metadata.managedFields")),
                 cases[i].owners);
    }
}

SIM_TEST(an_event_has_owners_in_the_group_that_wrote_last)
{
    const char *events = "/apis/events.k8s.io/v1/namespaces/default/events";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, events,
                             "{\"metadata\":{\"name\":\"e\"},\"regarding\":{\"namespace\":"
                             "\"default\"},\"reason\":\"r\",\"type\":\"Normal\",\"action\":\"a\","
                             "\"reportingController\":\"a/b\",\"reportingInstance\":\"i\","
                             "\"eventTime\":\"2026-01-01T00:00:00.000000Z\"}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/default/events/e",
                                    "{\"reportingComponent\":\"c\"}"),
             200);
    const struct json_value *entries =
        json_path(json_doc_root(fixture.doc), "metadata.managedFields");
    CHECK_EQ(json_count(entries), (size_t)1);
    CHECK(json_path(json_at(entries, 0), "fieldsV1.f:reportingComponent") != NULL);
}

/* Old kubelets would break the owners, so that a status does not change them. */
SIM_TEST(a_status_of_a_pod_leaves_its_owners_and_its_end)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/pods",
                             "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":"
                             "\"c\",\"image\":\"i\"}]}}");
    CHECK_EQ(
        apiserver_fixture_call(
            &fixture, "PATCH", "/api/v1/namespaces/default/pods/p/status",
            "{\"metadata\":{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\",\"ownerReferences\":["
            "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}]},"
            "\"status\":{\"message\":\"m\"}}"),
        200);
    const struct json_value *pod = json_doc_root(fixture.doc);
    CHECK_EQ(json_path_str(pod, "status.message"), STR("m"));
    CHECK(json_path(pod, "metadata.deletionTimestamp") == NULL);
    CHECK(json_path(pod, "metadata.ownerReferences") == NULL);
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(pod, "metadata.managedFields"))
        CHECK(json_path(entry, "fieldsV1.f:metadata") == NULL);
}

/* What else is in the body is passed over, right or wrong: only the status can be written. */
SIM_TEST(a_status_of_flow_control_leaves_all_metadata)
{
    const char *schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    const char *status = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/f/status";
    static const char *const bodies[] = {
        "{\"metadata\":{\"generateName\":\"g-\"}}",
        "{\"metadata\":{\"uid\":\"other\"}}",
        "{\"metadata\":{\"labels\":{\"k\":\"no label!\"}}}",
        "{\"metadata\":{\"annotations\":null,\"finalizers\":[\"no finalizer!\"]}}",
        "{\"metadata\":{\"ownerReferences\":[{\"name\":\"o\"}]}}",
        "{\"metadata\":{\"deletionGracePeriodSeconds\":5,\"selfLink\":\"/x\"}}",
    };
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    begin(&fixture);
    apiserver_fixture_create(&fixture, schemas,
                             "{\"metadata\":{\"name\":\"f\",\"annotations\":{\"k\":\"v\"}},"
                             "\"spec\":{\"priorityLevelConfiguration\":{\"name\":\"exempt\"}}}");
    buf_add(&version, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    for (size_t i = 0; i < COUNT(bodies); i++) {
        TEST_CASE("%s", bodies[i]);
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", status, bodies[i]), 200);
        CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
    }
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", status,
                                    "{\"metadata\":{\"generateName\":\"g-\"},\"status\":{"
                                    "\"conditions\":[{\"type\":\"t\",\"status\":\"True\"}]}}"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.conditions.0.type"), STR("t"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.annotations.k"), STR("v"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.generateName"), STR(""));
}

SIM_TEST(a_daemon_set_keeps_its_generation_when_its_status_is_written)
{
    const char *sets = "/apis/apps/v1/namespaces/default/daemonsets";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, sets,
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
        "\"c\",\"image\":\"i\"}]}}}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT",
                                    "/apis/apps/v1/namespaces/default/daemonsets/d/status",
                                    "{\"metadata\":{\"name\":\"d\"}}"),
             200);
    const struct json_value *annotations =
        json_path(json_doc_root(fixture.doc), "metadata.annotations");
    CHECK_EQ(json_to_str(json_get(annotations, STR("deprecated.daemonset.template.generation"))),
             STR("1"));
}

/* A new CSIDriver has no generation; its changes are counted. */
SIM_TEST(changes_of_a_csi_driver_are_counted)
{
    const char *drivers = "/apis/storage.k8s.io/v1/csidrivers";
    const char *driver = "/apis/storage.k8s.io/v1/csidrivers/d";
    static const struct {
        const char *name, *patch;
        int64_t generation;
    } steps[] = {
        {"a label",       "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 0},
        {"a change",      "{\"spec\":{\"requiresRepublish\":true}}",   1},
        {"the same",      "{\"spec\":{\"requiresRepublish\":true}}",   1},
        {"one more",      "{\"spec\":{\"requiresRepublish\":false}}",  2},
        {"another label", "{\"metadata\":{\"labels\":{\"a\":\"c\"}}}", 2},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, drivers, "{\"metadata\":{\"name\":\"d\"},\"spec\":{}}");
    for (size_t i = 0; i < COUNT(steps); i++) {
        TEST_CASE("%s", steps[i].name);
        int64_t generation = 0;
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", driver, steps[i].patch), 200);
        (void)json_to_int64(json_path(json_doc_root(fixture.doc), "metadata.generation"),
                            &generation);
        CHECK_EQ(generation, steps[i].generation);
    }
}

/* Of a CronJob only whole writes look at the domains of finalizers. */
SIM_TEST(a_status_of_a_cron_job_takes_any_finalizer)
{
    const char *jobs = "/apis/batch/v1/namespaces/default/cronjobs";
    const char *body = "{\"metadata\":{\"finalizers\":[\"bad\"]}}";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, jobs,
        "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"schedule\":\"* * * * *\",\"jobTemplate\":{"
        "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],"
        "\"restartPolicy\":\"Never\"}}}}}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH",
                                    "/apis/batch/v1/namespaces/default/cronjobs/j", body),
             422);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH",
                                    "/apis/batch/v1/namespaces/default/cronjobs/j/status", body),
             200);
}

/* What the server fills in is no change. */
SIM_TEST(a_stateful_set_that_is_put_again_keeps_its_version)
{
    const char *sets = "/apis/apps/v1/namespaces/default/statefulsets";
    const char *body =
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
        "\"c\",\"image\":\"i\"}]}},\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"v\"},"
        "\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":"
        "\"1Gi\"}}}}]}}";
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    begin(&fixture);
    apiserver_fixture_create(&fixture, sets, body);
    buf_add(&version, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    CHECK_EQ(apiserver_fixture_call(
                 &fixture, "PUT",
                 "/apis/apps/v1/namespaces/default/statefulsets/s?fieldManager=other", body),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
}

SIM_TEST(a_job_keeps_its_labels_when_its_status_is_written)
{
    const char *jobs = "/apis/batch/v1/namespaces/default/jobs";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, jobs,
                             "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                             "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":"
                             "\"Never\"}}}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT",
                                    "/apis/batch/v1/namespaces/default/jobs/j/status",
                                    "{\"metadata\":{\"name\":\"j\"}}"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.labels.job-name"), STR("j"));
}

/* As kubectl get jobs -l job-name=j finds it. */
SIM_TEST(a_job_without_labels_has_those_of_its_pods)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/apis/batch/v1/namespaces/default/jobs",
                             "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                             "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":"
                             "\"Never\"}}}}");
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.labels.job-name"), STR("j"));
    CHECK_EQ(apiserver_fixture_get(
                 &fixture, "/apis/batch/v1/namespaces/default/jobs?labelSelector=job-name%3Dj"),
             200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)1);
}

SIM_TEST(a_body_that_is_too_large_is_refused)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture);
    buf_add(&body, STR("{\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\""));
    while (body.len < 3 * MEGABYTE)
        buf_add(&body, STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
    buf_add(&body, STR("\"}}"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", MAPS, buf_c(&body)), 413);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/x"), 404);
}

struct creation {
    struct apiserver_fixture *fixture;
    size_t number;
};

static struct error *create(void *data)
{
    const struct creation *creation = data;
    OWNED(http_client)
    client = apiserver_fixture_client(creation->fixture, creation->fixture->admin);
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%zu\"}}",
              creation->number);
    const struct http_client_request request = {
        .method = STR("POST"), .target = STR(MAPS), .body = buf_str(&body)};
    return http_client_send(client, &request, &response);
}

/* Wherever the client is when it leaves: the object is there, whole, or it is not. */
SIM_TEST(a_client_that_leaves_while_it_writes_leaves_all_or_nothing)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < 40; i++) {
        SCOPED(scope) scope = {0};
        struct creation creation = {&fixture, i};
        scope_start(&scope, "creation", create, &creation);
        CHECK_OK(fiber_sleep((duration)i * MILLISECOND / 2));
    }
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    const size_t count = json_count(json_path(json_doc_root(fixture.doc), "items"));
    CHECK(count > 0 && count < 40);
    apiserver_fixture_stop(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), count);
}

/* kube-apiserver drops such nulls when it decodes a body, and an apply is not decoded. */
SIM_TEST(a_null_that_the_schema_forbids_is_dropped_from_a_body_and_refused_in_an_apply)
{
    static const char things[] = "/apis/example.com/v1/namespaces/default/things";
    SCOPED(apiserver_fixture) fixture;
    int status = 0;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"group\":\"example.com\","
        "\"names\":{\"kind\":\"Thing\",\"plural\":\"things\"},\"scope\":\"Namespaced\","
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":"
        "{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},"
        "\"b\":{\"type\":\"string\",\"default\":\"x\"}}}}}]}}");
    apiserver_fixture_await(&fixture, things, 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", things,
                                    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\","
                                    "\"metadata\":{\"name\":\"a\"},\"a\":null,\"b\":null}"),
             201);
    CHECK(!json_path(json_doc_root(fixture.doc), "a"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "b"), STR("x"));
    CHECK_OK(apiserver_fixture_try(
        &fixture, "PATCH", STR("/apis/example.com/v1/namespaces/default/things/b?fieldManager=m"),
        "application/apply-patch+yaml",
        STR("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{"
            "\"name\":\"b\"},\"a\":null,\"b\":null}"),
        &status));
    CHECK_EQ(status, 422);
    CHECK_EQ(
        apiserver_fixture_text(&fixture, "message"),
        STR("Thing.example.com \"b\" is invalid: a: Invalid value: \"null\": a in body must be "
            "of type string: \"null\""));
}
