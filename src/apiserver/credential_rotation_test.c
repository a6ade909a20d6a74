#include "apiserver/credential_rotation.h"

#include <unistd.h>

#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/credentials.h"
#include "apiserver/secret_file.h"
#include "base/duration.h"

#define NAMESPACES "/api/v1/namespaces"
#define ACCOUNTS   NAMESPACES "/default/serviceaccounts"

static struct credentials *open_pki(const struct folder_fixture *folder)
{
    struct credentials *credentials = NULL;
    SCOPED(credential_files) files = {.folder = folder_fixture_file(folder, "pki")};
    const struct credentials_options options = {.files = &files, .now = SIM_EPOCH};
    CHECK_OK(credentials_open(&options, &credentials));
    return credentials;
}

TEST(a_rotation_is_a_new_generation)
{
    for (int authority = 0; authority < 2; authority++) {
        SCOPED(folder_fixture) folder;
        TEST_CASE("%s", authority ? "with a new authority" : "with the same authority");
        folder_fixture_init(&folder);
        OWNED(credentials) first = open_pki(&folder);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", folder.path);
        CHECK_EQ(token_keys_generation(first->keys), 1);
        CHECK_OK(credential_rotation_prepare(pki, authority, SIM_EPOCH));
        CHECK(credential_rotation_is_prepared(pki));
        CHECK_EQ(credential_rotation_has_authority(pki), (bool)authority);
        CHECK_EQ(folder_fixture_mode(&folder, "pki/next"), 0700);
        CHECK_EQ(folder_fixture_mode(&folder, "pki/next/tokens.key"), 0600);
        OWNED(credentials) second = open_pki(&folder);
        CHECK_OK(credential_rotation_finish(pki));
        CHECK(!credential_rotation_is_prepared(pki));
        CHECK_EQ(token_keys_generation(second->keys), 2);
        CHECK_EQ(str_eq(buf_str(&first->authority), buf_str(&second->authority)), !authority);
        CHECK(!str_eq(buf_str(&first->admin.key), buf_str(&second->admin.key)));
        OWNED(credentials) third = open_pki(&folder);
        CHECK_EQ(token_keys_generation(third->keys), 2);
        CHECK_EQ(buf_str(&third->admin.key), buf_str(&second->admin.key));
    }
}

/* Whoever applies may be interrupted behind each file; so may the one who prepares. */
TEST(an_interrupted_rotation_is_continued)
{
    static const char *const files[] = {"ca.key", "ca.crt", "tokens.key"};
    for (size_t moved = 0; moved <= COUNT(files); moved++) {
        SCOPED(folder_fixture) folder;
        TEST_CASE("%zu files are moved", moved);
        folder_fixture_init(&folder);
        OWNED(credentials) first = open_pki(&folder);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", folder.path);
        CHECK_EQ(mkdir(folder_fixture_file(&folder, "pki/.next"), 0700), 0);
        folder_fixture_write(&folder, "pki/.next/ca.key", "half", 0600);
        CHECK_OK(credential_rotation_prepare(pki, true, SIM_EPOCH));
        for (size_t i = 0; i < moved; i++) {
            char from[64], to[64];
            snprintf(from, sizeof(from), "pki/next/%s", files[i]);
            snprintf(to, sizeof(to), "pki/%s", files[i]);
            CHECK_EQ(rename(folder_fixture_file(&folder, from), folder_fixture_file(&folder, to)),
                     0);
        }
        OWNED(credentials) second = open_pki(&folder);
        CHECK_OK(credential_rotation_finish(pki));
        CHECK_EQ(token_keys_generation(second->keys), 2);
        CHECK(!str_eq(buf_str(&first->authority), buf_str(&second->authority)));
    }
}

TEST(a_rotation_that_waits_is_not_prepared_again)
{
    SCOPED(folder_fixture) folder;
    folder_fixture_init(&folder);
    char pki[256];
    snprintf(pki, sizeof(pki), "%s/pki", folder.path);
    CHECK_FAILS(credential_rotation_prepare(pki, false, SIM_EPOCH), ERROR_NOT_FOUND,
                "name the --data-dir of a server");
    OWNED(credentials) first = open_pki(&folder);
    CHECK_OK(credential_rotation_prepare(pki, false, SIM_EPOCH));
    CHECK_OK(credential_rotation_prepare(pki, true, SIM_EPOCH));
    CHECK(!credential_rotation_has_authority(pki));
    OWNED(credentials) second = open_pki(&folder);
    CHECK_EQ(token_keys_generation(second->keys), 2);
}

