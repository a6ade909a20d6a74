/*
 * The interface of networks and listeners: calls through their tables of functions, with a context
 * in front of errors.
 */
#include "net/network.h"

void network_free(struct network *network)
{
    if (network)
        network->ops->free(network);
}

struct error *network_connect(struct network *network, struct str host, uint16_t port,
                              struct transport **ret_transport)
{
    TRY(network->ops->connect(network, host, port, ret_transport), "connect to %.*s:%u",
        STR_ARG(host), port);
    return NULL;
}

struct error *network_listen(struct network *network, struct str host, uint16_t port,
                             struct listener **ret_listener)
{
    TRY(network->ops->listen(network, host, port, ret_listener), "listen on %.*s:%u", STR_ARG(host),
        port);
    return NULL;
}

void listener_free(struct listener *listener)
{
    if (listener)
        listener->ops->free(listener);
}

struct error *listener_accept(struct listener *listener, struct transport **ret_transport)
{
    return listener->ops->accept(listener, ret_transport);
}

uint16_t listener_port(const struct listener *listener)
{
    return listener->ops->port(listener);
}
