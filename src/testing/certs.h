/*
 * Certificates for tests: an authority, and a certificate of a server and of a client, made on the
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
 * The server's certificate is for "server.test", "localhost" and 127.0.0.1. The client is
 * "test-client" of the group "test-group". All are valid for a day before and after now.
 */
void test_certs_init(struct test_certs *certs, int64_t now);
void test_certs_done(struct test_certs *certs);
