#include "scenarios/clusterresourceset/crs_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/controller_manager_internal.h"
#include "app/standalone_kinds.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "http/client.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "scenarios/clusterresourceset/account.h"

#define MANAGEMENT STR("management.test")
#define GLANCE     (100 * MILLISECOND)
#define GLANCES    6000
#define SETTLING   (3 * SECOND)

static const struct {
    struct str host;
    const char *prefix;
} places[CRS_FIXTURE_CLUSTERS] = {
    {STR_INIT("c1.test"), "/clusters/vc-0001"},
    {STR_INIT("c2.test"), "/clusters/vc-0002"},
    {STR_INIT("c3.test"), "/clusters/vc-0003"},
};

static void on_line(void *data, struct str line)
{
    struct crs_fixture *fixture = data;
    buf_add(&fixture->log, line);
}

static void open_desk(struct crs_fixture *fixture, bool has_webhooks)
{
    struct apiserver_options options = {
        .virtual_clusters = CRS_FIXTURE_CLUSTERS,
        .max_token_lifetime = 1000 * (24 * HOUR), /* longer than any scenario */
    };
    standalone_add_kinds(&options);
    if (!has_webhooks)
        options.webhooks = (struct crd_webhooks_table){0};
    apiserver_fixture_init(&fixture->apiserver, &options);
}

static struct str call_as_admin(void *data, const char *method, const char *target,
                                const char *body)
{
    struct crs_fixture *fixture = data;
    crs_fixture_do(fixture, method, target, body);
    return buf_str(&fixture->apiserver.answer);
}

/* The proxy has the token, and no certificate besides that would count first. */
static void open_account(struct crs_fixture *fixture, const struct account_right *missing)
{
    const struct http_client_options account = {
        .endpoint = {.network = fixture->apiserver.network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->apiserver.server),
                     .tls = fixture->apiserver.tls,
                     .trust = fixture->apiserver.trust},
        .connections = 64,
    };
    fixture->account = http_client_new(loop_current(), &account);
    fixture->management.behind = fixture->account;
    account_make(call_as_admin, fixture, missing);
    account_token(call_as_admin, fixture, ACCOUNT_NAME, &fixture->management.token);
}

static void init(struct crs_fixture *fixture, bool has_webhooks,
                 const struct account_right *missing)
{
    *fixture = (struct crs_fixture){0};
    log_set_sink(on_line, fixture);
    open_desk(fixture, has_webhooks);
    open_account(fixture, missing);
    proxy_open(&fixture->management, fixture->apiserver.network, MANAGEMENT);
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++) {
        fixture->workloads[i].behind = fixture->apiserver.direct;
        fixture->workloads[i].prefix = places[i].prefix;
        apiserver_cluster_token(fixture->apiserver.server, i, &fixture->workloads[i].token);
        proxy_open(&fixture->workloads[i], fixture->apiserver.network, places[i].host);
    }
    fixture->config.server = (struct url){.scheme = URL_HTTP, .host = MANAGEMENT, .port = 80};
    fixture->config.host = STR("http://management.test");
    fixture->config.namespace = STR(ACCOUNT_NAMESPACE);
    crs_fixture_do(fixture, "POST", "/api/v1/namespaces",
                   "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}");
    while (crs_fixture_call(fixture, "GET", CRS_FIXTURE_SETS, NULL) != 200)
        CHECK_OK(fiber_sleep(GLANCE));
}

void crs_fixture_init(struct crs_fixture *fixture)
{
    init(fixture, true, NULL);
}

void crs_fixture_init_without_right(struct crs_fixture *fixture,
                                    const struct account_right *missing)
{
    init(fixture, true, missing);
    fixture->may_be_refused = true;
}

void crs_fixture_init_without_webhooks(struct crs_fixture *fixture)
{
    init(fixture, false, NULL);
}

void crs_fixture_done(struct crs_fixture *fixture)
{
    crs_fixture_stop(fixture);
    if (!fixture->may_be_refused)
        CHECK_EQ(buf_str(&fixture->management.refused), STR(""));
    proxy_done(&fixture->management);
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        proxy_done(&fixture->workloads[i]);
    http_client_free(fixture->account);
    apiserver_fixture_done(&fixture->apiserver);
    log_set_sink(NULL, NULL);
    buf_done(&fixture->log);
}

static struct error *run(void *data)
{
    struct crs_fixture *fixture = data;
    return controller_manager_run(fixture->controllers);
}

