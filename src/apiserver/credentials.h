/*
 * Certificates and keys of an API server: created at the first start and kept in a folder.
 *
 * The certificate authority and the keys of tokens are kept. The certificates of the server and of
 * the admin are issued again at every start. Without a folder everything is new at each start.
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
    const char *folder;      /* NULL: keys are made for this run only */
    const struct str *names; /* names and addresses in the server's certificate */
    size_t name_count;
    int64_t now; /* wall-clock nanoseconds */

    /* Tokens were handed out: an authority without tokens.key is no interrupted first start. */
    bool was_used;
};

/* Whether an earlier start has made its keys in this folder. */
bool credentials_exist(const char *folder);

/* ERROR_IO names the file. Blocks, so it is for the start of a program. */
MUST_USE struct error *credentials_open(const struct credentials_options *options,
                                        struct credentials **ret_credentials);
