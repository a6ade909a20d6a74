/*
 * The real network: TCP over IPv4 and IPv6.
 */
#pragma once

#include <stddef.h>

#include "base/duration.h"

struct cidr;
struct loop;
struct network;

struct network *tcp_network_new(struct loop *loop);

/*
 * For connections made from now on: the kernel closes a connection when the peer has not
 * acknowledged data for this long (TCP_USER_TIMEOUT). This holds while the process is stopped, too:
 * nothing that was written arrives much later than it was meant to.
 */
void tcp_network_limit_delivery(struct network *network, duration limit);

/*
 * Addresses of these ranges are not connected to. A name is looked up first, so that it cannot
 * stand for one of them. Errors name the flag that excludes them. All is borrowed and outlives the
 * network.
 */
void tcp_network_deny(struct network *network, const struct cidr *ranges, size_t count,
                      const char *flag);
