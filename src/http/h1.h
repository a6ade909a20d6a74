/*
 * HTTP/1.1 (and 1.0) as a protocol engine; see engine.h for how to drive it.
 *
 * One exchange at a time. A server buffers the bytes of pipelined requests until their turn.
 * Reading is strict: a message that two implementations could read differently is refused, since
 * such messages are used to smuggle requests. An idle engine holds no buffers.
 *
 * A 2xx response to CONNECT finishes a client's engine: the following bytes belong to the tunnel
 * and must not be given to the engine. A server opens no tunnels. Its response 101 makes the
 * connection a WebSocket; see engine.h.
 */
#pragma once

#include "http/engine.h"

struct http_engine *h1_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user);
