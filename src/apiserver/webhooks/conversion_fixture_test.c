#include "apiserver/webhooks/conversion_fixture_test.h"

#include "http/server.h"
#include "json/builder.h"
#include "json/edit.h"

#define SCHEMA(field)                                                                             \
    "{'type':'object','properties':{'spec':{'type':'object','properties':{'" field                \
    "':{'type':'string'},'replicas':{'type':'integer'}}},'status':{'type':'object','properties':" \
    "{'phase':{'type':'string'},'replicas':{'type':'integer'}}}}}"

#define SUBRESOURCES                                                                  \
    "{'status':{},'scale':{'specReplicasPath':'.spec.replicas','statusReplicasPath':" \
    "'.status.replicas'}}"

void conversion_fixture_define(struct webhook_fixture *fixture, const char *more)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(
        &text,
        "{'metadata':{'name':'widgets.example.com'},'spec':{'group':'example.com',"
        "'scope':'Namespaced','names':{'plural':'widgets','kind':'Widget'},'versions':["
        "{'name':'v1','served':true,'storage':true,'subresources':" SUBRESOURCES
        ",'schema':{'openAPIV3Schema':" SCHEMA(
            "size") "}},"
                    "{'name':'v2','served':true,'storage':false,'subresources':" SUBRESOURCES
                    ",'schema':{'openAPIV3Schema':" SCHEMA(
                        "width") "},"
                                 "'selectableFields':[{'jsonPath':'.spec.width'}]}],"
                                 "'conversion':{'strategy':'Webhook','webhook':{'clientConfig':{'url':"
                                 "'https://" WEBHOOK_FIXTURE_HOST ":%d/convert','caBundle':'%.*s'},"
                                 "'conversionReviewVersions':['v1']%s%s}}}}",
        WEBHOOK_FIXTURE_PORT, STR_ARG(buf_str(&fixture->authority)), *more ? "," : "", more);
    apiserver_fixture_create(&fixture->server,
                             "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                             webhook_fixture_json(fixture, buf_c(&text)));
    apiserver_fixture_await(&fixture->server, WIDGETS_V1, 200);
    fixture->reviews = fixture->converted = 0;
}

const char *conversion_fixture_widget(struct webhook_fixture *fixture, const char *version,
                                      const char *name, const char *value)
{
    return arena_print(&fixture->arena,
                       "{'apiVersion':'example.com/%s','kind':'Widget','metadata':{'name':'%s'},"
                       "'spec':{'%s':'%s'}}",
                       version, name, version[1] == '1' ? "size" : "width", value)
        .ptr;
}

static bool is_fault(const struct webhook_fixture *fixture, const char *name)
{
    return fixture->fault && strcmp(fixture->fault, name) == 0;
}

/* Renames the field, and breaks the object if that is the fault. */
static struct json_doc *convert_widget(const struct webhook_fixture *fixture,
                                       const struct json_value *object, struct str to)
{
    const bool to_v2 = str_ends_with(to, STR("/v2"));
    const struct json_value *value = json_path(object, to_v2 ? "spec.size" : "spec.width");
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), to);
    json_edit_set_str(&edit, JSON_PLACE("metadata.labels.from"), to_v2 ? STR("v1") : STR("v2"));
    if (value && to_v2) {
        json_edit_set(&edit, JSON_PLACE("spec.width"), value);
        json_edit_remove(&edit, JSON_PLACE("spec.size"));
    } else if (value) {
        json_edit_set(&edit, JSON_PLACE("spec.size"), value);
        json_edit_remove(&edit, JSON_PLACE("spec.width"));
    }
    /* A webhook may say what it wants about other metadata: it does not count. */
    json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    json_edit_set_int(&edit, JSON_PLACE("metadata.generation"), 99);
    if (is_fault(fixture, "name"))
        json_edit_set_str(&edit, JSON_PLACE("metadata.name"), STR("other"));
    if (is_fault(fixture, "namespace"))
        json_edit_set_str(&edit, JSON_PLACE("metadata.namespace"), STR("other"));
    if (is_fault(fixture, "object uid"))
        json_edit_set_str(&edit, JSON_PLACE("metadata.uid"), STR("other"));
    if (is_fault(fixture, "kind"))
        json_edit_set_str(&edit, JSON_PLACE("kind"), STR("Gadget"));
    if (is_fault(fixture, "version"))
        json_edit_set_str(&edit, JSON_PLACE("apiVersion"), STR("example.com/v3"));
    if (is_fault(fixture, "labels"))
        json_edit_set_int(&edit, JSON_PLACE("metadata.labels.from"), 1);
    if (is_fault(fixture, "invalid label"))
        json_edit_set_str(&edit, JSON_PLACE("metadata.labels.from"), STR("no label!"));
    if (is_fault(fixture, "metadata"))
        json_edit_remove(&edit, JSON_PLACE("metadata"));
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

