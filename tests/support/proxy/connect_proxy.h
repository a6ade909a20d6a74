/*
 * An HTTP proxy that opens tunnels with CONNECT, as companies put in front of their networks, on
 * any network: the real one or a simulated one. It can also misbehave in the ways proxies do.
 */
#pragma once

#include <stdint.h>

#include "async/scope.h"
#include "base/buf.h"
#include "base/str.h"

struct listener;
struct network;

enum connect_proxy_mode {
    CONNECT_PROXY_PASS,
    CONNECT_PROXY_REFUSE,  /* 403 */
    CONNECT_PROXY_HANG,    /* takes the request and says nothing */
    CONNECT_PROXY_GARBAGE, /* answers in another protocol */
    CONNECT_PROXY_HUGE,    /* headers without an end */
    CONNECT_PROXY_MODES,
};

struct connect_proxy {
    struct network *network;
    enum connect_proxy_mode mode; /* may change at any time; for the connections that follow */
    const char *wants;            /* "user:password"; otherwise the answer is 407. NULL: nobody's */
    const char *leads_to;         /* the host of every tunnel; NULL: the host that is asked for */
    void (*on_request)(struct str target); /* "host:port"; NULL: nothing */

    struct buf asked; /* "host:port\n" of every request */
    struct listener *listener;
    struct scope running;
};

/* "pass", "refuse", and so on; CONNECT_PROXY_MODES for another text. */
enum connect_proxy_mode connect_proxy_mode_read(const char *text);

/* Port 0 takes any free port. The fields above are set by the caller before. Suspends. */
MUST_USE struct error *connect_proxy_open(struct connect_proxy *proxy, struct str host,
                                          uint16_t port);
void connect_proxy_done(struct connect_proxy *proxy); /* suspends */

uint16_t connect_proxy_port(const struct connect_proxy *proxy);

/* How often a tunnel to "host:port" was asked for. */
size_t connect_proxy_count(const struct connect_proxy *proxy, const char *target);
