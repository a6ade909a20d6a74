/*
 * The HTTP server of the pages: docs/web.md says which addresses it has and what it refuses.
 *
 * Every request reads. The facts come from a web_source, what a visitor may see from a web_access,
 * and the pages are pure functions of both (page.h, web_json.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct loop;
struct network;
struct tls_server;
struct web_access;
struct web_server;
struct web_source;

struct web_server_options {
    struct network *network;
    struct str host;        /* borrowed */
    uint16_t port;          /* 0: any */
    struct tls_server *tls; /* NULL: plain HTTP */
    struct web_source *source;
    struct web_access *access;
};

/* Listens when it has returned. Suspends. */
MUST_USE struct error *web_server_new(struct loop *loop, const struct web_server_options *options,
                                      struct web_server **ret_server);
void web_server_free(struct web_server *server); /* Suspends. */
DEFINE_OWNED(web_server)

uint16_t web_server_port(const struct web_server *server);
