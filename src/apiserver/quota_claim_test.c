#include "apiserver/quota_claim.h"

#include "apiserver/apiserver_fixture_test.h"
#include "http/headers.h"

#define SPACE    "/api/v1/namespaces/q"
#define MAPS     SPACE "/configmaps"
#define SERVICES SPACE "/services"
#define PODS     SPACE "/pods"
#define QUOTAS   SPACE "/resourcequotas"

static void make_quota(struct apiserver_fixture *fixture, const char *name, const char *spec)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"%s\"},"
              "\"spec\":%s}",
              name, spec);
    apiserver_fixture_create(fixture, QUOTAS, buf_c(&body));
}

static void start_with_namespace(struct apiserver_fixture *fixture)
{
    CHECK_OK(apiserver_fixture_start(fixture));
    apiserver_fixture_create(
        fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"q\"}}");
}

/* The name is "name" or "generateName". */
static int make_map(struct apiserver_fixture *fixture, const char *target, const char *member,
                    const char *name)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"%s\":\"%s\"}}",
              member, name);
    return apiserver_fixture_call(fixture, "POST", target, buf_c(&body));
}

/* The status of a quota, as text, when it is this; fails after a minute. */
static void await_status(struct apiserver_fixture *fixture, const char *quota, const char *wanted)
{
    SCOPED(buf) text = {0};
    for (int i = 0; i < 600; i++) {
        CHECK_EQ(apiserver_fixture_get(fixture, quota), 200);
        buf_clear(&text);
        json_write(&text, json_path(json_doc_root(fixture->doc), "status"));
        if (str_eq(buf_str(&text), str_from_c(wanted)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(buf_str(&text), str_from_c(wanted));
}

SIM_TEST(quotas_limit_what_is_created)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "a"), 201);
    make_quota(&fixture, "few", "{\"hard\":{\"configmaps\":\"2\",\"count/configmaps\":\"5\"}}");
    await_status(&fixture, QUOTAS "/few",
                 "{\"hard\":{\"configmaps\":\"2\",\"count/configmaps\":\"5\"},"
                 "\"used\":{\"configmaps\":\"1\",\"count/configmaps\":\"1\"}}");
    CHECK_EQ(make_map(&fixture, MAPS, "name", "b"), 201);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "c"), 403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("configmaps \"c\" is forbidden: exceeded quota: few, requested: configmaps=1, "
                 "used: configmaps=2, limited: configmaps=2"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Forbidden"));
    CHECK_EQ(make_map(&fixture, MAPS "?dryRun=All", "name", "c"), 403);
    CHECK_EQ(make_map(&fixture, MAPS, "generateName", "c-"), 403);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "a"), 403); /* as admission comes first */
    CHECK_EQ(make_map(&fixture, "/api/v1/namespaces/default/configmaps", "name", "c"), 201);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":{\"x\":\"y\"}}"), 200);
    int status = 0;
    CHECK_OK(apiserver_fixture_try(
        &fixture, "PATCH", STR(MAPS "/applied?fieldManager=m"), "application/apply-patch+yaml",
        STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"applied\"}}"),
        &status));
    CHECK_EQ(status, 403);
    await_status(&fixture, QUOTAS "/few",
                 "{\"hard\":{\"configmaps\":\"2\",\"count/configmaps\":\"5\"},"
                 "\"used\":{\"configmaps\":\"2\",\"count/configmaps\":\"2\"}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/a", ""), 200);
    CHECK_EQ(make_map(&fixture, MAPS "?dryRun=All", "name", "c"), 201);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "c"), 201);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "d"), 403);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", QUOTAS "/few",
                                    "{\"spec\":{\"hard\":{\"configmaps\":\"3\"}}}"),
             200);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "d"), 201);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", QUOTAS "/few", ""), 200);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(make_map(&fixture, MAPS, "generateName", "more-"), 201);
}

