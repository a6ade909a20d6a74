/*
 * A server of ours for foreign clients: TLS, HTTP/2, certificates welcome but not demanded.
 *
 *     /who     the protocol and the client's name, and the body's length if there is one
 *     /echo    the body comes back while it is still being sent
 *     /text    compressed for who takes it
 *     /lines   a line whenever the test says so, see interop_server_say()
 *     /gather  answers once interop_server.crowd requests wait for it, all at once
 */
#pragma once

#include <stddef.h>

#include "async/event.h"
#include "base/owned.h"
#include "http/conn.h"
#include "peers/interop/interop_fixture.h"

struct http_server;
struct tls_server;

struct interop_server {
    struct interop_fixture *fixture;
    struct tls_server *tls;
    struct http_server *server;
    int requests;

    struct str line; /* to be said next; empty: nothing */
    bool silent;     /* no line will follow */
    size_t crowd, gathered;
    struct event changed;
};

void interop_server_init(struct interop_server *ours, struct interop_fixture *fixture,
                         const struct http_limits *limits);
void interop_server_done(struct interop_server *ours);

/* Where a client finds the path; lives as long as the fixture. */
const char *interop_server_url(struct interop_server *ours, const char *path);

/* What "/text" says. */
void interop_server_text(struct buf *text);

/* Lets "/lines" say the line, which ends it when it is empty. Suspends until it was taken. */
void interop_server_say(struct interop_server *ours, struct str line);
