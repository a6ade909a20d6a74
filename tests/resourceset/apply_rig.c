#include "resourceset/apply_rig.h"

#include <string.h>

#include "async/fiber.h"
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
#define ITEMS_MAX  64

static bool has_part(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static bool fits(const struct apply_rig_fault *fault, struct http_request *request)
{
    return fault->times && has_part(http_request_target(request), fault->part) &&
           (!fault->method || str_eq(http_request_method(request), str_from_c(fault->method)));
}

static struct apply_rig_fault *find_fault(struct apply_rig *rig, struct http_request *request)
{
    for (size_t i = 0; i < COUNT(rig->faults); i++) {
        struct apply_rig_fault *fault = &rig->faults[i];
        if (!fits(fault, request))
            continue;
        if (fault->skipped) {
            fault->skipped--;
            continue;
        }
        fault->times--;
        return fault;
    }
    return NULL;
}

static struct error *refuse(struct http_request *request, const struct apply_rig_fault *fault)
{
    SCOPED(buf) body = {.limit = 0};
    if (fault->hangs)
        TRY(fiber_sleep(HOUR));
    if (!fault->status) {
        http_request_break(request);
        return NULL;
    }
    if (fault->body)
        buf_add(&body, str_from_c(fault->body));
    else
        buf_print(&body,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
                  "\"said no\",\"reason\":\"%.*s\",\"code\":%d}",
                  STR_ARG(error_code_reason(error_code_from_http_status(fault->status))),
                  fault->status);
    return http_request_answer(request, fault->status, STR("application/json"), buf_str(&body));
}

/* "/api", "/apis", "/api/v1" and "/apis/group/version". */
static bool is_lookup(struct str path)
{
    size_t slashes = 0;
    for (size_t i = 0; i < path.len; i++)
        slashes += path.ptr[i] == '/';
    return slashes <= (str_starts_with(path, STR("/apis")) ? 3 : 2);
}

static struct str path_of(struct http_request *request)
{
    struct str rest = http_request_target(request), path;
    str_cut(&rest, '?', &path);
    return path;
}

static void note(struct apply_rig *rig, struct http_request *request, struct str body)
{
    const struct str method = http_request_method(request);
    CHECK(!has_part(http_request_target(request), "fieldManager"));
    if (is_lookup(path_of(request)) && str_eq(method, STR("GET"))) {
        rig->lookups++;
        return;
    }
    buf_print(&rig->asked, "%.*s %.*s\n", STR_ARG(method), STR_ARG(path_of(request)));
    buf_clear(&rig->sent);
    buf_add(&rig->sent, body);
}

static struct error *ask(struct apply_rig *rig, struct http_request *request, struct str body,
                         struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    static const char *const names[] = {"content-type", "accept", "user-agent"};
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
    struct apply_rig *rig = data;
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    SCOPED(buf) answer = {.limit = 0};
    TRY(http_request_read_all(request, &body));
    note(rig, request, buf_str(&body));
    const struct apply_rig_fault *found = find_fault(rig, request);
    if (found)
        return refuse(request, found);
    if (rig->on_request)
        rig->on_request(rig, http_request_method(request), path_of(request));
    TRY(ask(rig, request, buf_str(&body), &response));
    TRY(http_response_read_all(response, &answer));
    return http_request_answer(
        request, http_response_status(response),
        http_headers_find(http_response_headers(response), STR("content-type")), buf_str(&answer));
}

static void open_proxy(struct apply_rig *rig)
{
    const struct http_server_options options = {
        .network = rig->network, .host = PROXY, .port = PROXY_PORT, .handler = serve, .data = rig};
    CHECK_OK(http_server_new(loop_current(), &options, &rig->proxy));
    rig->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    rig->config.host = STR("http://proxy.test");
    rig->client =
        client_new(loop_current(), &(struct client_options){.config = &rig->config,
                                                            .network = rig->network,
                                                            .user_agent = STR("manager/v1 (linux)"),
                                                            .timeout = 10 * SECOND,
                                                            .qps = -1});
    rig->pool = discovery_pool_new();
    rig->discovery = discovery_new(rig->client, rig->pool, NULL);
}

void apply_rig_init(struct apply_rig *rig)
{
    *rig = (struct apply_rig){.network = sim_network_new(loop_current()), .tls = tls_context_new()};
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
    };
    rig->direct = http_client_new(loop_current(), &direct);
    open_proxy(rig);
}

void apply_rig_done(struct apply_rig *rig)
{
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
    arena_done(&rig->arena);
    buf_done(&rig->asked);
    buf_done(&rig->sent);
    buf_done(&rig->answer);
}

void apply_rig_fail(struct apply_rig *rig, struct apply_rig_fault fault)
{
    for (size_t i = 0; i < COUNT(rig->faults); i++)
        if (!rig->faults[i].times) {
            rig->faults[i] = fault;
            return;
        }
    CHECK(false);
}

void apply_rig_refuse(struct apply_rig *rig, bool refuse)
{
    sim_network_set_faults(rig->network, PROXY, &(struct sim_faults){.refuse = refuse});
}

void apply_rig_apply(struct apply_rig *rig, enum apply_strategy strategy,
                     const char *const *manifests)
{
    const struct apply_target target = {rig->client, rig->discovery, rig->is_first};
    struct apply_item items[ITEMS_MAX];
    size_t count = 0;
    error_free(TAKE(rig->err));
    arena_clear(&rig->arena);
    buf_clear(&rig->asked);
    rig->lookups = 0;
    for (; manifests[count]; count++) {
        struct object *object = NULL;
        CHECK(count < ITEMS_MAX);
        CHECK_OK(object_read(str_from_c(manifests[count]), &object));
        items[count] =
            (struct apply_item){object_hold(&rig->arena, object), STR("data"), count + 1};
        object_free(object);
    }
    rig->err = apply_objects(&target, items, count, strategy, &rig->arena, &rig->report);
    CHECK_EQ(rig->report.objects, count);
    CHECK_EQ(rig->report.created + rig->report.changed + rig->report.unchanged + rig->report.failed,
             count);
    CHECK_EQ(rig->report.failed > 0, rig->err != NULL);
}

void apply_rig_check(const struct apply_rig *rig, size_t created, size_t changed, size_t unchanged)
{
    CHECK_EQ(apply_rig_text(rig), STR(""));
    CHECK_EQ(rig->report.created, created);
    CHECK_EQ(rig->report.changed, changed);
    CHECK_EQ(rig->report.unchanged, unchanged);
}

struct str apply_rig_text(const struct apply_rig *rig)
{
    return rig->err ? str_from_c(rig->err->message) : STR("");
}

int apply_rig_call(struct apply_rig *rig, const char *method, const char *target, const char *body)
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

void apply_rig_do(struct apply_rig *rig, const char *method, const char *target, const char *body)
{
    const int status = apply_rig_call(rig, method, target, body);
    if (status < 200 || status > 299)
        test_fail(TEST_PLACE(target), "%d: %.*s", status, STR_ARG(buf_str(&rig->answer)));
}

struct str apply_rig_look(struct apply_rig *rig, const char *target, const char *path)
{
    if (apply_rig_call(rig, "GET", target, NULL) != 200)
        return STR("");
    return json_to_str(json_path(json_doc_root(rig->doc), path));
}
