/*
 * SOCKS version 5 (RFC 1928), with user name and password (RFC 1929). The proxy resolves host
 * names.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct transport;

/*
 * Suspends. The transport leads to the proxy; after success it leads to host:port. An empty user
 * means no credentials.
 */
MUST_USE struct error *socks5_connect(struct transport *transport, struct str user,
                                      struct str password, struct str host, uint16_t port);
