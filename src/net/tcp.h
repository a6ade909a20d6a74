/*
 * The real network: TCP over IPv4 and IPv6.
 */
#pragma once

#include "base/duration.h"

struct loop;
struct network;

struct network *tcp_network_new(struct loop *loop);

/*
 * For connections made from now on: the kernel closes a connection when the peer has not
 * acknowledged data for this long (TCP_USER_TIMEOUT). This holds while the process is stopped, too:
 * nothing that was written arrives much later than it was meant to.
 */
void tcp_network_limit_delivery(struct network *network, duration limit);
