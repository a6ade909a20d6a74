/*
 * Where connections come from: the real network (tcp.h) or a simulated one (testing/sim_network.h).
 * Code above this folder knows only this interface.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct listener;
struct network;
struct transport;

struct network_ops {
    struct error *(*connect)(struct network *network, struct str host, uint16_t port,
                             struct transport **ret_transport);
    struct error *(*listen)(struct network *network, struct str host, uint16_t port,
                            struct listener **ret_listener);
    void (*free)(struct network *network);
};

struct network {
    const struct network_ops *ops;
};

struct listener_ops {
    struct error *(*accept)(struct listener *listener, struct transport **ret_transport);
    uint16_t (*port)(const struct listener *listener);
    void (*free)(struct listener *listener);
};

struct listener {
    const struct listener_ops *ops;
};

void network_free(struct network *network);
DEFINE_OWNED(network)

/* Suspends: looks up the addresses of the host and connects to the first one that answers. */
MUST_USE struct error *network_connect(struct network *network, struct str host, uint16_t port,
                                       struct transport **ret_transport);

/* Port 0 takes any free port; listener_port() tells which. Suspends when host is a name. */
MUST_USE struct error *network_listen(struct network *network, struct str host, uint16_t port,
                                      struct listener **ret_listener);

void listener_free(struct listener *listener);
DEFINE_OWNED(listener)

/*
 * Suspends until a client connects. After an error other than an interruption the caller should try
 * again.
 */
MUST_USE struct error *listener_accept(struct listener *listener, struct transport **ret_transport);
uint16_t listener_port(const struct listener *listener);
