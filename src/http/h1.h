/*
 * HTTP/1.1 (and 1.0) as a protocol engine; see engine.h for how to drive it.
 *
 * One exchange at a time. A server keeps the bytes of pipelined requests unread until their turn.
 * Reading is strict: whatever two implementations could understand differently is refused.
 * An idle engine holds no buffers.
 */
#pragma once

#include "http/engine.h"

struct http_engine *h1_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user);
