/*
 * Certificates for tests: an authority with a server's and a client's certificate, made on the
 * spot.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/owned.h"
#include "base/str.h"
#include "net/tls.h"

struct test_certs {
    struct buf authority_pem, server_pem, server_key, client_pem, client_key;
    struct tls_trust *trust;
    struct tls_identity *server, *client;
};

/*
 * The server's is for "server.test", "localhost" and 127.0.0.1, the client's is "test-client" of
 * "test-group"; all are valid for a day around now.
 */
void test_certs_init(struct test_certs *certs, int64_t now);
void test_certs_done(struct test_certs *certs);
