/*
 * One fiber accepts, one serves each connection: it reads the request, answers by mode, and passes
 * bytes one way while another fiber passes them the other way. A tunnel ends with either side.
 */
#include "support/proxy/connect_proxy.h"

#include <string.h>

#include "async/fiber.h"
#include "base/base64.h"
#include "base/memory.h"
#include "net/network.h"
#include "net/transport.h"

#define REQUEST_MAX (8 * KILOBYTE)
#define PIECE       (8 * KILOBYTE)

static const char *const mode_names[CONNECT_PROXY_MODES] = {"pass", "refuse", "hang", "garbage",
                                                            "huge"};

enum connect_proxy_mode connect_proxy_mode_read(const char *text)
{
    size_t mode = 0;
    while (mode < CONNECT_PROXY_MODES && strcmp(mode_names[mode], text) != 0)
        mode++;
    return (enum connect_proxy_mode)mode;
}

struct connection {
    struct connect_proxy *proxy;
    struct transport *client, *server;
};

static void connection_done(struct connection *connection)
{
    transport_free(connection->client);
    transport_free(connection->server);
}

static struct error *pass_bytes(struct transport *from, struct transport *to)
{
    SCOPED(buf) bytes = {.limit = 0};
    for (;;) {
        size_t len;
        char *room = buf_reserve(&bytes, PIECE);
        TRY(transport_read(from, room, PIECE, &len));
        if (len == 0)
            break;
        TRY(transport_write(to, str_from(room, len)));
    }
    transport_finish(to);
    return NULL;
}

static struct error *pass_back(void *data)
{
    const struct connection *connection = data;
    return pass_bytes(connection->server, connection->client);
}

/* Byte by byte, so that nothing of the tunnel is taken. */
static struct error *read_request(struct transport *client, struct buf *request)
{
    while (!str_ends_with(buf_str(request), STR("\r\n\r\n"))) {
        char byte;
        TRY(transport_read_exactly(client, &byte, 1));
        buf_add_char(request, byte);
        TRY(buf_check(request));
    }
    return NULL;
}

static bool is_welcome(const struct connect_proxy *proxy, struct str request)
{
    SCOPED(buf) header = {.secret = true};
    if (!proxy->wants)
        return true;
    buf_add(&header, STR("\r\nProxy-Authorization: Basic "));
    base64_encode(&header, str_from_c(proxy->wants));
    buf_add(&header, STR("\r\n"));
    return str_contains(request, buf_str(&header));
}

static struct error *open_tunnel(struct connection *connection, struct str target)
{
    const struct connect_proxy *proxy = connection->proxy;
    const size_t colon = str_find_last_char(target, ':');
    const struct str host = str_slice(target, 0, colon);
    uint64_t port;
    if (colon == STR_NONE || !str_to_uint64(str_skip(target, colon + 1), &port))
        return transport_write(connection->client, STR("HTTP/1.1 400 Bad Request\r\n\r\n"));
    TRY(network_connect(proxy->network, proxy->leads_to ? str_from_c(proxy->leads_to) : host,
                        (uint16_t)port, &connection->server));
    TRY(transport_write(connection->client, STR("HTTP/1.1 200 Connection established\r\n\r\n")));
    SCOPED(scope) scope = {0};
    scope_start(&scope, "tunnel back", pass_back, connection);
    TRY(pass_bytes(connection->client, connection->server));
    return scope_wait(&scope);
}

static struct error *answer(struct connection *connection, struct str request, struct str target)
{
    struct transport *client = connection->client;
    if (!is_welcome(connection->proxy, request))
        return transport_write(client, STR("HTTP/1.1 407 Proxy Authentication Required\r\n"
                                           "Proxy-Authenticate: Basic realm=\"test\"\r\n\r\n"));
    switch (connection->proxy->mode) {
    case CONNECT_PROXY_REFUSE:
        return transport_write(client, STR("HTTP/1.1 403 Forbidden\r\n\r\n"));
    case CONNECT_PROXY_HANG:
        return fiber_sleep(HOUR);
    case CONNECT_PROXY_GARBAGE:
        return transport_write(client, STR("SSH-2.0-OpenSSH_9.2\r\n"));
    case CONNECT_PROXY_HUGE:
        TRY(transport_write(client, STR("HTTP/1.1 200 OK\r\n")));
        for (;;)
            TRY(transport_write(client, STR("X-Padding: 0123456789012345678901234567890\r\n")));
    default:
        return open_tunnel(connection, target);
    }
}

static struct error *serve_connection(struct connection *connection)
{
    struct connect_proxy *proxy = connection->proxy;
    SCOPED(buf) request = {.limit = REQUEST_MAX, .secret = true};
    TRY(read_request(connection->client, &request));
    struct str line = buf_str(&request), method, target;
    str_cut(&line, ' ', &method);
    str_cut(&line, ' ', &target);
    if (!str_eq(method, STR("CONNECT")))
        return transport_write(connection->client, STR("HTTP/1.1 405 CONNECT Alone\r\n\r\n"));
    buf_add(&proxy->asked, target);
    buf_add_char(&proxy->asked, '\n');
    if (proxy->on_request)
        proxy->on_request(target);
    return answer(connection, buf_str(&request), target);
}

/* What goes wrong on one connection ends it; the client sees that. */
static struct error *run_connection(void *data)
{
    struct connection *connection = data;
    error_free(serve_connection(connection));
    connection_done(connection);
    mem_free(connection);
    return NULL;
}

static struct error *accept_connections(void *data)
{
    struct connect_proxy *proxy = data;
    for (;;) {
        struct transport *client;
        TRY(listener_accept(proxy->listener, &client));
        struct connection *connection = NEW(struct connection);
        *connection = (struct connection){.proxy = proxy, .client = client};
        scope_start(&proxy->running, "connection", run_connection, connection);
    }
}

struct error *connect_proxy_open(struct connect_proxy *proxy, struct str host, uint16_t port)
{
    TRY(network_listen(proxy->network, host, port, &proxy->listener));
    scope_start(&proxy->running, "accept", accept_connections, proxy);
    return NULL;
}

void connect_proxy_done(struct connect_proxy *proxy)
{
    scope_done(&proxy->running);
    listener_free(proxy->listener);
    buf_done(&proxy->asked);
}

uint16_t connect_proxy_port(const struct connect_proxy *proxy)
{
    return listener_port(proxy->listener);
}

size_t connect_proxy_count(const struct connect_proxy *proxy, const char *target)
{
    struct str rest = buf_str(&proxy->asked), line;
    size_t count = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        count += str_eq(line, str_from_c(target));
    }
    return count;
}
