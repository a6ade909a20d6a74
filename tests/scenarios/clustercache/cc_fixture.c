/*
 * Three parts: the proxies in front of the workload cluster, the life of the fixture, and what
 * tests do with it (write objects, reconcile, look at requests, metrics and logs).
 *
 * The proxies are not those of support/proxy: these scenarios are about probes, discovery and
 * watches, which that proxy passes without a record, and they need streams that end on demand.
 */
#include "scenarios/clustercache/cc_fixture.h"

#include <string.h>

#include "base/base64.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"

#define PIECE 4096

/* A Cluster of any shape: the ClusterCache reads one field of it. */
static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"clusters.cluster.x-k8s.io\",\"annotations\":{"
    "\"api-approved.kubernetes.io\":\"unapproved\"}},\"spec\":{\"group\":\"cluster.x-k8s.io\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"clusters\",\"singular\":\"cluster\","
    "\"kind\":\"Cluster\",\"listKind\":\"ClusterList\"},\"versions\":[{\"name\":\"v1beta2\","
    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static bool has_part(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void keep(struct buf *buf, struct str text)
{
    buf_clear(buf);
    buf_add(buf, text);
}

/* Records a request, and the headers of the last one. */
static void note_request(struct cc_fixture *fixture, struct http_request *request)
{
    const struct http_headers *headers = http_request_headers(request);
    const struct str method = http_request_method(request), target = http_request_target(request);
    buf_print(&fixture->asked, "%.*s %.*s\n", STR_ARG(method), STR_ARG(target));
    keep(&fixture->agent, http_headers_find(headers, STR("user-agent")));
    keep(&fixture->accept, http_headers_find(headers, STR("accept")));
    keep(&fixture->authorization, http_headers_find(headers, STR("authorization")));
}

/* A Status with the reason that fits its code, as an API server would send it. */
static struct error *refuse(struct http_request *request, int status)
{
    SCOPED(buf) body = {0};
    const enum error_code code = error_code_from_http_status(status);
    buf_print(&body,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
              "\"said no\",\"reason\":\"%.*s\",\"code\":%d}",
              STR_ARG(error_code_reason(code)), status);
    return http_request_answer(request, status, STR("application/json"), buf_str(&body));
}

/* Suspends. A watch checks every 10 ms whether cc_fixture_end_streams() was called. */
static struct error *next_piece(struct cc_fixture *fixture, struct http_response *response,
                                bool is_watch, char *piece, size_t *ret_len)
{
    const uint64_t ended = fixture->ended_streams;
    while (is_watch) {
        FIBER_TIMEOUT(10 * MILLISECOND);
        struct error *err = http_response_read(response, piece, PIECE, ret_len);
        if (!error_is(err, ERROR_DEADLINE))
            return err;
        error_free(err);
        if (fixture->ended_streams == ended)
            continue;
        *ret_len = 0;
        return NULL;
    }
    return http_response_read(response, piece, PIECE, ret_len);
}

/* Copies the answer piece by piece, so that events of a watch arrive as they happen. Suspends. */
static struct error *pass_on(struct cc_fixture *fixture, struct http_request *request,
                             struct http_response *response)
{
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    const uint64_t ended = fixture->ended_streams;
    SCOPED(http_headers) headers = {0};
    char piece[PIECE];
    size_t len;
    TRY(http_headers_add(&headers, STR("Content-Type"),
                         http_headers_find(http_response_headers(response), STR("content-type"))));
    TRY(http_request_respond(request, http_response_status(response), &headers));
    for (;;) {
        TRY(next_piece(fixture, response, is_watch, piece, &len));
        if (!len && is_watch && fixture->ended_streams != ended && fixture->last_event)
            TRY(http_request_write(request, str_from_c(fixture->last_event)));
        if (!len)
            return NULL;
        TRY(http_request_write(request, str_from(piece, len)));
    }
}

/* The request as the admin of the virtual cluster: the token of the test means nothing there. */
static struct error *ask_server(struct cc_fixture *fixture, struct http_request *request,
                                struct str body, struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) target = {0};
    SCOPED(buf) bearer = {0};
    static const char *const names[] = {"content-type", "accept"};
    const size_t count = fixture->is_old ? 1 : COUNT(names);
    for (size_t i = 0; i < count; i++) {
        const struct str value =
            http_headers_find(http_request_headers(request), str_from_c(names[i]));
        if (value.len)
            TRY(http_headers_add(&headers, str_from_c(names[i]), value));
    }
    buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&fixture->token)));
    TRY(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    buf_add(&target, STR(CC_FIXTURE_WORKLOAD));
    buf_add(&target, http_request_target(request));
    const struct http_client_request on = {.method = http_request_method(request),
                                           .target = buf_str(&target),
                                           .headers = &headers,
                                           .body = body};
    return http_client_send(fixture->apiserver.direct, &on, ret_response);
}

