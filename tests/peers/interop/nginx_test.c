#include "peers/interop/nginx.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/sha256.h"
#include "http/client_internal.h"
#include "http/response_internal.h"
#include "net/pki.h"
#include "net/tls.h"
#include "peers/interop/ground.h"
#include "testing/sim.h"

#define DOWNLOAD_BYTES (20 * MEGABYTE)
#define UPLOAD_BYTES   (1 * MEGABYTE)

/* How nginx writes the name in our client's certificate. */
#define CLIENT_NAME "CN=test-client,O=test-group"

static const bool protocols[] = {true, false};

static struct http_client *new_client(const struct ground *ground, const struct nginx *nginx,
                                      bool http2)
{
    struct http_client_options options = ground_client_options(ground, nginx->port);
    options.endpoint.no_http2 = !http2;
    return http_client_new(loop_current(), &options);
}

/* What the client's and the server's side are told about one exchange. */
static void check_who(struct str body, bool http2, struct str *ret_connection)
{
    struct str name, protocol;
    CHECK(str_cut(&body, '|', &name));
    CHECK(str_cut(&body, '|', &protocol));
    CHECK(str_cut(&body, '|', ret_connection));
    CHECK_EQ(name, STR(CLIENT_NAME));
    CHECK_EQ(protocol, http2 ? STR("HTTP/2.0") : STR("HTTP/1.1"));
}

LOOP_TEST(nginx_knows_our_client_by_its_certificate)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        OWNED(http_client) client = new_client(&ground, &nginx, protocols[i]);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_get(client, STR("/who"), &answer));
        CHECK_EQ(answer.status, 200);
        CHECK_EQ(answer.http2, protocols[i]);
        struct str connection;
        check_who(buf_str(&answer.body), protocols[i], &connection);
    }
}

LOOP_TEST(twenty_requests_to_nginx_share_a_connection)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        OWNED(http_client) client = new_client(&ground, &nginx, protocols[i]);
        SCOPED(answer) answer = {0};
        SCOPED(buf) first = {0};
        for (int n = 0; n < 20; n++) {
            CHECK_OK(client_get(client, STR("/who"), &answer));
            struct str connection;
            check_who(buf_str(&answer.body), protocols[i], &connection);
            if (n == 0)
                buf_add(&first, connection);
            CHECK_EQ(connection, buf_str(&first));
        }
        CHECK(str_ends_with(buf_str(&answer.body), STR("|20\n")));
        CHECK_EQ(client->conn_count, (size_t)1);
    }
}

static void check_digest(struct http_response *response, const uint8_t *expected)
{
    SCOPED(sha256) sha = {0};
    for (;;) {
        char piece[10000]; /* neither a frame nor a record */
        size_t len;
        CHECK_OK(http_response_read(response, piece, sizeof(piece), &len));
        if (len == 0)
            break;
        sha256_add(&sha, str_from(piece, len));
    }
    uint8_t digest[SHA256_LEN];
    sha256_finish(&sha, digest);
    CHECK(memcmp(digest, expected, SHA256_LEN) == 0);
}

LOOP_TEST(a_large_file_comes_whole_from_nginx)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    SCOPED(buf) noise = {0};
    ground_noise(&noise, DOWNLOAD_BYTES);
    folder_write(&ground.folder, "www/noise.bin", buf_str(&noise));
    uint8_t expected[SHA256_LEN];
    sha256_of(buf_str(&noise), expected);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        OWNED(http_client) client = new_client(&ground, &nginx, protocols[i]);
        OWNED(http_response) response = NULL;
        CHECK_OK(http_client_send(
            client, &(struct http_client_request){.target = STR("/files/noise.bin")}, &response));
        CHECK_EQ(http_response_status(response), 200);
        CHECK_EQ(response->call->conn->http2, protocols[i]);
        check_digest(response, expected);
    }
}

LOOP_TEST(nginx_receives_all_of_an_upload)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    SCOPED(buf) noise = {0};
    ground_noise(&noise, UPLOAD_BYTES);
    const struct http_client_request upload = {
        .method = STR("POST"), .target = STR("/upload"), .body = buf_str(&noise)};
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        OWNED(http_client) client = new_client(&ground, &nginx, protocols[i]);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_fetch(client, &upload, &answer));
        CHECK_EQ(answer.status, 200);
        struct str file = buf_str(&answer.body), method;
        CHECK(str_cut(&file, ' ', &method));
        CHECK_EQ(method, STR("POST"));
        SCOPED(buf) stored = {0};
        file_read(arena_c(&ground.folder.texts, file), &stored);
        CHECK(str_eq(buf_str(&stored), buf_str(&noise)));
    }
}

