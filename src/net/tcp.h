/*
 * The real network: TCP over IPv4 and IPv6.
 */
#pragma once

#include "base/duration.h"

struct loop;
struct network;

struct network *tcp_network_new(struct loop *loop);

/*
 * For connections made from now on: what a peer does not acknowledge for so long is given up and
 * the connection with it. The kernel sees to it, so it holds while this process is stopped, too,
 * and nothing that was written arrives much later than it was meant to.
 */
void tcp_network_limit_delivery(struct network *network, duration limit);
