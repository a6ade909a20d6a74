#include "apiserver/auth/auth_fixture_test.h"

static struct error *review(struct auth_fixture *fixture, const char *kind, const char *body,
                            struct str *ret_answer)
{
    const struct user_info user = {.user = auth_fixture_user(fixture, "jane", "dev")};
    const bool is_token = str_eq(str_from_c(kind), STR("TokenReview"));
    const struct gvk gvk = {is_token ? STR("authentication.k8s.io") : STR("authorization.k8s.io"),
                            STR("v1"), str_from_c(kind)};
    const bool is_local = str_eq(gvk.kind, STR("LocalSubjectAccessReview"));
    OWNED(json_doc) doc = NULL;
    TRY(auth_review(&fixture->auth, &fixture->arena, &user, gvk, is_local ? STR("n") : STR(""),
                    auth_fixture_read(fixture, body), NOW, &doc));
    *ret_answer = json_write_arena(&fixture->arena, json_doc_root(doc));
    return NULL;
}

#define SAR   "SubjectAccessReview"
#define LOCAL "LocalSubjectAccessReview"
#define SELF  "SelfSubjectAccessReview"
#define ASK   "\"resourceAttributes\":{\"namespace\":\"n\",\"verb\":\"get\",\"resource\":\"pods\"}"
#define PATH  "\"nonResourceAttributes\":{\"path\":\"/version\",\"verb\":\"get\"}"

TEST(review_refuses_what_is_incomplete)
{
    /* clang-format off */
    static const struct {
        const char *name, *kind, *body;
        enum error_code code;
        const char *message;
    } cases[] = {
        {"rbac-066: neither", SELF, "{\"spec\":{}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"},
        {"null counts as absent", SELF, "{\"spec\":{\"resourceAttributes\":null}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"},
        {"both", SELF, "{\"spec\":{" ASK "," PATH "}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"path\":\"/version\",\"verb\":\"get\"}: cannot be specified in combination with resourceAttributes"},
        {"of nobody", SAR, "{\"spec\":{" ASK "}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.user: Invalid value: \"\": at least one of user or group must be specified"},
        {"with a name", SELF, "{\"metadata\":{\"name\":\"x\"},\"spec\":{" ASK "}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: metadata: Invalid value: {\"name\":\"x\"}: must be empty"},
        {"local, in another namespace", LOCAL,
         "{\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"namespace\":\"m\"}}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid value: \"m\": must match metadata.namespace"},
        {"local, a path", LOCAL, "{\"spec\":{\"user\":\"u\"," PATH "}}", ERROR_INVALID,
         ".authorization.k8s.io \"\" is invalid: spec.nonResourceAttributes: Invalid value: {\"path\":\"/version\",\"verb\":\"get\"}: disallowed on this kind of request"},
        {"local, sent elsewhere", LOCAL,
         "{\"metadata\":{\"namespace\":\"m\"},\"spec\":{\"user\":\"u\"," ASK "}}",
         ERROR_BAD_REQUEST,
         "the namespace of the provided object does not match the namespace sent on the request"},
        {"rbac-074: no namespace", "SelfSubjectRulesReview", "{\"spec\":{}}", ERROR_BAD_REQUEST,
         "no namespace on request"},
        {"no token", "TokenReview", "{\"spec\":{}}", ERROR_BAD_REQUEST,
         "token is required for TokenReview in authentication"},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str answer = {.len = 0};
        TEST_CASE("%s", cases[i].name);
        OWNED(error) err = review(&fixture, cases[i].kind, cases[i].body, &answer);
        CHECK(err != NULL);
        CHECK_EQ((int)err->code, (int)cases[i].code);
        CHECK_EQ(err->message, cases[i].message);
    }
}

