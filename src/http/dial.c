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
#include "base/ascii.h"
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
#define REASON_MAX        80

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
 * Adds what to do to an error of a proxy. Takes err. A proxy that does not lead to the server is a
 * server that cannot be reached, whatever bytes it sends: nothing was lost and nothing is to be
 * repeated.
 */
static struct error *advise(struct error *err, const struct http_endpoint *endpoint,
                            const char *advice)
{
    const char *bypass = endpoint->proxy_bypass;
    if (!err || error_is(err, ERROR_CANCELED))
        return err;
    if (!error_is(err, ERROR_DEADLINE) && !error_is(err, ERROR_TLS))
        err->code = ERROR_UNREACHABLE;
    return error_join(
        err, error_new(err->code, "%s%s%s", advice, bypass ? ", or " : "", bypass ? bypass : ""));
}

/* As far as it has come. */
static bool is_http(struct str answer)
{
    const struct str begin = STR("HTTP/1.");
    return str_starts_with(answer.len < begin.len ? begin : answer,
                           str_slice(answer, 0, begin.len));
}

/*
 * Reads byte by byte, so that no byte of the tunnel behind the response is consumed. The response
 * is short and comes once per connection.
 */
static struct error *read_answer(struct transport *transport, struct buf *answer)
{
    while (!str_ends_with(buf_str(answer), STR("\r\n\r\n"))) {
        char byte;
        struct error *err = transport_read_exactly(transport, &byte, 1);
        if (error_is(err, ERROR_CONNECTION)) {
            error_free(err);
            return error_new(ERROR_UNREACHABLE, "the proxy closes the connection %s",
                             answer->len ? "in the middle of its answer" : "without an answer");
        }
        TRY(err, "no answer of the proxy");
        buf_add_char(answer, byte);
        if (!is_http(buf_str(answer)))
            return error_new(ERROR_UNREACHABLE, "the proxy does not answer with HTTP");
        if (answer->overflowed)
            return error_new(ERROR_UNREACHABLE,
                             "the headers of the proxy's answer are longer than %zu bytes",
                             ANSWER_MAX);
    }
    return NULL;
}

/* The reason comes from a stranger: a short one of printable characters is shown. */
static bool is_shown(struct str reason)
{
    for (size_t i = 0; i < reason.len; i++)
        if (reason.ptr[i] < ' ' || reason.ptr[i] > '~')
            return false;
    return reason.len > 0 && reason.len <= REASON_MAX;
}

/* Any 2xx status opens the tunnel (RFC 9110, 9.3.6). 407 asks for other credentials. */
static struct error *check_answer(const struct http_endpoint *endpoint, struct str answer,
                                  struct str target)
{
    struct str line = str_slice(answer, 0, str_find(answer, STR("\r\n"))), version, status;
    SCOPED(buf) advice = {0};
    str_cut(&line, ' ', &version);
    str_cut(&line, ' ', &status);
    if (status.len == 3 && status.ptr[0] == '2')
        return NULL;
    if (!str_eq(status, STR("407")))
        buf_print(&advice, "let it CONNECT to %.*s", STR_ARG(target));
    else if (endpoint->proxy->has_user)
        buf_add(&advice,
                STR("it does not accept the user and the password of its URL, correct them"));
    else
        buf_print(&advice, "write user and password into its URL, %.*s://USER:PASSWORD@%.*s:%u",
                  STR_ARG(url_scheme_name(endpoint->proxy->scheme)), STR_ARG(endpoint->proxy->host),
                  endpoint->proxy->port);
    const bool has_status = is_shown(status) && status.len == 3, has_reason = is_shown(line);
    return advise(error_new(ERROR_UNREACHABLE, "the proxy answers %.*s%s%.*s",
                            STR_ARG(has_status ? status : STR("without a status")),
                            has_reason ? " " : "", STR_ARG(has_reason ? line : STR(""))),
                  endpoint, buf_c(&advice));
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
    struct error *err = transport_write(transport, buf_str(&request));
    if (!err)
        err = read_answer(transport, &answer);
    if (err)
        return advise(err, endpoint, "check that an HTTP proxy is at that address");
    return check_answer(endpoint, buf_str(&answer), buf_str(&target));
}

static struct error *open_socks(const struct http_endpoint *endpoint, struct transport *transport)
{
    SCOPED(arena) arena = {0};
    struct str user, password;
    TRY(proxy_credentials(&arena, endpoint->proxy, &user, &password));
    struct error *err = socks5_connect(transport, user, password, endpoint->host, endpoint->port);
    mem_wipe((char *)user.ptr, user.len);
    mem_wipe((char *)password.ptr, password.len);
    return advise(err, endpoint, "check that a SOCKS proxy is at that address and lets us through");
}

static struct error *connect_through(const struct http_endpoint *endpoint,
                                     struct transport **ret_transport)
{
    const struct url *proxy = endpoint->proxy;
    OWNED(transport) transport = NULL;
    TRY(advise(network_connect(endpoint->network, proxy->host, proxy->port, &transport), endpoint,
               "check that a proxy is at that address"));
    if (proxy->scheme == URL_HTTPS) {
        const struct tls_client_options options = {
            .server_name = proxy->host,
            .trust = endpoint->proxy_trust,
        };
        TRY(advise(tls_connect(endpoint->tls, TAKE(transport), &options, &transport), endpoint,
                   "check that the proxy speaks TLS with a certificate that the system trusts"));
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
    TRY(connect_through(endpoint, ret_transport), "connect to %.*s:%u through proxy %.*s:%u%s%s%s",
        STR_ARG(endpoint->host), endpoint->port, STR_ARG(endpoint->proxy->host),
        endpoint->proxy->port, endpoint->proxy_source ? " (" : "",
        endpoint->proxy_source ? endpoint->proxy_source : "", endpoint->proxy_source ? ")" : "");
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
