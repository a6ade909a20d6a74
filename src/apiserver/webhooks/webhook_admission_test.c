/* Admission webhooks over the simulated network: what they are asked, and what their answers do. */
#include "apiserver/webhooks/webhook_fixture_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP  "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'m'},'data':{'k':'v'}}"

static struct str message(const struct webhook_fixture *fixture)
{
    return apiserver_fixture_text(&fixture->server, "message");
}

static struct str member(const struct webhook_fixture *fixture, const char *path)
{
    return apiserver_fixture_text(&fixture->server, path);
}

static void check_calls(struct webhook_fixture *fixture, const char *paths)
{
    CHECK_EQ(buf_str(&fixture->calls), str_from_c(paths));
    buf_clear(&fixture->calls);
}

static void begin(struct webhook_fixture *fixture)
{
    CHECK_OK(webhook_fixture_init(fixture));
    CHECK_OK(apiserver_fixture_start(&fixture->server));
}

/* The last review without its uid and without the objects' managed fields. */
static void check_review(struct webhook_fixture *fixture, const char *operation, const char *name,
                         const char *object, const char *old, const char *options)
{
    CHECK_EQ(webhook_fixture_reviewed(fixture, "apiVersion"), STR("admission.k8s.io/v1"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.operation"), str_from_c(operation));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.name"), str_from_c(name));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.namespace"), STR("default"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.object.data.k"), str_from_c(object));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.oldObject.data.k"), str_from_c(old));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.options.kind"), str_from_c(options));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.options.apiVersion"),
             STR("meta.k8s.io/v1"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.kind.kind"), STR("ConfigMap"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.requestKind.kind"), STR("ConfigMap"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.resource.resource"), STR("configmaps"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.requestResource.version"), STR("v1"));
    CHECK_EQ(webhook_fixture_reviewed(fixture, "request.userInfo.groups.0"), STR("system:masters"));
}

SIM_TEST(a_webhook_is_asked_what_kube_apiserver_asks)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Validating", "v", "/allow", "");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS "?fieldManager=me", MAP), 201);
    check_review(&fixture, "CREATE", "m", "v", "", "CreateOptions");
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.options.fieldManager"), STR("me"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.object.metadata.uid"),
             member(&fixture, "metadata.uid"));
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "PUT", MAPS "/m",
                 "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'m'},'data':{'k':'w'}}"),
             200);
    check_review(&fixture, "UPDATE", "m", "w", "v", "UpdateOptions");
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", MAPS "/m", "{'data':{'k':'x'}}"), 200);
    check_review(&fixture, "UPDATE", "m", "x", "w", "UpdateOptions");
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", MAPS "/m?dryRun=All", ""), 200);
    check_review(&fixture, "DELETE", "m", "", "x", "DeleteOptions");
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.options.dryRun.0"), STR("All"));
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", MAPS, ""), 200);
    check_review(&fixture, "DELETE", "", "", "x", "DeleteOptions");
    check_calls(&fixture, "/allow /allow /allow /allow /allow");
}

SIM_TEST(a_denial_has_the_words_and_the_code_of_the_webhook)
{
    static const struct {
        const char *path;
        int status;
        const char *reason, *message;
    } cases[] = {
        {"/deny",         400, "",
         "admission webhook \"v.test.io\" denied the request without explanation"                       },
        {"/deny/message", 403, "Forbidden",
         "admission webhook \"v.test.io\" denied the request: not today"                                },
        {"/deny/code",    418, "",          "admission webhook \"v.test.io\" denied the request: teapot"},
        {"/deny/reason",  409, "Conflict",
         "admission webhook \"v.test.io\" denied the request: Conflict"                                 },
        {"/deny/success", 400, "",
         "admission webhook \"v.test.io\" denied the request without explanation"                       },
    };
    static const char *const types[] = {"Validating", "Mutating"};
    for (size_t i = 0; i < COUNT(cases) * COUNT(types); i++) {
        const size_t k = i / COUNT(types);
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", cases[k].path);
        begin(&fixture);
        webhook_fixture_configure(&fixture, types[i % COUNT(types)], "v", cases[k].path, "");
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), cases[k].status);
        CHECK_EQ(message(&fixture), str_from_c(cases[k].message));
        CHECK_EQ(member(&fixture, "reason"), str_from_c(cases[k].reason));
        CHECK_EQ(apiserver_fixture_get(&fixture.server, MAPS "/m"), 404);
    }
}

