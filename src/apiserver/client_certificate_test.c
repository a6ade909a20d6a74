/* What a client certificate is good for, over both versions of HTTP. */
#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/secret_file.h"
#include "base/duration.h"
#include "net/pki.h"

#define NAMESPACES "/api/v1/namespaces"
#define DAY        (24 * HOUR)

/* The authority of the server, or a new one that the server does not trust. */
static struct pki_authority *open_authority(const struct apiserver_fixture *fixture,
                                            bool is_foreign)
{
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    struct pki_authority *authority = NULL;
    const char *folder = folder_fixture_file(&fixture->folder, "pki");
    bool is_there = false;
    if (is_foreign) {
        CHECK_OK(pki_authority_new(STR("corset authority"), SIM_EPOCH - DAY, SIM_EPOCH + 90 * DAY,
                                   &authority));
        return authority;
    }
    CHECK_OK(secret_file_read(folder, "ca.crt", &certificate, &is_there));
    CHECK_OK(secret_file_read(folder, "ca.key", &key, &is_there));
    CHECK_OK(pki_authority_read(buf_str(&certificate), buf_str(&key), &authority));
    return authority;
}

/* A certificate of an administrator, valid between two days from now. */
struct certificate_case {
    const char *name;
    int from, until;
    bool is_foreign, is_for_servers;
    int status;
};

static struct tls_identity *issue_certificate(const struct apiserver_fixture *fixture,
                                              const struct certificate_case *one)
{
    OWNED(pki_authority) authority = open_authority(fixture, one->is_foreign);
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    struct tls_identity *identity = NULL;
    const struct str group = STR("system:masters");
    const int64_t now = loop_wall(loop_current());
    const struct pki_request request = {
        .common_name = STR("kubernetes-admin"),
        .organizations = &group,
        .organization_count = 1,
        .client = !one->is_for_servers,
        .server = one->is_for_servers,
        .not_before = now + one->from * DAY,
        .not_after = now + one->until * DAY,
    };
    CHECK_OK(pki_issue(authority, &request, &certificate, &key));
    CHECK_OK(tls_identity_read(buf_str(&certificate), buf_str(&key), &identity));
    return identity;
}

/* The fixture's calls are made with this certificate from now on, on one connection. */
static void use_certificate(struct apiserver_fixture *fixture, struct tls_identity *identity,
                            bool http2)
{
    const struct http_client_options options = {
        .endpoint = {.network = fixture->network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->server),
                     .tls = fixture->tls,
                     .identity = identity,
                     .trust = fixture->trust,
                     .no_http2 = !http2},
        .connections = 1,
    };
    http_client_free(fixture->client);
    fixture->client = http_client_new(loop_current(), &options);
}

SIM_TEST(a_certificate_that_is_not_good_is_no_anonymous_user)
{
    static const struct certificate_case cases[] = {
        {"good",                        -1, 1,  false, false, 200},
        {"expired",                     -2, -1, false, false, 401},
        {"not yet valid",               1,  2,  false, false, 401},
        {"of a foreign authority",      -1, 1,  true,  false, 401},
        {"expired and foreign",         -2, -1, true,  false, 401},
        {"the certificate of a server", -1, 1,  false, true,  401},
    };
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.secret = true};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    fixture.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_cluster_token(fixture.server, 0, &token);
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        const struct certificate_case *one = &cases[i / 2];
        OWNED(tls_identity) identity = issue_certificate(&fixture, one);
        TEST_CASE("%s, HTTP/%s", one->name, i % 2 ? "2" : "1.1");
        use_certificate(&fixture, identity, i % 2);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), one->status);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES "?watch=1&timeoutSeconds=1"),
                 one->status);
        CHECK_EQ(apiserver_fixture_get(&fixture, "/healthz"), one->status);
        /* A virtual cluster has no authority for certificates, so it does not look at them. */
        CHECK_EQ(apiserver_fixture_get(&fixture, "/clusters/vc-0001" NAMESPACES), 403);
        CHECK_EQ(
            apiserver_fixture_get_with(&fixture, "/clusters/vc-0001" NAMESPACES, buf_str(&token)),
            200);
    }
}