/* Definitions bring resources that are counted by "count/". */
SIM_TEST(quotas_count_built_in_and_custom_resources)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    apiserver_fixture_create(
        &fixture, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"group\":\"example.com\","
        "\"names\":{\"kind\":\"Thing\",\"plural\":\"things\"},\"scope\":\"Namespaced\","
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":"
        "{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    const char *const things = "/apis/example.com/v1/namespaces/q/things";
    apiserver_fixture_await(&fixture, things, 200);
    make_quota(&fixture, "none",
               "{\"hard\":{\"count/things.example.com\":\"0\",\"count/leases.coordination.k8s.io\":"
               "\"0\",\"secrets\":\"0\",\"resourcequotas\":\"1\"}}");
    const struct {
        const char *target, *body, *message;
    } cases[] = {
        {things,
         "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\"}}",                                                 "things.example.com \"a\" is forbidden: exceeded quota: none, requested: "
         "count/things.example.com=1, used: count/things.example.com=0, limited: "
         "count/things.example.com=0"                                                                                 },
        {"/apis/coordination.k8s.io/v1/namespaces/q/leases",
         "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"
         "\"a\"}}",                                                                                                                              "leases.coordination.k8s.io \"a\" is forbidden: exceeded quota: none"},
        {SPACE "/secrets",
         "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\"}}",                                                            "requested: secrets=1, used: secrets=0, limited: secrets=0"          },
        {QUOTAS,                                             "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"a\"}}",
         "requested: resourcequotas=1, used: resourcequotas=1, limited: resourcequotas=1"                                                                                                                             },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].target);
        CHECK_EQ(apiserver_fixture_call(&fixture, "POST", cases[i].target, cases[i].body), 403);
        CHECK(str_contains(apiserver_fixture_text(&fixture, "message"),
                           str_from_c(cases[i].message)));
    }
}

static int make_service(struct apiserver_fixture *fixture, const char *name, const char *type)
{
    SCOPED(buf) body = {0};
    buf_print(
        &body,
        "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"%s\"},\"spec\":{"
        "\"type\":\"%s\",\"ports\":[{\"name\":\"a\",\"port\":1},{\"name\":\"b\",\"port\":2}]}"
        "}",
        name, type);
    return apiserver_fixture_call(fixture, "POST", SERVICES, buf_c(&body));
}

/* Services count by what they are, also when they become that. */
SIM_TEST(quotas_limit_load_balancers_and_node_ports)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    make_quota(&fixture, "lb",
               "{\"hard\":{\"services.loadbalancers\":\"1\",\"services.nodeports\":\"4\"}}");
    CHECK_EQ(make_service(&fixture, "a", "LoadBalancer"), 201);
    CHECK_EQ(make_service(&fixture, "b", "LoadBalancer"), 403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("services \"b\" is forbidden: exceeded quota: lb, requested: "
                 "services.loadbalancers=1, used: services.loadbalancers=1, limited: "
                 "services.loadbalancers=1"));
    CHECK_EQ(make_service(&fixture, "b", "ClusterIP"), 201);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", SERVICES "/b",
                                    "{\"spec\":{\"type\":\"LoadBalancer\"}}"),
             403);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", SERVICES "/b",
                                    "{\"spec\":{\"type\":\"NodePort\"}}"),
             200);
    CHECK_EQ(make_service(&fixture, "c", "NodePort"), 403);
    CHECK(str_contains(apiserver_fixture_text(&fixture, "message"),
                       STR("requested: services.nodeports=2, used: services.nodeports=4, limited: "
                           "services.nodeports=4")));
    await_status(&fixture, QUOTAS "/lb",
                 "{\"hard\":{\"services.loadbalancers\":\"1\",\"services.nodeports\":\"4\"},"
                 "\"used\":{\"services.loadbalancers\":\"1\",\"services.nodeports\":\"4\"}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SERVICES "/a", ""), 200);
    CHECK_EQ(make_service(&fixture, "c", "LoadBalancer"), 201);
}

/* More than are counted in one turn of the loop: by number, and by size where Services are read. */
SIM_TEST(quotas_count_many_objects)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    for (int i = 0; i < 1001; i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        buf_print(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"q\","
                  "\"name\":\"m%d\"}}",
                  i);
        CHECK_OK(json_read(buf_str(&text), &doc));
        CHECK_OK(apiserver_put(fixture.server, doc));
    }
    for (int i = 0; i < 4; i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        buf_print(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"namespace\":\"q\","
                  "\"name\":\"s%d\",\"annotations\":{\"pad\":\"%0*d\"}},\"spec\":{\"type\":"
                  "\"LoadBalancer\"}}",
                  i, 150000, i);
        CHECK_OK(json_read(buf_str(&text), &doc));
        CHECK_OK(apiserver_put(fixture.server, doc));
    }
    make_quota(&fixture, "many",
               "{\"hard\":{\"configmaps\":\"1002\",\"services.loadbalancers\":\"4\"}}");
    CHECK_EQ(make_map(&fixture, MAPS, "name", "last"), 201);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "more"), 403);
    CHECK(str_contains(apiserver_fixture_text(&fixture, "message"),
                       STR("used: configmaps=1002, limited: configmaps=1002")));
    CHECK_EQ(make_service(&fixture, "more", "LoadBalancer"), 403);
    CHECK(str_contains(apiserver_fixture_text(&fixture, "message"),
                       STR("used: services.loadbalancers=4, limited: services.loadbalancers=4")));
}

struct creator {
    struct apiserver_fixture *fixture;
    int number, status;
};

