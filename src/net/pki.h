/*
 * Certificates made by this program: an authority and the certificates it issues. Keys are P-256
 * unless RSA is asked for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct pki_authority;

/* What a certificate is for. */
struct pki_request {
    struct str common_name;
    const struct str *organizations; /* groups of a Kubernetes user */
    size_t organization_count;
    const struct str *names; /* host names and addresses a server answers for */
    size_t name_count;
    struct str uri;      /* a further name, which says what is neither a user nor a host */
    bool client, server; /* what the certificate may be used for */
    int64_t not_before;  /* wall-clock nanoseconds */
    int64_t not_after;
    bool rsa; /* an RSA key of 2048 bits instead: for peers that cannot do better, and tests */
};

/* Appends a new RSA key of 2048 bits as PEM text. Takes a while; any thread may call it. */
MUST_USE struct error *pki_rsa_key(struct buf *key_pem);

/* A new self-signed authority. */
MUST_USE struct error *pki_authority_new(struct str common_name, int64_t not_before,
                                         int64_t not_after, struct pki_authority **ret_authority);
/* The same with a given key. ERROR_PARSE when the text is no key. */
MUST_USE struct error *pki_authority_of_key(struct str common_name, struct str key_pem,
                                            int64_t not_before, int64_t not_after,
                                            struct pki_authority **ret_authority);
MUST_USE struct error *pki_authority_read(struct str certificate_pem, struct str key_pem,
                                          struct pki_authority **ret_authority);
void pki_authority_free(struct pki_authority *authority);
DEFINE_OWNED(pki_authority)

/* The start and the end of the validity, in wall-clock nanoseconds. */
void pki_authority_validity(const struct pki_authority *authority, int64_t *ret_not_before,
                            int64_t *ret_not_after);

/*
 * Append PEM text. The buffer of the key should be marked secret. A P-256 key is written in the
 * form of SEC 1.
 */
MUST_USE struct error *pki_authority_write(const struct pki_authority *authority,
                                           struct buf *certificate_pem, struct buf *key_pem);
MUST_USE struct error *pki_issue(const struct pki_authority *authority,
                                 const struct pki_request *request, struct buf *certificate_pem,
                                 struct buf *key_pem);

/*
 * Whether this certificate is what pki_issue() gives for this request, apart from its times, and
 * the key belongs to it. The times are set if so.
 */
bool pki_is_issued(const struct pki_authority *authority, const struct pki_request *request,
                   struct str certificate_pem, struct str key_pem, int64_t *ret_not_before,
                   int64_t *ret_not_after);

/* Appends the URI that a certificate of this authority was issued with; nothing for others. */
void pki_issued_uri(const struct pki_authority *authority, struct str certificate_pem,
                    struct buf *uri);