static bool is_authorized(const struct cc_fixture *fixture)
{
    return !fixture->wants || has_part(buf_str(&fixture->authorization), fixture->wants);
}

/* The order of faults: delay, hang, wrong token, status. */
static struct error *answer_request(struct cc_fixture *fixture, struct http_request *request)
{
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    TRY(http_request_read_all(request, &body));
    note_request(fixture, request);
    if (fixture->delay)
        TRY(fiber_sleep(fixture->delay));
    if (fixture->hangs)
        TRY(fiber_sleep(FOREVER));
    if (!is_authorized(fixture))
        return refuse(request, 401);
    if (fixture->status &&
        has_part(http_request_target(request), fixture->part ? fixture->part : "/?"))
        return refuse(request, fixture->status);
    TRY(ask_server(fixture, request, buf_str(&body), &response));
    return pass_on(fixture, request, response);
}

static struct error *serve_proxy(void *data, struct http_request *request)
{
    struct cc_fixture_proxy *proxy = data;
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    proxy->fixture->streams += is_watch;
    struct error *err = answer_request(proxy->fixture, request);
    proxy->fixture->streams -= is_watch;
    return err;
}

static void open_proxy(struct cc_fixture *fixture, size_t index, struct str host)
{
    fixture->proxies[index].fixture = fixture;
    const struct http_server_options options = {.network = fixture->apiserver.network,
                                                .host = host,
                                                .port = 80,
                                                .handler = serve_proxy,
                                                .data = &fixture->proxies[index]};
    CHECK_OK(http_server_new(loop_current(), &options, &fixture->proxies[index].server));
}

static void on_line(void *data, struct str line)
{
    struct cc_fixture *fixture = data;
    buf_add(&fixture->log, line);
}

/* The management client talks to the server directly, as the admin. */
static void open_management(struct cc_fixture *fixture)
{
    fixture->config.server = (struct url){.scheme = URL_HTTPS,
                                          .host = APISERVER_FIXTURE_HOST,
                                          .port = apiserver_port(fixture->apiserver.server)};
    fixture->config.host = STR("https://server.test");
    fixture->config.tls =
        (struct rest_tls){.trust = fixture->apiserver.trust, .identity = fixture->apiserver.admin};
    fixture->client =
        client_new(loop_current(), &(struct client_options){.config = &fixture->config,
                                                            .network = fixture->apiserver.network,
                                                            .tls = fixture->apiserver.tls,
                                                            .qps = -1});
    fixture->set = cache_set_new(loop_current(), fixture->client);
}