/* The same certificate has the same id on every connection. */
SIM_TEST(users_with_certificates_are_told_which_one)
{
    static const struct certificate_case good = {.from = -1, .until = 1};
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) first = {0};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    OWNED(tls_identity) identity = issue_certificate(&fixture, &good);
    for (int http2 = 0; http2 < 2; http2++) {
        use_certificate(&fixture, identity, http2);
        CHECK_EQ(apiserver_fixture_call(&fixture, "POST",
                                        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                        "{\"apiVersion\":\"authentication.k8s.io/v1\","
                                        "\"kind\":\"SelfSubjectReview\"}"),
                 201);
        const struct json_value *ids =
            json_get(json_path(json_doc_root(fixture.doc), "status.userInfo.extra"),
                     STR("authentication.kubernetes.io/credential-id"));
        const struct str id = json_path_str(ids, "0");
        CHECK(str_starts_with(id, STR("X509SHA256=")));
        CHECK_EQ(id.len, sizeof("X509SHA256=") - 1 + 64);
        if (http2)
            CHECK_EQ(id, buf_str(&first));
        buf_add(&first, id);
    }
}

/* kube-apiserver verifies with every request; so the connection does not matter here either. */
SIM_TEST(a_certificate_is_good_for_as_long_as_it_says_on_an_open_connection)
{
    static const struct certificate_case one = {.from = 1, .until = 2};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int http2 = 0; http2 < 2; http2++) {
        TEST_CASE("HTTP/%s", http2 ? "2" : "1.1");
        OWNED(tls_identity) identity = issue_certificate(&fixture, &one);
        use_certificate(&fixture, identity, http2);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 401);
        sim_jump(loop_current(), DAY + HOUR);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
        sim_jump(loop_current(), DAY);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 401);
        CHECK_EQ(http_client_dial_count(fixture.client), 1);
    }
}

/* A session that was begun with a good certificate does not make it good for longer. */
SIM_TEST(a_certificate_does_not_outlive_itself_in_a_resumed_session)
{
    static const struct certificate_case one = {.from = -1, .until = 1};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    OWNED(tls_identity) identity = issue_certificate(&fixture, &one);
    use_certificate(&fixture, identity, true);
    CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
    http_client_close_idle(fixture.client);
    CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
    http_client_close_idle(fixture.client);
    sim_jump(loop_current(), DAY + HOUR);
    CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 401);
    CHECK_EQ(http_client_dial_count(fixture.client), 3);
}

static int ask_with_token(struct apiserver_fixture *fixture, const struct certificate_case *one,
                          struct str token)
{
    OWNED(tls_identity) identity = issue_certificate(fixture, one);
    use_certificate(fixture, identity, true);
    return apiserver_fixture_get_with(fixture, NAMESPACES, token);
}

/* As kube-apiserver: whichever credential is good counts, the certificate before the token. */
SIM_TEST(a_good_token_counts_beside_a_bad_certificate)
{
    static const struct certificate_case good = {.from = -1, .until = 1};
    static const struct certificate_case expired = {.from = -2, .until = -1};
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.secret = true};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, NAMESPACES "/default/serviceaccounts",
                             "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{"
                             "\"name\":\"bot\"}}");
    apiserver_fixture_create(&fixture, NAMESPACES "/default/serviceaccounts/bot/token",
                             "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":"
                             "\"TokenRequest\",\"spec\":{\"expirationSeconds\":864000}}");
    buf_add(&token, apiserver_fixture_text(&fixture, "status.token"));
    CHECK_EQ(ask_with_token(&fixture, &good, buf_str(&token)), 200);
    CHECK_EQ(ask_with_token(&fixture, &good, STR("nonsense")), 200);
    CHECK_EQ(ask_with_token(&fixture, &expired, buf_str(&token)), 403); /* known, without rights */
    CHECK_EQ(ask_with_token(&fixture, &expired, STR("nonsense")), 401);
}