/* All of it is in use, but it was not completed: its credentials may have gone astray, too. */
TEST(a_rotation_follows_one_that_was_applied_only)
{
    for (int authority = 0; authority < 2; authority++) {
        SCOPED(folder_fixture) folder;
        TEST_CASE("%s", authority ? "with a new authority" : "with the same authority");
        folder_fixture_init(&folder);
        OWNED(credentials) first = open_pki(&folder);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", folder.path);
        CHECK_OK(credential_rotation_prepare(pki, false, SIM_EPOCH));
        OWNED(credentials) second = open_pki(&folder);
        CHECK(credential_rotation_is_prepared(pki));
        CHECK(!credential_rotation_waits(pki));
        CHECK_OK(credential_rotation_prepare(pki, authority, SIM_EPOCH));
        CHECK(credential_rotation_waits(pki));
        CHECK_EQ(credential_rotation_has_authority(pki), (bool)authority);
        CHECK_OK(credential_rotation_finish(pki)); /* the first one */
        CHECK(credential_rotation_waits(pki));
        OWNED(credentials) third = open_pki(&folder);
        CHECK_OK(credential_rotation_finish(pki));
        CHECK(!credential_rotation_is_prepared(pki));
        CHECK_EQ(token_keys_generation(second->keys), 2);
        CHECK_EQ(token_keys_generation(third->keys), 3);
        CHECK_EQ(str_eq(buf_str(&second->authority), buf_str(&third->authority)), !authority);
    }
}

static void copy_pki(const struct folder_fixture *folder, const char *name, const char *from,
                     const char *to)
{
    char source[64], target[64];
    snprintf(source, sizeof(source), "%s/%s", from, name);
    snprintf(target, sizeof(target), "%s/%s", to, name);
    folder_fixture_copy(folder_fixture_file(folder, source), folder_fixture_file(folder, target));
}

static const char *const kept[] = {"ca.crt",    "ca.key",     "tokens.key", "admin.crt",
                                   "admin.key", "server.crt", "server.key"};

static struct error *reopen_pki(const struct folder_fixture *folder,
                                struct credentials **ret_credentials)
{
    SCOPED(credential_files) files = {.folder = folder_fixture_file(folder, "pki")};
    const struct credentials_options options = {.files = &files, .now = SIM_EPOCH};
    return credentials_open(&options, ret_credentials);
}

/* One file of a backup undoes a rotation; all of them together are a folder of that time. */
TEST(a_rotation_is_not_undone_by_one_file)
{
    for (int authority = 0; authority < 2; authority++) {
        SCOPED(folder_fixture) folder;
        struct credentials *back = NULL;
        TEST_CASE("%s", authority ? "with a new authority" : "with the same authority");
        folder_fixture_init(&folder);
        OWNED(credentials) first = open_pki(&folder);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", folder.path);
        CHECK_EQ(mkdir(folder_fixture_file(&folder, "old"), 0700), 0);
        for (size_t i = 0; i < COUNT(kept); i++)
            copy_pki(&folder, kept[i], "pki", "old");
        for (int i = 0; i < 2; i++) {
            CHECK_OK(credential_rotation_prepare(pki, authority, SIM_EPOCH));
            OWNED(credentials) next = open_pki(&folder);
            CHECK_OK(credential_rotation_finish(pki));
        }
        copy_pki(&folder, "tokens.key", "old", "pki");
        CHECK_FAILS(reopen_pki(&folder, &back), ERROR_IO,
                    "tokens.key is of generation 1, but admin.crt beside it of generation 3");
        CHECK_OK(credential_rotation_prepare(pki, false, SIM_EPOCH));
        OWNED(credentials) mended = open_pki(&folder);
        CHECK_OK(credential_rotation_finish(pki));
        CHECK_EQ(token_keys_generation(mended->keys), 4);
        for (size_t i = 0; i < COUNT(kept); i++)
            copy_pki(&folder, kept[i], "old", "pki");
        OWNED(credentials) restored = open_pki(&folder);
        CHECK_EQ(token_keys_generation(restored->keys), 1);
        CHECK_EQ(buf_str(&restored->admin.key), buf_str(&first->admin.key));
    }
}

/* A credential that the server has handed out, and a connection that uses it. */
enum { ADMIN, ACCOUNT, CLUSTER_ADMIN, CLUSTER_ACCOUNT, NOBODY, HOLDERS };

struct holder {
    const char *name, *target;
    int status, status_after;
    struct http_client *client;
    struct buf token; /* empty: the certificate, if any */
};

#define CLUSTER "/clusters/vc-0001"

