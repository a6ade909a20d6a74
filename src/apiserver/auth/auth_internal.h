/* What the files of this folder share. */
#pragma once

#include "apimachinery/field_error.h"
#include "apiserver/auth/auth.h"
#include "json/builder.h"

#define USER_ANONYMOUS        "system:anonymous"
#define GROUP_AUTHENTICATED   "system:authenticated"
#define GROUP_UNAUTHENTICATED "system:unauthenticated"
#define GROUP_MASTERS         "system:masters"

/* The issuer of the tokens of this API, which is also their default audience. */
struct str token_issuer(const struct auth *auth, struct arena *arena);

struct bearer {
    struct user_info user;
    struct rbac_strings audiences; /* the requested audiences that the token is valid for */
};

/*
 * The user of a bearer token. False when it is not valid for any of the audiences; NULL in place of
 * audiences means those of this API.
 */
bool authenticate_token(const struct auth *auth, struct arena *arena, struct str token,
                        const struct rbac_strings *audiences, timestamp now,
                        struct bearer *ret_bearer);

/* The token in a WebSocket's list of protocols; empty without one. ERROR_UNAUTHORIZED: malformed.
 */
MUST_USE struct error *auth_websocket_token(struct arena *arena, const struct http_headers *headers,
                                            struct str *ret_token);

/* "system:serviceaccount:<namespace>:<name>"; false for other names. */
bool service_account_split(struct str user, struct str *ret_namespace, struct str *ret_name);

/* The group of all ServiceAccounts and the group of those of a namespace. */
struct rbac_strings service_account_groups(struct arena *arena, struct str namespace);

/* A copy with one more string at the end. */
struct rbac_strings auth_add_string(struct arena *arena, struct rbac_strings strings, struct str s);

/* Every user is in the group system:authenticated or system:unauthenticated. */
void auth_add_common_group(struct arena *arena, struct rbac_user *user);

/* An array of strings as a member. */
void auth_write_strings(struct json_builder *builder, const char *key,
                        const struct rbac_strings *strings);

/*
 * The selectors in the resourceAttributes of an access review, which may be NULL: the first adds
 * what is wrong with them. The second says, in the words of an API server, which selectors of a
 * valid review cannot be read; empty when all can.
 */
void review_selectors_check(struct field_errors *errors, const struct json_value *resource);
struct str review_selectors_ignored(struct arena *arena, const struct json_value *resource);
