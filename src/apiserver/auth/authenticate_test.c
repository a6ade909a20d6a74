#include "apiserver/auth/auth_fixture_test.h"
#include "apiserver/auth/token_keys.h"
#include "base/base64.h"

static struct error *authenticate_as(struct auth_fixture *fixture, const char *authorization,
                                     const struct tls_peer *peer, timestamp now,
                                     struct user_info *ret_user)
{
    SCOPED(http_headers) headers = {.limit = 0};
    if (authorization)
        CHECK_OK(http_headers_add(&headers, STR("Authorization"), str_from_c(authorization)));
    const struct auth_evidence evidence = {peer, &headers, false};
    return authenticate(&fixture->auth, &fixture->arena, &evidence, now, ret_user);
}

static void check_groups(const struct user_info *user, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < user->user.groups.count; i++)
        buf_print(&text, "%s%.*s", i ? "," : "", STR_ARG(user->user.groups.items[i]));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

static const char *bearer(struct auth_fixture *fixture, struct str token)
{
    return arena_print(&fixture->arena, "Bearer %.*s", STR_ARG(token)).ptr;
}

TEST(authenticate_nobody)
{
    static const char *const cases[] = {NULL, "Basic YTpi", "Bearer", "Negotiate x y"};
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct user_info user;
        TEST_CASE("%s", cases[i] ? cases[i] : "no header");
        CHECK_OK(
            authenticate_as(&fixture, cases[i], &(struct tls_peer){.verified = false}, NOW, &user));
        CHECK(user.is_anonymous);
        CHECK_EQ(user.user.name, STR("system:anonymous"));
        check_groups(&user, "system:unauthenticated");
    }
}

TEST(authenticate_certificates)
{
    static const struct str groups[] = {STR_INIT("system:masters"), STR_INIT("dev")};
    const struct tls_peer peer = {true, true, STR("admin"), groups, COUNT(groups),
                                  NULL, 0,    STR("")};
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    TEST_CASE("it names the user");
    CHECK_OK(authenticate_as(&fixture, NULL, &peer, NOW, &user));
    CHECK_EQ(user.user.name, STR("admin"));
    check_groups(&user, "system:masters,dev,system:authenticated");
    TEST_CASE("it comes before a token, even a bad one");
    CHECK_OK(authenticate_as(&fixture, "Bearer nonsense", &peer, NOW, &user));
    CHECK_EQ(user.user.name, STR("admin"));
    TEST_CASE("one without a name is none");
    CHECK_OK(authenticate_as(&fixture, NULL, &(struct tls_peer){.shown = true, .verified = true},
                             NOW, &user));
    CHECK(user.is_anonymous);
    TEST_CASE("one that is not valid is not anonymous");
    const struct tls_peer invalid = {.shown = true};
    CHECK_ERROR(authenticate_as(&fixture, NULL, &invalid, NOW, &user), ERROR_UNAUTHORIZED);
    CHECK_ERROR(authenticate_as(&fixture, "Bearer nonsense", &invalid, NOW, &user),
                ERROR_UNAUTHORIZED);
    TEST_CASE("beside one that is not valid, a token counts");
    const char *token = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));
    CHECK_OK(authenticate_as(&fixture, token, &invalid, NOW, &user));
    CHECK_EQ(user.user.name, STR("system:serviceaccount:n:bot"));
    TEST_CASE("a virtual cluster does not look at them");
    fixture.auth.cluster = STR("c1");
    CHECK_OK(authenticate_as(&fixture, NULL, &peer, NOW, &user));
    CHECK(user.is_anonymous);
    CHECK_OK(authenticate_as(&fixture, NULL, &invalid, NOW, &user));
    CHECK(user.is_anonymous);
}