struct controller_manager_options
crs_fixture_options(struct crs_fixture *fixture, const struct controller_manager_options *options)
{
    struct controller_manager_options all =
        options ? *options : (struct controller_manager_options){0};
    if (!all.config)
        all.config = &fixture->config;
    all.network = fixture->apiserver.network;
    all.tls = fixture->apiserver.tls;
    all.user_agent = STR("corset/v1 (linux)");
    if (all.timing.jitter == 0)
        all.timing.jitter = -1;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it; see CMakeLists.txt */
    if (!options && getenv("CRS_FIXTURE_MERGES"))
        all.reconcile_with = CRS_MERGE_PATCH;
    return all;
}

void crs_fixture_start(struct crs_fixture *fixture,
                       const struct controller_manager_options *options)
{
    const struct controller_manager_options all = crs_fixture_options(fixture, options);
    CHECK_OK(controller_manager_new(loop_current(), &all, &fixture->controllers));
    scope_start(&fixture->running, "controllers", run, fixture);
}

void crs_fixture_stop(struct crs_fixture *fixture)
{
    scope_done(&fixture->running);
    fixture->running = (struct scope){0};
    controller_manager_free(TAKE(fixture->controllers));
}

static void put_kubeconfig(struct crs_fixture *fixture, const char *namespace, size_t number,
                           size_t workload)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) encoded = {.limit = 0};
    SCOPED(buf) secret = {.limit = 0};
    SCOPED(buf) target = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"clusters\":[{\"name\":\"c\","
              "\"cluster\":{\"server\":\"http://c%zu.test\"}}],\"contexts\":[{\"name\":\"c\","
              "\"context\":{\"cluster\":\"c\",\"user\":\"\"}}],\"current-context\":\"c\"}",
              workload);
    base64_encode(&encoded, buf_str(&text));
    buf_print(&secret,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
              "\"c%zu-kubeconfig\",\"labels\":{\"cluster.x-k8s.io/cluster-name\":\"c%zu\"}},"
              "\"type\":\"cluster.x-k8s.io/secret\",\"data\":{\"value\":\"%s\"}}",
              number, number, buf_c(&encoded));
    buf_print(&target, "/api/v1/namespaces/%s/secrets", namespace);
    crs_fixture_do(fixture, "POST", buf_c(&target), buf_c(&secret));
}

static void put_cluster(struct crs_fixture *fixture, const char *namespace, size_t number,
                        const char *labels, const char *metadata)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"%s\",\"labels\":{%s}%s},\"spec\":{},\"status\":{"
              "\"initialization\":{\"infrastructureProvisioned\":true,"
              "\"controlPlaneInitialized\":true}}}",
              number, namespace, labels, metadata);
    crs_fixture_put(fixture, buf_c(&text));
}

void crs_fixture_cluster_as(struct crs_fixture *fixture, const char *namespace, size_t number,
                            const char *labels, const char *metadata)
{
    put_kubeconfig(fixture, namespace, number, number);
    put_cluster(fixture, namespace, number, labels, metadata);
}

void crs_fixture_cluster_at(struct crs_fixture *fixture, const char *namespace, size_t number,
                            size_t workload)
{
    put_kubeconfig(fixture, namespace, number, workload);
    put_cluster(fixture, namespace, number, CRS_FIXTURE_LABELS, "");
}

void crs_fixture_kubeconfig(struct crs_fixture *fixture, size_t number, size_t workload)
{
    put_kubeconfig(fixture, "ns", number, workload);
}

void crs_fixture_cluster(struct crs_fixture *fixture, size_t number)
{
    crs_fixture_cluster_as(fixture, "ns", number, CRS_FIXTURE_LABELS, "");
}

/* Makes an object, or changes the one that is there. */
static void make(struct crs_fixture *fixture, const char *list, const char *name, const char *body)
{
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, "%s/%s", list, name);
    if (crs_fixture_exists(fixture, buf_c(&target)))
        crs_fixture_do(fixture, "PATCH", buf_c(&target), body);
    else
        crs_fixture_do(fixture, "POST", list, body);
}

void crs_fixture_map(struct crs_fixture *fixture, const char *name, const char *text)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"
              "\"data\":{\"data\":",
              name);
    buf_add_json_string(&body, str_from_c(text));
    buf_add(&body, STR("}}"));
    make(fixture, CRS_FIXTURE_MAPS, name, buf_c(&body));
}

