/*
 * The HTTP server of /metrics and /debug.
 *
 *     GET /metrics         the registry, in Prometheus' text format
 *     GET /debug/flags/v   the log level; PUT changes it
 *
 * By default the server uses TLS with a certificate that it makes at its start, and a reviewer
 * authenticates and authorizes the bearer token of each request. Insecure: plain HTTP, and every
 * request is allowed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct diagnostics;
struct loop;
struct metrics;
struct network;

struct diagnostics_options {
    struct network *network;
    struct str host;
    uint16_t port; /* 0: any */
    struct metrics *metrics;
    bool insecure;
    struct client *client; /* for reviews; may be NULL if insecure */
};

struct diagnostics *diagnostics_new(struct loop *loop, const struct diagnostics_options *options);
void diagnostics_free(struct diagnostics *diagnostics); /* Suspends. */
DEFINE_OWNED(diagnostics)

/* Adds a page of text. The path, "/debug/…", must outlive the diagnostics. */
typedef void diagnostics_page_fn(void *data, struct buf *out);
void diagnostics_add_page(struct diagnostics *diagnostics, const char *path,
                          diagnostics_page_fn *write, void *data);

/* Suspends until the port is open. Requests are answered from then on. */
MUST_USE struct error *diagnostics_listen(struct diagnostics *diagnostics);
uint16_t diagnostics_port(const struct diagnostics *diagnostics); /* 0 before it listens */