SIM_TEST(mutating_webhooks_change_objects_in_the_order_of_their_names)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Validating", "v", "/allow", "");
    webhook_fixture_configure(&fixture, "Mutating", "b", "/label/b", "");
    webhook_fixture_configure(&fixture, "Mutating", "a", "/label/a", "");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
    check_calls(&fixture, "/label/a /label/b /allow");
    CHECK_EQ(member(&fixture, "metadata.labels.a"), STR("1"));
    CHECK_EQ(member(&fixture, "metadata.labels.b"), STR("2"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.object.metadata.labels.b"), STR("2"));
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", MAPS "/m", "{'metadata':{'labels':null}}"),
             200);
    CHECK_EQ(member(&fixture, "metadata.labels.a"), STR("1"));
}

SIM_TEST(a_mutating_webhook_is_asked_again_when_a_later_one_changes_the_object)
{
    static const struct {
        const char *policy, *second, *calls;
    } cases[] = {
        {"",                                "/data",  "/label/a /data"         },
        {"'reinvocationPolicy':'IfNeeded'", "/data",  "/label/a /data /label/a"},
        {"'reinvocationPolicy':'IfNeeded'", "/allow", "/label/a /allow"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", cases[i].calls);
        begin(&fixture);
        webhook_fixture_configure(&fixture, "Mutating", "a", "/label/a", cases[i].policy);
        webhook_fixture_configure(&fixture, "Mutating", "b", cases[i].second, "");
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
        check_calls(&fixture, cases[i].calls);
    }
}

/* What only the server sets stays the server's, unknown fields go, and nobody owns a field more. */
SIM_TEST(what_a_mutating_webhook_makes_is_read_as_a_body_is)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Mutating", "a", "/identity", "");
    webhook_fixture_configure(&fixture, "Mutating", "b", "/owners", "");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS "?fieldManager=me",
                                  "{'metadata':{'generateName':'g-'},'data':{'k':'v'}}"),
             201);
    CHECK(!json_path(json_doc_root(fixture.review), "request.object.metadata.name"));
    CHECK(!json_path(json_doc_root(fixture.review), "request.object.unknown"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.name"), STR(""));
    CHECK_EQ(member(&fixture, "metadata.uid").len, 36);
    CHECK(str_starts_with(member(&fixture, "metadata.name"), STR("g-")));
    CHECK_EQ(member(&fixture, "metadata.managedFields.0.manager"), STR("me"));
    CHECK(!json_path(json_doc_root(fixture.server.doc), "unknown"));
}

/* Of each kind of bad webhook: what is said with failurePolicy Fail, and how long it may take. */
SIM_TEST(a_webhook_that_fails_is_told_or_ignored)
{
    static const struct {
        const char *type, *path, *message;
    } cases[] = {
        {"Validating", "/silent",
         "failed calling webhook \"v.test.io\": failed to call webhook: Post "
         "\"https://10.1.2.3:8443/silent?timeout=2s\": context deadline exceeded"                                       },
        {"Mutating",   "/silent",                       "context deadline exceeded"                                     },
        {"Validating", "/hangup",                       "failed to call webhook: Post \"https://"                       },
        {"Validating", "/500",
         "failed to call webhook: an error on the server (\"unknown\") has prevented the "
         "request from succeeding"                                                                                      },
        {"Validating", "/404",
         "failed to call webhook: the server could not find the requested resource"                                     },
        {"Validating", "/redirect",                     "the server responded with the status code 302"                 },
        {"Validating", "/huge",                         "the answer is larger than 262144 bytes"                        },
        {"Mutating",   "/huge",                         "the answer is larger than 4259840 bytes"                       },
        {"Validating", "/text",                         "failed to call webhook: "                                      },
        {"Validating", "/absent",                       "received invalid webhook response: webhook response was absent"},
        {"Mutating",   "/uid",                          "\", got \"another\""                                           },
        {"Validating", "/patch/only",
         "received invalid webhook response: validating webhook may not return "
         "response.patch"                                                                                               },
        {"Mutating",   "/patch/only",
         "received invalid webhook response: webhook returned response.patch but not "
         "response.patchType"                                                                                           },
        {"Mutating",   "/patch/type",
         "failed calling webhook \"v.test.io\": unsupported patch type \"MergePatch\""                                  },
        {"Mutating",   "/nopatch",                      "received undecodable patch in webhook response: "              },
        {"Mutating",   "/patch/bad",                    "failed to call webhook: illegal base64 data at input byte 0"   },
        {"Validating", "https://other.test:8443/allow",
         "failed to call webhook: Post \"https://other.test:8443/allow?timeout=2s\": "                                  },
        {"Validating", "https://10.1.2.4/",             "failed to call webhook: Post "                                 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", cases[i].path);
        begin(&fixture);
        webhook_fixture_configure(&fixture, cases[i].type, "v", cases[i].path,
                                  "'timeoutSeconds':2");
        const int64_t begun = loop_now(loop_current());
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 500);
        CHECK(loop_now(loop_current()) - begun < 3 * SECOND);
        CHECK_CONTAINS(message(&fixture), str_from_c(cases[i].message));
        CHECK_CONTAINS(message(&fixture),
                       STR("Internal error occurred: failed calling webhook \"v.test.io\": "));
        CHECK_EQ(member(&fixture, "reason"), STR("InternalError"));
        CHECK_EQ(apiserver_fixture_get(&fixture.server, MAPS "/m"), 404);
        CHECK_EQ(webhook_fixture_call(
                     &fixture, "PATCH",
                     cases[i].type[0] == 'V'
                         ? "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v"
                         : "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/v",
                     "{'webhooks':[{'name':'v.test.io','failurePolicy':'Ignore','clientConfig':{"
                     "'url':'https://10.1.2.4/'},'admissionReviewVersions':['v1'],'sideEffects':"
                     "'None','rules':[{'apiGroups':['*'],'apiVersions':['*'],'operations':['*'],"
                     "'resources':['*/*']}]}]}"),
                 200);
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
    }
}

/* These are errors of a webhook that was asked, and no failurePolicy is about them. */
SIM_TEST(a_patch_that_does_not_apply_is_an_error)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {"/remove",  "Internal error occurred: remove operation does not apply"},
        {"/label/b", "Internal error occurred: add operation does not apply"   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", cases[i].path);
        begin(&fixture);
        webhook_fixture_configure(&fixture, "Mutating", "v", cases[i].path,
                                  "'failurePolicy':'Ignore'");
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 500);
        CHECK_CONTAINS(message(&fixture), str_from_c(cases[i].message));
    }
}

