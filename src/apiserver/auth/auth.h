/*
 * Authentication and authorization of one API.
 *
 * Users come from client certificates (CN is the name, O are the groups), from ServiceAccount
 * tokens and, in a virtual cluster, from the one admin token of that cluster. A request without
 * credentials is system:anonymous. Authorization is an interface (struct authorizer_ops) with RBAC
 * as its one implementation.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apiserver/auth/rbac.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

struct http_headers;
struct tls_peer;

/*
 * The keys that sign and verify tokens: a P-256 key and a secret. One for all APIs of a process; a
 * token says which API it is for.
 */
struct token_keys;

MUST_USE struct error *token_keys_new(struct token_keys **ret_keys);
MUST_USE struct error *token_keys_read(struct str pem, struct token_keys **ret_keys);
MUST_USE struct error *token_keys_write(const struct token_keys *keys, struct buf *pem);
void token_keys_free(struct token_keys *keys);
DEFINE_OWNED(token_keys)

/*
 * The generation counts rotations, from 1. Client certificates name it, as the URI
 * "corset:generation:2", and are valid in their own only; those that name none are of the first.
 */
#define AUTH_GENERATION_URI "corset:generation:"
uint64_t token_keys_generation(const struct token_keys *keys);

/* New keys of the next generation. */
MUST_USE struct error *token_keys_next(const struct token_keys *keys, struct token_keys **ret_keys);

/* From now on the keys are the newer ones, which are freed. */
void token_keys_become(struct token_keys *keys, struct token_keys *newer);

/* Further attributes of a user, by name. */
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

/* Adds an object as a member: name, uid, groups and extra, as far as they are set. */
struct json_builder;
void auth_write_user(struct json_builder *builder, const char *key, const struct user_info *user);

/* Whether this ServiceAccount exists with this uid. */
typedef bool find_account_fn(void *data, struct str namespace, struct str name, struct str uid);

/*
 * The Pod or Secret that a token is bound to; NULL when it does not exist. It lives as long as the
 * arena.
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

    /* NULL, or ERROR_FORBIDDEN that names the permissions that are granted and not held. */
    struct error *(*check_escalation)(void *authorizer, const struct rbac_user *user,
                                      struct str namespace, const struct rbac_rules *granted);
};

/* The authorizer over a struct rbac. */
extern const struct authorizer_ops rbac_authorizer_ops;

struct auth {
    const struct token_keys *keys;
    struct str cluster; /* name of a virtual cluster; empty for the main API */
    find_account_fn *find_account;
    find_bound_fn *find_bound; /* NULL: tokens are not bound to objects */
    const struct authorizer_ops *authorizer_ops;
    void *authorizer;
    void *data;                  /* of find_account and find_bound */
    duration max_token_lifetime; /* of tokens that are issued from now on; 0: no limit */
};

/* The admin token of a virtual cluster. The buffer is marked secret. */
void auth_admin_token(const struct token_keys *keys, struct str cluster, struct buf *out);

/*
 * How a browser, which cannot set other headers, sends a bearer token with a WebSocket: as one of
 * the protocols in Sec-WebSocket-Protocol, in base64 for URLs, beside the protocol that it wants.
 */
#define AUTH_WEBSOCKET_TOKEN "base64url.bearer.authorization.k8s.io."

/* What a request shows of its user. */
struct auth_evidence {
    const struct tls_peer *peer; /* NULL: no certificate */
    const struct http_headers *headers;
    bool is_websocket; /* the list of protocols counts */
};

/*
 * The user of a request; texts live in the arena. ERROR_UNAUTHORIZED for credentials that are
 * wrong, expired or of another API. Client certificates count for the main API only; a virtual
 * cluster, which has no authority for them, does not look at them.
 */
MUST_USE struct error *authenticate(const struct auth *auth, struct arena *arena,
                                    const struct auth_evidence *evidence, timestamp now,
                                    struct user_info *ret_user);

/*
 * The user that a request wants to act as, by its Impersonate-* headers; without them that is the
 * user itself. attributes are those of the request with the real user. ERROR_FORBIDDEN unless the
 * user may impersonate, ERROR_BAD_REQUEST for headers that name no user.
 *
 * As in Kubernetes there are two ways to be allowed: the verb "impersonate" on the attributes of
 * the other user, or, narrower, "impersonate:<mode>" on them together with
 * "impersonate-on:<mode>:<verb>" on the requested resource.
 */
MUST_USE struct error *impersonate(const struct auth *auth, struct arena *arena,
                                   const struct rbac_attributes *attributes,
                                   const struct user_info *user, const struct http_headers *headers,
                                   struct user_info *ret_user);

/* NULL, or ERROR_FORBIDDEN in the words of an API server. */
MUST_USE struct error *authorize(const struct auth *auth, struct arena *arena,
                                 const struct rbac_attributes *attributes);

/* Roles and bindings every API begins with: JSON objects, by index. */
size_t bootstrap_policy_count(void);
const char *bootstrap_policy(size_t index);

/* The same as an index that serves as the base of others; see rbac_set_base(). */
struct rbac *bootstrap_policy_rbac(void);

/*
 * The next of all ClusterRoles, NULL at the end. It lives until aggregate_cluster_role() returns.
 */
typedef const struct json_value *next_cluster_role_fn(void *data);

/*
 * The rules that a ClusterRole with an aggregationRule has to have: an array, or NULL for a role
 * without one. ERROR_INVALID when a selector cannot be read.
 */
MUST_USE struct error *aggregate_cluster_role(struct arena *arena, const struct json_value *role,
                                              next_cluster_role_fn *next, void *data,
                                              struct json_doc **ret_rules);

/*
 * Whether a user may write this role or binding: a user cannot grant permissions that it does not
 * have. NULL for objects of other kinds. old is NULL on a create; the objects have their namespace
 * set. ERROR_FORBIDDEN, or ERROR_NOT_FOUND when the bound role does not exist.
 */
MUST_USE struct error *escalation_check(const struct auth *auth, struct arena *arena,
                                        const struct rbac_user *user, struct gvr gvr,
                                        const struct json_value *old,
                                        const struct json_value *object);

/*
 * The kinds that are answered and not stored: SelfSubjectReview, TokenReview, SubjectAccessReview,
 * LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview. The body is decoded
 * and the request is authorized; the response is the whole object, with the managedFields of the
 * body where the body is a part of it. namespace is that of the URL, empty for kinds of the whole
 * cluster. ERROR_INVALID and ERROR_BAD_REQUEST in the words of an API server.
 */
MUST_USE struct error *auth_review(const struct auth *auth, struct arena *arena,
                                   const struct user_info *user, struct gvk gvk,
                                   struct str namespace, const struct json_value *body,
                                   timestamp now, struct json_doc **ret_doc);

/*
 * TokenRequest for an account: serviceaccounts/<name>/token. A lifetime above the limit is
 * shortened, which is a warning. Texts live in the arena of the warnings.
 */
MUST_USE struct error *token_request(const struct auth *auth, const struct json_value *account,
                                     const struct json_value *body, timestamp now,
                                     struct json_warnings *warnings, struct json_doc **ret_doc);
