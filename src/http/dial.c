/*
 * Connects to an endpoint, in this order: TCP to the server or to its proxy, TLS to an https proxy,
 * a tunnel through the proxy (CONNECT or SOCKS5), TLS to the server. The connect time-out covers
 * all steps to the open tunnel, the handshake time-out covers the last TLS handshake.
 *
 * Credentials of a proxy are decoded late and wiped right after use.
 */
#include "http/dial.h"

#include "async/fiber.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/memory.h"
#include "http/headers.h"
#include "http/url.h"
#include "net/network.h"
#include "net/socks5.h"
#include "net/tls.h"
#include "net/transport.h"

#define CONNECT_DEFAULT   (30 * SECOND)
#define HANDSHAKE_DEFAULT (10 * SECOND)
#define ANSWER_MAX        (16 * KILOBYTE)

static duration handshake_timeout(const struct http_endpoint *endpoint)
{
    return endpoint->handshake_timeout ? endpoint->handshake_timeout : HANDSHAKE_DEFAULT;
}

/* Proxy credentials as they stand in the URL, decoded. */
static struct error *proxy_credentials(struct arena *arena, const struct url *proxy,
                                       struct str *ret_user, struct str *ret_password)
{
    TRY(url_unescape(arena, proxy->user, ret_user));
    return url_unescape(arena, proxy->password, ret_password);
}

/* Basic authentication (RFC 7617) for the proxy. */
static struct error *add_authorization(struct buf *request, const struct url *proxy)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) pair = {.secret = true};
    struct str user, password;
    TRY(proxy_credentials(&arena, proxy, &user, &password));
    buf_add(&pair, user);
    buf_add_char(&pair, ':');
    buf_add(&pair, password);
    buf_add(request, STR("Proxy-Authorization: Basic "));
    base64_encode(request, buf_str(&pair));
    buf_add(request, STR("\r\n"));
    mem_wipe((char *)user.ptr, user.len);
    mem_wipe((char *)password.ptr, password.len);
    return NULL;
}

/*
 * Reads byte by byte, so that no byte of the tunnel behind the response is consumed. The response
 * is short and comes once per connection.
 */
static struct error *read_answer(struct transport *transport, struct buf *answer)
{
    while (!str_ends_with(buf_str(answer), STR("\r\n\r\n"))) {
        char byte;
        TRY(transport_read_exactly(transport, &byte, 1));
        buf_add_char(answer, byte);
        TRY(buf_check(answer));
    }
    return NULL;
}

/* Any 2xx status opens the tunnel (RFC 9110, 9.3.6). 407 asks for other credentials. */
static struct error *check_answer(struct str answer)
{
    struct str line = str_slice(answer, 0, str_find(answer, STR("\r\n"))), version, status;
    str_cut(&line, ' ', &version);
    str_cut(&line, ' ', &status);
    if (!str_starts_with(version, STR("HTTP/1.")) || status.len != 3)
        return error_new(ERROR_PROTOCOL, "the proxy does not speak HTTP");
    if (status.ptr[0] == '2')
        return NULL;
    return error_new(str_eq(status, STR("407")) ? ERROR_UNAUTHORIZED : ERROR_CONNECTION,
                     "the proxy answers %.*s %.*s", STR_ARG(status), STR_ARG(line));
}

/*
 * Asks an HTTP proxy for a tunnel, also for plain HTTP inside. The host is checked, because it is
 * written into a request line.
 */
static struct error *open_tunnel(const struct http_endpoint *endpoint, struct transport *transport)
{
    if (!http_is_field_value(endpoint->host) || str_find_char(endpoint->host, ' ') != STR_NONE)
        return error_new(ERROR_INVALID, "\"%.*s\" is not a host name", STR_ARG(endpoint->host));
    SCOPED(buf) request = {.secret = true}, answer = {.limit = ANSWER_MAX};
    const bool is_ipv6 = str_find_char(endpoint->host, ':') != STR_NONE;
    SCOPED(buf) target = {0};
    buf_print(&target, is_ipv6 ? "[%.*s]:%u" : "%.*s:%u", STR_ARG(endpoint->host), endpoint->port);
    buf_print(&request, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", buf_c(&target), buf_c(&target));
    if (endpoint->proxy->has_user)
        TRY(add_authorization(&request, endpoint->proxy));
    buf_add(&request, STR("\r\n"));
    TRY(buf_check(&request));
    TRY(transport_write(transport, buf_str(&request)));
    TRY(read_answer(transport, &answer));
    return check_answer(buf_str(&answer));
}

static struct error *open_socks(const struct http_endpoint *endpoint, struct transport *transport)
{
    SCOPED(arena) arena = {0};
    struct str user, password;
    TRY(proxy_credentials(&arena, endpoint->proxy, &user, &password));
    struct error *err = socks5_connect(transport, user, password, endpoint->host, endpoint->port);
    mem_wipe((char *)user.ptr, user.len);
    mem_wipe((char *)password.ptr, password.len);
    return err;
}

static struct error *connect_through(const struct http_endpoint *endpoint,
                                     struct transport **ret_transport)
{
    const struct url *proxy = endpoint->proxy;
    OWNED(transport) transport = NULL;
    TRY(network_connect(endpoint->network, proxy->host, proxy->port, &transport));
    if (proxy->scheme == URL_HTTPS) {
        const struct tls_client_options options = {
            .server_name = proxy->host,
            .trust = endpoint->proxy_trust,
        };
        TRY(tls_connect(endpoint->tls, TAKE(transport), &options, &transport));
    }
    if (proxy->scheme == URL_SOCKS5)
        TRY(open_socks(endpoint, transport));
    else
        TRY(open_tunnel(endpoint, transport));
    *ret_transport = TAKE(transport);
    return NULL;
}

static struct error *connect_endpoint(const struct http_endpoint *endpoint,
                                      struct transport **ret_transport)
{
    FIBER_TIMEOUT(endpoint->connect_timeout ? endpoint->connect_timeout : CONNECT_DEFAULT);
    if (!endpoint->proxy)
        return network_connect(endpoint->network, endpoint->host, endpoint->port, ret_transport);
    TRY(connect_through(endpoint, ret_transport), "connect to %.*s:%u through proxy %.*s:%u",
        STR_ARG(endpoint->host), endpoint->port, STR_ARG(endpoint->proxy->host),
        endpoint->proxy->port);
    return NULL;
}

struct error *http_dial(const struct http_endpoint *endpoint, struct tls_resumption *resumption,
                        struct transport **ret_transport)
{
    OWNED(transport) transport = NULL;
    TRY(connect_endpoint(endpoint, &transport));
    if (!endpoint->plain) {
        const struct tls_client_options options = {
            .server_name = endpoint->server_name.len ? endpoint->server_name : endpoint->host,
            .identity = endpoint->identity,
            .trust = endpoint->trust,
            .skip_verify = endpoint->skip_verify,
            .http2 = !endpoint->no_http2,
            .resumption = resumption,
        };
        FIBER_TIMEOUT(handshake_timeout(endpoint));
        TRY(tls_connect(endpoint->tls, TAKE(transport), &options, &transport), "connect to %.*s:%u",
            STR_ARG(endpoint->host), endpoint->port);
    }
    *ret_transport = TAKE(transport);
    return NULL;
}
