#include "peers/interop/interop_fixture.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/random.h"
#include "http/response_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/test.h"

void interop_fixture_init(struct interop_fixture *fixture)
{
    *fixture = (struct interop_fixture){0};
    struct folder *folder = &fixture->folder;
    struct test_certs *certs = &fixture->certs;
    folder_init(folder);
    test_certs_init(certs, loop_wall(loop_current()));
    fixture->authority_file = folder_write(folder, "ca.pem", buf_str(&certs->authority_pem));
    fixture->server_file = folder_write(folder, "server.pem", buf_str(&certs->server_pem));
    fixture->server_key_file = folder_write(folder, "server.key", buf_str(&certs->server_key));
    fixture->client_file = folder_write(folder, "client.pem", buf_str(&certs->client_pem));
    fixture->client_key_file = folder_write(folder, "client.key", buf_str(&certs->client_key));
    fixture->network = tcp_network_new(loop_current());
    fixture->tls = tls_context_new();
}

void interop_fixture_done(struct interop_fixture *fixture)
{
    /* A closed client's connections end at the loop's next turn. */
    CHECK_OK(fiber_yield());
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    test_certs_done(&fixture->certs);
    folder_done(&fixture->folder);
}

struct http_client_options interop_fixture_client_options(const struct interop_fixture *fixture,
                                                          uint16_t port)
{
    return (struct http_client_options){
        .endpoint =
            {
                       .network = fixture->network,
                       .host = STR("127.0.0.1"),
                       .port = port,
                       .tls = fixture->tls,
                       .identity = fixture->certs.client,
                       .trust = fixture->certs.trust,
                       },
    };
}

void interop_fixture_noise(struct buf *bytes, size_t len)
{
    struct random random;
    random_init(&random, 1);
    char *room = buf_reserve(bytes, len);
    CHECK(room != NULL);
    random_bytes(&random, room, len);
    buf_grow(bytes, len);
}

void answer_done(struct answer *answer)
{
    buf_done(&answer->body);
}

struct error *client_fetch(struct http_client *client, const struct http_client_request *request,
                           struct answer *answer)
{
    OWNED(http_response) response = NULL;
    buf_clear(&answer->body);
    TRY(http_client_send(client, request, &response));
    const struct http_headers *headers = http_response_headers(response);
    answer->status = http_response_status(response);
    answer->http2 = response->call->conn->http2;
    answer->compressed = http_headers_has_token(headers, STR("content-encoding"), STR("gzip"));
    return http_response_read_all(response, &answer->body);
}

struct error *client_get(struct http_client *client, struct str target, struct answer *answer)
{
    return client_fetch(client, &(struct http_client_request){.target = target}, answer);
}
