/*
 * One server of a fake world: the objects of a store, served over HTTP to the client and the caches
 * of a run. Discovery, get, list, watch, create, update, patch and delete; nothing else is there.
 */
#pragma once

#include "base/error.h"
#include "libcorset/fake_store.h"

struct http_server;
struct loop;
struct network;

#define FAKE_API_PORT 80

/* Plain HTTP on this host, until http_server_free(). Suspends. */
MUST_USE struct error *fake_api_serve(struct loop *loop, struct network *network, struct str host,
                                      struct fake_store *store, struct http_server **ret_server);
