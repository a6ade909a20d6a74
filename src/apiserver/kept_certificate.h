/*
 * A certificate that the server issues for its own use: kept in files with its key for as long as
 * it is good, and issued anew in the last third of its life.
 *
 * It lives for a year, but never longer than its authority.
 */
#pragma once

#include <stdint.h>

#include "apiserver/credential_files.h"
#include "base/buf.h"
#include "base/error.h"

struct pki_authority;
struct pki_request;

struct kept_certificate {
    struct buf certificate, key; /* PEM; the key is secret */
    int64_t not_before;          /* an hour before it was issued */
    int64_t not_after;           /* wall-clock nanoseconds, as the other times */
    int64_t renew_at;            /* INT64_MAX: no newer one would last longer */
};

void kept_certificate_done(struct kept_certificate *kept);

/* When a certificate is to be renewed: after two thirds of its life. */
int64_t kept_certificate_renewal(int64_t not_before, int64_t not_after, int64_t authority_end);

/* The names of the files; both outlive the credential_files. */
struct kept_certificate_names {
    const char *certificate, *key;
};

/*
 * Reads the certificate, or issues and writes a new one if there is none, it is due, it is not of
 * this authority, or it is not what is requested. The times of the request are not used. Blocks.
 */
MUST_USE struct error *kept_certificate_open(struct credential_files *files,
                                             const struct kept_certificate_names *names,
                                             const struct pki_authority *authority,
                                             const struct pki_request *request, int64_t now,
                                             struct kept_certificate *ret_kept);
