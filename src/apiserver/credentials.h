/*
 * Certificates and keys of an API server: created at the first start and kept in files.
 *
 * The certificate authority and the keys of tokens stay. The certificates of the server and of the
 * admin live for a year and are issued anew in the last third of it: to open the credentials again
 * is to renew what is due, and to apply a rotation that waits. Without a folder everything is new
 * at each start.
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "apiserver/kept_certificate.h"
#include "apiserver/secret_file.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct pki_authority;
struct tls_server;

struct credentials {
    struct buf authority; /* certificate, PEM */
    struct kept_certificate admin, server;
    int64_t renew_at; /* when the first of them is due, in wall-clock nanoseconds */

    /* When both of them and the authority are valid. */
    int64_t not_before, not_after;

    struct secret_file_stamp keys_stamp; /* of tokens.key, when the keys were read */
    struct tls_server *tls;
    struct token_keys *keys;
};

void credentials_free(struct credentials *credentials);
DEFINE_OWNED(credentials)

struct credentials_options {
    struct credential_files *files;
    const struct str *names; /* names and addresses in the server's certificate */
    size_t name_count;
    int64_t now; /* wall-clock nanoseconds */

    /* Tokens were handed out: an authority without tokens.key is no interrupted first start. */
    bool was_used;
};

/* A self-signed authority of ten years. */
MUST_USE struct error *credentials_new_authority(int64_t now, struct pki_authority **ret_authority);

/* Whether an earlier start has made its keys in this folder. */
bool credentials_exist(const char *folder);

/* ERROR_IO names the file. Blocks, so it is for the start of a program or a worker thread. */
MUST_USE struct error *credentials_open(const struct credentials_options *options,
                                        struct credentials **ret_credentials);

/*
 * Whether the credentials are to be opened again: something has to be renewed, or is not valid at
 * this time because the clock was wrong when it was issued.
 */
bool credentials_are_due(const struct credentials *credentials, int64_t now);

/* Whether tokens.key was replaced since the credentials were opened. */
bool credentials_were_replaced(const struct credentials *credentials, const char *folder);

/*
 * The generation that the admin's certificate in the files was issued for; 0 when there is no such
 * certificate of this authority. It is never above that of tokens.key, unless tokens.key was put
 * back from before a rotation.
 */
MUST_USE struct error *credentials_admin_generation(const struct credential_files *files,
                                                    const struct pki_authority *authority,
                                                    uint64_t *ret_generation);

/* From now on the credentials are the newer ones, which are freed. On the loop's thread only. */
void credentials_become(struct credentials *credentials, struct credentials *newer);