void crs_fixture_secret(struct crs_fixture *fixture, const char *name, const char *type,
                        const char *text)
{
    SCOPED(buf) body = {.limit = 0};
    SCOPED(buf) encoded = {.limit = 0};
    base64_encode(&encoded, str_from_c(text));
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"%s\"},"
              "\"type\":\"%s\",\"data\":{\"data\":\"%s\"}}",
              name, *type ? type : CRS_FIXTURE_SECRET_TYPE, buf_c(&encoded));
    make(fixture, CRS_FIXTURE_SECRETS, name, buf_c(&body));
}

/* "ConfigMap/cm1 Secret/s1" as the list of a spec. */
static void add_resources(struct buf *out, const char *resources)
{
    struct str rest = str_from_c(resources), item, kind;
    const char *comma = "";
    buf_add_char(out, '[');
    while (rest.len) {
        str_cut(&rest, ' ', &item);
        str_cut(&item, '/', &kind);
        buf_print(out, "%s{\"kind\":\"%.*s\",\"name\":\"%.*s\"}", comma, STR_ARG(kind),
                  STR_ARG(item));
        comma = ",";
    }
    buf_add_char(out, ']');
}

const char *crs_fixture_resources(struct crs_fixture *fixture, const char *resources)
{
    buf_clear(&fixture->apiserver.answer);
    buf_add(&fixture->apiserver.answer, STR("{\"spec\":{\"resources\":"));
    add_resources(&fixture->apiserver.answer, resources);
    buf_add(&fixture->apiserver.answer, STR("}}"));
    return buf_c(&fixture->apiserver.answer);
}

void crs_fixture_set_as(struct crs_fixture *fixture, const char *name, const char *strategy,
                        const char *resources, const char *selector, const char *metadata)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
              "\"ClusterResourceSet\",\"metadata\":{\"name\":\"%s\"%s},\"spec\":{"
              "\"strategy\":\"%s\",\"clusterSelector\":%s,\"resources\":",
              name, metadata, strategy, selector);
    add_resources(&body, resources);
    buf_add(&body, STR("}}"));
    crs_fixture_do(fixture, "POST", CRS_FIXTURE_SETS, buf_c(&body));
}

void crs_fixture_set(struct crs_fixture *fixture, const char *name, const char *strategy,
                     const char *resources)
{
    crs_fixture_set_as(fixture, name, strategy, resources, CRS_FIXTURE_SELECTOR, "");
}

void crs_fixture_put(struct crs_fixture *fixture, const char *object)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(str_from_c(object), &doc));
    CHECK_OK(apiserver_put(fixture->apiserver.server, doc));
}

void crs_fixture_put_set(struct crs_fixture *fixture, const char *selector)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
              "\"ClusterResourceSet\",\"metadata\":{\"name\":\"crs1\",\"namespace\":\"ns\"},"
              "\"spec\":{\"strategy\":\"ApplyOnce\",\"clusterSelector\":%s,\"resources\":["
              "{\"kind\":\"ConfigMap\",\"name\":\"cm1\"}]}}",
              selector);
    crs_fixture_put(fixture, buf_c(&body));
}