TEST(review_answers)
{
    /* clang-format off */
    static const struct {
        const char *name, *kind, *body, *answer;
    } cases[] = {
        {"by group", SAR, "{\"spec\":{\"groups\":[\"system:unauthenticated\"]," PATH "}}",
         "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{\"groups\":[\"system:unauthenticated\"]," PATH "},\"status\":{\"allowed\":true,\"reason\":\"RBAC: allowed by ClusterRoleBinding \\\"system:public-info-viewer\\\" of ClusterRole \\\"system:public-info-viewer\\\" to Group \\\"system:unauthenticated\\\"\"}}"},
        {"local", LOCAL,
         "{\"metadata\":{\"namespace\":\"n\",\"managedFields\":[{}]},\"spec\":{\"user\":\"u\"," ASK "}}",
         "{\"kind\":\"LocalSubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"metadata\":{\"namespace\":\"n\",\"managedFields\":[{}]},\"spec\":{\"user\":\"u\"," ASK "},\"status\":{\"allowed\":false}}"},
        {"rules", "SelfSubjectRulesReview", "{\"spec\":{\"namespace\":\"n\"}}",
         "{\"kind\":\"SelfSubjectRulesReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{},\"status\":{\"resourceRules\":[{\"verbs\":[\"create\"],\"apiGroups\":[\"authorization.k8s.io\"],\"resources\":[\"selfsubjectaccessreviews\",\"selfsubjectrulesreviews\"]},{\"verbs\":[\"create\"],\"apiGroups\":[\"authentication.k8s.io\"],\"resources\":[\"selfsubjectreviews\"]}],\"nonResourceRules\":[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/api\",\"/api/*\",\"/apis\",\"/apis/*\",\"/healthz\",\"/livez\",\"/openapi\",\"/openapi/*\",\"/readyz\",\"/version\",\"/version/\"]},{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/healthz\",\"/livez\",\"/readyz\",\"/version\",\"/version/\"]}],\"incomplete\":false}}"},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str answer = {.len = 0};
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(review(&fixture, cases[i].kind, cases[i].body, &answer));
        CHECK_EQ(answer, str_from_c(cases[i].answer));
    }
}

/* A question with a selector, which may have several members. */
#define WITH(selector) \
    "{\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"namespace\":\"n\"," selector "}}}"
#define FIELDS(rest) "\"fieldSelector\":{" rest "}"
#define LABELS(rest) "\"labelSelector\":{" rest "}"
#define REQUIRE(key, op, values) \
    "{\"key\":\"" key "\",\"operator\":\"" op "\",\"values\":[" values "]}"