SIM_TEST(a_webhook_may_not_change_what_is_deleted)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
    webhook_fixture_configure(&fixture, "Mutating", "v", "/data", "");
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", MAPS "/m", ""), 500);
    CHECK_EQ(message(&fixture),
             STR("Internal error occurred: admission webhook \"v.test.io\" attempted to modify the "
                 "object, which is not supported for this operation"));
}

static struct error *send_map(void *data)
{
    struct webhook_fixture *fixture = data;
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/merge-patch+json")));
    const struct http_client_request request = {.method = STR("PATCH"),
                                                .target = STR(MAPS "/m"),
                                                .headers = &headers,
                                                .body = STR("{\"data\":{\"slow\":\"1\"}}")};
    TRY(http_client_send(fixture->server.client, &request, &response));
    CHECK_EQ(http_response_status(response), 200);
    return NULL;
}

/* A write that waits holds nobody up, and what others wrote meanwhile is not lost. */
SIM_TEST(a_slow_webhook_holds_up_nobody_and_overwrites_nothing)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
    webhook_fixture_configure(
        &fixture, "Validating", "v", "/hold",
        "'matchPolicy':'Exact','objectSelector':{'matchLabels':{'slow':'yes'}}");
    CHECK_EQ(
        webhook_fixture_call(&fixture, "PATCH", MAPS "/m", "{'metadata':{'labels':{'slow':'no'}}}"),
        200);
    check_calls(&fixture, "");
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "PATCH",
                 "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v",
                 "{'metadata':{'labels':{'x':'y'}}}"),
             200);
    SCOPED(scope) scope = {0};
    webhook_fixture_configure(&fixture, "Mutating", "h", "/hold",
                              "'objectSelector':{'matchLabels':{'slow':'no'}}");
    scope_start(&scope, "slow write", send_map, &fixture);
    webhook_fixture_await_held(&fixture, 1);
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", "/api/v1/namespaces/default/secrets",
                                  "{'metadata':{'name':'s'}}"),
             201);
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "DELETE",
                 "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/h", ""),
             200);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", MAPS "/m", "{'data':{'fast':'1'}}"), 200);
    CHECK(loop_now(loop_current()) - begun < SECOND);
    event_wake_all(&fixture.release);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(apiserver_fixture_get(&fixture.server, MAPS "/m"), 200);
    CHECK_EQ(member(&fixture, "data.slow"), STR("1"));
    CHECK_EQ(member(&fixture, "data.fast"), STR("1"));
}

