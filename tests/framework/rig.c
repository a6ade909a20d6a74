#include "framework/rig.h"

#include <string.h>

#include "base/memory.h"
#include "client/client.h"
#include "client/discovery.h"
#include "http/server.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim_network.h"

#define HOST       STR("server.test")
#define PROXY      STR("proxy.test")
#define PROXY_PORT 80
#define PIECE      4096

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"webs." RIG_GROUP "\"},\"spec\":{\"group\":\"" RIG_GROUP "\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"webs\",\"singular\":\"web\","
    "\"kind\":\"Web\",\"listKind\":\"WebList\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
    "\"storage\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static const char owner[] = "{\"apiVersion\":\"" RIG_GROUP "/v1\",\"kind\":\"Web\","
                            "\"metadata\":{\"name\":\"w1\",\"namespace\":\"default\"},"
                            "\"spec\":{\"text\":\"hello\"}}";

const char rig_map[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"w1-web\",\"namespace\":\"default\"},\"data\":{\"a\":\"1\"}}";

const char rig_deployment[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"w1-web\","
    "\"namespace\":\"default\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{"
    "\"app\":\"w1\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"w1\"}},\"spec\":{"
    "\"containers\":[{\"name\":\"web\",\"image\":\"web:1\"}]}}}}";

/* "404" and so on as a Status. */
static void add_status(struct buf *out, int status)
{
    const enum error_code code = error_code_from_http_status(status);
    buf_print(out,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
              "\"said no\",\"reason\":\"%.*s\",\"code\":%d}",
              STR_ARG(error_code_reason(code)), status);
}

static bool has_part(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static struct rig_fault *find_fault(struct rig *rig, struct http_request *request)
{
    for (size_t i = 0; i < COUNT(rig->faults); i++) {
        struct rig_fault *fault = &rig->faults[i];
        if (fault->times && has_part(http_request_target(request), fault->part) &&
            (!fault->method || str_eq(http_request_method(request), str_from_c(fault->method)))) {
            fault->times--;
            return fault;
        }
    }
    return NULL;
}

static struct error *refuse(struct http_request *request, const struct rig_fault *fault)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {.limit = 0};
    if (!fault->status) {
        http_request_break(request);
        return NULL;
    }
    if (fault->body)
        buf_add(&body, str_from_c(fault->body));
    else
        add_status(&body, fault->status);
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    if (fault->retry_after)
        TRY(http_headers_add(&headers, STR("Retry-After"), str_from_c(fault->retry_after)));
    TRY(http_request_respond(request, fault->status, &headers));
    return http_request_write(request, buf_str(&body));
}

static void note(struct rig *rig, struct http_request *request, struct str body)
{
    const struct str method = http_request_method(request), target = http_request_target(request);
    const bool is_read = str_eq(method, STR("GET"));
    if (has_part(target, "watch=true") || str_eq(target, STR("/api")) ||
        str_eq(target, STR("/apis")) || str_starts_with(target, STR("/api?")) ||
        str_starts_with(target, STR("/apis?")))
        return;
    buf_print(&rig->asked, "%.*s %.*s\n", STR_ARG(method), STR_ARG(target));
    if (is_read)
        return;
    rig->writes++;
    if (has_part(target, "/status?"))
        return;
    buf_clear(&rig->sent);
    buf_add(&rig->sent, body);
    buf_clear(&rig->type);
    buf_add(&rig->type, http_headers_find(http_request_headers(request), STR("content-type")));
}

static struct error *pass_on(const struct rig *rig, struct http_request *request,
                             struct http_response *response)
{
    const bool is_watch = has_part(http_request_target(request), "watch=true");
    SCOPED(http_headers) headers = {0};
    char piece[PIECE];
    size_t len;
    TRY(http_headers_add(&headers, STR("Content-Type"),
                         http_headers_find(http_response_headers(response), STR("content-type"))));
    TRY(http_request_respond(request, http_response_status(response), &headers));
    for (;;) {
        TRY(http_response_read(response, piece, sizeof(piece), &len));
        if (!len)
            return NULL;
        while (is_watch && rig->holds_watches)
            TRY(fiber_sleep(100 * MILLISECOND));
        TRY(http_request_write(request, str_from(piece, len)));
    }
}

/* As if the server gave no generations. */
static struct error *pass_without_generation(struct http_request *request,
                                             struct http_response *response)
{
    static const char name[] = "\"generation\":1,";
    SCOPED(buf) body = {.limit = 0};
    TRY(http_response_read_all(response, &body));
    char *found = memmem(body.ptr, body.len, name, strlen(name));
    if (found)
        memset(found, ' ', strlen(name));
    return http_request_answer(request, http_response_status(response), STR("application/json"),
                               buf_str(&body));
}

static struct error *ask(struct rig *rig, struct http_request *request, struct str body,
                         struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    static const char *const names[] = {"content-type", "accept"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct str value =
            http_headers_find(http_request_headers(request), str_from_c(names[i]));
        if (value.len)
            TRY(http_headers_add(&headers, str_from_c(names[i]), value));
    }
    const struct http_client_request on = {.method = http_request_method(request),
                                           .target = http_request_target(request),
                                           .headers = &headers,
                                           .body = body};
    return http_client_send(rig->direct, &on, ret_response);
}

static struct error *serve(void *data, struct http_request *request)
{
    struct rig *rig = data;
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    TRY(http_request_read_all(request, &body));
    note(rig, request, buf_str(&body));
    const struct rig_fault *found = find_fault(rig, request);
    const struct rig_fault fault = found ? *found : (struct rig_fault){0};
    if (found && !fault.after && !fault.no_generation)
        return refuse(request, &fault);
    TRY(ask(rig, request, buf_str(&body), &response));
    if (fault.after)
        return refuse(request, &fault);
    return fault.no_generation ? pass_without_generation(request, response)
                               : pass_on(rig, request, response);
}

static void open_proxy(struct rig *rig)
{
    const struct http_server_options options = {
        .network = rig->network, .host = PROXY, .port = PROXY_PORT, .handler = serve, .data = rig};
    CHECK_OK(http_server_new(loop_current(), &options, &rig->proxy));
    rig->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    rig->config.host = STR("http://proxy.test");
    rig->client = client_new(
        loop_current(),
        &(struct client_options){.config = &rig->config, .network = rig->network, .qps = -1});
}

void rig_init(struct rig *rig)
{
    *rig = (struct rig){.network = sim_network_new(loop_current()), .tls = tls_context_new()};
    const struct apiserver_options options = {
        .network = rig->network, .host = HOST, .virtual_clusters = 1};
    CHECK_OK(apiserver_new(loop_current(), &options, &rig->server));
    CHECK_OK(tls_trust_read(apiserver_authority(rig->server), &rig->trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(rig->server),
                               apiserver_admin_key(rig->server), &rig->admin));
    const struct http_client_options direct = {
        .endpoint = {.network = rig->network,
                     .host = HOST,
                     .port = apiserver_port(rig->server),
                     .tls = rig->tls,
                     .identity = rig->admin,
                     .trust = rig->trust},
        .connections = 64,
    };
    rig->direct = http_client_new(loop_current(), &direct);
    rig_do(rig, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    while (rig_call(rig, "GET", RIG_WEBS, NULL) != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    open_proxy(rig);
    rig->pool = discovery_pool_new();
    rig->discovery = discovery_new(rig->client, rig->pool, NULL);
    rig->caches = cache_set_new(loop_current(), rig->client);
}

void rig_done(struct rig *rig)
{
    rig_stop(rig);
    framework_free(rig->framework);
    cache_set_free(rig->caches);
    discovery_free(rig->discovery);
    discovery_pool_free(rig->pool);
    client_free(rig->client);
    http_server_free(rig->proxy);
    http_client_free(rig->direct);
    apiserver_free(rig->server);
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(rig->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_identity_free(rig->admin);
    tls_trust_free(rig->trust);
    tls_context_free(rig->tls);
    network_free(rig->network);
    error_free(rig->err);
    json_doc_free(rig->doc);
    buf_done(&rig->asked);
    buf_done(&rig->type);
    buf_done(&rig->sent);
    buf_done(&rig->answer);
}

static struct error *add_node(struct rig *rig, struct rig_node *node, struct graph *graph)
{
    struct graph_node_options options = node->options;
    struct graph_node *blockers[COUNT(node->blockers)] = {0};
    OWNED(object) object = NULL;
    if (node->object)
        TRY(object_read(str_from_c(node->object), &object));
    for (size_t i = 0; i < COUNT(blockers); i++)
        blockers[i] = node->blockers[i] ? rig->nodes[node->blockers[i] - 1].node : NULL;
    options.object = object;
    options.blockers = blockers;
    options.blocker_count = COUNT(blockers);
    return graph_add(graph, &options, &node->node);
}

static struct error *build(struct framework_loop *loop, struct graph *graph)
{
    struct rig *rig = framework_data(loop);
    rig->builds++;
    if (rig->on_build)
        TRY(rig->on_build(rig));
    for (size_t i = 0; i < rig->node_count; i++)
        TRY(add_node(rig, &rig->nodes[i], graph));
    return NULL;
}

static void fill_in(struct rig *rig, struct framework_options *options)
{
    static const struct framework_watch watches[] = {
        {.gvk = {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")}},
        {.gvk = {STR_INIT("apps"), STR_INIT("v1"), STR_INIT("Deployment")}},
    };
    options->name = STR("web");
    options->version = STR("v1.0");
    options->commit = STR("abc");
    options->owner = (struct gvk){STR(RIG_GROUP), STR("v1"), STR("Web")};
    if (!options->watches) {
        options->watches = watches;
        options->watch_count = COUNT(watches);
    }
    options->build = build;
    options->data = rig;
    options->client = rig->client;
    options->discovery = rig->discovery;
    options->caches = rig->caches;
}

struct framework_options rig_options(struct rig *rig)
{
    struct framework_options options = {0};
    fill_in(rig, &options);
    return options;
}

void rig_start(struct rig *rig, const struct framework_options *options)
{
    struct framework_options all = options ? *options : (struct framework_options){0};
    fill_in(rig, &all);
    CHECK_OK(framework_new(loop_current(), &all, &rig->framework));
}

void rig_create_owner(struct rig *rig)
{
    rig_do(rig, "POST", RIG_WEBS, owner);
}

void rig_plan(struct rig *rig)
{
    rig->nodes[0] = (struct rig_node){.object = rig_map};
    rig->nodes[1] = (struct rig_node){.object = rig_deployment, .blockers = {1}};
    rig->node_count = 2;
}

void rig_fail(struct rig *rig, struct rig_fault fault)
{
    for (size_t i = 0; i < COUNT(rig->faults); i++)
        if (!rig->faults[i].times) {
            rig->faults[i] = fault;
            return;
        }
    CHECK(false);
}

void rig_settle(struct rig *rig)
{
    CHECK_OK(cache_set_wait_synced(rig->caches));
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
}

void rig_loop(struct rig *rig)
{
    rig_settle(rig);
    rig_loop_now(rig);
}

void rig_loop_now(struct rig *rig)
{
    error_free(TAKE(rig->err));
    rig->err = framework_reconcile(rig->framework, KEY("default", "w1"), &rig->result);
}

void rig_check_done(const struct rig *rig)
{
    if (rig->err)
        test_fail(TEST_PLACE("loop"), "%s", rig->err->message);
    CHECK(!rig->result.requeue);
    CHECK_EQ(rig->result.requeue_after, 0);
}

static struct error *run(void *data)
{
    struct rig *rig = data;
    return controller_run(framework_controller(rig->framework));
}

void rig_run(struct rig *rig)
{
    scope_start(&rig->running, "controller", run, rig);
}

void rig_stop(struct rig *rig)
{
    scope_done(&rig->running);
}

int rig_call(struct rig *rig, const char *method, const char *target, const char *body)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    const bool patch = strcmp(method, "PATCH") == 0;
    CHECK_OK(
        http_headers_add(&headers, STR("content-type"),
                         patch ? STR("application/merge-patch+json") : STR("application/json")));
    const struct http_client_request request = {.method = str_from_c(method),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = str_from_c(body ? body : "")};
    buf_clear(&rig->answer);
    json_doc_free(TAKE(rig->doc));
    CHECK_OK(http_client_send(rig->direct, &request, &response));
    CHECK_OK(http_response_read_all(response, &rig->answer));
    error_free(json_read(buf_str(&rig->answer), &rig->doc)); /* some answers are no JSON */
    return http_response_status(response);
}

void rig_do(struct rig *rig, const char *method, const char *target, const char *body)
{
    const int status = rig_call(rig, method, target, body);
    if (status < 200 || status > 299)
        test_fail(TEST_PLACE(target), "%d: %.*s", status, STR_ARG(buf_str(&rig->answer)));
}

static struct str value_text(struct rig *rig, const struct json_value *value)
{
    int64_t number;
    if (!json_to_int64(value, &number))
        return json_to_str(value);
    buf_clear(&rig->answer);
    buf_print(&rig->answer, "%lld", (long long)number);
    return buf_str(&rig->answer);
}

struct str rig_look(struct rig *rig, const char *target, const char *path)
{
    if (rig_call(rig, "GET", target, NULL) != 200)
        return STR("");
    return value_text(rig, json_path(json_doc_root(rig->doc), path));
}

struct str rig_annotation(struct rig *rig, const char *target, const char *name)
{
    if (rig_call(rig, "GET", target, NULL) != 200)
        return STR("");
    const struct json_value *all = json_path(json_doc_root(rig->doc), "metadata.annotations");
    return json_to_str(json_get(all, str_from_c(name)));
}

struct str rig_condition(struct rig *rig, const char *type)
{
    const struct json_value *condition;
    SCOPED(buf) text = {.limit = 0};
    CHECK_EQ(rig_call(rig, "GET", RIG_WEB, NULL), 200);
    JSON_FOREACH (key, condition, json_path(json_doc_root(rig->doc), "status.conditions")) {
        if (!str_eq(json_path_str(condition, "type"), str_from_c(type)))
            continue;
        buf_print(&text, "%.*s/%.*s/%.*s", STR_ARG(json_path_str(condition, "status")),
                  STR_ARG(json_path_str(condition, "reason")),
                  STR_ARG(json_path_str(condition, "message")));
        buf_clear(&rig->answer);
        buf_add(&rig->answer, buf_str(&text));
        return buf_str(&rig->answer);
    }
    return STR("-");
}

void rig_make_ready(struct rig *rig, const char *target)
{
    SCOPED(buf) place = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    const struct str generation = rig_look(rig, target, "metadata.generation");
    buf_print(&body,
              "{\"status\":{\"observedGeneration\":%.*s,\"replicas\":1,\"updatedReplicas\":1,"
              "\"readyReplicas\":1,\"availableReplicas\":1,\"conditions\":[{\"type\":"
              "\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
              "{\"type\":\"Available\",\"status\":\"True\"}]}}",
              STR_ARG(generation));
    buf_print(&place, "%s/status", target);
    rig_do(rig, "PATCH", buf_c(&place), buf_c(&body));
}

size_t rig_count(const struct rig *rig, const char *part)
{
    struct str rest = buf_str(&rig->asked), line;
    size_t count = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        count += has_part(line, part);
    }
    return count;
}

void rig_forget(struct rig *rig)
{
    buf_clear(&rig->asked);
    rig->writes = 0;
}

void rig_await(struct rig *rig, const char *target, const char *path, const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(rig_look(rig, target, path), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(rig_look(rig, target, path), str_from_c(text));
}

void rig_await_condition(struct rig *rig, const char *type, const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(rig_condition(rig, type), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(rig_condition(rig, type), str_from_c(text));
}
