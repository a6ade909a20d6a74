/*
 * The fleet's page of a process that runs the controllers: facts from its caches, a server, and who
 * may see it. See web/web_server.h.
 *
 *     OWNED(fleet_page) page = NULL;
 *     TRY(fleet_page_new(loop, &options, &page));
 *     print(fleet_page_address(page));
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct cache_set;
struct client;
struct clustercache;
struct fleet_page;
struct loop;
struct network;

struct fleet_page_options {
    struct network *network;
    struct str host;
    uint16_t port;            /* 0: any */
    struct cache_set *caches; /* of sets, Clusters and bindings; NULL: it has its own */
    struct client *client;    /* fills own caches, asks for reviews, reads contents of sets */
    struct clustercache *clustercache; /* NULL: conditions alone tell of connections */
    struct str namespace;              /* empty: all */

    bool has_tokens; /* TLS, and visitors show a token; else plain HTTP, and a key opens it once */
    struct str cert_dir; /* with tls.crt and tls.key; empty: a certificate is made */
};

/* Listens when it has returned. Suspends. */
MUST_USE struct error *fleet_page_new(struct loop *loop, const struct fleet_page_options *options,
                                      struct fleet_page **ret_page);
void fleet_page_free(struct fleet_page *page); /* Suspends. */
DEFINE_OWNED(fleet_page)

/* "http://127.0.0.1:8080/?key=…". Secret: who has it first sees the page. */
struct str fleet_page_address(const struct fleet_page *page);