struct waiting {
    struct webhook_fixture *fixture;
    size_t created, refused;
};

static struct error *create_waiting(void *data)
{
    struct waiting *waiting = data;
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    const struct http_client_request request = {
        .method = STR("POST"),
        .target = STR(MAPS),
        .headers = &headers,
        .body = STR("{\"metadata\":{\"generateName\":\"g-\"}}")};
    TRY(http_client_send(waiting->fixture->server.client, &request, &response));
    waiting->created += http_response_status(response) == 201;
    waiting->refused += http_response_status(response) == 429;
    return NULL;
}

SIM_TEST(requests_that_wait_for_webhooks_leave_room_for_others)
{
    SCOPED(webhook_fixture) fixture;
    struct waiting waiting = {.fixture = &fixture};
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Validating", "v", "/hold", "'timeoutSeconds':30");
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < 103; i++)
        scope_start(&scope, "waiting write", create_waiting, &waiting);
    webhook_fixture_await_held(&fixture, 100);
    CHECK_EQ(waiting.refused, 3);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, MAPS), 200);
    event_wake_all(&fixture.release);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(waiting.created, 100);
}

SIM_TEST(a_dry_run_asks_webhooks_without_side_effects_alone)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Mutating", "a", "/data", "");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS "?dryRun=All", MAP), 201);
    CHECK_EQ(member(&fixture, "data.by"), STR("webhook"));
    bool dry_run = false;
    CHECK(json_to_bool(json_path(json_doc_root(fixture.review), "request.dryRun"), &dry_run));
    CHECK(dry_run);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, MAPS "/m"), 404);
}

/* A merge patch that is answered with a warning. */
static void check_warned(struct webhook_fixture *fixture, const char *target, const char *patch,
                         struct str warning)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    CHECK_OK(http_headers_add(&headers, STR("content-type"), STR("application/merge-patch+json")));
    const struct http_client_request request = {
        .method = STR("PATCH"),
        .target = str_from_c(target),
        .headers = &headers,
        .body = str_from_c(webhook_fixture_json(fixture, patch))};
    CHECK_OK(http_client_send(fixture->server.client, &request, &response));
    CHECK_EQ(http_response_status(response), 200);
    CHECK_EQ(http_headers_find(http_response_headers(response), STR("warning")), warning);
}

SIM_TEST(warnings_of_webhooks_reach_the_client)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
    webhook_fixture_configure(&fixture, "Validating", "v", "/warn", "");
    check_warned(&fixture, MAPS "/m", "{'data':{'k':'w'}}", STR("299 - \"take care\""));
}

SIM_TEST(selectors_and_rules_say_who_is_asked)
{
    static const struct {
        const char *more, *calls;
    } cases[] = {
        {"'namespaceSelector':{'matchLabels':{'kubernetes.io/metadata.name':'default'}}",   "/allow"},
        {"'namespaceSelector':{'matchLabels':{'kubernetes.io/metadata.name':'other'}}",     ""      },
        {"'objectSelector':{'matchLabels':{'app':'x'}}",                                    "/allow"},
        {"'objectSelector':{'matchExpressions':[{'key':'app','operator':'DoesNotExist'}]}", ""      },
        {"'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['*'],'operations':["
         "'UPDATE']}]",                                                            ""      },
        {"'rules':[{'apiGroups':['*'],'apiVersions':['*'],'resources':['*/*'],'operations':["
         "'*'],'scope':'Namespaced'}]",                                            "/allow"},
        {"'rules':[{'apiGroups':['*'],'apiVersions':['*'],'resources':['*/*'],'operations':["
         "'*'],'scope':'Cluster'}]",                                               ""      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", cases[i].more);
        begin(&fixture);
        webhook_fixture_configure(&fixture, "Validating", "v", "/allow", cases[i].more);
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS,
                                      "{'metadata':{'name':'m','labels':{'app':'x'}}}"),
                 201);
        check_calls(&fixture, cases[i].calls);
    }
}