/* Suspends until the server has the kind Cluster. */
void cc_fixture_init(struct cc_fixture *fixture, size_t clusters)
{
    *fixture = (struct cc_fixture){.metrics = metrics_new()};
    log_set_level(6);
    log_set_sink(on_line, fixture);
    apiserver_fixture_init(&fixture->apiserver,
                           &(struct apiserver_options){.virtual_clusters = clusters});
    apiserver_cluster_token(fixture->apiserver.server, 0, &fixture->token);
    cc_fixture_do(fixture, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                  definition);
    while (cc_fixture_call(fixture, "GET", CC_FIXTURE_CLUSTERS, NULL) != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    open_proxy(fixture, 0, STR("workload.test"));
    open_proxy(fixture, 1, STR("other.test"));
    open_management(fixture);
}

struct clustercache_options cc_fixture_options(struct cc_fixture *fixture)
{
    return (struct clustercache_options){
        .clusters = cache_set_get(
            fixture->set,
            &(struct cache_options){.gvr = GVR("cluster.x-k8s.io", "v1beta2", "clusters")}),
        .secrets = cache_set_get(
            fixture->set,
            &(struct cache_options){.gvr = GVR("", "v1", "secrets"),
                                    .label_selector = STR("cluster.x-k8s.io/cluster-name")}),
        .network = fixture->apiserver.network,
        .tls = fixture->apiserver.tls,
        .metrics = fixture->metrics,
        .user_agent = STR("test/1"),
        .timing = {.jitter = -1},
    };
}

void cc_fixture_start(struct cc_fixture *fixture, const struct clustercache_options *options)
{
    const struct clustercache_options plain = cc_fixture_options(fixture);
    CHECK_OK(cache_set_wait_synced(fixture->set));
    CHECK_OK(clustercache_new(loop_current(), options ? options : &plain, &fixture->cache));
}

static struct error *run_controller(void *data)
{
    struct cc_fixture *fixture = data;
    return controller_run(fixture->controller);
}

void cc_fixture_run(struct cc_fixture *fixture)
{
    fixture->controller = clustercache_take_controller(fixture->cache);
    scope_start(&fixture->running, "controller", run_controller, fixture);
}

void cc_fixture_stop(struct cc_fixture *fixture)
{
    scope_done(&fixture->running);
    controller_free(TAKE(fixture->controller));
}

/* In reverse: what still uses a thing goes before it. Suspends. */
void cc_fixture_done(struct cc_fixture *fixture)
{
    cc_fixture_stop(fixture);
    clustercache_free(fixture->cache);
    cache_set_free(fixture->set);
    client_free(fixture->client);
    for (size_t i = 0; i < COUNT(fixture->proxies); i++)
        http_server_free(fixture->proxies[i].server);
    apiserver_fixture_done(&fixture->apiserver);
    metrics_free(fixture->metrics);
    log_set_sink(NULL, NULL);
    buf_done(&fixture->token);
    buf_done(&fixture->asked);
    buf_done(&fixture->agent);
    buf_done(&fixture->accept);
    buf_done(&fixture->authorization);
    buf_done(&fixture->log);
}

/* Long enough for an event to reach a cache, short against every interval. */
void cc_fixture_settle(void)
{
    CHECK_OK(fiber_sleep(100 * MILLISECOND));
}

void cc_fixture_cluster(struct cc_fixture *fixture, const char *name, bool provisioned)
{
    SCOPED(buf) body = {0};
    SCOPED(buf) target = {0};
    buf_print(&target, CC_FIXTURE_CLUSTERS "/%s", name);
    const bool exists = cc_fixture_call(fixture, "GET", buf_c(&target), NULL) == 200;
    buf_print(&body,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"%s\",\"namespace\":\"default\"},\"status\":{\"initialization\":{"
              "\"infrastructureProvisioned\":%s}}}",
              name, provisioned ? "true" : "false");
    cc_fixture_do(fixture, exists ? "PATCH" : "POST", exists ? buf_c(&target) : CC_FIXTURE_CLUSTERS,
                  buf_c(&body));
    cc_fixture_settle();
}

void cc_fixture_remove_cluster(struct cc_fixture *fixture, const char *name)
{
    SCOPED(buf) target = {0};
    buf_print(&target, CC_FIXTURE_CLUSTERS "/%s", name);
    cc_fixture_do(fixture, "DELETE", buf_c(&target), NULL);
    cc_fixture_settle();
}

void cc_fixture_secret(struct cc_fixture *fixture, const char *name, const char *kubeconfig)
{
    SCOPED(buf) body = {0};
    SCOPED(buf) value = {0};
    SCOPED(buf) target = {0};
    buf_print(&target, CC_FIXTURE_SECRETS "/%s-kubeconfig", name);
    const bool exists = cc_fixture_call(fixture, "GET", buf_c(&target), NULL) == 200;
    base64_encode(&value, str_from_c(kubeconfig));
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{"
              "\"name\":\"%s-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"%s\"}},\"data\":{\"value\":\"%.*s\"}}",
              name, name, STR_ARG(buf_str(&value)));
    cc_fixture_do(fixture, exists ? "PATCH" : "POST", exists ? buf_c(&target) : CC_FIXTURE_SECRETS,
                  buf_c(&body));
    cc_fixture_settle();
}

char *cc_fixture_kubeconfig(const char *server, const char *token)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\",\"clusters\":["
              "{\"name\":\"c\",\"cluster\":{\"server\":\"%s\"}}],\"users\":[{\"name\":\"u\","
              "\"user\":{\"token\":\"%s\"}}],\"contexts\":[{\"name\":\"c\",\"context\":{"
              "\"cluster\":\"c\",\"user\":\"u\"}}]}",
              server, token);
    return buf_take(&text);
}

