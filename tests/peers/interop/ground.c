#include "peers/interop/ground.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/random.h"
#include "http/response_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/test.h"

void ground_init(struct ground *ground)
{
    *ground = (struct ground){0};
    struct folder *folder = &ground->folder;
    struct test_certs *certs = &ground->certs;
    folder_init(folder);
    test_certs_init(certs, loop_wall(loop_current()));
    ground->authority_file = folder_write(folder, "ca.pem", buf_str(&certs->authority_pem));
    ground->server_file = folder_write(folder, "server.pem", buf_str(&certs->server_pem));
    ground->server_key_file = folder_write(folder, "server.key", buf_str(&certs->server_key));
    ground->client_file = folder_write(folder, "client.pem", buf_str(&certs->client_pem));
    ground->client_key_file = folder_write(folder, "client.key", buf_str(&certs->client_key));
    ground->network = tcp_network_new(loop_current());
    ground->tls = tls_context_new();
}

void ground_done(struct ground *ground)
{
    /* A closed client's connections end at the loop's next turn. */
    CHECK_OK(fiber_yield());
    tls_context_free(ground->tls);
    network_free(ground->network);
    test_certs_done(&ground->certs);
    folder_done(&ground->folder);
}

struct http_client_options ground_client_options(const struct ground *ground, uint16_t port)
{
    return (struct http_client_options){
        .endpoint =
            {
                       .network = ground->network,
                       .host = STR("127.0.0.1"),
                       .port = port,
                       .tls = ground->tls,
                       .identity = ground->certs.client,
                       .trust = ground->certs.trust,
                       },
    };
}

void ground_noise(struct buf *bytes, size_t len)
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
