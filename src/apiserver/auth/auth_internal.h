/*
 * What the files of this folder share.
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "json/builder.h"

#define USER_ANONYMOUS        "system:anonymous"
#define GROUP_AUTHENTICATED   "system:authenticated"
#define GROUP_UNAUTHENTICATED "system:unauthenticated"
#define GROUP_MASTERS         "system:masters"

/* Who gives out the tokens of this API, and whom they are for unless they say otherwise. */
struct str token_issuer(const struct auth *auth, struct arena *arena);

struct bearer {
    struct user_info user;
    struct rbac_strings audiences; /* those of the ones asked for that the token is good for */
};

/*
 * Who a bearer token stands for. False when it is not good for any of the audiences; NULL in place
 * of them asks for those of this API.
 */
bool authenticate_token(const struct auth *auth, struct arena *arena, struct str token,
                        const struct rbac_strings *audiences, timestamp now,
                        struct bearer *ret_bearer);

/* "system:serviceaccount:<namespace>:<name>"; false for other names. */
bool service_account_split(struct str user, struct str *ret_namespace, struct str *ret_name);

/* The two groups of all accounts and of those of a namespace. */
struct rbac_strings service_account_groups(struct arena *arena, struct str namespace);

bool auth_has_string(const struct rbac_strings *strings, struct str s);

/* The same with one more at the end. */
struct rbac_strings auth_add_string(struct arena *arena, struct rbac_strings strings, struct str s);

/* Every user is in one of the groups for users with and without credentials. */
void auth_add_common_group(struct arena *arena, struct rbac_user *user);

/* An array of strings as a member. */
void auth_write_strings(struct json_builder *builder, const char *key,
                        const struct rbac_strings *strings);

/* What stands in userInfo: name, uid, groups and extra, where there are any. */
void auth_write_user(struct json_builder *builder, const char *key, const struct user_info *user);
