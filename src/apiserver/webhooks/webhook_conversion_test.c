/* Conversion webhooks over the simulated network: what they are asked, and what becomes of it. */
#include "apiserver/webhooks/webhook_conversion.h"

#include "apiserver/webhooks/conversion_fixture_test.h"

#define DEFINITION "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"

static void begin(struct webhook_fixture *fixture)
{
    CHECK_OK(webhook_fixture_init(fixture));
    CHECK_OK(apiserver_fixture_start(&fixture->server));
    conversion_fixture_define(fixture, "");
}

static struct str member(const struct webhook_fixture *fixture, const char *path)
{
    return apiserver_fixture_text(&fixture->server, path);
}

static void create(struct webhook_fixture *fixture, const char *version, const char *name,
                   const char *value)
{
    const char *target = version[1] == '1' ? WIDGETS_V1 : WIDGETS_V2;
    const int status = webhook_fixture_call(
        fixture, "POST", target, conversion_fixture_widget(fixture, version, name, value));
    if (status != 201)
        test_fail(TEST_PLACE(name), "%d: %.*s", status, STR_ARG(buf_str(&fixture->server.answer)));
}

static int apply(struct webhook_fixture *fixture, const char *target, const char *body)
{
    int status = 0;
    CHECK_OK(apiserver_fixture_try(&fixture->server, "PATCH", str_from_c(target),
                                   "application/apply-patch+yaml",
                                   str_from_c(webhook_fixture_json(fixture, body)), &status));
    return status;
}

SIM_TEST(objects_are_stored_in_one_version_and_shown_in_each)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v2", "w", "3");
    CHECK_EQ(member(&fixture, "apiVersion"), STR("example.com/v2"));
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
    CHECK_EQ(fixture.reviews, 2); /* what is stored, and the response */
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.size"), STR("3"));
    CHECK_EQ(member(&fixture, "metadata.labels.from"), STR("v2"));
    CHECK_EQ(fixture.reviews, 2);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
    CHECK_EQ(member(&fixture, "metadata.labels.from"), STR("v1"));
    CHECK_EQ(fixture.reviews, 3);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2), 200);
    CHECK_EQ(member(&fixture, "items.0.spec.width"), STR("3"));
    CHECK_EQ(fixture.reviews, 4);
}

SIM_TEST(a_conversion_webhook_is_asked_what_kube_apiserver_asks)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    CHECK_EQ(fixture.reviews, 0);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "apiVersion"), STR("apiextensions.k8s.io/v1"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "kind"), STR("ConversionReview"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.desiredAPIVersion"),
             STR("example.com/v2"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.uid").len, 36);
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.objects.0.apiVersion"),
             STR("example.com/v1"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.objects.0.spec.size"), STR("3"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.objects.0.metadata.uid"),
             member(&fixture, "metadata.uid"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.objects.0.metadata.resourceVersion"),
             STR(""));
    CHECK(member(&fixture, "metadata.resourceVersion").len > 0);
    CHECK_EQ(member(&fixture, "metadata.managedFields.0.operation"), STR("Update"));
    int64_t generation = 0;
    CHECK(json_to_int64(json_path(json_doc_root(fixture.server.doc), "metadata.generation"),
                        &generation));
    CHECK_EQ(generation, 1);
}

/* Patches, /status, /scale, dry runs and deletions in the version that is not stored. */
SIM_TEST(every_write_in_another_version_is_converted)
{
    static const struct {
        const char *method, *target, *body, *path, *value, *stored_path, *stored;
    } steps[] = {
        {"PATCH",  WIDGETS_V2 "/w",            "{'spec':{'width':'5','replicas':1}}",           "spec.width",   "5",
         "spec.size",                                                                                                                   "5"    },
        {"PATCH",  WIDGETS_V2 "/w/status",     "{'status':{'phase':'Ready'}}",                  "status.phase", "Ready",
         "status.phase",                                                                                                                "Ready"},
        {"PATCH",  WIDGETS_V2 "/w/scale",      "{'spec':{'replicas':7}}",                       "kind",         "Scale",   "spec.size",
         "5"                                                                                                                                   },
        {"PATCH",  WIDGETS_V2 "/w?dryRun=All", "{'spec':{'width':'6'}}",                        "spec.width",   "6",
         "spec.size",                                                                                                                   "5"    },
        {"DELETE", WIDGETS_V2 "/w?dryRun=All", "",                                              "status",       "Success", "spec.size", "5"    },
        {"PATCH",  WIDGETS_V2 "/w",            "{'metadata':{'finalizers':['example.com/x']}}", "spec.width",
         "5",                                                                                                              "spec.size", "5"    },
        {"DELETE", WIDGETS_V2 "/w",            "",                                              "spec.width",   "5",       "spec.size", "5"    },
    };
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    for (size_t i = 0; i < COUNT(steps); i++) {
        TEST_CASE("%s %s %s", steps[i].method, steps[i].target, steps[i].body);
        const int status =
            webhook_fixture_call(&fixture, steps[i].method, steps[i].target, steps[i].body);
        if (status != 200)
            test_fail(TEST_PLACE(steps[i].target), "%d: %.*s", status,
                      STR_ARG(buf_str(&fixture.server.answer)));
        CHECK_EQ(member(&fixture, steps[i].path), str_from_c(steps[i].value));
        CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
        CHECK_EQ(member(&fixture, steps[i].stored_path), str_from_c(steps[i].stored));
    }
    CHECK_EQ(member(&fixture, "metadata.finalizers.0"), STR("example.com/x"));
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w/scale"), 200);
    int64_t replicas = 0;
    CHECK(json_to_int64(json_path(json_doc_root(fixture.server.doc), "spec.replicas"), &replicas));
    CHECK_EQ(replicas, 7);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V2 "/w",
                                  "{'metadata':{'finalizers':null}}"),
             200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 404);
}

