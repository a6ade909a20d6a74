/*
 * HTTP/2 as a protocol engine; see engine.h for how to drive it.
 *
 * The connection's own window is given back at once by a client, which chooses how many streams it
 * has, and only as bodies are consumed by a server, whose clients choose.
 */
#pragma once

#include "http/engine.h"

struct http_engine *h2_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user);