TEST(review_refuses_selectors)
{
    /* clang-format off */
    static const struct {
        const char *name, *kind, *body, *message;
    } cases[] = {
        {"empty fields", SAR, WITH(FIELDS("")),
         "spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required"},
        {"empty labels", SELF, WITH(LABELS("\"requirements\":[]")),
         "spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required"},
        {"fields in two ways", SAR, WITH(FIELDS("\"rawSelector\":\"a=b\",\"requirements\":[" REQUIRE("k", "In", "\"v\"") "]")),
         "spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements"},
        {"labels in two ways", LOCAL, WITH(LABELS("\"rawSelector\":\"a=b\",\"requirements\":[" REQUIRE("k", "Exists", "") "]")),
         "spec.resourceAttributes.labelSelector.rawSelector: Invalid value: \"a=b\": may not specified at the same time as requirements"},
        {"fields without a key, then without values", SAR, WITH(FIELDS("\"requirements\":[" REQUIRE("", "Exists", "") "," REQUIRE("k", "In", "") "]")),
         "[spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, "
         "spec.resourceAttributes.fieldSelector.requirements[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn']"},
        {"a field that exists with a value", SAR, WITH(FIELDS("\"requirements\":[" REQUIRE("", "DoesNotExist", "\"v\"") "]")),
         "[spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, "
         "spec.resourceAttributes.fieldSelector.requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist']"},
        {"labels: values before the key", SAR, WITH(LABELS("\"requirements\":[" REQUIRE("", "NotIn", "") "]")),
         "[spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', "
         "spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: \"\": name part must be non-empty, "
         "spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]"},
        {"labels: values of an unknown operator are values", SAR, WITH(LABELS("\"requirements\":[" REQUIRE("k", "Like", "\"v\",\"-\"") "]")),
         "spec.resourceAttributes.labelSelector.requirements[0].values[1]: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
        {"the subject comes first, the namespace last", LOCAL,
         "{\"spec\":{\"resourceAttributes\":{\"namespace\":\"m\"," LABELS("") "," FIELDS("") "}}}",
         "[spec.user: Invalid value: \"\": at least one of user or group must be specified, "
         "spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required, "
         "spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required, "
         "spec.resourceAttributes.namespace: Invalid value: \"m\": must match metadata.namespace]"},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str answer = {.len = 0};
        TEST_CASE("%s", cases[i].name);
        const struct str expected = arena_print(
            &fixture.arena, ".authorization.k8s.io \"\" is invalid: %s", cases[i].message);
        CHECK_FAILS(review(&fixture, cases[i].kind, cases[i].body, &answer), ERROR_INVALID,
                    expected.ptr);
    }
}

#define BROKEN_FIELDS  "spec.resourceAttributes.fieldSelector ignored due to parse error"
#define PARTIAL_FIELDS "spec.resourceAttributes.fieldSelector partially ignored due to parse error"
#define BROKEN_LABELS  "spec.resourceAttributes.labelSelector ignored due to parse error"
#define PARTIAL_LABELS "spec.resourceAttributes.labelSelector partially ignored due to parse error"

TEST(review_tells_which_selectors_it_ignores)
{
    /* clang-format off */
    static const struct {
        const char *name, *selectors, *error;
    } cases[] = {
        {"fields as text",     FIELDS("\"rawSelector\":\"a=b,,c!=d\""), ""},
        {"fields not a text",  FIELDS("\"rawSelector\":\"a\""),         BROKEN_FIELDS},
        {"labels as text",     LABELS("\"rawSelector\":\"a in (b)\""),  ""},
        {"labels not a text",  LABELS("\"rawSelector\":\"a=b,\""),      BROKEN_LABELS},
        {"null is absent",     "\"fieldSelector\":null",                ""},
        {"one value",          FIELDS("\"requirements\":[" REQUIRE("k", "In", "\"v\"") "," REQUIRE("k", "NotIn", "\"\"") "]"), ""},
        {"two values",         FIELDS("\"requirements\":[" REQUIRE("k", "In", "\"v\",\"w\"") "]"), BROKEN_FIELDS},
        {"a field exists",     FIELDS("\"requirements\":[" REQUIRE("k", "Exists", "") "]"), BROKEN_FIELDS},
        {"one of two fields",  FIELDS("\"requirements\":[" REQUIRE("k", "Like", "") "," REQUIRE("k", "In", "\"v\"") "]"), PARTIAL_FIELDS},
        {"known labels",       LABELS("\"requirements\":[" REQUIRE("k", "Exists", "") "," REQUIRE("k", "In", "\"v\",\"w\"") "]"), ""},
        {"unknown label",      LABELS("\"requirements\":[" REQUIRE("k", "Like", "\"v\"") "]"), BROKEN_LABELS},
        {"both",               LABELS("\"requirements\":[" REQUIRE("k", "Like", "") "," REQUIRE("k", "Exists", "") "]") "," FIELDS("\"rawSelector\":\"x\""),
         BROKEN_FIELDS "; " PARTIAL_LABELS},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str answer = {.len = 0};
        TEST_CASE("%s", cases[i].name);
        const struct str body = arena_print(&fixture.arena, WITH("%s"), cases[i].selectors);
        const struct str expected =
            arena_print(&fixture.arena, "\"status\":{\"allowed\":false%s%s%s}}",
                        cases[i].error[0] ? ",\"evaluationError\":\"" : "", cases[i].error,
                        cases[i].error[0] ? "\"" : "");
        CHECK_OK(review(&fixture, SAR, body.ptr, &answer));
        CHECK_CONTAINS(answer, expected);
    }
}

TEST(review_passes_over_metadata_of_the_server)
{
    /* clang-format off */
    static const struct {
        const char *kind, *metadata;
        bool is_valid;
    } cases[] = {
        {SELF, "\"uid\":\"u\",\"selfLink\":\"/x\",\"creationTimestamp\":\"2020-01-01T00:00:00Z\"", true },
        {SELF, "\"deletionTimestamp\":\"2020-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":1",    true },
        {SELF, "\"namespace\":\"m\"",                                                                true },
        {SELF, "\"labels\":{},\"generation\":0,\"name\":\"\"",                                         true },
        {SELF, "\"generation\":1",                                                                   false},
        {SELF, "\"resourceVersion\":\"1\"",                                                          false},
        {SELF, "\"labels\":{\"a\":\"b\"}",                                                            false},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str answer = {.len = 0};
        TEST_CASE("%s", cases[i].metadata);
        const struct str body = arena_print(
            &fixture.arena, "{\"metadata\":{%s},\"spec\":{" ASK "}}", cases[i].metadata);
        OWNED(error) err = review(&fixture, cases[i].kind, body.ptr, &answer);
        CHECK_EQ(err == NULL, cases[i].is_valid);
        if (!err)
            CHECK_CONTAINS(answer, STR("\"metadata\":{},"));
    }
}

static bool is_known(struct auth_fixture *fixture, struct str token, const char *audiences)
{
    struct str answer = {.len = 0};
    const struct str body =
        arena_print(&fixture->arena, "{\"spec\":{\"token\":\"%.*s\",\"audiences\":[%s]}}",
                    STR_ARG(token), audiences);
    CHECK_OK(review(fixture, "TokenReview", body.ptr, &answer));
    CHECK_EQ(str_contains(answer, STR("\"authenticated\":true")),
             !str_contains(answer, STR("\"error\":\"invalid bearer token\"")));
    return str_contains(answer, STR("\"authenticated\":true"));
}

TEST(review_of_tokens_by_audience)
{
    SCOPED(auth_fixture) fixture;
    SCOPED(buf) admin = {.limit = 0};
    auth_fixture_init(&fixture);
    const struct str own = auth_fixture_token(&fixture, "{}", NOW);
    const struct str vault =
        auth_fixture_token(&fixture, "{\"spec\":{\"audiences\":[\"vault\"]}}", NOW);
    CHECK(is_known(&fixture, own, ""));
    CHECK(is_known(&fixture, own, "\"https://kubernetes.default.svc\""));
    CHECK(!is_known(&fixture, own, "\"vault\""));
    CHECK(!is_known(&fixture, vault, ""));
    CHECK(is_known(&fixture, vault, "\"other\",\"vault\""));
    fixture.auth.cluster = STR("c1");
    auth_admin_token(fixture.keys, STR("c1"), &admin);
    CHECK(is_known(&fixture, buf_str(&admin), ""));
    CHECK(!is_known(&fixture, buf_str(&admin), "\"vault\""));
    CHECK(!is_known(&fixture, own, ""));
}

#define REF(rest) "{\"spec\":{\"boundObjectRef\":{" rest "}}}"

TEST(token_requests_are_checked)
{
    /* clang-format off */
    static const struct {
        const char *name, *body;
        enum error_code code;
        const char *message;
    } cases[] = {
        {"serviceaccount-007: too short", "{\"spec\":{\"expirationSeconds\":30}}", ERROR_INVALID,
         "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 30: may not specify a duration less than 10 minutes"},
        {"negative", "{\"spec\":{\"expirationSeconds\":-9223372036854775808}}", ERROR_INVALID,
         "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: -9223372036854775808: may not specify a duration less than 10 minutes"},
        {"too long", "{\"spec\":{\"expirationSeconds\":4294967297}}", ERROR_INVALID,
         "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds"},
        {"another name", "{\"metadata\":{\"name\":\"cat\"}}", ERROR_INVALID,
         "TokenRequest.authentication.k8s.io \"bot\" is invalid: metadata.name: Invalid value: \"cat\": must match the service account name if specified"},
        {"another namespace", "{\"metadata\":{\"namespace\":\"m\"}}", ERROR_INVALID,
         "TokenRequest.authentication.k8s.io \"bot\" is invalid: metadata.namespace: Invalid value: \"m\": must match the service account namespace if specified"},
        {"bound to another kind",
         REF("\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"name\":\"p\""), ERROR_BAD_REQUEST,
         "cannot bind token to object of type /v1, Kind=ConfigMap"},
        {"bound to nothing", REF("\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"q\""),
         ERROR_NOT_FOUND, "pods \"q\" not found"},
        {"bound to the pod of another account",
         REF("\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"p\""), ERROR_BAD_REQUEST,
         "cannot bind token for serviceaccount \"bot\" to pod running with different serviceaccount name."},
    };
    /* clang-format on */
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    CHECK_OK(json_read(STR("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":"
                           "{\"serviceAccountName\":\"cat\"}}"),
                       &fixture.bound));
    const struct json_value *account = auth_fixture_read(
        &fixture, "{\"metadata\":{\"name\":\"bot\",\"namespace\":\"n\",\"uid\":\"uid-1\"}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i].name);
        OWNED(error)
        err = token_request(&fixture.auth, account, auth_fixture_read(&fixture, cases[i].body), NOW,
                            &fixture.warnings, &doc);
        CHECK(err != NULL);
        CHECK_EQ((int)err->code, (int)cases[i].code);
        CHECK_EQ(err->message, cases[i].message);
    }
}

TEST(token_requests_for_a_secret)
{
    SCOPED(auth_fixture) fixture;
    OWNED(json_doc) doc = NULL;
    auth_fixture_init(&fixture);
    CHECK_OK(json_read(STR("{\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"uid\":\"u\"}}"),
                       &fixture.bound));
    const struct json_value *account = auth_fixture_read(
        &fixture, "{\"metadata\":{\"name\":\"bot\",\"namespace\":\"n\",\"uid\":\"uid-1\"}}");
    CHECK_FAILS(
        token_request(
            &fixture.auth, account,
            auth_fixture_read(&fixture, REF("\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"name\":"
                                            "\"s\",\"uid\":\"v\"")),
            NOW, &fixture.warnings, &doc),
        ERROR_CONFLICT,
        "Operation cannot be fulfilled on Secret \"s\": the UID in the bound object "
        "reference (v) does not match the UID in record. The object might have been "
        "deleted and then recreated");
    CHECK_OK(token_request(
        &fixture.auth, account,
        auth_fixture_read(&fixture,
                          REF("\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"name\":\"s\"")),
        NOW, &fixture.warnings, &doc));
    CHECK_EQ(json_path_str(json_doc_root(doc), "status.expirationTimestamp"),
             STR("2023-11-14T23:13:20Z"));
}
