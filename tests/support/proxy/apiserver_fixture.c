/* The embedded API server and the client that tests call it with. See the header. */
#include "support/proxy/apiserver_fixture.h"

#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "http/client.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim_network.h"
#include "testing/test.h"

void apiserver_fixture_init(struct apiserver_fixture *fixture,
                            const struct apiserver_options *options)
{
    *fixture = (struct apiserver_fixture){.network = sim_network_new(loop_current()),
                                          .tls = tls_context_new()};
    struct apiserver_options whole = *options;
    whole.network = fixture->network;
    whole.host = APISERVER_FIXTURE_HOST;
    CHECK_OK(apiserver_new(loop_current(), &whole, &fixture->server));
    CHECK_OK(tls_trust_read(apiserver_authority(fixture->server), &fixture->trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(fixture->server),
                               apiserver_admin_key(fixture->server), &fixture->admin));
    const struct http_client_options direct = {
        .endpoint = {.network = fixture->network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->server),
                     .tls = fixture->tls,
                     .identity = fixture->admin,
                     .trust = fixture->trust},
        .connections = 64,
    };
    fixture->direct = http_client_new(loop_current(), &direct);
}

void apiserver_fixture_done(struct apiserver_fixture *fixture)
{
    http_client_free(fixture->direct);
    apiserver_free(fixture->server);
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(fixture->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_identity_free(fixture->admin);
    tls_trust_free(fixture->trust);
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    json_doc_free(fixture->doc);
    buf_done(&fixture->answer);
}

/* A virtual cluster does not know the admin of the main API, but has its own, with a token. */
static void add_token(const struct apiserver_fixture *fixture, struct str target,
                      struct http_headers *headers)
{
    SCOPED(buf) token = {.secret = true};
    SCOPED(buf) bearer = {.secret = true};
    SCOPED(buf) prefix = {.limit = 0};
    for (size_t i = 0; i < apiserver_cluster_count(fixture->server); i++) {
        buf_clear(&prefix);
        buf_print(&prefix, "/clusters/%.*s/", STR_ARG(apiserver_cluster_name(fixture->server, i)));
        if (!str_starts_with(target, buf_str(&prefix)))
            continue;
        apiserver_cluster_token(fixture->server, i, &token);
        buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&token)));
        CHECK_OK(http_headers_add(headers, STR("authorization"), buf_str(&bearer)));
        return;
    }
}

/* The body is copied first, because it may be in the answer that is cleared here. Suspends. */
int apiserver_fixture_call(struct apiserver_fixture *fixture, const char *method,
                           const char *target, const char *body)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    SCOPED(buf) text = {.limit = 0};
    const bool is_patch = strcmp(method, "PATCH") == 0;
    CHECK_OK(
        http_headers_add(&headers, STR("content-type"),
                         is_patch ? STR("application/merge-patch+json") : STR("application/json")));
    add_token(fixture, str_from_c(target), &headers);
    buf_add(&text, str_from_c(body));
    const struct http_client_request request = {.method = str_from_c(method),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = buf_str(&text)};
    buf_clear(&fixture->answer);
    json_doc_free(TAKE(fixture->doc));
    CHECK_OK(http_client_send(fixture->direct, &request, &response));
    CHECK_OK(http_response_read_all(response, &fixture->answer));
    error_free(json_read(buf_str(&fixture->answer), &fixture->doc)); /* some answers are no JSON */
    return http_response_status(response);
}

void apiserver_fixture_do(struct apiserver_fixture *fixture, const char *method, const char *target,
                          const char *body)
{
    const int status = apiserver_fixture_call(fixture, method, target, body);
    if (status < 200 || status > 299)
        test_fail(TEST_PLACE(target), "%d: %.*s", status, STR_ARG(buf_str(&fixture->answer)));
}

struct str apiserver_fixture_keep(struct apiserver_fixture *fixture, struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    buf_add(&copy, text);
    buf_clear(&fixture->answer);
    buf_add(&fixture->answer, buf_str(&copy));
    return buf_str(&fixture->answer);
}

struct str apiserver_fixture_look(struct apiserver_fixture *fixture, const char *target,
                                  const char *path)
{
    SCOPED(buf) text = {.limit = 0};
    if (apiserver_fixture_call(fixture, "GET", target, NULL) != 200)
        return STR("");
    const struct json_value *value = json_path(json_doc_root(fixture->doc), path);
    if (!value || json_type(value) == JSON_STRING)
        return apiserver_fixture_keep(fixture, json_to_str(value));
    json_write(&text, value);
    return apiserver_fixture_keep(fixture, buf_str(&text));
}
