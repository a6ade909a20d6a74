#include "scenarios/clustercache/rig.h"

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

static void note(struct rig *rig, struct http_request *request)
{
    const struct http_headers *headers = http_request_headers(request);
    const struct str method = http_request_method(request), target = http_request_target(request);
    buf_print(&rig->asked, "%.*s %.*s\n", STR_ARG(method), STR_ARG(target));
    keep(&rig->agent, http_headers_find(headers, STR("user-agent")));
    keep(&rig->accept, http_headers_find(headers, STR("accept")));
    keep(&rig->authorization, http_headers_find(headers, STR("authorization")));
}

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

/* Suspends. A watch looks every few milliseconds whether it is to end. */
static struct error *next_piece(struct rig *rig, struct http_response *response, bool is_watch,
                                char *piece, size_t *ret_len)
{
    const uint64_t ended = rig->ended_streams;
    while (is_watch) {
        FIBER_TIMEOUT(10 * MILLISECOND);
        struct error *err = http_response_read(response, piece, PIECE, ret_len);
        if (!error_is(err, ERROR_DEADLINE))
            return err;
        error_free(err);
        if (rig->ended_streams == ended)
            continue;
        *ret_len = 0;
        return NULL;
    }
    return http_response_read(response, piece, PIECE, ret_len);
}

static struct error *pass_on(struct rig *rig, struct http_request *request,
                             struct http_response *response)
{
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    const uint64_t ended = rig->ended_streams;
    SCOPED(http_headers) headers = {0};
    char piece[PIECE];
    size_t len;
    TRY(http_headers_add(&headers, STR("Content-Type"),
                         http_headers_find(http_response_headers(response), STR("content-type"))));
    TRY(http_request_respond(request, http_response_status(response), &headers));
    for (;;) {
        TRY(next_piece(rig, response, is_watch, piece, &len));
        if (!len && is_watch && rig->ended_streams != ended && rig->last_event)
            TRY(http_request_write(request, str_from_c(rig->last_event)));
        if (!len)
            return NULL;
        TRY(http_request_write(request, str_from(piece, len)));
    }
}

static struct error *ask(struct rig *rig, struct http_request *request, struct str body,
                         struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) target = {0};
    SCOPED(buf) bearer = {0};
    static const char *const names[] = {"content-type", "accept"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct str value =
            http_headers_find(http_request_headers(request), str_from_c(names[i]));
        if (value.len)
            TRY(http_headers_add(&headers, str_from_c(names[i]), value));
    }
    buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&rig->token)));
    TRY(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    buf_add(&target, STR(RIG_WORKLOAD));
    buf_add(&target, http_request_target(request));
    const struct http_client_request on = {.method = http_request_method(request),
                                           .target = buf_str(&target),
                                           .headers = &headers,
                                           .body = body};
    return http_client_send(rig->desk.direct, &on, ret_response);
}

static bool is_authorized(const struct rig *rig)
{
    return !rig->wants || has_part(buf_str(&rig->authorization), rig->wants);
}

static struct error *answer(struct rig *rig, struct http_request *request)
{
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    TRY(http_request_read_all(request, &body));
    note(rig, request);
    if (rig->delay)
        TRY(fiber_sleep(rig->delay));
    if (rig->hangs)
        TRY(fiber_sleep(FOREVER));
    if (!is_authorized(rig))
        return refuse(request, 401);
    if (rig->status && has_part(http_request_target(request), rig->part ? rig->part : "/?"))
        return refuse(request, rig->status);
    TRY(ask(rig, request, buf_str(&body), &response));
    return pass_on(rig, request, response);
}

static struct error *serve(void *data, struct http_request *request)
{
    struct rig_proxy *proxy = data;
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    proxy->rig->streams += is_watch;
    struct error *err = answer(proxy->rig, request);
    proxy->rig->streams -= is_watch;
    return err;
}

