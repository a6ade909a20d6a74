/*
 * The fixture of the interop tests: a temporary folder with certificates as files, and network and
 * TLS for a client of ours.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "http/client.h"
#include "peers/interop/folder.h"
#include "testing/certs.h"

/* Every wait of a test ends by then, before CTest would kill it without a word. */
#define INTEROP_FIXTURE_TIMEOUT (90 * SECOND)

struct interop_fixture {
    struct folder folder;
    struct test_certs certs;
    const char *authority_file, *server_file, *server_key_file, *client_file, *client_key_file;
    struct network *network;
    struct tls_context *tls;
};

void interop_fixture_init(struct interop_fixture *fixture);

/* Clients and servers are freed before. Suspends for a moment, for connections to be gone. */
void interop_fixture_done(struct interop_fixture *fixture);

/* For a client of ours with its certificate, talking TLS to a port of this machine. */
struct http_client_options interop_fixture_client_options(const struct interop_fixture *fixture,
                                                          uint16_t port);

/* Bytes that do not compress, the same ones every time. */
void interop_fixture_noise(struct buf *bytes, size_t len);

struct answer {
    int status;
    bool http2, compressed;
    struct buf body;
};
void answer_done(struct answer *answer);

/* Suspends. A whole exchange; the answer is a zeroed or an earlier one. */
MUST_USE struct error *client_fetch(struct http_client *client,
                                    const struct http_client_request *request,
                                    struct answer *answer);
MUST_USE struct error *client_get(struct http_client *client, struct str target,
                                  struct answer *answer);
