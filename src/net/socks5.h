/*
 * SOCKS version 5 (RFC 1928), with user name and password (RFC 1929). Names are left to the proxy.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct transport;

/* Suspends. transport leads to the proxy; afterwards it leads to host:port. user may be empty. */
MUST_USE struct error *socks5_connect(struct transport *transport, struct str user,
                                      struct str password, struct str host, uint16_t port);
