/*
 * HTTP/1.1 (and 1.0) as a protocol engine; see engine.h for how to drive it.
 *
 * One exchange at a time. A server keeps the bytes of pipelined requests unread until their turn.
 * Reading is strict: whatever two implementations could understand differently is refused.
 * An idle engine holds no buffers.
 *
 * A 2xx answer to CONNECT ends the engine's part: it is finished, and the bytes that follow on the
 * connection are the tunnel's, not to be fed to it. A server opens no tunnels.
 */
#pragma once

#include "http/engine.h"

struct http_engine *h1_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user);
