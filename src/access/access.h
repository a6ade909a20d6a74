/*
 * Who a request comes from, and whether it may: one of these per API.
 *
 * Users come from client certificates (CN is the name, O are groups), from ServiceAccount tokens
 * and, in a virtual cluster, from the one admin token of that cluster. Without credentials a
 * request is system:anonymous. Whether something is allowed is asked of an authorizer, which is an
 * interface with RBAC as its one implementation.
 */
#pragma once

#include <stdbool.h>

#include "api/gvk.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"
#include "rbac/rbac.h"

struct http_headers;
struct tls_peer;

/*
 * What tokens are made and verified with: a P-256 key and a secret. One for all APIs of a process;
 * a token says which API it is for.
 */
struct access_keys;

MUST_USE struct error *access_keys_new(struct access_keys **ret_keys);
MUST_USE struct error *access_keys_read(struct str pem, struct access_keys **ret_keys);
MUST_USE struct error *access_keys_write(const struct access_keys *keys, struct buf *pem);
void access_keys_free(struct access_keys *keys);
DEFINE_OWNED(access_keys)

struct access_user {
    struct rbac_user user; /* name and groups, system:authenticated among them */
    struct str uid;        /* of a ServiceAccount */
    bool is_anonymous;
};

/* Whether this ServiceAccount exists with this uid. */
typedef bool access_account_fn(void *data, struct str namespace, struct str name, struct str uid);

/* The interface of authorizers. */
struct authorizer_ops {
    struct rbac_decision (*decide)(void *authorizer, struct arena *arena,
                                   const struct rbac_attributes *attributes);
    struct rbac_rules (*rules)(void *authorizer, struct arena *arena, const struct rbac_user *user,
                               struct str namespace);
};

/* Over a struct rbac. */
extern const struct authorizer_ops access_rbac_ops;

struct access {
    const struct access_keys *keys;
    struct str cluster; /* name of a virtual cluster; empty for the main API */
    access_account_fn *find_account;
    const struct authorizer_ops *authorizer_ops;
    void *authorizer;
    void *data; /* of find_account */
};

/* The admin token of a virtual cluster; marked secret. */
void access_admin_token(const struct access_keys *keys, struct str cluster, struct buf *out);

/*
 * Who it is; texts live in the arena. ERROR_UNAUTHORIZED for credentials that are wrong, expired or
 * of another API. A client certificate that was verified counts for the main API alone.
 */
MUST_USE struct error *access_authenticate(const struct access *access, struct arena *arena,
                                           const struct tls_peer *peer,
                                           const struct http_headers *headers, timestamp now,
                                           struct access_user *ret_user);

/* NULL, or ERROR_FORBIDDEN as API servers word it. */
MUST_USE struct error *access_authorize(const struct access *access, struct arena *arena,
                                        const struct rbac_attributes *attributes);

/* Roles and bindings every API begins with: JSON objects, one after the other. */
size_t access_bootstrap_count(void);
const char *access_bootstrap(size_t index);

/*
 * The kinds that are answered and not stored: SelfSubjectReview, TokenReview, SubjectAccessReview,
 * LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview. The body is decoded
 * and has been let in by access_authorize(); the answer is the whole object. namespace is that of
 * the URL. ERROR_INVALID and ERROR_BAD_REQUEST as API servers word them.
 */
MUST_USE struct error *access_review(const struct access *access, struct arena *arena,
                                     const struct access_user *user, struct gvk gvk,
                                     struct str namespace, const struct json_value *body,
                                     timestamp now, struct json_doc **ret_doc);

/* TokenRequest for an account: serviceaccounts/<name>/token. */
MUST_USE struct error *access_token_request(const struct access *access, struct arena *arena,
                                            const struct json_value *account,
                                            const struct json_value *body, timestamp now,
                                            struct json_doc **ret_doc);