struct rotation_fixture {
    struct apiserver_fixture server;
    struct holder holders[HOLDERS];
    struct tls_identity *admin; /* before the rotation */
    int handed_out;
    bool without_next; /* handed out for another reason than pki/next */
    bool fails;        /* to hand out */
};

static void ask_for_token(struct rotation_fixture *fixture, const char *prefix, struct str admin,
                          struct buf *token)
{
    static const char *const steps[][2] = {
        {ACCOUNTS,
         "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"bot\"}}"},
        {ACCOUNTS "/bot/token",
         "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}"},
    };
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) answer = {.secret = true};
    for (size_t i = 0; i < COUNT(steps); i++) {
        SCOPED(buf) target = {.limit = 0};
        buf_print(&target, "%s%s", prefix, steps[i][0]);
        OWNED(http_response)
        response = apiserver_fixture_send_with(&fixture->server, buf_c(&target), admin,
                                               str_from_c(steps[i][1]));
        CHECK_EQ(http_response_status(response), 201);
        buf_clear(&answer);
        CHECK_OK(http_response_read_all(response, &answer));
    }
    CHECK_OK(json_read(buf_str(&answer), &doc));
    buf_add(token, json_path_str(json_doc_root(doc), "status.token"));
}

static struct error *count_handouts(void *data)
{
    struct rotation_fixture *fixture = data;
    CHECK_EQ(credential_rotation_is_prepared(folder_fixture_file(&fixture->server.folder, "pki")),
             !fixture->without_next);
    if (fixture->fails)
        return error_new(ERROR_IO, "kubeconfig is a folder");
    fixture->handed_out++;
    return NULL;
}

static struct http_client *connect_holder(const struct rotation_fixture *fixture,
                                          struct tls_identity *identity, struct tls_trust *trust,
                                          bool http2)
{
    const struct http_client_options options = {
        .endpoint = {.network = fixture->server.network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->server.server),
                     .tls = fixture->server.tls,
                     .identity = identity,
                     .trust = trust,
                     .no_http2 = !http2},
        .connections = 1,
    };
    return http_client_new(loop_current(), &options);
}

static void rotation_fixture_init(struct rotation_fixture *fixture, bool http2)
{
    static const struct {
        const char *name, *target;
        int status, status_after;
    } holders[HOLDERS] = {
        [ADMIN] = {"the admin's certificate",            NAMESPACES,         200, 401},
        [ACCOUNT] = {"a token of an account",              NAMESPACES,         403, 401},
        [CLUSTER_ADMIN] = {"the token of a virtual cluster",     CLUSTER NAMESPACES, 200, 401},
        [CLUSTER_ACCOUNT] = {"a token of an account of a cluster", CLUSTER NAMESPACES, 403, 401},
        [NOBODY] = {"nobody",                             NAMESPACES,         403, 403},
    };
    *fixture = (struct rotation_fixture){0};
    apiserver_fixture_init(&fixture->server);
    apiserver_fixture_keep(&fixture->server);
    fixture->server.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture->server));
    apiserver_keep_credentials(fixture->server.server, count_handouts, fixture);
    for (size_t i = 0; i < HOLDERS; i++)
        fixture->holders[i] = (struct holder){.name = holders[i].name,
                                              .target = holders[i].target,
                                              .status = holders[i].status,
                                              .status_after = holders[i].status_after};
    apiserver_cluster_token(fixture->server.server, 0, &fixture->holders[CLUSTER_ADMIN].token);
    ask_for_token(fixture, "", STR(""), &fixture->holders[ACCOUNT].token);
    ask_for_token(fixture, CLUSTER, buf_str(&fixture->holders[CLUSTER_ADMIN].token),
                  &fixture->holders[CLUSTER_ACCOUNT].token);
    for (size_t i = 0; i < HOLDERS; i++)
        fixture->holders[i].client = connect_holder(
            fixture, i == ADMIN ? fixture->server.admin : NULL, fixture->server.trust, http2);
}

static void rotation_fixture_done(struct rotation_fixture *fixture)
{
    for (size_t i = 0; i < HOLDERS; i++) {
        http_client_free(fixture->holders[i].client);
        buf_done(&fixture->holders[i].token);
    }
    apiserver_fixture_done(&fixture->server);
}

static int ask_as(struct rotation_fixture *fixture, size_t i)
{
    const struct holder *holder = &fixture->holders[i];
    struct http_client *own = fixture->server.client;
    fixture->server.client = holder->client;
    const int status =
        holder->token.len
            ? apiserver_fixture_get_with(&fixture->server, holder->target, buf_str(&holder->token))
            : apiserver_fixture_get(&fixture->server, holder->target);
    fixture->server.client = own;
    return status;
}