/* A client reads and writes back what it has read. */
SIM_TEST(an_update_in_another_version_is_converted)
{
    SCOPED(webhook_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    buf_print(&body,
              "{'apiVersion':'example.com/v2','kind':'Widget','metadata':{'name':'w',"
              "'resourceVersion':'%.*s'},'spec':{'width':'4'}}",
              STR_ARG(member(&fixture, "metadata.resourceVersion")));
    CHECK_EQ(webhook_fixture_call(&fixture, "PUT", WIDGETS_V2 "/w", buf_c(&body)), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("4"));
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.size"), STR("4"));
    CHECK_EQ(webhook_fixture_call(&fixture, "PUT", WIDGETS_V2 "/w", buf_c(&body)), 409);
}

/* Who owns spec.width in v2 owns spec.size in v1. */
SIM_TEST(managers_of_two_versions_conflict)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apply(&fixture, WIDGETS_V2 "/w?fieldManager=a",
                   conversion_fixture_widget(&fixture, "v2", "w", "3")),
             201);
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
    CHECK_EQ(apply(&fixture, WIDGETS_V1 "/w?fieldManager=b",
                   conversion_fixture_widget(&fixture, "v1", "w", "4")),
             409);
    CHECK_CONTAINS(member(&fixture, "message"), STR("conflict with \"a\": .spec.width"));
    CHECK_EQ(apply(&fixture, WIDGETS_V1 "/w?fieldManager=b&force=true",
                   conversion_fixture_widget(&fixture, "v1", "w", "4")),
             200);
    CHECK_EQ(member(&fixture, "spec.size"), STR("4"));
    CHECK_EQ(apply(&fixture, WIDGETS_V2 "/w?fieldManager=a",
                   conversion_fixture_widget(&fixture, "v2", "w", "5")),
             409);
}

struct faulty_request {
    const char *method, *target, *body;
    bool is_apply;
};

static int send_faulty(struct webhook_fixture *fixture, const struct faulty_request *request)
{
    return request->is_apply
               ? apply(fixture, request->target, request->body)
               : webhook_fixture_call(fixture, request->method, request->target, request->body);
}

#define WIDGET_V2(name, value)                                                        \
    "{'apiVersion':'example.com/v2','kind':'Widget','metadata':{'name':'" name "'},'" \
    "spec':{'width':'" value "'}}"