TEST(authenticate_certificates_of_their_generation)
{
    static const struct {
        const char *name;
        const char *uris[2];
        int generation; /* of the keys */
        bool is_known;
    } cases[] = {
        {"none is the first",          {NULL},                                         1, true },
        {"none is not the second",     {NULL},                                         2, false},
        {"the first",                  {"corset:generation:1"},                        1, true },
        {"the first in the second",    {"corset:generation:1"},                        2, false},
        {"the second",                 {"corset:generation:2"},                        2, true },
        {"the second in the first",    {"corset:generation:2"},                        1, false},
        {"the second in the third",    {"corset:generation:2"},                        3, false},
        {"beside another name",        {"spiffe://a/b", "corset:generation:2"},        2, true },
        {"another name is none",       {"spiffe://a/b"},                               2, false},
        {"another name, in the first", {"spiffe://a/b"},                               1, true },
        {"two of them",                {"corset:generation:1", "corset:generation:2"}, 2, false},
        {"no number",                  {"corset:generation:"},                         1, false},
        {"not a number",               {"corset:generation:1x"},                       1, false},
        {"more than a number",         {"corset:generation:18446744073709551617"},     1, false},
        {"negative",                   {"corset:generation:-1"},                       1, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(auth_fixture) fixture;
        struct user_info user;
        struct str uris[2];
        struct tls_peer peer = {
            .shown = true, .verified = true, .common_name = STR("admin"), .uris = uris};
        TEST_CASE("%s", cases[i].name);
        auth_fixture_init(&fixture);
        for (int j = 1; j < cases[i].generation; j++) {
            struct token_keys *newer = NULL;
            CHECK_OK(token_keys_next(fixture.keys, &newer));
            token_keys_become(fixture.keys, newer);
        }
        for (size_t j = 0; j < COUNT(uris) && cases[i].uris[j]; j++)
            uris[peer.uri_count++] = str_from_c(cases[i].uris[j]);
        OWNED(error) err = authenticate_as(&fixture, NULL, &peer, NOW, &user);
        CHECK_EQ(err == NULL, cases[i].is_known);
        if (err)
            CHECK_EQ((int)err->code, (int)ERROR_UNAUTHORIZED);
    }
}

TEST(tokens_of_an_earlier_generation_are_useless)
{
    SCOPED(auth_fixture) fixture;
    SCOPED(buf) admin = {.secret = true};
    struct token_keys *newer = NULL;
    struct user_info user;
    auth_fixture_init(&fixture);
    fixture.auth.cluster = STR("c1");
    auth_admin_token(fixture.keys, STR("c1"), &admin);
    const char *account = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));
    CHECK_OK(authenticate_as(&fixture, account, NULL, NOW, &user));
    CHECK_OK(authenticate_as(&fixture, bearer(&fixture, buf_str(&admin)), NULL, NOW, &user));
    CHECK_OK(token_keys_next(fixture.keys, &newer));
    token_keys_become(fixture.keys, newer);
    CHECK_ERROR(authenticate_as(&fixture, account, NULL, NOW, &user), ERROR_UNAUTHORIZED);
    CHECK_ERROR(authenticate_as(&fixture, bearer(&fixture, buf_str(&admin)), NULL, NOW, &user),
                ERROR_UNAUTHORIZED);
    const char *own = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));
    CHECK_OK(authenticate_as(&fixture, own, NULL, NOW, &user));
}

TEST(authenticate_accounts)
{
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    const char *token = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));
    TEST_CASE("serviceaccount-009");
    CHECK_OK(authenticate_as(&fixture, token, NULL, NOW, &user));
    CHECK_EQ(user.user.name, STR("system:serviceaccount:n:bot"));
    CHECK_EQ(user.uid, STR("uid-1"));
    check_groups(&user, "system:serviceaccounts,system:serviceaccounts:n,system:authenticated");
    CHECK_EQ(user.extra_count, 1);
    CHECK_EQ(user.extra[0].key, STR("authentication.kubernetes.io/credential-id"));
    CHECK(str_starts_with(user.extra[0].values.items[0], STR("JTI=")));
    TEST_CASE("the scheme in any case");
    const char *lower = arena_print(&fixture.arena, "bearer %s", token + 7).ptr;
    CHECK_OK(authenticate_as(&fixture, lower, NULL, NOW, &user));
    TEST_CASE("an hour later");
    CHECK_ERROR(authenticate_as(&fixture, token, NULL, NOW + HOUR, &user), ERROR_UNAUTHORIZED);
    TEST_CASE("the account was made anew");
    fixture.account_uid = "uid-2";
    CHECK_ERROR(authenticate_as(&fixture, token, NULL, NOW, &user), ERROR_UNAUTHORIZED);
    TEST_CASE("serviceaccount-013: the account is gone");
    fixture.account_uid = NULL;
    CHECK_ERROR(authenticate_as(&fixture, token, NULL, NOW, &user), ERROR_UNAUTHORIZED);
}

TEST(authenticate_refuses_bad_tokens)
{
    static const char *const cases[] = {"no-such-token", "a.b.c", "..", ".",
                                        "eyJhbGciOiJub25lIn0.e30."};
    SCOPED(auth_fixture) fixture;
    auth_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct user_info user;
        TEST_CASE("%s", cases[i]);
        const char *header = bearer(&fixture, str_from_c(cases[i]));
        OWNED(error) err = authenticate_as(&fixture, header, NULL, NOW, &user);
        CHECK_EQ((int)err->code, (int)ERROR_UNAUTHORIZED);
        CHECK_EQ(err->message, "Unauthorized");
    }
}

