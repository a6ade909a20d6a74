#include "support/proxy/desk.h"

#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "http/client.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim_network.h"
#include "testing/test.h"

void desk_init(struct desk *desk, const struct apiserver_options *options)
{
    *desk = (struct desk){.network = sim_network_new(loop_current()), .tls = tls_context_new()};
    struct apiserver_options whole = *options;
    whole.network = desk->network;
    whole.host = DESK_HOST;
    CHECK_OK(apiserver_new(loop_current(), &whole, &desk->server));
    CHECK_OK(tls_trust_read(apiserver_authority(desk->server), &desk->trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(desk->server),
                               apiserver_admin_key(desk->server), &desk->admin));
    const struct http_client_options direct = {
        .endpoint = {.network = desk->network,
                     .host = DESK_HOST,
                     .port = apiserver_port(desk->server),
                     .tls = desk->tls,
                     .identity = desk->admin,
                     .trust = desk->trust},
        .connections = 64,
    };
    desk->direct = http_client_new(loop_current(), &direct);
}

void desk_done(struct desk *desk)
{
    http_client_free(desk->direct);
    apiserver_free(desk->server);
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(desk->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_identity_free(desk->admin);
    tls_trust_free(desk->trust);
    tls_context_free(desk->tls);
    network_free(desk->network);
    json_doc_free(desk->doc);
    buf_done(&desk->answer);
}

/* A virtual cluster knows its own admin only. */
static void add_token(const struct desk *desk, struct str target, struct http_headers *headers)
{
    SCOPED(buf) token = {.secret = true};
    SCOPED(buf) bearer = {.secret = true};
    SCOPED(buf) prefix = {.limit = 0};
    for (size_t i = 0; i < apiserver_cluster_count(desk->server); i++) {
        buf_clear(&prefix);
        buf_print(&prefix, "/clusters/%.*s/", STR_ARG(apiserver_cluster_name(desk->server, i)));
        if (!str_starts_with(target, buf_str(&prefix)))
            continue;
        apiserver_cluster_token(desk->server, i, &token);
        buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&token)));
        CHECK_OK(http_headers_add(headers, STR("authorization"), buf_str(&bearer)));
        return;
    }
}

int desk_call(struct desk *desk, const char *method, const char *target, const char *body)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    SCOPED(buf) text = {.limit = 0};
    const bool is_patch = strcmp(method, "PATCH") == 0;
    CHECK_OK(
        http_headers_add(&headers, STR("content-type"),
                         is_patch ? STR("application/merge-patch+json") : STR("application/json")));
    add_token(desk, str_from_c(target), &headers);
    buf_add(&text, str_from_c(body));
    const struct http_client_request request = {.method = str_from_c(method),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = buf_str(&text)};
    buf_clear(&desk->answer);
    json_doc_free(TAKE(desk->doc));
    CHECK_OK(http_client_send(desk->direct, &request, &response));
    CHECK_OK(http_response_read_all(response, &desk->answer));
    error_free(json_read(buf_str(&desk->answer), &desk->doc)); /* some answers are no JSON */
    return http_response_status(response);
}

void desk_do(struct desk *desk, const char *method, const char *target, const char *body)
{
    const int status = desk_call(desk, method, target, body);
    if (status < 200 || status > 299)
        test_fail(TEST_PLACE(target), "%d: %.*s", status, STR_ARG(buf_str(&desk->answer)));
}

struct str desk_keep(struct desk *desk, struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    buf_add(&copy, text);
    buf_clear(&desk->answer);
    buf_add(&desk->answer, buf_str(&copy));
    return buf_str(&desk->answer);
}

struct str desk_look(struct desk *desk, const char *target, const char *path)
{
    SCOPED(buf) text = {.limit = 0};
    if (desk_call(desk, "GET", target, NULL) != 200)
        return STR("");
    const struct json_value *value = json_path(json_doc_root(desk->doc), path);
    if (!value || json_type(value) == JSON_STRING)
        return desk_keep(desk, json_to_str(value));
    json_write(&text, value);
    return desk_keep(desk, buf_str(&text));
}