LOOP_TEST(what_nginx_does_not_have_is_not_found)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        OWNED(http_client) client = new_client(&ground, &nginx, protocols[i]);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_get(client, STR("/files/none"), &answer));
        CHECK_EQ(answer.status, 404);
        CHECK_CONTAINS(buf_str(&answer.body), STR("404 Not Found"));
        CHECK_OK(client_get(client, STR("/who"), &answer));
        CHECK_EQ(answer.status, 200);
    }
}

LOOP_TEST(what_nginx_compressed_is_read_as_it_was)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    SCOPED(buf) text = {0};
    file_read(folder_file(&ground.folder, "text"), &text);
    for (size_t i = 0; i < 2 * COUNT(protocols); i++) {
        struct http_client_options options = ground_client_options(&ground, nginx.port);
        options.endpoint.no_http2 = !protocols[i / 2];
        options.no_gzip = i % 2;
        TEST_CASE("HTTP/2: %d, gzip: %d", !options.endpoint.no_http2, !options.no_gzip);
        OWNED(http_client) client = http_client_new(loop_current(), &options);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_get(client, STR("/text"), &answer));
        CHECK_EQ(answer.status, 200);
        CHECK_EQ(answer.compressed, !options.no_gzip);
        CHECK_EQ(buf_str(&answer.body), buf_str(&text));
    }
}

LOOP_TEST(nginx_turns_a_client_without_certificate_away)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("HTTP/2: %d", protocols[i]);
        struct http_client_options options = ground_client_options(&ground, nginx.port);
        options.endpoint.identity = NULL;
        options.endpoint.no_http2 = !protocols[i];
        OWNED(http_client) client = http_client_new(loop_current(), &options);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_get(client, STR("/who"), &answer));
        CHECK_EQ(answer.status, 400);
        CHECK_CONTAINS(buf_str(&answer.body), STR("No required SSL certificate was sent"));
    }
}

/* An authority of the same name with another key, so that only the signature tells them apart. */
static struct tls_trust *other_trust(void)
{
    const int64_t now = loop_wall(loop_current());
    OWNED(pki_authority) authority = NULL;
    SCOPED(buf) certificate = {0}, key = {.secret = true};
    struct tls_trust *trust;
    CHECK_OK(pki_authority_new(STR("test authority"), now - HOUR, now + HOUR, &authority));
    CHECK_OK(pki_authority_write(authority, &certificate, &key));
    CHECK_OK(tls_trust_read(buf_str(&certificate), &trust));
    return trust;
}

LOOP_TEST(an_nginx_of_another_authority_is_not_believed)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    OWNED(tls_trust) trust = other_trust();
    struct http_client_options options = ground_client_options(&ground, nginx.port);
    options.endpoint.trust = trust;
    OWNED(http_client) client = http_client_new(loop_current(), &options);
    SCOPED(answer) answer = {0};
    CHECK_ERROR(client_get(client, STR("/who"), &answer), ERROR_TLS);
    CHECK_EQ(client->conn_count, (size_t)0);
}

struct caller {
    struct http_client *client;
    int requests;
    size_t answered;
};

static struct error *call_often(void *data)
{
    struct caller *caller = data;
    SCOPED(answer) answer = {0};
    for (int i = 0; i < caller->requests; i++) {
        TRY(client_get(caller->client, STR("/who"), &answer));
        if (answer.status == 200 && answer.http2)
            caller->answered++;
    }
    return NULL;
}

static void check_callers(struct http_client *client, size_t callers, int requests)
{
    struct caller caller = {.client = client, .requests = requests};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < callers; i++)
        scope_start(&scope, "caller", call_often, &caller);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(caller.answered, callers * (size_t)requests);
}

/* nginx takes 128 at a time; the others wait their turn. */
LOOP_TEST(two_hundred_requests_to_nginx_at_once)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "");
    struct http_client_options options = ground_client_options(&ground, nginx.port);
    options.connections = 1;
    OWNED(http_client) client = http_client_new(loop_current(), &options);
    check_callers(client, 200, 1);
    CHECK_EQ(client->conn_count, (size_t)1);
}

/* It closes with GOAWAY while requests are under way: those it did not take go to the next one. */
LOOP_TEST(no_request_is_lost_when_nginx_closes_a_connection)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(nginx) nginx;
    ground_init(&ground);
    nginx_init(&nginx, &ground, "keepalive_requests 50;");
    OWNED(http_client) client = new_client(&ground, &nginx, true);
    check_callers(client, 20, 20);
}