static const struct faulty_request faulty_requests[] = {
    {"GET",                           WIDGETS_V2 "/w",                               "",false },
    {"GET",                           WIDGETS_V2 "/w/scale",                         "",false },
    {"GET",                           WIDGETS_V2,                                    "",false },
    {"GET",                           WIDGETS_V2 "?labelSelector=a%3Db",             "",false },
    {"GET",                           WIDGETS_V2 "?fieldSelector=spec.width%3D3",    "",false },
    {"GET",                           WIDGETS_V2 "?fieldSelector=metadata.name%3Dw", "",false },
    {"GET",                           WIDGETS_V2 "?watch=1",                         "",false },
    {"POST",                          WIDGETS_V2,                                    WIDGET_V2("x","1"),   false},
    {"POST",                               WIDGETS_V2 "?dryRun=All",                                                                       WIDGET_V2("x","1"),false},
    {"PUT",                          WIDGETS_V2 "/w",                                                                       WIDGET_V2("w","1"),                                                                                              false},
    {"PATCH",                           WIDGETS_V2 "/w",                                                                   "{'spec':{'width':'1'}}", false},
    {"PATCH",       WIDGETS_V2 "/w/status","{'status':{'phase':'x'}}",false},
    {"PATCH",     WIDGETS_V2 "/w/scale",                                                                 "{'spec':{'replicas':2}}",                                                                                     false                                                                                                                                             },
    {"PATCH",      WIDGETS_V2 "/w?fieldManager=a&force=true",WIDGET_V2("w","1"),true},
    {"PATCH",                  WIDGETS_V2 "/x?fieldManager=a",                                                                              WIDGET_V2("x",                                                                                                                                                                                 "1"),                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             true},
    {"DELETE",WIDGETS_V2 "/w","",false},
    {"DELETE",                        WIDGETS_V2,                                                                       "", false                                                                                                                                                                                                                                                                                                                                                                                     },
};

/* Reads and writes of the stored version go on as if the webhook was there. */
static void check_stored_version(struct webhook_fixture *fixture)
{
    const size_t reviews = fixture->reviews;
    CHECK_EQ(apiserver_fixture_get(&fixture->server, WIDGETS_V1 "/x"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture->server, WIDGETS_V1), 200);
    CHECK_EQ(member(fixture, "items.0.spec.size"), STR("3"));
    CHECK_EQ(json_count(json_path(json_doc_root(fixture->server.doc), "items")), 1);
    CHECK_EQ(webhook_fixture_call(fixture, "PATCH", WIDGETS_V1 "/w",
                                  "{'metadata':{'annotations':{'a':'b'}}}"),
             200);
    CHECK_EQ(fixture->reviews, reviews);
}

/* Every verb with every fault: 500 in the words of kube-apiserver, and nothing changes. */
SIM_TEST(a_conversion_that_fails_refuses_reads_and_writes)
{
    static const struct {
        const char *fault, *message;
    } faults[] = {
        {"silent",
         " failed: Post \"https://10.1.2.3:8443/convert?timeout=30s\": context deadline exceeded" },
        {"hangup",          " failed: Post \"https://10.1.2.3:8443/convert?timeout=30s\": "       },
        {"500",
         " failed: an error on the server (\"unknown\") has prevented the request from succeeding"},
        {"text",            " failed: "                                                           },
        {"absent",          " failed: no response provided"                                       },
        {"review",
         " failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, "
         "got apiextensions.k8s.io/v2, Kind=ConversionReview"                                     },
        {"uid",             "\", got \"another\""                                                 },
        {"failed",          " failed: widgets are too wide"                                       },
        {"failed silently", " failed: response.result.status was 'Failed', not 'Success'"         },
        {"one way",         " failed: response.result.status was 'Failed', not 'Success'"         },
        {"fewer",           " returned 0 objects, expected 1"                                     },
        {"name",            " returned invalid object: must have the same name: "                 },
        {"namespace",       " returned invalid object: must have the same namespace: "            },
        {"object uid",      " returned invalid object: must have the same UID: "                  },
        {"kind",
         " returned invalid object at index 0: invalid kind (expected Widget, received Gadget)"   },
        {"version",         " returned invalid object at index 0: invalid groupVersion (expected "},
        {"labels",
         " returned invalid metadata: metadata.labels[from] must be a string, but is int64 in "
         "converted object"                                                                       },
        {"invalid label",   " returned invalid metadata: metadata.labels: Invalid value: "        },
        {"metadata",        " returned invalid "                                                  },
    };
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    for (size_t i = 0; i < COUNT(faults); i++) {
        fixture.fault = faults[i].fault;
        for (size_t k = 0; k < COUNT(faulty_requests); k++) {
            TEST_CASE("%s: %s %s", faults[i].fault, faulty_requests[k].method,
                      faulty_requests[k].target);
            CHECK_EQ(send_faulty(&fixture, &faulty_requests[k]), 500);
            CHECK_CONTAINS(member(&fixture, "message"), str_from_c(faults[i].message));
            CHECK(str_starts_with(member(&fixture, "message"),
                                  STR("conversion webhook for example.com/v")));
            CHECK_EQ(member(&fixture, "reason"), STR(""));
            check_stored_version(&fixture);
        }
    }
    fixture.fault = NULL;
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
}

