/*
 * Connects to an endpoint and returns a transport for HTTP: resolves the name, passes the proxy,
 * makes the TLS handshake.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

struct network;
struct tls_context;
struct tls_identity;
struct tls_resumption;
struct tls_trust;
struct transport;
struct url;

/* Address and connection settings of a server. Texts and pointers are borrowed. */
struct http_endpoint {
    struct network *network;
    struct str host;
    uint16_t port;

    bool plain;                    /* http instead of https */
    struct tls_context *tls;       /* needed unless plain, and for an https proxy */
    struct str server_name;        /* checked and sent instead of host; empty: host */
    struct tls_identity *identity; /* client certificate; NULL for none */
    struct tls_trust *trust;       /* NULL: the system's authorities */
    bool skip_verify;
    bool no_http2;

    const struct url *proxy;       /* http, https or socks5; NULL for none */
    struct tls_trust *proxy_trust; /* for an https proxy; NULL: the system's authorities */
    const char *proxy_source;      /* what asks for it, for errors: "HTTPS_PROXY"; may be NULL */
    const char *proxy_bypass;      /* how to do without, for errors; may be NULL */

    duration connect_timeout;   /* 0 means 30 s */
    duration handshake_timeout; /* 0 means 10 s */
};

/* Suspends. Errors name the host and the step that failed; those of a proxy say what to do. */
MUST_USE struct error *http_dial(const struct http_endpoint *endpoint,
                                 struct tls_resumption *resumption,
                                 struct transport **ret_transport);