static void rotate(struct rotation_fixture *fixture, bool authority)
{
    char pki[256];
    snprintf(pki, sizeof(pki), "%s/pki", fixture->server.folder.path);
    CHECK_OK(credential_rotation_prepare(pki, authority, loop_wall(loop_current())));
    CHECK_OK(fiber_sleep(3 * SECOND));
    CHECK(!credential_rotation_is_prepared(pki));
    CHECK_EQ(fixture->handed_out, 1);
}

/* What the server hands out now is good. */
static void check_new(struct rotation_fixture *fixture, bool http2)
{
    OWNED(tls_trust) trust = NULL;
    OWNED(tls_identity) admin = NULL;
    struct apiserver *server = fixture->server.server;
    CHECK_OK(tls_trust_read(apiserver_authority(server), &trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(server), apiserver_admin_key(server),
                               &admin));
    for (size_t i = 0; i < HOLDERS; i++) {
        TEST_CASE("%s, new", fixture->holders[i].name);
        http_client_free(fixture->holders[i].client);
        fixture->holders[i].client =
            connect_holder(fixture, i == ADMIN ? admin : NULL, trust, http2);
        buf_clear(&fixture->holders[i].token);
    }
    http_client_free(fixture->server.client);
    fixture->server.client = connect_holder(fixture, admin, trust, http2);
    apiserver_cluster_token(server, 0, &fixture->holders[CLUSTER_ADMIN].token);
    CHECK_EQ(ask_as(fixture, ADMIN), 200);
    CHECK_EQ(ask_as(fixture, CLUSTER_ADMIN), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture->server, NAMESPACES "/kube-system/configmaps/"
                                                                "extension-apiserver-"
                                                                "authentication"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture->server, "data.client-ca-file"),
             apiserver_authority(server));
}

SIM_TEST(a_rotation_makes_all_old_credentials_useless_while_the_server_runs)
{
    for (int i = 0; i < 4; i++) {
        SCOPED(rotation_fixture) fixture;
        const bool http2 = i % 2, authority = i / 2;
        rotation_fixture_init(&fixture, http2);
        for (size_t j = 0; j < HOLDERS; j++) {
            TEST_CASE("%s, before", fixture.holders[j].name);
            CHECK_EQ(ask_as(&fixture, j), fixture.holders[j].status);
        }
        rotate(&fixture, authority);
        for (size_t j = 0; j < HOLDERS; j++) {
            TEST_CASE("%s, HTTP/%s, %s authority", fixture.holders[j].name, http2 ? "2" : "1.1",
                      authority ? "new" : "same");
            CHECK_EQ(ask_as(&fixture, j), fixture.holders[j].status_after);
            CHECK_EQ(http_client_dial_count(fixture.holders[j].client), 1);
        }
        check_new(&fixture, http2);
    }
}

/* The first one is in use but waits for its kubeconfig; its credentials have gone astray, too. */
SIM_TEST(a_rotation_does_not_wait_for_one_that_cannot_be_completed)
{
    SCOPED(rotation_fixture) fixture;
    OWNED(tls_identity) stolen = NULL;
    rotation_fixture_init(&fixture, true);
    struct apiserver *server = fixture.server.server;
    char pki[256];
    snprintf(pki, sizeof(pki), "%s/pki", fixture.server.folder.path);
    fixture.fails = true;
    CHECK_OK(credential_rotation_prepare(pki, false, loop_wall(loop_current())));
    CHECK_OK(fiber_sleep(3 * SECOND));
    CHECK(credential_rotation_is_prepared(pki));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(server), apiserver_admin_key(server),
                               &stolen));
    http_client_free(fixture.holders[ADMIN].client);
    fixture.holders[ADMIN].client = connect_holder(&fixture, stolen, fixture.server.trust, true);
    CHECK_EQ(ask_as(&fixture, ADMIN), 200);
    fixture.fails = false;
    rotate(&fixture, false);
    CHECK_EQ(ask_as(&fixture, ADMIN), 401);
    check_new(&fixture, true);
}