SIM_TEST(a_conversion_webhook_that_is_not_there_is_told)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    CHECK_EQ(
        webhook_fixture_call(
            &fixture, "PATCH", DEFINITION,
            "{'spec':{'conversion':{'webhook':{'clientConfig':{'url':'https://10.1.2.4/'}}}}}"),
        200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 500);
    CHECK_CONTAINS(member(&fixture, "message"),
                   STR("conversion webhook for example.com/v1, Kind=Widget failed: Post "
                       "\"https://10.1.2.4/?timeout=30s\": "));
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "PATCH", DEFINITION,
                 "{'spec':{'conversion':{'webhook':{'clientConfig':{'url':null,'service':{'name':"
                 "'hook','namespace':'default'}}}}}}"),
             200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 500);
    CHECK_EQ(member(&fixture, "message"),
             STR("conversion webhook for example.com/v1, Kind=Widget failed: Post "
                 "\"https://hook.default.svc:443/?timeout=30s\": service \"hook\" not found"));
}

SIM_TEST(a_conversion_webhook_behind_a_service_is_called)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "3");
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "POST", "/api/v1/namespaces/default/services",
                 "{'metadata':{'name':'hook'},'spec':{'ports':[{'name':'https','port':443}]}}"),
             201);
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "POST", "/api/v1/namespaces/default/endpoints",
                 "{'metadata':{'name':'hook'},'subsets':[{'addresses':[{'ip':'10.1.2.3'}],'ports':"
                 "[{'name':'https','port':8443}]}]}"),
             201);
    CHECK_EQ(webhook_fixture_call(
                 &fixture, "PATCH", DEFINITION,
                 "{'spec':{'conversion':{'webhook':{'clientConfig':{'url':null,'service':{'name':"
                 "'hook','namespace':'default','path':'/convert'}}}}}}"),
             200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
}

/* v1beta1 repeats neither the uid nor the version. */
SIM_TEST(the_first_version_of_reviews_that_both_know_is_used)
{
    SCOPED(webhook_fixture) fixture;
    CHECK_OK(webhook_fixture_init(&fixture));
    CHECK_OK(apiserver_fixture_start(&fixture.server));
    conversion_fixture_define(&fixture, "'conversionReviewVersions':['v9','v1beta1','v1']");
    create(&fixture, "v1", "w", "3");
    fixture.fault = "uid";
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 200);
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "apiVersion"), STR("apiextensions.k8s.io/v1beta1"));
    fixture.fault = "failed";
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/w"), 500);
}

/* 300 objects in three calls; pages and selectors count objects as they are shown. */
SIM_TEST(a_list_is_converted_in_pieces)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < 300; i++)
        create(&fixture, "v1", arena_print(&fixture.arena, "w%03zu", i).ptr, i % 3 ? "1" : "2");
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.server.doc), "items")), 300);
    CHECK_EQ(member(&fixture, "items.299.metadata.name"), STR("w299"));
    CHECK_EQ(member(&fixture, "items.299.spec.width"), STR("1"));
    CHECK_EQ(fixture.reviews, 3);
    CHECK_EQ(fixture.converted, 300);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "?labelSelector=from%3Dv1"), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.server.doc), "items")), 300);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "?labelSelector=from%3Dv2"), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.server.doc), "items")), 0);
    SCOPED(buf) target = {.limit = 0};
    size_t found = 0;
    struct str token = {0};
    for (size_t page = 0; page == 0 || token.len; page++) {
        buf_clear(&target);
        buf_print(&target, WIDGETS_V2 "?fieldSelector=spec.width%%3D2&limit=30&continue=%.*s",
                  STR_ARG(token));
        CHECK_EQ(apiserver_fixture_get(&fixture.server, buf_c(&target)), 200);
        found += json_count(json_path(json_doc_root(fixture.server.doc), "items"));
        token = arena_str(&fixture.arena, member(&fixture, "metadata.continue"));
        CHECK(page < 4);
    }
    CHECK_EQ(found, 100);
    fixture.fault = "fewer";
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2), 500);
    CHECK_EQ(member(&fixture, "message"),
             STR("conversion webhook for example.com/v1, Kind=Widget returned 127 objects, "
                 "expected 128"));
}

