/*
 * An API for tests: keys, the bootstrap roles, and one account, "bot" of the namespace "n".
 */
#pragma once

#include "apiserver/auth/auth.h"
#include "base/duration.h"
#include "http/headers.h"
#include "json/path.h"
#include "net/tls.h"
#include "testing/test.h"

#define NOW (1700000000 * SECOND)

struct ground {
    struct token_keys *keys;
    struct rbac *base, *rbac;
    struct auth auth;
    struct arena arena;
    const char *account_uid; /* NULL: the account is gone */
    struct json_doc *bound;  /* the one Pod or Secret, NULL for none */
};

static inline bool ground_find_account(void *data, struct str namespace, struct str name,
                                       struct str uid)
{
    const struct ground *ground = data;
    return ground->account_uid && str_eq(namespace, STR("n")) && str_eq(name, STR("bot")) &&
           str_eq(uid, str_from_c(ground->account_uid));
}

static inline const struct json_value *ground_find_bound(void *data, struct arena *arena,
                                                         struct str kind, struct str namespace,
                                                         struct str name)
{
    const struct json_value *object = json_doc_root(((struct ground *)data)->bound);
    (void)arena;
    return str_eq(namespace, STR("n")) && str_eq(json_path_str(object, "kind"), kind) &&
                   str_eq(json_path_str(object, "metadata.name"), name)
               ? object
               : NULL;
}

static inline void ground_init(struct ground *ground)
{
    *ground = (struct ground){.account_uid = "uid-1"};
    CHECK_OK(token_keys_new(&ground->keys));
    ground->base = bootstrap_policy_rbac();
    ground->rbac = rbac_new();
    rbac_set_base(ground->rbac, ground->base);
    ground->auth = (struct auth){
        .keys = ground->keys,
        .find_account = ground_find_account,
        .find_bound = ground_find_bound,
        .authorizer_ops = &rbac_authorizer_ops,
        .authorizer = ground->rbac,
        .data = ground,
    };
}

static inline void ground_done(struct ground *ground)
{
    rbac_free(ground->rbac);
    rbac_free(ground->base);
    json_doc_free(ground->bound);
    token_keys_free(ground->keys);
    arena_done(&ground->arena);
}

static inline const struct json_value *ground_read(struct ground *ground, const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    arena_hold(&ground->arena, (void (*)(void *))json_doc_free, doc);
    return json_doc_root(doc);
}

static inline void ground_put(struct ground *ground, enum rbac_kind kind, const char *text)
{
    rbac_put(ground->rbac, kind, ground_read(ground, text));
}

/* A user by name with up to one group of its own. */
static inline struct rbac_user ground_user(struct ground *ground, const char *name,
                                           const char *group)
{
    struct str *groups = arena_alloc_array(&ground->arena, 2, sizeof(groups[0]));
    size_t count = 0;
    if (group[0])
        groups[count++] = str_from_c(group);
    groups[count++] = STR("system:authenticated");
    return (struct rbac_user){
        str_from_c(name), {groups, count}
    };
}

/* The token of the account, as a TokenRequest gives it; spec is the body's. */
static inline struct str ground_token(struct ground *ground, const char *spec, timestamp now)
{
    struct json_doc *doc = NULL;
    const struct json_value *account = ground_read(
        ground, "{\"metadata\":{\"name\":\"bot\",\"namespace\":\"n\",\"uid\":\"uid-1\"}}");
    CHECK_OK(token_request(&ground->auth, &ground->arena, account, ground_read(ground, spec), now,
                           &doc));
    arena_hold(&ground->arena, (void (*)(void *))json_doc_free, doc);
    return json_path_str(json_doc_root(doc), "status.token");
}