static struct error *creator_run(void *data)
{
    struct creator *creator = data;
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{");
    if (creator->number % 2)
        buf_print(&body, "\"name\":\"m%d\"}}", creator->number);
    else
        buf_print(&body, "\"generateName\":\"m\"}}");
    OWNED(http_response)
    response = apiserver_fixture_send_with(creator->fixture, MAPS, STR(""), buf_str(&body));
    creator->status = http_response_status(response);
    return NULL;
}

/* On a disk, where creates of others are accepted while one is on its way there. */
SIM_TEST(quotas_hold_for_creates_at_the_same_time)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    start_with_namespace(&fixture);
    make_quota(&fixture, "few", "{\"hard\":{\"count/configmaps\":\"5\"}}");
    struct creator creators[30];
    int created = 0, refused = 0;
    SCOPED(scope) scope = {0};
    for (int i = 0; i < (int)COUNT(creators); i++) {
        creators[i] = (struct creator){&fixture, i, 0};
        scope_start(&scope, "creator", creator_run, &creators[i]);
    }
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(creators); i++) {
        created += creators[i].status == 201;
        refused += creators[i].status == 403;
    }
    CHECK_EQ(created, 5);
    CHECK_EQ(refused, 25);
    await_status(&fixture, QUOTAS "/few",
                 "{\"hard\":{\"count/configmaps\":\"5\"},\"used\":{\"count/configmaps\":\"5\"}}");
}

static int make_pod(struct apiserver_fixture *fixture, const char *name, const char *resources,
                    const char *more)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"},\"spec\":{"
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{%s}}]%s}}",
              name, resources, more);
    return apiserver_fixture_call(fixture, "POST", PODS, buf_c(&body));
}

SIM_TEST(quotas_limit_what_pods_request)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    make_quota(&fixture, "sum",
               "{\"hard\":{\"cpu\":\"1\",\"memory\":\"500Mi\",\"pods\":\"5\","
               "\"requests.example.com/dongle\":\"3\"}}");
    CHECK_EQ(make_pod(&fixture, "a",
                      "\"requests\":{\"cpu\":\"500m\",\"memory\":\"252Mi\",\"example.com/dongle\":"
                      "\"2\"},\"limits\":{\"example.com/dongle\":\"2\"}",
                      ""),
             201);
    await_status(&fixture, QUOTAS "/sum",
                 "{\"hard\":{\"cpu\":\"1\",\"memory\":\"500Mi\",\"pods\":\"5\","
                 "\"requests.example.com/dongle\":\"3\"},\"used\":{\"cpu\":\"500m\",\"memory\":"
                 "\"252Mi\",\"pods\":\"1\",\"requests.example.com/dongle\":\"2\"}}");
    CHECK_EQ(make_pod(&fixture, "b", "\"requests\":{\"cpu\":\"600m\",\"memory\":\"300Mi\"}", ""),
             403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("pods \"b\" is forbidden: exceeded quota: sum, requested: cpu=600m,memory=300Mi, "
                 "used: cpu=500m,memory=252Mi, limited: cpu=1,memory=500Mi"));
    CHECK_EQ(make_pod(&fixture, "b", "\"requests\":{\"cpu\":\"1m\"}", ""), 403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("pods \"b\" is forbidden: failed quota: sum: must specify memory for: c"));
    /* A Pod that has ended makes room. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/a/status",
                                    "{\"status\":{\"phase\":\"Succeeded\"}}"),
             200);
    await_status(&fixture, QUOTAS "/sum",
                 "{\"hard\":{\"cpu\":\"1\",\"memory\":\"500Mi\",\"pods\":\"5\","
                 "\"requests.example.com/dongle\":\"3\"},\"used\":{\"cpu\":\"0\",\"memory\":"
                 "\"0\",\"pods\":\"0\",\"requests.example.com/dongle\":\"0\"}}");
    CHECK_EQ(make_pod(&fixture, "b", "\"requests\":{\"cpu\":\"600m\",\"memory\":\"300Mi\"}", ""),
             201);
}

SIM_TEST(quotas_with_scopes_count_the_pods_that_match)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    make_quota(&fixture, "effort", "{\"hard\":{\"pods\":\"1\"},\"scopes\":[\"BestEffort\"]}");
    make_quota(&fixture, "limited",
               "{\"hard\":{\"pods\":\"1\",\"limits.cpu\":\"2\"},\"scopes\":[\"Terminating\"]}");
    CHECK_EQ(make_pod(&fixture, "a", "", ""), 201);
    CHECK_EQ(make_pod(&fixture, "b", "", ""), 403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("exceeded quota: effort"));
    CHECK_EQ(make_pod(&fixture, "b", "\"limits\":{\"cpu\":\"3\"}", ""), 201);
    CHECK_EQ(make_pod(&fixture, "c", "\"limits\":{\"cpu\":\"3\"}", ",\"activeDeadlineSeconds\":9"),
             403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("exceeded quota: limited"));
    CHECK_EQ(make_pod(&fixture, "c", "\"limits\":{\"cpu\":\"1\"}", ",\"activeDeadlineSeconds\":9"),
             201);
    await_status(&fixture, QUOTAS "/effort",
                 "{\"hard\":{\"pods\":\"1\"},\"used\":{\"pods\":\"1\"}}");
    await_status(&fixture, QUOTAS "/limited",
                 "{\"hard\":{\"pods\":\"1\",\"limits.cpu\":\"2\"},"
                 "\"used\":{\"limits.cpu\":\"1\",\"pods\":\"1\"}}");
}

/* What is not enforced is accepted, and said. */
SIM_TEST(quotas_that_are_not_enforced_are_warned_of)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    OWNED(http_response)
    response = apiserver_fixture_send_with(
        &fixture, QUOTAS, STR(""),
        STR("{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"cpu\"},"
            "\"spec\":{\"hard\":{\"a.deviceclass.resource.k8s.io/devices\":\"1\",\"pods\":\"0\"}}}"));
    CHECK_EQ(http_response_status(response), 201);
    CHECK_EQ(http_headers_find(http_response_headers(response), STR("warning")),
             STR("299 - \"spec.hard[a.deviceclass.resource.k8s.io/devices]: this resource is not "
                 "enforced by this server\""));
    await_status(&fixture, QUOTAS "/cpu",
                 "{\"hard\":{\"a.deviceclass.resource.k8s.io/devices\":\"1\",\"pods\":\"0\"},"
                 "\"used\":{\"pods\":\"0\"}}");
}

