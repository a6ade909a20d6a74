/*
 * HTTP/2 as a protocol engine; see engine.h for how to drive it.
 *
 * A client returns received bytes to the connection's window at once, because it decides itself how
 * many streams it opens. A server returns them when the bodies are consumed, because its clients
 * decide.
 */
#pragma once

#include "http/engine.h"

struct http_engine *h2_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user);