static void open_proxy(struct rig *rig, size_t index, struct str host)
{
    rig->proxies[index].rig = rig;
    const struct http_server_options options = {.network = rig->desk.network,
                                                .host = host,
                                                .port = 80,
                                                .handler = serve,
                                                .data = &rig->proxies[index]};
    CHECK_OK(http_server_new(loop_current(), &options, &rig->proxies[index].server));
}

static void on_line(void *data, struct str line)
{
    struct rig *rig = data;
    buf_add(&rig->log, line);
}

static void open_management(struct rig *rig)
{
    rig->config.server = (struct url){
        .scheme = URL_HTTPS, .host = DESK_HOST, .port = apiserver_port(rig->desk.server)};
    rig->config.host = STR("https://server.test");
    rig->config.tls = (struct rest_tls){.trust = rig->desk.trust, .identity = rig->desk.admin};
    rig->client = client_new(loop_current(), &(struct client_options){.config = &rig->config,
                                                                      .network = rig->desk.network,
                                                                      .tls = rig->desk.tls,
                                                                      .qps = -1});
    rig->set = cache_set_new(loop_current(), rig->client);
}

void rig_init(struct rig *rig, size_t clusters)
{
    *rig = (struct rig){.metrics = metrics_new()};
    log_set_level(6);
    log_set_sink(on_line, rig);
    desk_init(&rig->desk, &(struct apiserver_options){.virtual_clusters = clusters});
    apiserver_cluster_token(rig->desk.server, 0, &rig->token);
    rig_do(rig, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    while (rig_call(rig, "GET", RIG_CLUSTERS, NULL) != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    open_proxy(rig, 0, STR("workload.test"));
    open_proxy(rig, 1, STR("other.test"));
    open_management(rig);
}

struct clustercache_options rig_options(struct rig *rig)
{
    return (struct clustercache_options){
        .clusters = cache_set_get(
            rig->set,
            &(struct cache_options){.gvr = GVR("cluster.x-k8s.io", "v1beta2", "clusters")}),
        .secrets = cache_set_get(
            rig->set,
            &(struct cache_options){.gvr = GVR("", "v1", "secrets"),
                                    .label_selector = STR("cluster.x-k8s.io/cluster-name")}),
        .network = rig->desk.network,
        .tls = rig->desk.tls,
        .metrics = rig->metrics,
        .user_agent = STR("test/1"),
        .timing = {.jitter = -1},
    };
}

void rig_start(struct rig *rig, const struct clustercache_options *options)
{
    const struct clustercache_options plain = rig_options(rig);
    CHECK_OK(cache_set_wait_synced(rig->set));
    CHECK_OK(clustercache_new(loop_current(), options ? options : &plain, &rig->cache));
}

static struct error *run(void *data)
{
    struct rig *rig = data;
    return controller_run(rig->controller);
}

void rig_run(struct rig *rig)
{
    rig->controller = clustercache_take_controller(rig->cache);
    scope_start(&rig->running, "controller", run, rig);
}

void rig_stop(struct rig *rig)
{
    scope_done(&rig->running);
    controller_free(TAKE(rig->controller));
}

void rig_done(struct rig *rig)
{
    rig_stop(rig);
    clustercache_free(rig->cache);
    cache_set_free(rig->set);
    client_free(rig->client);
    for (size_t i = 0; i < COUNT(rig->proxies); i++)
        http_server_free(rig->proxies[i].server);
    desk_done(&rig->desk);
    metrics_free(rig->metrics);
    log_set_sink(NULL, NULL);
    buf_done(&rig->token);
    buf_done(&rig->asked);
    buf_done(&rig->agent);
    buf_done(&rig->accept);
    buf_done(&rig->authorization);
    buf_done(&rig->log);
}

void rig_settle(void)
{
    CHECK_OK(fiber_sleep(100 * MILLISECOND));
}

void rig_cluster(struct rig *rig, const char *name, bool provisioned)
{
    SCOPED(buf) body = {0};
    SCOPED(buf) target = {0};
    buf_print(&target, RIG_CLUSTERS "/%s", name);
    const bool exists = rig_call(rig, "GET", buf_c(&target), NULL) == 200;
    buf_print(&body,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"%s\",\"namespace\":\"default\"},\"status\":{\"initialization\":{"
              "\"infrastructureProvisioned\":%s}}}",
              name, provisioned ? "true" : "false");
    rig_do(rig, exists ? "PATCH" : "POST", exists ? buf_c(&target) : RIG_CLUSTERS, buf_c(&body));
    rig_settle();
}

void rig_remove_cluster(struct rig *rig, const char *name)
{
    SCOPED(buf) target = {0};
    buf_print(&target, RIG_CLUSTERS "/%s", name);
    rig_do(rig, "DELETE", buf_c(&target), NULL);
    rig_settle();
}

void rig_secret(struct rig *rig, const char *name, const char *kubeconfig)
{
    SCOPED(buf) body = {0};
    SCOPED(buf) value = {0};
    SCOPED(buf) target = {0};
    buf_print(&target, RIG_SECRETS "/%s-kubeconfig", name);
    const bool exists = rig_call(rig, "GET", buf_c(&target), NULL) == 200;
    base64_encode(&value, str_from_c(kubeconfig));
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{"
              "\"name\":\"%s-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"%s\"}},\"data\":{\"value\":\"%.*s\"}}",
              name, name, STR_ARG(buf_str(&value)));
    rig_do(rig, exists ? "PATCH" : "POST", exists ? buf_c(&target) : RIG_SECRETS, buf_c(&body));
    rig_settle();
}

char *rig_kubeconfig(const char *server, const char *token)
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

void rig_tls_kubeconfig(struct rig *rig, size_t index, const char *as, struct buf *out)
{
    SCOPED(buf) token = {0};
    SCOPED(buf) host = {0};
    apiserver_cluster_token(rig->desk.server, index, &token);
    const struct str name = apiserver_cluster_name(rig->desk.server, index);
    buf_print(&host, "https://server.test:%u/clusters/%.*s", apiserver_port(rig->desk.server),
              STR_ARG(name));
    const struct str masters = STR("system:masters");
    struct rest_config config = {.host = buf_str(&host)};
    config.tls.trust_pem = apiserver_authority(rig->desk.server);
    config.auth.token = buf_str(&token);
    config.impersonate.user = str_from_c(as);
    config.impersonate.groups = &masters;
    config.impersonate.group_count = as ? 1 : 0;
    kubeconfig_write(out, STR("c"), &config);
}

void rig_tls_credentials(struct rig *rig, size_t index, const char *as)
{
    SCOPED(buf) kubeconfig = {0};
    rig_tls_kubeconfig(rig, index, as, &kubeconfig);
    rig_secret(rig, "c", buf_c(&kubeconfig));
}

void rig_ready(struct rig *rig)
{
    rig_credentials(rig, RIG_HOST, "one");
    rig_cluster(rig, "c", true);
}

void rig_credentials(struct rig *rig, const char *server, const char *token)
{
    OWNED_PTR char *kubeconfig = rig_kubeconfig(server, token);
    rig_secret(rig, "c", kubeconfig);
}

static void emit_provider(const struct object *object, cache_emit_fn *emit, void *data)
{
    const struct str id = json_to_str(object_path(object, "spec.providerID"));
    if (id.len)
        emit(data, id);
}

const struct clustercache_index rig_node_index = {
    {STR_INIT(""), STR_INIT("v1"), STR_INIT("Node")},
    STR_INIT("spec.providerID"), emit_provider
};

void rig_fail_to_connect(struct rig *rig)
{
    rig_start(rig, NULL);
    rig_cluster(rig, "c", true);
    rig_check_delay(rig_reconcile(rig), 30 * SECOND);
}

void rig_connect(struct rig *rig)
{
    if (!rig->cache)
        rig_start(rig, NULL);
    rig_ready(rig);
    rig_check_delay(rig_reconcile(rig), 10 * SECOND);
    CHECK(rig_is_connected(rig));
    rig_forget(rig);
}

static duration reconcile_once(struct rig *rig)
{
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(rig->cache, RIG_KEY, &result));
    CHECK(!result.requeue);
    return result.requeue_after;
}

duration rig_reconcile(struct rig *rig)
{
    duration delay = reconcile_once(rig);
    const struct accessor *accessor = rig_accessor(rig);
    if (!accessor || (!accessor->is_connecting && !accessor->is_probing))
        return delay;
    while ((accessor = rig_accessor(rig)) && (accessor->is_connecting || accessor->is_probing))
        CHECK_OK(fiber_sleep(MILLISECOND));
    return reconcile_once(rig);
}

duration rig_reconcile_after(struct rig *rig, duration span)
{
    CHECK_OK(fiber_sleep(span));
    return rig_reconcile(rig);
}

void rig_check_delay(duration seen, duration expected)
{
    if (seen > expected || seen < expected - 10 * MILLISECOND)
        test_fail(TEST_PLACE("delay"), "%lld ms, expected %lld", (long long)(seen / MILLISECOND),
                  (long long)(expected / MILLISECOND));
}

struct accessor *rig_accessor(const struct rig *rig)
{
    return clustercache_find(rig->cache, RIG_KEY);
}

bool rig_is_connected(const struct rig *rig)
{
    const struct accessor *accessor = rig_accessor(rig);
    return accessor && accessor->connection;
}

size_t rig_count(const struct rig *rig, const char *part)
{
    size_t count = 0;
    struct str rest = buf_str(&rig->asked);
    for (size_t at; (at = str_find(rest, str_from_c(part))) != STR_NONE; count++)
        rest = str_skip(rest, at + 1);
    return count;
}

void rig_forget(struct rig *rig)
{
    buf_clear(&rig->asked);
    buf_clear(&rig->log);
}

void rig_end_streams(struct rig *rig, const char *line)
{
    rig->ended_streams++;
    rig->last_event = line;
    CHECK_OK(fiber_sleep(20 * MILLISECOND));
}

const char *rig_metric(struct rig *rig, const char *name)
{
    static char value[64];
    SCOPED(buf) text = {0};
    SCOPED(buf) wanted = {0};
    metrics_write(rig->metrics, &text);
    buf_print(&wanted, "\n%s", name);
    const char *at = strstr(buf_c(&text), buf_c(&wanted));
    const char *space = at ? strchr(at, ' ') : NULL;
    if (!space)
        return "-";
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(space + 1, "\n"), space + 1);
    return value;
}

size_t rig_series(struct rig *rig)
{
    SCOPED(buf) text = {0};
    size_t count = 0;
    metrics_write(rig->metrics, &text);
    for (const char *at = buf_c(&text); (at = strstr(at, "\ncapi_cluster_cache_")); at++)
        count++;
    return count;
}

bool rig_logged(const struct rig *rig, const char *text)
{
    return has_part(buf_str(&rig->log), text);
}

int rig_call(struct rig *rig, const char *method, const char *target, const char *body)
{
    return desk_call(&rig->desk, method, target, body);
}

void rig_do(struct rig *rig, const char *method, const char *target, const char *body)
{
    desk_do(&rig->desk, method, target, body);
}

void rig_node(struct rig *rig, const char *name, const char *provider_id)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},\"spec\":{",
              name);
    if (provider_id)
        buf_print(&body, "\"providerID\":\"%s\"", provider_id);
    buf_add(&body, STR("}}"));
    rig_do(rig, "POST", RIG_NODES, buf_c(&body));
    rig_settle();
}