/* Otherwise a webhook that denies everything could never be removed. */
SIM_TEST(webhooks_are_not_asked_about_webhook_configurations)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Validating", "v", "/deny",
                              "'rules':[{'apiGroups':['*'],'apiVersions':['*'],'resources':['*/*'],"
                              "'operations':['*']}]");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 400);
    webhook_fixture_configure(&fixture, "Mutating", "v", "/deny", "");
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "DELETE",
                 "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v", ""),
             200);
}

#define DEPLOYMENT                                                                                \
    "{'metadata':{'name':'d'},'spec':{'replicas':1,'selector':{'matchLabels':{'a':'b'}},"         \
    "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]" \
    "}}}}"

SIM_TEST(a_scale_is_shown_to_webhooks_as_a_scale)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", "/apis/apps/v1/namespaces/default/deployments",
                                  DEPLOYMENT),
             201);
    webhook_fixture_configure(&fixture, "Mutating", "m", "/replicas",
                              "'rules':[{'apiGroups':['apps'],'apiVersions':['v1'],'resources':["
                              "'deployments/scale'],'operations':['UPDATE']}]");
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH",
                                  "/apis/apps/v1/namespaces/default/deployments/d/scale",
                                  "{'spec':{'replicas':3}}"),
             200);
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.kind.kind"), STR("Scale"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.kind.group"), STR("autoscaling"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.resource.resource"), STR("deployments"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.subResource"), STR("scale"));
    int64_t replicas = 0;
    CHECK(json_to_int64(json_path(json_doc_root(fixture.server.doc), "spec.replicas"), &replicas));
    CHECK_EQ(replicas, 7);
}

#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets"

/* Rules name v2, the client writes v1: the webhook sees v2, and the client gets v1. */
SIM_TEST(a_webhook_for_another_version_sees_that_version)
{
    static const char *const policies[] = {"'matchPolicy':'Equivalent'", "'matchPolicy':'Exact'"};
    for (size_t i = 0; i < COUNT(policies); i++) {
        SCOPED(webhook_fixture) fixture;
        TEST_CASE("%s", policies[i]);
        begin(&fixture);
        CHECK_EQ(webhook_fixture_call(
                     &fixture, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                     "{'metadata':{'name':'widgets.example.com'},'spec':{'group':'example.com',"
                     "'scope':'Namespaced','names':{'plural':'widgets','kind':'Widget'},'versions':"
                     "[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
                     "'type':'object','properties':{'data':{'type':'object',"
                     "'x-kubernetes-preserve-unknown-fields':true}}}}},{'name':'v2','served':true,"
                     "'storage':false,'schema':{'openAPIV3Schema':{'type':'object','properties':{"
                     "'data':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}}}]}}"),
                 201);
        apiserver_fixture_await(&fixture.server, WIDGETS, 200);
        SCOPED(buf) more = {.limit = 0};
        buf_print(&more,
                  "%s,'rules':[{'apiGroups':['example.com'],'apiVersions':['v2'],'resources':["
                  "'widgets'],'operations':['CREATE']}]",
                  policies[i]);
        webhook_fixture_configure(&fixture, "Mutating", "m", "/data", buf_c(&more));
        CHECK_EQ(webhook_fixture_call(
                     &fixture, "POST", WIDGETS,
                     "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'w'}}"),
                 201);
        CHECK_EQ(member(&fixture, "apiVersion"), STR("example.com/v1"));
        CHECK_EQ(member(&fixture, "data.by"), i == 0 ? STR("webhook") : STR(""));
        if (i)
            continue;
        CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.kind.version"), STR("v2"));
        CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.requestKind.version"), STR("v1"));
        CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.object.apiVersion"),
                 STR("example.com/v2"));
    }
}

#define SERVICE                                                                                  \
    "{'metadata':{'name':'hook'},'spec':{'ports':[{'name':'https','port':443,'targetPort':8443}" \
    "]}}"

/* clientConfig.service: the cluster's own objects say where it is, its name is in the certificate.
 */
