/* How long tokens of ServiceAccounts live, in the main API and in a virtual cluster. */
#include "apiserver/apiserver_fixture_test.h"
#include "base/duration.h"
#include "base/timestamp.h"

#define NAMESPACES "/api/v1/namespaces"
#define ACCOUNTS   NAMESPACES "/default/serviceaccounts"

/* An administrator by its token, in the main API or in a virtual cluster. */
struct token_fixture {
    struct apiserver_fixture *fixture;
    const char *prefix; /* of paths */
    struct buf admin;   /* empty: the client certificate */
};

/* The status of a POST; the answer is in the fixture. The warning is compared. */
static int post_as_admin(struct token_fixture *tokens, const char *path, const char *body,
                         const char *warning)
{
    struct apiserver_fixture *fixture = tokens->fixture;
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, "%s%s", tokens->prefix, path);
    OWNED(http_response)
    response = apiserver_fixture_send_with(fixture, buf_c(&target), buf_str(&tokens->admin),
                                           str_from_c(body));
    CHECK_EQ(http_headers_find(http_response_headers(response), STR("warning")),
             str_from_c(warning));
    buf_clear(&fixture->answer);
    json_doc_free(TAKE(fixture->doc));
    CHECK_OK(http_response_read_all(response, &fixture->answer));
    CHECK_OK(json_read(buf_str(&fixture->answer), &fixture->doc));
    return http_response_status(response);
}

/* Asks for a token for so many hours; the answer tells for how many it is. */
static int64_t request_token(struct token_fixture *tokens, int hours, const char *warning,
                             struct buf *token)
{
    char body[256];
    int64_t seconds = 0;
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\","
             "\"spec\":{\"expirationSeconds\":%d}}",
             hours * 3600);
    CHECK_EQ(post_as_admin(tokens, ACCOUNTS "/bot/token", body, warning), 201);
    buf_clear(token);
    buf_add(token, apiserver_fixture_text(tokens->fixture, "status.token"));
    CHECK(json_to_int64(json_path(json_doc_root(tokens->fixture->doc), "spec.expirationSeconds"),
                        &seconds));
    return seconds / 3600;
}

static void make_account(struct token_fixture *tokens)
{
    CHECK_EQ(post_as_admin(tokens, ACCOUNTS,
                           "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{"
                           "\"name\":\"bot\"}}",
                           ""),
             201);
}

/* The account has no rights: 403 is an answer to somebody who is known. */
static int ask_with(const struct token_fixture *tokens, struct str token)
{
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, "%s" NAMESPACES, tokens->prefix);
    return apiserver_fixture_get_with(tokens->fixture, buf_c(&target), token);
}

SIM_TEST(tokens_live_no_longer_than_a_day)
{
    static const char *const prefixes[] = {"", "/clusters/vc-0001"};
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.secret = true};
    apiserver_fixture_init(&fixture);
    fixture.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    struct http_client *admin = fixture.client;
    struct http_client *nobody = apiserver_fixture_client(&fixture, NULL);
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        struct token_fixture tokens = {.fixture = &fixture, .prefix = prefixes[i]};
        TEST_CASE("API at %s/", prefixes[i]);
        fixture.client = admin;
        if (i)
            apiserver_cluster_token(fixture.server, 0, &tokens.admin);
        make_account(&tokens);
        CHECK_EQ(request_token(&tokens, 24, "", &token), 24);
        CHECK_EQ(request_token(&tokens, 2, "", &token), 2);
        CHECK_EQ(request_token(&tokens, 240,
                               "299 - \"requested expiration of 864000 seconds shortened to 86400 "
                               "seconds\"",
                               &token),
                 24);
        fixture.client = nobody;
        sim_jump(loop_current(), 23 * HOUR);
        CHECK_EQ(ask_with(&tokens, buf_str(&token)), 403);
        sim_jump(loop_current(), HOUR); /* on the same connection */
        CHECK_EQ(ask_with(&tokens, buf_str(&token)), 401);
        CHECK_EQ(http_client_dial_count(nobody), 1);
        buf_done(&tokens.admin);
    }
    fixture.client = admin;
    http_client_free(nobody);
}

SIM_TEST(tokens_live_as_long_as_the_server_was_told)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.secret = true};
    apiserver_fixture_init(&fixture);
    fixture.options.max_token_lifetime = 100 * HOUR;
    CHECK_OK(apiserver_fixture_start(&fixture));
    struct token_fixture tokens = {.fixture = &fixture, .prefix = ""};
    make_account(&tokens);
    CHECK_EQ(request_token(&tokens, 100, "", &token), 100);
    CHECK_EQ(request_token(&tokens, 101,
                           "299 - \"requested expiration of 363600 seconds shortened to 360000 "
                           "seconds\"",
                           &token),
             100);
    char until[TIMESTAMP_TEXT_MAX];
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.expirationTimestamp"),
             timestamp_write(loop_wall(loop_current()) + 100 * HOUR, until));
}
