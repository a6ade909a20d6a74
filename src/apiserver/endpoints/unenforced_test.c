/* What is stored, but not enforced, is said to be so. */
#include "apiserver/apiserver_fixture_test.h"
#include "http/headers.h"

#define ADMISSION "/apis/admissionregistration.k8s.io/v1"
#define POLICIES  ADMISSION "/mutatingadmissionpolicies"
#define BINDINGS  ADMISSION "/mutatingadmissionpolicybindings"

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

/* Creates an object; its answer has this warning alone, or none. */
static void check_warning(struct apiserver_fixture *fixture, const char *target, const char *body,
                          const char *warning)
{
    OWNED(http_response)
    response = apiserver_fixture_send_with(fixture, target, STR(""), str_from_c(body));
    CHECK_EQ(http_response_status(response), 201);
    CHECK_EQ(http_headers_find(http_response_headers(response), STR("warning")),
             str_from_c(warning));
}

#define RULES                                                                                  \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"]," \
    "\"operations\":[\"CREATE\"],\"resources\":[\"configmaps\"]}]}"
#define DEFINITION(name, schema)                                                             \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","     \
    "\"metadata\":{\"name\":\"" name "s.example.com\"},\"spec\":{\"group\":\"example.com\"," \
    "\"names\":{\"kind\":\"" name "\",\"plural\":\"" name "s\"},\"scope\":\"Namespaced\","   \
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":"            \
    "{\"openAPIV3Schema\":" schema "}}]}}"

SIM_TEST(what_is_not_enforced_is_warned_of)
{
    static const char definitions[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    check_warning(&fixture, definitions, DEFINITION("plain", "{\"type\":\"object\"}"), "");
    check_warning(&fixture, definitions,
                  DEFINITION("ruled",
                             "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"array\","
                             "\"maxItems\":3,\"items\":{\"type\":\"string\",\"maxLength\":9,"
                             "\"x-kubernetes-validations\":[{\"rule\":\"self != 'a'\"}]}}}}"),
                  "299 - \"x-kubernetes-validations: these rules are stored, but not enforced by "
                  "this server\"");
    check_warning(&fixture, ADMISSION "/validatingadmissionpolicies",
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{" RULES
                  ",\"validations\":[{\"expression\":\"true\"}]}}",
                  "299 - \"ValidatingAdmissionPolicy: these objects are stored, but policies are "
                  "not enforced by this server\"");
    check_warning(&fixture, BINDINGS,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"policyName\":\"a\"}}",
                  "299 - \"MutatingAdmissionPolicyBinding: these objects are stored, but policies "
                  "are not enforced by this server\"");
}

#define POLICY(spec) "{\"metadata\":{\"name\":\"p\"},\"spec\":{" spec "}}"
#define PATCH        "{\"patchType\":\"JSONPatch\",\"jsonPatch\":{\"expression\":\"[]\"}}"

SIM_TEST(mutating_policies_are_validated)
{
    static const struct {
        const char *target, *body, *message;
    } cases[] = {
        {POLICIES, POLICY(RULES ",\"reinvocationPolicy\":\"Never\",\"mutations\":[" PATCH "]"), ""                               },
        {POLICIES, POLICY("\"reinvocationPolicy\":\"Never\",\"mutations\":[" PATCH "]"),
         "spec.matchConstraints: Required value"                                                                                 },
        {POLICIES, POLICY(RULES ",\"reinvocationPolicy\":\"Never\""),
         "spec.mutations: Required value: mutations must contain at least one item"                                              },
        {POLICIES, POLICY(RULES ",\"mutations\":[" PATCH "]"),
         "spec.reinvocationPolicy: Required value"                                                                               },
        {POLICIES,
         POLICY(RULES ",\"reinvocationPolicy\":\"Never\",\"mutations\":[{\"patchType\":"
                      "\"ApplyConfiguration\"}]"),
         "spec.mutations[0].applyConfiguration: Required value: must be specified when patchType "
         "is ApplyConfiguration"                                                                                                 },
        {POLICIES,
         POLICY(RULES
                ",\"reinvocationPolicy\":\"Never\",\"mutations\":[{\"patchType\":\"Other\"}]"),
         "spec.mutations[0].patchType: Unsupported value: \"Other\": supported values: "
         "\"ApplyConfiguration\", \"JSONPatch\""                                                                                 },
        {BINDINGS, POLICY(""),                                                                  "spec.policyName: Required value"},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].body);
        CHECK_EQ(apiserver_fixture_call(&fixture, "POST", cases[i].target, cases[i].body),
                 *cases[i].message ? 422 : 201);
        CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), str_from_c(cases[i].message));
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, POLICIES "/p"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.failurePolicy"), STR("Fail"));
}