void cc_fixture_tls_kubeconfig(struct cc_fixture *fixture, size_t index, const char *as,
                               struct buf *out)
{
    SCOPED(buf) token = {0};
    SCOPED(buf) host = {0};
    apiserver_cluster_token(fixture->apiserver.server, index, &token);
    const struct str name = apiserver_cluster_name(fixture->apiserver.server, index);
    buf_print(&host, "https://server.test:%u/clusters/%.*s",
              apiserver_port(fixture->apiserver.server), STR_ARG(name));
    const struct str masters = STR("system:masters");
    struct rest_config config = {.host = buf_str(&host)};
    config.tls.trust_pem = apiserver_authority(fixture->apiserver.server);
    config.auth.token = buf_str(&token);
    config.impersonate.user = str_from_c(as);
    config.impersonate.groups = &masters;
    config.impersonate.group_count = as ? 1 : 0;
    kubeconfig_write(out, STR("c"), &config);
}

void cc_fixture_tls_credentials(struct cc_fixture *fixture, size_t index, const char *as)
{
    SCOPED(buf) kubeconfig = {0};
    cc_fixture_tls_kubeconfig(fixture, index, as, &kubeconfig);
    cc_fixture_secret(fixture, "c", buf_c(&kubeconfig));
}

/* New clusters have scenarios of their own; where the controller runs already, c is one of them. */
void cc_fixture_grow_old(const struct cc_fixture *fixture)
{
    if (!fixture->controller)
        CHECK_OK(fiber_sleep(2 * MINUTE));
}

void cc_fixture_ready(struct cc_fixture *fixture)
{
    cc_fixture_credentials(fixture, CC_FIXTURE_HOST, "one");
    cc_fixture_cluster(fixture, "c", true);
    cc_fixture_grow_old(fixture);
}

void cc_fixture_credentials(struct cc_fixture *fixture, const char *server, const char *token)
{
    OWNED_PTR char *kubeconfig = cc_fixture_kubeconfig(server, token);
    cc_fixture_secret(fixture, "c", kubeconfig);
}

/* An empty provider ID has no index entry. */
static void emit_provider(void *index_data, const struct object *object, cache_emit_fn *emit,
                          void *data)
{
    (void)index_data;
    const struct str id = json_to_str(object_path(object, "spec.providerID"));
    if (id.len)
        emit(data, id);
}

const struct clustercache_index cc_fixture_node_index = {
    {STR_INIT(""), STR_INIT("v1"), STR_INIT("Node")},
    STR_INIT("spec.providerID"),
    emit_provider,
    NULL
};

void cc_fixture_fail_to_connect(struct cc_fixture *fixture)
{
    cc_fixture_start(fixture, NULL);
    cc_fixture_cluster(fixture, "c", true);
    cc_fixture_grow_old(fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(fixture), 30 * SECOND);
}

void cc_fixture_connect(struct cc_fixture *fixture)
{
    if (!fixture->cache)
        cc_fixture_start(fixture, NULL);
    cc_fixture_ready(fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(fixture), 10 * SECOND);
    CHECK(cc_fixture_is_connected(fixture));
    cc_fixture_forget(fixture);
}

/* The ClusterCache never asks for an immediate requeue: every outcome is done or a delay. */
static duration reconcile_once(struct cc_fixture *fixture)
{
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(fixture->cache, CC_FIXTURE_KEY, &result));
    CHECK(!result.requeue);
    return result.requeue_after;
}