SIM_TEST(a_service_is_called_at_its_endpoints)
{
    static const struct {
        const char *target, *object;
        int status;
        const char *message;
    } steps[] = {
        {NULL,                                                          NULL,    500,
         "failed calling webhook \"v.test.io\": failed to call webhook: Post "
         "\"https://hook.default.svc:443/allow?timeout=10s\": service \"hook\" not found"                   },
        {"/api/v1/namespaces/default/services",                         SERVICE, 500,
         "no endpoints available for service \"hook\""                                                      },
        {"/api/v1/namespaces/default/endpoints",
         "{'metadata':{'name':'hook'},'subsets':[{'addresses':[{'ip':'10.1.2.3'}],'ports':[{'name':"
         "'https','port':8443}]}]}",                                             201, ""                    },
        {"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
         "{'metadata':{'name':'hook-1','labels':{'kubernetes.io/service-name':'hook'}},"
         "'addressType':'IPv4','endpoints':[{'addresses':['10.9.9.9']}],'ports':[{'name':'https',"
         "'port':8443}]}",                                                       500, "Post \"https://hook."},
    };
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    SCOPED(buf) more = {.limit = 0};
    buf_print(&more,
              "'clientConfig':{'service':{'name':'hook','namespace':'default','path':'/allow'},"
              "'caBundle':'%.*s'}",
              STR_ARG(buf_str(&fixture.authority)));
    webhook_fixture_configure(&fixture, "Validating", "v", "/deny", buf_c(&more));
    for (size_t i = 0; i < COUNT(steps); i++) {
        TEST_CASE("%s", steps[i].target ? steps[i].target : "nothing");
        if (steps[i].target)
            CHECK_EQ(webhook_fixture_call(&fixture, "POST", steps[i].target, steps[i].object), 201);
        CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), steps[i].status);
        CHECK_CONTAINS(message(&fixture), str_from_c(steps[i].message));
        if (steps[i].status == 201)
            CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", MAPS "/m", ""), 200);
    }
}

/* Conditions are CEL, which does not run: as for a condition that fails, failurePolicy decides. */
SIM_TEST(match_conditions_are_refused_and_warned_of)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Validating", "v", "/allow",
                              "'matchConditions':[{'name':'c','expression':'true'}]");
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 403);
    CHECK_EQ(message(&fixture),
             STR("configmaps \"m\" is forbidden: the matchConditions of webhook \"v.test.io\" are "
                 "not evaluated by this server, and its failurePolicy is Fail"));
    check_calls(&fixture, "");
    check_warned(&fixture,
                 "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v",
                 "{'metadata':{'labels':{'x':'y'}}}",
                 STR("299 - \"webhooks[0].matchConditions: conditions are not evaluated by this "
                     "server; what the rules match is refused or let through, as failurePolicy "
                     "says\""));
}

SIM_TEST(webhooks_are_known_after_a_start)
{
    SCOPED(webhook_fixture) fixture;
    CHECK_OK(webhook_fixture_init(&fixture));
    apiserver_fixture_keep(&fixture.server);
    CHECK_OK(apiserver_fixture_start(&fixture.server));
    webhook_fixture_configure(&fixture, "Validating", "v", "/deny", "");
    apiserver_fixture_stop(&fixture.server);
    CHECK_OK(apiserver_fixture_start(&fixture.server));
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 400);
}

SIM_TEST(webhook_configurations_have_a_limit)
{
    SCOPED(webhook_fixture) fixture;
    SCOPED(buf) padding = {.limit = 0};
    begin(&fixture);
    buf_print(&padding, "'namespaceSelector':{'matchExpressions':[{'key':'a','operator':'In',"
                        "'values':['x'");
    for (size_t i = 0; i < 150000; i++)
        buf_print(&padding, ",'value-%06zu'", i);
    buf_print(&padding, "]}]}");
    webhook_fixture_configure(&fixture, "Validating", "v", "/allow", buf_c(&padding));
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 500);
    CHECK_CONTAINS(message(&fixture), STR("bytes and may have 2097152; delete some of them"));
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "DELETE",
                 "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/v", ""),
             200);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", MAPS, MAP), 201);
}

/* The client goes away, or the server stops, while a webhook has not answered. */
SIM_TEST(a_call_of_a_webhook_ends_with_the_request)
{
    SCOPED(webhook_fixture) fixture;
    struct waiting waiting = {.fixture = &fixture};
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Mutating", "a", "/data", "");
    webhook_fixture_configure(&fixture, "Validating", "v", "/hold", "'timeoutSeconds':30");
    for (size_t i = 1; i <= 2; i++) {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "waiting write", create_waiting, &waiting);
        webhook_fixture_await_held(&fixture, i);
        if (i == 2)
            apiserver_free(TAKE(fixture.server.server));
        else
            scope_cancel(&scope);
        OWNED(error) ended = scope_wait(&scope);
        CHECK(ended != NULL);
    }
    CHECK_EQ(waiting.created, 0);
}
