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

struct auth_fixture {
    struct token_keys *keys;
    struct rbac *base, *rbac;
    struct auth auth;
    struct arena arena;
    const char *account_uid; /* NULL: the account is gone */
    struct json_doc *bound;  /* the one Pod or Secret, NULL for none */
    struct json_warnings warnings;
};

static inline bool auth_fixture_find_account(void *data, struct str namespace, struct str name,
                                             struct str uid)
{
    const struct auth_fixture *fixture = data;
    return fixture->account_uid && str_eq(namespace, STR("n")) && str_eq(name, STR("bot")) &&
           str_eq(uid, str_from_c(fixture->account_uid));
}

static inline const struct json_value *auth_fixture_find_bound(void *data, struct arena *arena,
                                                               struct str kind,
                                                               struct str namespace,
                                                               struct str name)
{
    const struct json_value *object = json_doc_root(((struct auth_fixture *)data)->bound);
    (void)arena;
    return str_eq(namespace, STR("n")) && str_eq(json_path_str(object, "kind"), kind) &&
                   str_eq(json_path_str(object, "metadata.name"), name)
               ? object
               : NULL;
}

static inline void auth_fixture_init(struct auth_fixture *fixture)
{
    *fixture = (struct auth_fixture){.account_uid = "uid-1"};
    fixture->warnings.arena = &fixture->arena;
    CHECK_OK(token_keys_new(&fixture->keys));
    fixture->base = bootstrap_policy_rbac();
    fixture->rbac = rbac_new();
    rbac_set_base(fixture->rbac, fixture->base);
    fixture->auth = (struct auth){
        .keys = fixture->keys,
        .find_account = auth_fixture_find_account,
        .find_bound = auth_fixture_find_bound,
        .authorizer_ops = &rbac_authorizer_ops,
        .authorizer = fixture->rbac,
        .data = fixture,
    };
}

static inline void auth_fixture_done(struct auth_fixture *fixture)
{
    rbac_free(fixture->rbac);
    rbac_free(fixture->base);
    json_doc_free(fixture->bound);
    token_keys_free(fixture->keys);
    arena_done(&fixture->arena);
}

static inline const struct json_value *auth_fixture_read(struct auth_fixture *fixture,
                                                         const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    json_doc_hold(&fixture->arena, doc);
    return json_doc_root(doc);
}

static inline void auth_fixture_put(struct auth_fixture *fixture, enum rbac_kind kind,
                                    const char *text)
{
    rbac_put(fixture->rbac, kind, auth_fixture_read(fixture, text));
}

/* A user by name with up to one group of its own. */
static inline struct rbac_user auth_fixture_user(struct auth_fixture *fixture, const char *name,
                                                 const char *group)
{
    struct str *groups = arena_alloc_array(&fixture->arena, 2, sizeof(groups[0]));
    size_t count = 0;
    if (group[0])
        groups[count++] = str_from_c(group);
    groups[count++] = STR("system:authenticated");
    return (struct rbac_user){
        str_from_c(name), {groups, count}
    };
}

/* The token of the account, as a TokenRequest gives it; spec is the body's. */
static inline struct str auth_fixture_token(struct auth_fixture *fixture, const char *spec,
                                            timestamp now)
{
    struct json_doc *doc = NULL;
    const struct json_value *account = auth_fixture_read(
        fixture, "{\"metadata\":{\"name\":\"bot\",\"namespace\":\"n\",\"uid\":\"uid-1\"}}");
    CHECK_OK(token_request(&fixture->auth, account, auth_fixture_read(fixture, spec), now,
                           &fixture->warnings, &doc));
    json_doc_hold(&fixture->arena, doc);
    return json_path_str(json_doc_root(doc), "status.token");
}