void crs_fixture_ready_on(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_secret(fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    if (!fixture->controllers)
        crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_applied(fixture, "crs1");
}

void crs_fixture_ready(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_ready_on(fixture, strategy);
}

void crs_fixture_begin_on(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1");
}

void crs_fixture_begin(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_begin_on(fixture, strategy);
}

void crs_fixture_refuse(struct crs_fixture *fixture, const char *host, bool refused)
{
    sim_network_set_faults(fixture->apiserver.network, str_from_c(host),
                           &(struct sim_faults){.refuse = refused});
}

void crs_fixture_vanish(struct crs_fixture *fixture, bool vanishes)
{
    sim_network_set_faults(fixture->apiserver.network, STR("c1.test"),
                           &(struct sim_faults){.refuse = vanishes, .reset = vanishes ? 1 : 0});
}

/* corset up is admin of its server; the account of deploy/ may not write the status of Clusters. */
void crs_fixture_start_as_owner(struct crs_fixture *fixture)
{
    const struct controller_manager_options options = {.owns_clusters = true};
    crs_fixture_do(fixture, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                   "{\"metadata\":{\"name\":\"owner\"},\"rules\":[{\"apiGroups\":["
                   "\"cluster.x-k8s.io\"],\"resources\":[\"clusters/status\"],\"verbs\":["
                   "\"patch\"]}]}");
    crs_fixture_do(fixture, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                   "{\"metadata\":{\"name\":\"owner\"},\"roleRef\":{\"apiGroup\":"
                   "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"owner\"},"
                   "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"" ACCOUNT_NAME
                   "\",\"namespace\":\"" ACCOUNT_NAMESPACE "\"}]}");
    crs_fixture_start(fixture, &options);
}

void crs_fixture_kick(struct crs_fixture *fixture, const char *set)
{
    queue_add(fixture->controllers->crs_controllers->queues[CRS_CONTROLLER_SETS],
              (struct key){STR("ns"), str_from_c(set)}, QUEUE_NORMAL);
}

int crs_fixture_call(struct crs_fixture *fixture, const char *method, const char *target,
                     const char *body)
{
    return apiserver_fixture_call(&fixture->apiserver, method, target, body);
}

void crs_fixture_do(struct crs_fixture *fixture, const char *method, const char *target,
                    const char *body)
{
    apiserver_fixture_do(&fixture->apiserver, method, target, body);
}

bool crs_fixture_exists(struct crs_fixture *fixture, const char *target)
{
    return crs_fixture_call(fixture, "GET", target, NULL) == 200;
}

struct str crs_fixture_look(struct crs_fixture *fixture, const char *target, const char *path)
{
    return apiserver_fixture_look(&fixture->apiserver, target, path);
}

size_t crs_fixture_elements(struct crs_fixture *fixture, const char *target, const char *path)
{
    crs_fixture_do(fixture, "GET", target, NULL);
    const struct json_value *value = json_path(json_doc_root(fixture->apiserver.doc), path);
    return value ? json_count(value) : 0;
}

/* The members of a list's element with this type, with "/" between; "-" when there is none. */
static struct str read_condition(struct crs_fixture *fixture, const char *set, const char *list,
                                 const char *type, const char *const *members)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *condition;
    buf_print(&text, CRS_FIXTURE_SETS "/%s", set);
    if (crs_fixture_call(fixture, "GET", buf_c(&text), NULL) != 200)
        return STR("gone");
    buf_clear(&text);
    JSON_FOREACH (key, condition, json_path(json_doc_root(fixture->apiserver.doc), list)) {
        if (!str_eq(json_path_str(condition, "type"), str_from_c(type)))
            continue;
        for (; *members; members++)
            buf_print(&text, "%s%.*s", text.len ? "/" : "",
                      STR_ARG(json_path_str(condition, *members)));
        return apiserver_fixture_keep(&fixture->apiserver, buf_str(&text));
    }
    return STR("-");
}

struct str crs_fixture_condition(struct crs_fixture *fixture, const char *set, const char *type)
{
    static const char *const members[] = {"status", "reason", "message", NULL};
    return read_condition(fixture, set, "status.conditions", type, members);
}

struct str crs_fixture_deprecated(struct crs_fixture *fixture, const char *set)
{
    static const char *const members[] = {"status", "reason", "severity", "message", NULL};
    return read_condition(fixture, set, "status.deprecated.v1beta1.conditions", "ResourcesApplied",
                          members);
}

static void add_resource(struct buf *out, const struct json_value *resource)
{
    bool applied = false;
    json_to_bool(json_path(resource, "applied"), &applied);
    buf_print(out, "%s%.*s/%.*s %s%s%s", out->len ? ", " : "",
              STR_ARG(json_path_str(resource, "kind")), STR_ARG(json_path_str(resource, "name")),
              applied ? "true" : "false", json_path(resource, "hash") ? " hash" : "",
              json_path(resource, "lastAppliedTime") ? "" : " untimed");
}

static struct str entry_text(struct crs_fixture *fixture, const struct json_value *entry)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *resource;
    JSON_FOREACH (key, resource, json_path(entry, "resources"))
        add_resource(&text, resource);
    return text.len ? apiserver_fixture_keep(&fixture->apiserver, buf_str(&text)) : STR("none");
}

struct str crs_fixture_entry(struct crs_fixture *fixture, const char *cluster, const char *set)
{
    SCOPED(buf) target = {.limit = 0};
    const struct json_value *entry;
    buf_print(&target, CRS_FIXTURE_BINDINGS "/%s", cluster);
    if (!crs_fixture_exists(fixture, buf_c(&target)))
        return STR("gone");
    JSON_FOREACH (key, entry, json_path(json_doc_root(fixture->apiserver.doc), "spec.bindings"))
        if (str_eq(json_path_str(entry, "clusterResourceSetName"), str_from_c(set)))
            return entry_text(fixture, entry);
    return STR("-");
}

/* Before a test fails: what the controllers said. */
static void show_log(struct crs_fixture *fixture)
{
    fputs(buf_c(&fixture->log), stderr);
}