/* Somebody has removed the file lock, so the command has locked another one. */
SIM_TEST(a_rotation_behind_the_back_of_the_server_is_noticed)
{
    for (int authority = 0; authority < 2; authority++) {
        SCOPED(rotation_fixture) fixture;
        rotation_fixture_init(&fixture, true);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", fixture.server.folder.path);
        fixture.without_next = true;
        for (size_t i = 0; i < HOLDERS; i++)
            CHECK_EQ(ask_as(&fixture, i), fixture.holders[i].status);
        CHECK_OK(credential_rotation_prepare(pki, authority, loop_wall(loop_current())));
        CHECK_OK(credential_rotation_apply(pki));
        CHECK_OK(credential_rotation_finish(pki));
        CHECK_OK(fiber_sleep(3 * SECOND));
        CHECK_EQ(fixture.handed_out, 1);
        for (size_t i = 0; i < HOLDERS; i++) {
            TEST_CASE("%s, %s authority", fixture.holders[i].name, authority ? "new" : "same");
            CHECK_EQ(ask_as(&fixture, i), fixture.holders[i].status_after);
        }
        check_new(&fixture, true);
    }
}

SIM_TEST(a_tokens_key_from_before_a_rotation_is_not_taken_while_the_server_runs)
{
    SCOPED(rotation_fixture) fixture;
    SCOPED(buf) old = {.secret = true};
    bool is_there = false;
    rotation_fixture_init(&fixture, true);
    for (size_t i = 0; i < HOLDERS; i++)
        CHECK_EQ(ask_as(&fixture, i), fixture.holders[i].status);
    char pki[256];
    snprintf(pki, sizeof(pki), "%s/pki", fixture.server.folder.path);
    CHECK_OK(secret_file_read(pki, "tokens.key", &old, &is_there));
    rotate(&fixture, false);
    CHECK_OK(secret_file_write(pki, "tokens.key", buf_str(&old)));
    CHECK_OK(fiber_sleep(3 * SECOND));
    for (size_t i = 0; i < HOLDERS; i++) {
        TEST_CASE("%s", fixture.holders[i].name);
        CHECK_EQ(ask_as(&fixture, i), fixture.holders[i].status_after);
    }
    check_new(&fixture, true);
}

/* Also a new connection, with the certificate and the TLS session from before. */
SIM_TEST(an_old_certificate_is_useless_on_a_new_connection)
{
    SCOPED(rotation_fixture) fixture;
    rotation_fixture_init(&fixture, true);
    CHECK_EQ(ask_as(&fixture, ADMIN), 200);
    rotate(&fixture, false);
    http_client_close_idle(fixture.holders[ADMIN].client);
    CHECK_EQ(ask_as(&fixture, ADMIN), 401);
    CHECK_EQ(http_client_dial_count(fixture.holders[ADMIN].client), 2);
}

SIM_TEST(a_rotation_ends_watches_of_old_credentials)
{
    SCOPED(rotation_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    rotation_fixture_init(&fixture, true);
    {
        OWNED(http_response)
        watch = apiserver_fixture_watch(&fixture.server, "/api/v1/nodes?watch=1&resourceVersion=1");
        rotate(&fixture, false);
        const int64_t before = loop_now(loop_current());
        CHECK_EQ(apiserver_fixture_event(watch, &event), STR(""));
        CHECK(loop_now(loop_current()) - before < SECOND);
    }
    CHECK_EQ(apiserver_fixture_get(&fixture.server, "/api/v1/nodes?watch=1"), 401);
}

/* The command has done it while no server ran, or a start has found it. */
SIM_TEST(a_rotation_is_seen_by_the_next_start)
{
    for (int authority = 0; authority < 2; authority++) {
        SCOPED(rotation_fixture) fixture;
        OWNED(tls_identity) old = NULL;
        TEST_CASE("%s authority", authority ? "new" : "same");
        rotation_fixture_init(&fixture, true);
        old = tls_identity_ref(fixture.server.admin);
        char pki[256];
        snprintf(pki, sizeof(pki), "%s/pki", fixture.server.folder.path);
        for (size_t i = 0; i < HOLDERS; i++)
            http_client_free(TAKE(fixture.holders[i].client));
        apiserver_fixture_stop(&fixture.server);
        CHECK_OK(credential_rotation_prepare(pki, authority, loop_wall(loop_current())));
        CHECK_OK(apiserver_fixture_start(&fixture.server));
        CHECK(!credential_rotation_is_prepared(pki));
        CHECK_EQ(apiserver_fixture_get(&fixture.server, NAMESPACES), 200);
        for (size_t i = 0; i < HOLDERS; i++) {
            TEST_CASE("%s, %s authority", fixture.holders[i].name, authority ? "new" : "same");
            fixture.holders[i].client =
                connect_holder(&fixture, i == ADMIN ? old : NULL, fixture.server.trust, true);
            CHECK_EQ(ask_as(&fixture, i), fixture.holders[i].status_after);
        }
    }
}
