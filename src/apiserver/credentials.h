/*
 * Certificates and keys of an API server: made at the first start, kept in a folder.
 *
 * The authority and the key of tokens last; the server's and the admin's certificates are issued
 * anew at every start. Without a folder all of them are new each time.
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct tls_server;

struct credentials {
    struct buf authority; /* certificate, PEM */
    struct buf admin_certificate, admin_key;
    struct tls_server *tls;
    struct token_keys *keys;
};

void credentials_free(struct credentials *credentials);
DEFINE_OWNED(credentials)

struct credentials_options {
    const char *folder;      /* NULL: nothing is kept */
    const struct str *names; /* host names and addresses the server answers for */
    size_t name_count;
    int64_t now; /* wall-clock nanoseconds */
};

/* ERROR_IO names the file. Blocks: for the start of a program. */
MUST_USE struct error *credentials_open(const struct credentials_options *options,
                                        struct credentials **ret_credentials);