/* {"hard":{"count/r0.example.com":"1",...}} */
static void write_hard(struct buf *out, size_t count)
{
    buf_add(out, STR("{\"hard\":{"));
    for (size_t i = 0; i < count; i++)
        buf_print(out, "%s\"count/r%zu.example.com\":\"1\"", i ? "," : "", i);
    buf_add(out, STR("}}"));
}

static int make_large_quota(struct apiserver_fixture *fixture, const char *name, size_t count)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"metadata\":{\"name\":\"%s\"},\"spec\":", name);
    write_hard(&body, count);
    buf_add(&body, STR("}"));
    return apiserver_fixture_call(fixture, "POST", QUOTAS, buf_c(&body));
}

SIM_TEST(a_quota_has_a_limited_number_of_resources)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    CHECK_EQ(make_large_quota(&fixture, "enough", 1000), 201);
    CHECK_EQ(make_large_quota(&fixture, "many", 1001), 422);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"),
                   STR("spec.hard: Too many: 1001: must have at most 1000 items"));
    CHECK_EQ(make_map(&fixture, MAPS, "name", "a"), 201);
}

/* More text than is read in one turn, and more quotas than are named at a time. */
SIM_TEST(quotas_of_many_turns_are_all_read)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) name = {0};
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    for (int i = 0; i < 120; i++) {
        buf_clear(&name);
        buf_print(&name, "q%03d", i);
        CHECK_EQ(make_large_quota(&fixture, buf_c(&name), 100), 201);
    }
    make_quota(&fixture, "z", "{\"hard\":{\"configmaps\":\"1\"}}");
    CHECK_EQ(make_map(&fixture, MAPS, "name", "a"), 201);
    CHECK_EQ(make_map(&fixture, MAPS, "name", "b"), 403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("exceeded quota: z"));
    await_status(&fixture, QUOTAS "/z",
                 "{\"hard\":{\"configmaps\":\"1\"},\"used\":{\"configmaps\":\"1\"}}");
}

/* {"hard":{"requests.example.com/r0":"1",...}}; each of them is a limit of Pods. */
SIM_TEST(quotas_of_a_namespace_have_a_limited_number_of_limits_of_a_kind)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    start_with_namespace(&fixture);
    for (int quota = 0; quota < 6; quota++) {
        SCOPED(buf) body = {0};
        buf_print(&body, "{\"metadata\":{\"name\":\"q%d\"},\"spec\":{\"hard\":{", quota);
        for (int i = 0; i < 1000; i++)
            buf_print(&body, "%s\"requests.example.com/r%d\":\"1\"", i ? "," : "", i);
        buf_add(&body, STR("}}}"));
        apiserver_fixture_create(&fixture, QUOTAS, buf_c(&body));
        const int status = apiserver_fixture_call(
            &fixture, "POST", PODS "?dryRun=All",
            "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\","
            "\"image\":\"i\"}]}}");
        CHECK_EQ(status, quota < 5 ? 201 : 403);
    }
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"),
                   STR("the ResourceQuotas of the namespace have more than 5000 limits of pods"));
}