static void add_converted(struct webhook_fixture *fixture, struct json_builder *out)
{
    const struct json_value *request = json_path(json_doc_root(fixture->review), "request");
    const struct json_value *object;
    const struct str to = json_path_str(request, "desiredAPIVersion");
    json_builder_add_array(out, "convertedObjects");
    size_t left = json_count(json_path(request, "objects"));
    JSON_FOREACH (key, object, json_path(request, "objects")) {
        fixture->converted++;
        if (is_fault(fixture, "fewer") && --left == 0)
            break;
        OWNED(json_doc) doc = convert_widget(fixture, object, to);
        json_builder_value(out, json_doc_root(doc));
    }
    json_builder_end(out);
}

static void add_result(const struct webhook_fixture *fixture, struct json_builder *out)
{
    const bool is_one_way =
        is_fault(fixture, "one way") &&
        str_ends_with(webhook_fixture_reviewed(fixture, "request.desiredAPIVersion"), STR("v2"));
    const bool has_failed =
        is_one_way || is_fault(fixture, "failed") || is_fault(fixture, "failed silently");
    json_builder_add_object(out, "result");
    json_builder_add_str(out, "status", has_failed ? STR("Failed") : STR("Success"));
    if (is_fault(fixture, "failed"))
        json_builder_add_str(out, "message", STR("widgets are too wide"));
    json_builder_end(out);
}

static struct error *send_review(struct webhook_fixture *fixture, struct http_request *http)
{
    SCOPED(json_builder) out = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    const struct str uid = webhook_fixture_reviewed(fixture, "request.uid");
    json_builder_object(&out);
    json_builder_add_str(&out, "apiVersion",
                         is_fault(fixture, "review")
                             ? STR("apiextensions.k8s.io/v2")
                             : webhook_fixture_reviewed(fixture, "apiVersion"));
    json_builder_add_str(&out, "kind", STR("ConversionReview"));
    if (!is_fault(fixture, "absent")) {
        json_builder_add_object(&out, "response");
        json_builder_add_str(&out, "uid", is_fault(fixture, "uid") ? STR("another") : uid);
        add_converted(fixture, &out);
        add_result(fixture, &out);
        json_builder_end(&out);
    }
    json_builder_end(&out);
    CHECK_OK(json_builder_finish(&out, &doc));
    json_write(&text, json_doc_root(doc));
    return http_request_answer(http, 200, STR("application/json"), buf_str(&text));
}

struct error *conversion_fixture_serve(struct webhook_fixture *fixture, struct http_request *http)
{
    fixture->reviews++;
    if (is_fault(fixture, "silent"))
        return fiber_sleep(HOUR);
    if (is_fault(fixture, "hangup")) {
        http_request_break(http);
        return NULL;
    }
    if (is_fault(fixture, "500"))
        return http_request_answer(http, 500, STR("text/plain"), STR("a secret"));
    if (is_fault(fixture, "text"))
        return http_request_answer(http, 200, STR("text/plain"), STR("hello"));
    if (is_fault(fixture, "hold")) {
        OWNED(json_doc) review = json_doc_ref(fixture->review);
        fixture->held++;
        TRY(event_wait(&fixture->release, "the test"));
        json_doc_free(fixture->review);
        fixture->review = TAKE(review);
    }
    return send_review(fixture, http);
}