static void next_event(struct http_response *watch, struct webhook_fixture *fixture,
                       const char *expected)
{
    OWNED(json_doc) doc = NULL;
    struct str line;
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_OK(json_read(line, &doc));
    const struct json_value *root = json_doc_root(doc);
    CHECK_EQ(arena_print(&fixture->arena, "%.*s %.*s %.*s", STR_ARG(json_path_str(root, "type")),
                         STR_ARG(json_path_str(root, "object.metadata.name")),
                         STR_ARG(json_path_str(root, "object.spec.width"))),
             str_from_c(expected));
}

SIM_TEST(events_are_converted_in_their_order)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "a", "1");
    create(&fixture, "v1", "b", "2");
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture.server, WIDGETS_V2 "?watch=1");
    OWNED(http_response)
    wide = apiserver_fixture_watch(&fixture.server,
                                   WIDGETS_V2 "?watch=1&fieldSelector=spec.width%3D4");
    next_event(watch, &fixture, "ADDED a 1");
    next_event(watch, &fixture, "ADDED b 2");
    create(&fixture, "v1", "c", "3");
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V1 "/c", "{'spec':{'size':'4'}}"),
             200);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V1 "/c", "{'spec':{'size':'5'}}"),
             200);
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", WIDGETS_V1 "/c", ""), 200);
    next_event(watch, &fixture, "ADDED c 3");
    next_event(watch, &fixture, "MODIFIED c 4");
    next_event(watch, &fixture, "MODIFIED c 5");
    next_event(watch, &fixture, "DELETED c 5");
    next_event(wide, &fixture, "ADDED c 4");
    next_event(wide, &fixture, "DELETED c 4");
}

SIM_TEST(a_watch_ends_when_an_event_cannot_be_converted)
{
    OWNED(json_doc) doc = NULL;
    struct str line;
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "a", "1");
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture.server, WIDGETS_V2 "?watch=1");
    next_event(watch, &fixture, "ADDED a 1");
    fixture.fault = "failed";
    create(&fixture, "v1", "b", "2");
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_OK(json_read(line, &doc));
    CHECK_EQ(json_path_str(json_doc_root(doc), "type"), STR("ERROR"));
    CHECK_EQ(json_path_str(json_doc_root(doc), "object.reason"), STR("InternalError"));
    CHECK_EQ(json_path_str(json_doc_root(doc), "object.message"),
             STR("Internal error occurred: conversion webhook for example.com/v1, Kind=Widget "
                 "failed: widgets are too wide"));
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK(!line.ptr);
}

static void store_as_v2(struct webhook_fixture *fixture)
{
    int status = 0;
    CHECK_OK(apiserver_fixture_try(
        &fixture->server, "PATCH", STR(DEFINITION), "application/json-patch+json",
        str_from_c(webhook_fixture_json(
            fixture, "[{'op':'replace','path':'/spec/versions/0/storage','value':false},"
                     "{'op':'replace','path':'/spec/versions/1/storage','value':true}]")),
        &status));
    CHECK_EQ(status, 200);
}

/* Objects of both versions are stored; each is converted from its own. */
SIM_TEST(the_storage_version_may_change)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "old", "1");
    store_as_v2(&fixture);
    create(&fixture, "v2", "new", "2");
    CHECK_EQ(fixture.reviews, 0);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1), 200);
    CHECK_EQ(member(&fixture, "items.0.spec.size"), STR("2"));
    CHECK_EQ(member(&fixture, "items.1.spec.size"), STR("1"));
    CHECK_EQ(fixture.converted, 1);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2), 200);
    CHECK_EQ(member(&fixture, "items.0.spec.width"), STR("2"));
    CHECK_EQ(member(&fixture, "items.1.spec.width"), STR("1"));
    CHECK_EQ(fixture.converted, 2);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V1 "/old", "{'spec':{'size':'3'}}"),
             200);
    fixture.fault = "failed";
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/old"), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/old"), 500);
}

