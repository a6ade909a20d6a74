/*
 * A server of ours for foreign clients: TLS, HTTP/2, certificates welcome but not demanded.
 *
 *     /who     the protocol and the client's name, and the body's length if there is one
 *     /echo    the body comes back while it is still being sent
 *     /text    compressed for who takes it
 *     /lines   a line whenever the test says so, see site_say()
 *     /gather  answers once site.crowd requests wait for it, all at once
 */
#pragma once

#include <stddef.h>

#include "async/event.h"
#include "base/owned.h"
#include "http/conn.h"
#include "peers/interop/ground.h"

struct http_server;
struct tls_server;

struct site {
    struct ground *ground;
    struct tls_server *tls;
    struct http_server *server;
    int requests;

    struct str line; /* to be said next; empty: nothing */
    bool silent;     /* no line will follow */
    size_t crowd, gathered;
    struct event changed;
};

void site_init(struct site *site, struct ground *ground, const struct http_limits *limits);
void site_done(struct site *site);

/* Where a client finds the path; lives as long as the ground. */
const char *site_url(struct site *site, const char *path);

/* What "/text" says. */
void site_text(struct buf *text);

/* Lets "/lines" say the line, which ends it when it is empty. Suspends until it was taken. */
void site_say(struct site *site, struct str line);