TEST(authenticate_by_audience)
{
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    const struct str others =
        auth_fixture_token(&fixture, "{\"spec\":{\"audiences\":[\"vault\"]}}", NOW);
    CHECK_ERROR(authenticate_as(&fixture, bearer(&fixture, others), NULL, NOW, &user),
                ERROR_UNAUTHORIZED);
    const struct str both = auth_fixture_token(
        &fixture, "{\"spec\":{\"audiences\":[\"vault\",\"https://kubernetes.default.svc\"]}}", NOW);
    CHECK_OK(authenticate_as(&fixture, bearer(&fixture, both), NULL, NOW, &user));
}

#define POD(uid)                                                    \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"uid\":\"" uid \
    "\"},\"spec\":{\"serviceAccountName\":"                         \
    "\"bot\"}}"

TEST(authenticate_tokens_of_a_pod)
{
    SCOPED(auth_fixture) fixture;
    struct user_info user;
    auth_fixture_init(&fixture);
    CHECK_OK(json_read(STR(POD("uid-p")), &fixture.bound));
    const struct str token =
        auth_fixture_token(&fixture,
                           "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                           "\"name\":\"p\"}}}",
                           NOW);
    CHECK_OK(authenticate_as(&fixture, bearer(&fixture, token), NULL, NOW, &user));
    CHECK_EQ(user.extra_count, 3);
    CHECK_EQ(user.extra[1].values.items[0], STR("p"));
    CHECK_EQ(user.extra[2].values.items[0], STR("uid-p"));
    TEST_CASE("another pod of this name");
    json_doc_free(TAKE(fixture.bound));
    CHECK_OK(json_read(STR(POD("uid-q")), &fixture.bound));
    CHECK_ERROR(authenticate_as(&fixture, bearer(&fixture, token), NULL, NOW, &user),
                ERROR_UNAUTHORIZED);
    TEST_CASE("no pod");
    json_doc_free(TAKE(fixture.bound));
    CHECK_ERROR(authenticate_as(&fixture, bearer(&fixture, token), NULL, NOW, &user),
                ERROR_UNAUTHORIZED);
}

TEST(authenticate_in_virtual_clusters)
{
    SCOPED(auth_fixture) fixture;
    SCOPED(buf) admin = {.limit = 0};
    struct user_info user;
    auth_fixture_init(&fixture);
    auth_admin_token(fixture.keys, STR("c1"), &admin);
    CHECK(admin.secret);
    CHECK_EQ(admin.len, 43);
    const char *admin_header = bearer(&fixture, buf_str(&admin));
    const char *main_header = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));

    TEST_CASE("the main API knows no admin token");
    CHECK_ERROR(authenticate_as(&fixture, admin_header, NULL, NOW, &user), ERROR_UNAUTHORIZED);

    TEST_CASE("the admin of the cluster");
    fixture.auth.cluster = STR("c1");
    CHECK_OK(authenticate_as(&fixture, admin_header, NULL, NOW, &user));
    CHECK_EQ(user.user.name, STR("kubernetes-admin"));
    check_groups(&user, "system:masters,system:authenticated");

    TEST_CASE("accounts of the cluster, and of the main API");
    const char *own_header = bearer(&fixture, auth_fixture_token(&fixture, "{}", NOW));
    CHECK_OK(authenticate_as(&fixture, own_header, NULL, NOW, &user));
    CHECK_EQ(user.user.name, STR("system:serviceaccount:n:bot"));
    CHECK_ERROR(authenticate_as(&fixture, main_header, NULL, NOW, &user), ERROR_UNAUTHORIZED);

    TEST_CASE("none of another cluster");
    fixture.auth.cluster = STR("c2");
    CHECK_ERROR(authenticate_as(&fixture, admin_header, NULL, NOW, &user), ERROR_UNAUTHORIZED);
    CHECK_ERROR(authenticate_as(&fixture, own_header, NULL, NOW, &user), ERROR_UNAUTHORIZED);

    TEST_CASE("not even one that names it as its audience");
    fixture.auth.cluster = STR("c1");
    const char *for_others = bearer(
        &fixture, auth_fixture_token(&fixture,
                                     "{\"spec\":{\"audiences\":[\"https://kubernetes.default.svc\","
                                     "\"https://kubernetes.default.svc/clusters/c2\"]}}",
                                     NOW));
    fixture.auth.cluster = STR("c2");
    CHECK_ERROR(authenticate_as(&fixture, for_others, NULL, NOW, &user), ERROR_UNAUTHORIZED);
    fixture.auth.cluster = STR("");
    CHECK_ERROR(authenticate_as(&fixture, for_others, NULL, NOW, &user), ERROR_UNAUTHORIZED);
}