/* A conversion that is waited for, of a request of its own. */
struct held_request {
    struct webhook_fixture *fixture;
    const char *method, *target, *body;
    int status;
};

static struct error *send_held(void *data)
{
    struct held_request *held = data;
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) answer = {.limit = 0};
    TRY(http_headers_add(&headers, STR("content-type"),
                         strcmp(held->method, "PATCH") == 0 ? STR("application/merge-patch+json")
                                                            : STR("application/json")));
    const struct http_client_request request = {
        .method = str_from_c(held->method),
        .target = str_from_c(held->target),
        .headers = &headers,
        .body = str_from_c(webhook_fixture_json(held->fixture, held->body))};
    TRY(http_client_send(held->fixture->server.client, &request, &response));
    held->status = http_response_status(response);
    return http_response_read_all(response, &answer);
}

/* A write that waits for a conversion holds nobody up, and overwrites nothing. */
SIM_TEST(a_slow_conversion_holds_up_nobody_and_overwrites_nothing)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "1");
    struct held_request held = {&fixture, "PATCH", WIDGETS_V2 "/w",
                                "{'metadata':{'annotations':{'slow':'yes'}}}", 0};
    SCOPED(scope) scope = {0};
    fixture.fault = "hold";
    scope_start(&scope, "slow write", send_held, &held);
    webhook_fixture_await_held(&fixture, 1);
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V1 "/w", "{'spec':{'size':'2'}}"),
             200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, "/api/v1/namespaces"), 200);
    CHECK(loop_now(loop_current()) - begun < SECOND);
    fixture.fault = NULL;
    event_wake_all(&fixture.release);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(held.status, 200);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.size"), STR("2"));
    CHECK_EQ(member(&fixture, "metadata.annotations.slow"), STR("yes"));
}

/* Requests beyond their share get 429; watches wait for their turn, eight at a time. */
SIM_TEST(requests_and_watches_share_the_calls_of_conversion_webhooks)
{
    SCOPED(webhook_fixture) fixture;
    struct held_request held[103];
    struct http_response *watches[12];
    size_t refused = 0, served = 0;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(watches); i++)
        watches[i] = apiserver_fixture_watch(&fixture.server, WIDGETS_V2 "?watch=1");
    fixture.fault = "hold";
    create(&fixture, "v1", "w", "1");
    webhook_fixture_await_held(&fixture, WEBHOOK_CONVERSION_STREAMS);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.held, WEBHOOK_CONVERSION_STREAMS);
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(held); i++) {
        held[i] = (struct held_request){&fixture, "GET", WIDGETS_V2 "/w", "", 0};
        scope_start(&scope, "reader", send_held, &held[i]);
    }
    webhook_fixture_await_held(&fixture, 100);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    fixture.fault = NULL;
    event_wake_all(&fixture.release);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(held); i++) {
        refused += held[i].status == 429;
        served += held[i].status == 200;
    }
    CHECK_EQ(refused, 103 - (100 - WEBHOOK_CONVERSION_STREAMS));
    CHECK_EQ(served, 100 - WEBHOOK_CONVERSION_STREAMS);
    for (size_t i = 0; i < COUNT(watches); i++) {
        next_event(watches[i], &fixture, "ADDED w 1");
        http_response_free(watches[i]);
    }
}

/* The garbage collector and the deletion of a namespace need metadata alone. */
SIM_TEST(garbage_is_collected_without_the_webhook)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "owner", "1");
    const struct str uid = arena_str(&fixture.arena, member(&fixture, "metadata.uid"));
    SCOPED(buf) owned = {.limit = 0};
    buf_print(&owned,
              "{'apiVersion':'example.com/v1','kind':'Widget','metadata':{'name':'owned',"
              "'ownerReferences':[{'apiVersion':'example.com/v1','kind':'Widget','name':'owner',"
              "'uid':'%.*s'}]},'spec':{'size':'5'}}",
              STR_ARG(uid));
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", WIDGETS_V1, buf_c(&owned)), 201);
    store_as_v2(&fixture);
    CHECK_EQ(
        webhook_fixture_call(&fixture, "DELETE", WIDGETS_V1 "/owner?propagationPolicy=Orphan", ""),
        200);
    fixture.fault = "failed";
    fixture.reviews = 0;
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", "/api/v1/namespaces",
                                  "{'metadata':{'name':'gone'}}"),
             201);
    CHECK_EQ(webhook_fixture_call(&fixture, "POST", "/apis/example.com/v2/namespaces/gone/widgets",
                                  WIDGET_V2("w", "1")),
             201);
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/gone", ""), 200);
    apiserver_fixture_await(&fixture.server, "/api/v1/namespaces/gone", 404);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.reviews, 0);
    fixture.fault = NULL;
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/owner"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2 "/owned"), 200);
    CHECK_EQ(member(&fixture, "spec.width"), STR("5"));
    CHECK_EQ(member(&fixture, "metadata.ownerReferences.0.name"), STR(""));
}

