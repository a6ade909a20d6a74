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

#include "apimachinery/gvk.h"
#include "apiserver/auth/rbac.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

struct http_headers;
struct tls_peer;

/*
 * What tokens are made and verified with: a P-256 key and a secret. One for all APIs of a process;
 * a token says which API it is for.
 */
struct token_keys;

MUST_USE struct error *token_keys_new(struct token_keys **ret_keys);
MUST_USE struct error *token_keys_read(struct str pem, struct token_keys **ret_keys);
MUST_USE struct error *token_keys_write(const struct token_keys *keys, struct buf *pem);
void token_keys_free(struct token_keys *keys);
DEFINE_OWNED(token_keys)

/* What else is known about a user, by name. */
struct user_extra {
    struct str key;
    struct rbac_strings values;
};

struct user_info {
    struct rbac_user user; /* name and groups, system:authenticated among them */
    struct str uid;        /* of a ServiceAccount */
    struct user_extra *extra;
    size_t extra_count;
    bool is_anonymous;
};

/* Whether this ServiceAccount exists with this uid. */
typedef bool find_account_fn(void *data, struct str namespace, struct str name, struct str uid);

/*
 * An object a token may be bound to, a Pod or a Secret; NULL when there is none. It lives as long
 * as the arena.
 */
typedef const struct json_value *find_bound_fn(void *data, struct arena *arena, struct str kind,
                                               struct str namespace, struct str name);

/* The interface of authorizers. */
struct authorizer_ops {
    struct rbac_decision (*decide)(void *authorizer, struct arena *arena,
                                   const struct rbac_attributes *attributes);
    struct rbac_rules (*rules)(void *authorizer, struct arena *arena, const struct rbac_user *user,
                               struct str namespace);

    /* The rules of a role; false when there is no such role. The namespace is that of a binding. */
    bool (*find_role)(void *authorizer, struct arena *arena, enum rbac_kind kind,
                      struct str namespace, struct str name, struct rbac_rules *ret_rules);

    /* NULL, or ERROR_FORBIDDEN that names what is granted and not held. */
    struct error *(*check_escalation)(void *authorizer, const struct rbac_user *user,
                                      struct str namespace, const struct rbac_rules *granted);
};

/* Over a struct rbac. */
extern const struct authorizer_ops rbac_authorizer_ops;

struct auth {
    const struct token_keys *keys;
    struct str cluster; /* name of a virtual cluster; empty for the main API */
    find_account_fn *find_account;
    find_bound_fn *find_bound; /* NULL: tokens are not bound to objects */
    const struct authorizer_ops *authorizer_ops;
    void *authorizer;
    void *data; /* of find_account and find_bound */
};

/* The admin token of a virtual cluster; marked secret. */
void auth_admin_token(const struct token_keys *keys, struct str cluster, struct buf *out);

/*
 * Who it is; texts live in the arena. ERROR_UNAUTHORIZED for credentials that are wrong, expired or
 * of another API. A client certificate that was verified counts for the main API alone.
 */
MUST_USE struct error *authenticate(const struct auth *auth, struct arena *arena,
                                    const struct tls_peer *peer, const struct http_headers *headers,
                                    timestamp now, struct user_info *ret_user);

/*
 * Who the request wants to be taken for, by its Impersonate-* headers; without them that is the
 * user itself. attributes are those of the request as it came, with the real user. ERROR_FORBIDDEN
 * unless the user may do that, ERROR_BAD_REQUEST for headers that name no user.
 *
 * As in Kubernetes there are two ways to be allowed to: the verb "impersonate" on what is taken on,
 * or, narrower, "impersonate:<mode>" on it together with "impersonate-on:<mode>:<verb>" on what is
 * asked for.
 */
MUST_USE struct error *impersonate(const struct auth *auth, struct arena *arena,
                                   const struct rbac_attributes *attributes,
                                   const struct user_info *user, const struct http_headers *headers,
                                   struct user_info *ret_user);

/* NULL, or ERROR_FORBIDDEN as API servers word it. */
MUST_USE struct error *authorize(const struct auth *auth, struct arena *arena,
                                 const struct rbac_attributes *attributes);

/* Roles and bindings every API begins with: JSON objects, one after the other. */
size_t bootstrap_policy_count(void);
const char *bootstrap_policy(size_t index);

/* The same as an index, to be the base of others; see rbac_set_base(). */
struct rbac *bootstrap_policy_rbac(void);

/* The next ClusterRole of all there are, NULL at the end. It lives until aggregate_cluster_role()
 * is done. */
typedef const struct json_value *next_cluster_role_fn(void *data);

/*
 * The rules a ClusterRole with an aggregationRule has to have: an array, or NULL for one without.
 * ERROR_INVALID when a selector cannot be read.
 */
MUST_USE struct error *aggregate_cluster_role(struct arena *arena, const struct json_value *role,
                                              next_cluster_role_fn *next, void *data,
                                              struct json_doc **ret_rules);

/*
 * Whether a user may write this role or binding: nobody grants what they do not hold. NULL for
 * objects of other kinds. old is NULL on a create; the objects have their namespace set.
 * ERROR_FORBIDDEN, and ERROR_NOT_FOUND when the role that is bound does not exist.
 */
MUST_USE struct error *escalation_check(const struct auth *auth, struct arena *arena,
                                        const struct rbac_user *user, struct gvr gvr,
                                        const struct json_value *old,
                                        const struct json_value *object);

/*
 * The kinds that are answered and not stored: SelfSubjectReview, TokenReview, SubjectAccessReview,
 * LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview. The body is decoded
 * and has been let in by authorize(); the answer is the whole object. namespace is that of
 * the URL. ERROR_INVALID and ERROR_BAD_REQUEST as API servers word them.
 */
MUST_USE struct error *auth_review(const struct auth *auth, struct arena *arena,
                                   const struct user_info *user, struct gvk gvk,
                                   struct str namespace, const struct json_value *body,
                                   timestamp now, struct json_doc **ret_doc);

/* TokenRequest for an account: serviceaccounts/<name>/token. */
MUST_USE struct error *token_request(const struct auth *auth, struct arena *arena,
                                     const struct json_value *account,
                                     const struct json_value *body, timestamp now,
                                     struct json_doc **ret_doc);