/* The accessor is looked up again each time: a reconcile may have replaced it. */
duration cc_fixture_reconcile(struct cc_fixture *fixture)
{
    duration delay = reconcile_once(fixture);
    const struct accessor *accessor = cc_fixture_accessor(fixture);
    if (!accessor || (!accessor->is_connecting && !accessor->is_probing))
        return delay;
    while ((accessor = cc_fixture_accessor(fixture)) &&
           (accessor->is_connecting || accessor->is_probing))
        CHECK_OK(fiber_sleep(MILLISECOND));
    return reconcile_once(fixture);
}

duration cc_fixture_reconcile_after(struct cc_fixture *fixture, duration span)
{
    CHECK_OK(fiber_sleep(span));
    return cc_fixture_reconcile(fixture);
}

void cc_fixture_check_delay(duration seen, duration expected)
{
    if (seen > expected || seen < expected - 10 * MILLISECOND)
        test_fail(TEST_PLACE("delay"), "%lld ms, expected %lld", (long long)(seen / MILLISECOND),
                  (long long)(expected / MILLISECOND));
}

struct accessor *cc_fixture_accessor(const struct cc_fixture *fixture)
{
    return clustercache_find(fixture->cache, CC_FIXTURE_KEY);
}

bool cc_fixture_is_connected(const struct cc_fixture *fixture)
{
    const struct accessor *accessor = cc_fixture_accessor(fixture);
    return accessor && accessor->connection;
}

size_t cc_fixture_count(const struct cc_fixture *fixture, const char *part)
{
    size_t count = 0;
    struct str rest = buf_str(&fixture->asked);
    for (size_t at; (at = str_find(rest, str_from_c(part))) != STR_NONE; count++)
        rest = str_skip(rest, at + 1);
    return count;
}

void cc_fixture_forget(struct cc_fixture *fixture)
{
    buf_clear(&fixture->asked);
    buf_clear(&fixture->log);
}

void cc_fixture_end_streams(struct cc_fixture *fixture, const char *line)
{
    fixture->ended_streams++;
    fixture->last_event = line;
    CHECK_OK(fiber_sleep(20 * MILLISECOND));
}

/* From the text that Prometheus would scrape, so that names and labels are checked as well. */
const char *cc_fixture_metric(struct cc_fixture *fixture, const char *name)
{
    static char value[64];
    SCOPED(buf) text = {0};
    SCOPED(buf) wanted = {0};
    metrics_write(fixture->metrics, &text);
    buf_print(&wanted, "\n%s", name);
    const char *at = strstr(buf_c(&text), buf_c(&wanted));
    const char *space = at ? strchr(at, ' ') : NULL;
    if (!space)
        return "-";
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(space + 1, "\n"), space + 1);
    return value;
}

size_t cc_fixture_series(struct cc_fixture *fixture)
{
    SCOPED(buf) text = {0};
    size_t count = 0;
    metrics_write(fixture->metrics, &text);
    for (const char *at = buf_c(&text); (at = strstr(at, "\ncapi_cluster_cache_")); at++)
        count++;
    return count;
}

bool cc_fixture_logged(const struct cc_fixture *fixture, const char *text)
{
    return has_part(buf_str(&fixture->log), text);
}

int cc_fixture_call(struct cc_fixture *fixture, const char *method, const char *target,
                    const char *body)
{
    return apiserver_fixture_call(&fixture->apiserver, method, target, body);
}

void cc_fixture_do(struct cc_fixture *fixture, const char *method, const char *target,
                   const char *body)
{
    apiserver_fixture_do(&fixture->apiserver, method, target, body);
}

void cc_fixture_node(struct cc_fixture *fixture, const char *name, const char *provider_id)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},\"spec\":{",
              name);
    if (provider_id)
        buf_print(&body, "\"providerID\":\"%s\"", provider_id);
    buf_add(&body, STR("}}"));
    cc_fixture_do(fixture, "POST", CC_FIXTURE_NODES, buf_c(&body));
    cc_fixture_settle();
}
