/*
 * /metrics and /debug, for those who may.
 *
 *     GET /metrics         the registry, in Prometheus' text format
 *     GET /debug/flags/v   how much is logged; PUT changes it
 *
 * Secure, which is the default: TLS with a certificate made on the spot, and the bearer of a token
 * whom a reviewer lets through. Insecure: plain HTTP for everybody.
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
    struct client *client; /* for reviews; not needed when insecure */
};

struct diagnostics *diagnostics_new(struct loop *loop, const struct diagnostics_options *options);
void diagnostics_free(struct diagnostics *diagnostics); /* Suspends. */
DEFINE_OWNED(diagnostics)

/* A page of text. The path, "/debug/…", must live as long. */
typedef void diagnostics_page_fn(void *data, struct buf *out);
void diagnostics_add_page(struct diagnostics *diagnostics, const char *path,
                          diagnostics_page_fn *write, void *data);

/* Suspends. Answers from then on. */
MUST_USE struct error *diagnostics_listen(struct diagnostics *diagnostics);
uint16_t diagnostics_port(const struct diagnostics *diagnostics); /* 0 before it listens */
