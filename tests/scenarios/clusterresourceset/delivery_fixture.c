#include "scenarios/clusterresourceset/delivery_fixture.h"

#include "client/client.h"
#include "cmd/status_source.h"
#include "json/path.h"

#define HEAD                                                                                      \
    "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\",\"metadata\":{\"name\":" \
    "\"p\",\"resourceVersion\":\"%.*s\"},\"spec\":%s}"

void delivery_fixture_policy(struct crs_fixture *fixture, const char *spec)
{
    SCOPED(buf) body = {.limit = 0};
    const struct str version =
        crs_fixture_look(fixture, DELIVERY_FIXTURE_POLICY, "metadata.resourceVersion");
    buf_print(&body, HEAD, STR_ARG(version), spec);
    if (version.len)
        crs_fixture_do(fixture, "PUT", DELIVERY_FIXTURE_POLICY, buf_c(&body));
    else
        crs_fixture_do(fixture, "POST", DELIVERY_FIXTURE_POLICIES, buf_c(&body));
}

void delivery_fixture_set(struct crs_fixture *fixture, const char *name, const char *strategy,
                          const char *resources)
{
    crs_fixture_set_as(fixture, name, strategy, resources, CRS_FIXTURE_SELECTOR,
                       ",\"annotations\":{\"corset.dev/policy\":\"p\"}");
}

void delivery_fixture_begin(struct crs_fixture *fixture, const char *spec, const char *text)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    delivery_fixture_policy(fixture, spec);
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
}

struct str delivery_fixture_record(struct crs_fixture *fixture, const char *set, const char *path)
{
    struct apiserver_fixture *apiserver = &fixture->apiserver;
    SCOPED(buf) found = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    if (!crs_fixture_exists(fixture, CRS_FIXTURE_BINDING))
        return STR("");
    const struct str text =
        json_to_str(json_get(json_path(json_doc_root(apiserver->doc), "metadata.annotations"),
                             STR("corset.dev/delivery")));
    if (!text.len)
        return STR("");
    CHECK_OK(json_read(text, &doc));
    const struct json_value *value = json_path(json_get(json_doc_root(doc), str_from_c(set)), path);
    if (json_type(value) == JSON_STRING)
        buf_add(&found, json_to_str(value));
    else if (value)
        json_write(&found, value);
    return apiserver_fixture_keep(apiserver, buf_str(&found));
}

void delivery_fixture_begin_checked(struct crs_fixture *fixture, const char *spec, const char *text)
{
    delivery_fixture_begin(fixture, spec, text);
    crs_fixture_await_applied(fixture, "crs1");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    crs_fixture_forget(fixture);
}

void delivery_fixture_edit(struct crs_fixture *fixture, const char *target, const char *body)
{
    SCOPED(buf) managed = {.limit = 0};
    buf_print(&managed, "%s?fieldManager=kubectl-edit", target);
    crs_fixture_do(fixture, "PATCH", buf_c(&managed), body);
}

void delivery_fixture_lose(struct crs_fixture *fixture, const char *target, size_t way)
{
    static const struct {
        const char *name, *method, *body;
    } ways[DELIVERY_FIXTURE_LOSSES] = {
        {"deleted",             "DELETE", NULL                                                       },
        {"label removed",       "PATCH",  "{\"metadata\":{\"labels\":{\"corset.dev/managed\":null}}}"},
        {"managedFields wiped", "PATCH",  "{\"metadata\":{\"managedFields\":[{}]}}"                  },
    };
    TEST_CASE("%s", ways[way].name);
    crs_fixture_do(fixture, ways[way].method, target, ways[way].body);
}

size_t delivery_fixture_events(struct crs_fixture *fixture, const char *reason)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", "/apis/events.k8s.io/v1/namespaces/ns/events", NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "regarding.kind"), STR("Cluster")) &&
                 str_eq(json_path_str(event, "reason"), str_from_c(reason));
    return count;
}

struct str delivery_fixture_note(struct crs_fixture *fixture, const char *reason)
{
    const struct json_value *event;
    struct str note = STR("");
    crs_fixture_do(fixture, "GET", "/apis/events.k8s.io/v1/namespaces/ns/events", NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        if (str_eq(json_path_str(event, "reason"), str_from_c(reason)))
            note = json_path_str(event, "note");
    return note;
}

void delivery_fixture_check_state(struct crs_fixture *fixture, const char *state,
                                  const char *condition)
{
    CHECK_EQ(delivery_fixture_record(fixture, "crs1", "state"), str_from_c(state));
    crs_fixture_await_condition(fixture, "crs1", "DriftFree", condition);
}

size_t delivery_fixture_applies(const struct crs_fixture *fixture)
{
    const struct proxy *proxy = &fixture->workloads[0];
    return proxy_count(proxy, "POST ") + proxy_count(proxy, "PATCH ") -
           proxy_count(proxy, "dryRun=All");
}

void delivery_fixture_read_status(const struct crs_fixture *fixture, struct status_model *model)
{
    struct proxy person = {.behind = fixture->apiserver.direct};
    const struct rest_config config = {
        .server = {.scheme = URL_HTTP, .host = STR("person.test"), .port = 80},
        .host = STR("http://person.test"),
    };
    proxy_open(&person, fixture->apiserver.network, config.server.host);
    struct client *client = client_new(
        loop_current(), &(struct client_options){
                            .config = &config, .network = fixture->apiserver.network, .qps = -1});
    CHECK_OK(status_source_list(client, STR("ns"), model));
    client_free(client);
    proxy_done(&person);
}