/* An admission webhook for v1 is shown what a client writes as v2, and what it changes comes back.
 */
SIM_TEST(an_admission_webhook_sees_converted_objects)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    webhook_fixture_configure(&fixture, "Mutating", "m", "/annotate",
                              "'rules':[{'apiGroups':['example.com'],'apiVersions':['v1'],"
                              "'resources':['widgets'],'operations':['CREATE']}]");
    webhook_fixture_configure(&fixture, "Validating", "v", "/allow",
                              "'rules':[{'apiGroups':['example.com'],'apiVersions':['v1'],"
                              "'resources':['widgets'],'operations':['*']}]");
    create(&fixture, "v2", "w", "3");
    CHECK_EQ(member(&fixture, "spec.width"), STR("3"));
    CHECK_EQ(member(&fixture, "metadata.annotations.by"), STR("webhook"));
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.size"), STR("3"));
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", WIDGETS_V2 "/w", ""), 200);
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.oldObject.spec.size"), STR("3"));
    CHECK_EQ(webhook_fixture_reviewed(&fixture, "request.requestKind.version"), STR("v2"));
}

/* Large objects are converted on worker threads. */
SIM_TEST(large_objects_are_converted)
{
    SCOPED(webhook_fixture) fixture;
    SCOPED(buf) value = {.limit = 0};
    begin(&fixture);
    for (size_t i = 0; i < 100 * KILOBYTE; i++)
        buf_add_char(&value, 'x');
    create(&fixture, "v2", "w", buf_c(&value));
    CHECK_EQ(member(&fixture, "spec.width").len, 100 * KILOBYTE);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", WIDGETS_V2 "/w", "{'spec':{'replicas':2}}"),
             200);
    CHECK_EQ(member(&fixture, "spec.width").len, 100 * KILOBYTE);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "spec.size").len, 100 * KILOBYTE);
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V2), 200);
    CHECK_EQ(member(&fixture, "items.0.spec.width").len, 100 * KILOBYTE);
    CHECK_EQ(webhook_fixture_call(&fixture, "DELETE", WIDGETS_V2 "/w", ""), 200);
}

/* With strategy None objects are renamed, and no webhook is called. */
SIM_TEST(without_the_strategy_no_conversion_webhook_is_called)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(webhook_fixture_call(&fixture, "PATCH", DEFINITION,
                                  "{'spec':{'conversion':{'strategy':'None','webhook':null}}}"),
             200);
    create(&fixture, "v2", "w", "3");
    CHECK_EQ(apiserver_fixture_get(&fixture.server, WIDGETS_V1 "/w"), 200);
    CHECK_EQ(member(&fixture, "apiVersion"), STR("example.com/v1"));
    CHECK_EQ(fixture.reviews, 0);
}

/* The client goes away, or the server stops, while a conversion has not been answered. */
SIM_TEST(a_conversion_ends_with_the_request)
{
    SCOPED(webhook_fixture) fixture;
    begin(&fixture);
    create(&fixture, "v1", "w", "1");
    fixture.fault = "hold";
    for (size_t i = 1; i <= 2; i++) {
        struct held_request held = {&fixture, "GET", WIDGETS_V2 "/w", "", 0};
        SCOPED(scope) scope = {0};
        scope_start(&scope, "reader", send_held, &held);
        webhook_fixture_await_held(&fixture, i);
        if (i == 2)
            apiserver_free(TAKE(fixture.server.server));
        else
            scope_cancel(&scope);
        OWNED(error) ended = scope_wait(&scope);
        CHECK(ended != NULL);
        CHECK_EQ(held.status, 0);
    }
}