void crs_fixture_await(struct crs_fixture *fixture, const char *target, const char *path,
                       const char *text)
{
    for (int i = 0; i < GLANCES; i++) {
        if (str_eq(crs_fixture_look(fixture, target, path), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(GLANCE));
    }
    show_log(fixture);
    CHECK_EQ(crs_fixture_look(fixture, target, path), str_from_c(text));
}

void crs_fixture_await_gone(struct crs_fixture *fixture, const char *target)
{
    for (int i = 0; i < GLANCES; i++) {
        if (crs_fixture_call(fixture, "GET", target, NULL) == 404)
            return;
        CHECK_OK(fiber_sleep(GLANCE));
    }
    show_log(fixture);
    test_fail(TEST_PLACE(target), "%.*s", STR_ARG(buf_str(&fixture->apiserver.answer)));
}

void crs_fixture_await_condition(struct crs_fixture *fixture, const char *set, const char *type,
                                 const char *start)
{
    for (int i = 0; i < GLANCES; i++) {
        if (str_starts_with(crs_fixture_condition(fixture, set, type), str_from_c(start)))
            return;
        CHECK_OK(fiber_sleep(GLANCE));
    }
    show_log(fixture);
    CHECK_EQ(crs_fixture_condition(fixture, set, type), str_from_c(start));
}

void crs_fixture_await_entry(struct crs_fixture *fixture, const char *cluster, const char *set,
                             const char *text)
{
    for (int i = 0; i < GLANCES; i++) {
        if (str_eq(crs_fixture_entry(fixture, cluster, set), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(GLANCE));
    }
    show_log(fixture);
    CHECK_EQ(crs_fixture_entry(fixture, cluster, set), str_from_c(text));
}

void crs_fixture_await_applied(struct crs_fixture *fixture, const char *set)
{
    SCOPED(buf) target = {.limit = 0};
    SCOPED(buf) generation = {.limit = 0};
    buf_print(&target, CRS_FIXTURE_SETS "/%s", set);
    buf_add(&generation, crs_fixture_look(fixture, buf_c(&target), "metadata.generation"));
    crs_fixture_await(fixture, buf_c(&target), "status.observedGeneration", buf_c(&generation));
    crs_fixture_await_condition(fixture, set, "ResourcesApplied", "True/Applied/");
}

void crs_fixture_forget(struct crs_fixture *fixture)
{
    proxy_forget(&fixture->management);
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        proxy_forget(&fixture->workloads[i]);
}

size_t crs_fixture_workload_requests(const struct crs_fixture *fixture)
{
    size_t count = 0;
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        count += proxy_count(&fixture->workloads[i], "");
    return count;
}

void crs_fixture_check_quiet(struct crs_fixture *fixture, duration span)
{
    CHECK_OK(fiber_sleep(SETTLING));
    crs_fixture_forget(fixture);
    CHECK_OK(fiber_sleep(span));
    if (fixture->management.writes)
        test_fail(TEST_PLACE("writes"), "%s", buf_c(&fixture->management.asked));
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        CHECK_EQ(buf_str(&fixture->workloads[i].asked), STR(""));
}

bool crs_fixture_is_before(const struct proxy *proxy, const char *part, const char *other)
{
    const struct buf *asked = &proxy->asked;
    const char *one = memmem(asked->ptr, asked->len, part, strlen(part));
    const char *two = memmem(asked->ptr, asked->len, other, strlen(other));
    return one && two && one < two;
}

bool crs_fixture_logged(const struct crs_fixture *fixture, const char *text)
{
    return str_contains(buf_str(&fixture->log), str_from_c(text));
}

double crs_fixture_metric(struct crs_fixture *fixture, const char *series)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) wanted = {.limit = 0};
    metrics_write(fixture->controllers->metrics, &text);
    buf_print(&wanted, "\n%s ", series);
    const char *at = strstr(buf_c(&text), buf_c(&wanted));
    return at ? strtod(at + wanted.len, NULL) : 0;
}

double crs_fixture_errors(struct crs_fixture *fixture)
{
    static const char *const names[] = {"clusterresourceset", "clusterresourceset-cluster"};
    SCOPED(buf) series = {.limit = 0};
    double sum = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        buf_clear(&series);
        buf_print(&series, "controller_runtime_reconcile_errors_total{controller=\"%s\"}",
                  names[i]);
        sum += crs_fixture_metric(fixture, buf_c(&series));
    }
    return sum;
}

double crs_fixture_seconds_since(int64_t moment)
{
    return (double)(loop_now(loop_current()) - moment) / (double)SECOND;
}
