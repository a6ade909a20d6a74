#include "scenarios/clusterresourceset/delivery_fixture.h"

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
