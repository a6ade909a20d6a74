#include "client/redirect.h"

#include "apimachinery/wellknown.h"
#include "client/client_fixture_test.h"

TEST(only_reads_with_a_location_are_redirected)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    static const int others[] = {200, 300, 304, 305, 306, 309, 401};
    for (size_t i = 0; i < COUNT(statuses); i++) {
        CHECK(redirect_is_followed(STR("GET"), statuses[i], STR("/")));
        CHECK(redirect_is_followed(STR("HEAD"), statuses[i], STR("/")));
        CHECK(!redirect_is_followed(STR("POST"), statuses[i], STR("/")));
        CHECK(!redirect_is_followed(STR("DELETE"), statuses[i], STR("/")));
        CHECK(!redirect_is_followed(STR("GET"), statuses[i], STR("")));
    }
    for (size_t i = 0; i < COUNT(others); i++)
        CHECK(!redirect_is_followed(STR("GET"), others[i], STR("/")));
}

TEST(locations_are_read_from_where_they_stand)
{
    static const struct {
        const char *from, *location, *to; /* NULL: refused */
    } rows[] = {
        {"https://a/b/c?d=e", "https://a:1/y?z=1#f", "https://a:1/y?z=1"},
        {"https://a/b/c?d=e", "https://x:1/y?z=1#f", NULL               },
        {"https://a/b/c?d=e", "//a/y",               "https://a/y"      },
        {"https://a/b/c?d=e", "//x/y",               NULL               },
        {"https://a/b/c?d=e", "//169.254.169.254/y", NULL               },
        {"https://a/b/c?d=e", "/y",                  "https://a/y"      },
        {"https://a/b/c?d=e", "y?z=1",               "https://a/b/y?z=1"},
        {"https://a/b/c?d=e", "?z=1",                "https://a/b/c?z=1"},
        {"https://a/b/c?d=e", "../y",                "https://a/y"      },
        {"https://a/b/c?d=e", "../../../y/",         "https://a/y/"     },
        {"https://a/b/c/d",   "./x/../y/.",          "https://a/b/c/y/" },
        {"https://a/b/c/d",   "..",                  "https://a/b/"     },
        {"https://a",         "y",                   "https://a/y"      },
        {"https://a",         "?q",                  "https://a/?q"     },
        {"https://a",         "https://b",           NULL               },
        {"https://a:8/b",     "y:z",                 NULL               },
        {"https://a:8/b",     "./y:z",               "https://a:8/y:z"  },
        {"https://[::1]:8/b", "/y",                  "https://[::1]:8/y"},
        {"http://a/b",        "https://a/b",         "https://a/b"      },
        {"https://a/b",       "http://a/b",          NULL               },
        {"https://a/b",       "HTTP://a/b",          NULL               },
        {"https://a/b",       "https://me@a/b",      NULL               },
        {"https://a/b",       "https://me:pw@x/b",   NULL               },
        {"https://a/b",       "ftp://a/b",           NULL               },
        {"https://a/b",       "javascript:alert(1)", NULL               },
        {"https://a/b",       "/a b",                NULL               },
        {"https://a/b",       "/a\r\nHost: x",       NULL               },
        {"https://a/b",       "https://",            NULL               },
        {"https://a/b",       "//",                  NULL               },
        {"https://a/b",       "https://a:99999/",    NULL               },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s to %s", rows[i].from, rows[i].location);
        SCOPED(arena) arena = {0};
        SCOPED(buf) text = {0};
        struct url from, to;
        CHECK_OK(url_read(str_from_c(rows[i].from), &from));
        if (!rows[i].to) {
            CHECK_ERROR(redirect_read(&arena, &from, str_from_c(rows[i].location), &to),
                        ERROR_INTERNAL);
            continue;
        }
        CHECK_OK(redirect_read(&arena, &from, str_from_c(rows[i].location), &to));
        url_write(&to, &text);
        CHECK_EQ(buf_str(&text), str_from_c(rows[i].to));
    }
}

#define OBJECT "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"

static struct error *get(struct client_fixture *fixture)
{
    return client_get(fixture->client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL);
}

SIM_TEST(reads_follow_redirects_and_writes_do_not)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    fixture.config.auth.token = STR("secret");
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {307, "Location", "b?x=1", ""}, {302, "Location", "/c", "go"},
           {200, NULL, NULL, OBJECT});
    CHECK_OK(get(&fixture));
    CHECK_EQ(buf_str(&fixture.seen),
             STR("GET /prefix/api/v1/namespaces/ns/configmaps/a?timeout=30s\n"
                 "GET /prefix/api/v1/namespaces/ns/configmaps/b?x=1\n"
                 "GET /c\n"));
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("authorization")), STR("Bearer secret"));
    SCRIPT(&fixture, {307, "Location", "/c", ""});
    struct error *err = client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL);
    CHECK(err && err->http_status == 307);
    error_free(err);
    CHECK_EQ(fixture.requests, (size_t)1);
}

SIM_TEST(redirects_end_somewhere)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {307, "Location", "/c", ""});
    CHECK_FAILS(get(&fixture), ERROR_INTERNAL, "stopped after 10 redirects");
    CHECK_EQ(fixture.requests, (size_t)(1 + REDIRECTS_MAX));
    SCRIPT(&fixture, {301, "Location", "http://server.test/", ""});
    CHECK_FAILS(get(&fixture), ERROR_INTERNAL, "redirected from https to http");
    CHECK_EQ(fixture.requests, (size_t)1);
}

/* Another server, by its port: what it is asked, and how it may know the client. */
struct elsewhere {
    struct http_server *server;
    struct buf seen;
    const char *back; /* a redirect; NULL: an object */
};

static struct error *look(void *data, struct http_request *request)
{
    struct elsewhere *elsewhere = data;
    SCOPED(http_headers) headers = {0};
    struct tls_peer peer;
    http_request_peer(request, &peer);
    buf_print(&elsewhere->seen, "%.*s", STR_ARG(http_request_target(request)));
    HTTP_HEADERS_FOREACH (header, http_request_headers(request)) {
        if (str_eq(header.name, STR("authorization")) ||
            str_starts_with(header.name, STR("impersonate")))
            buf_print(&elsewhere->seen, " %.*s", STR_ARG(header.name));
    }
    buf_print(&elsewhere->seen, peer.verified ? " certificate\n" : "\n");
    if (!elsewhere->back)
        return http_request_answer(request, 200, STR("application/json"), STR(OBJECT));
    TRY(http_headers_add(&headers, STR("Location"), str_from_c(elsewhere->back)));
    return http_request_respond(request, 307, &headers);
}

static void elsewhere_init(struct elsewhere *elsewhere, struct client_fixture *fixture)
{
    const struct http_server_options options = {.network = fixture->network,
                                                .host = STR("server.test"),
                                                .port = 7443,
                                                .tls = fixture->tls_server,
                                                .handler = look,
                                                .data = elsewhere};
    *elsewhere = (struct elsewhere){0};
    CHECK_OK(http_server_new(loop_current(), &options, &elsewhere->server));
}

static void elsewhere_done(struct elsewhere *elsewhere)
{
    http_server_free(elsewhere->server);
    buf_done(&elsewhere->seen);
}

SIM_TEST(credentials_stay_with_the_server_they_are_for)
{
    SCOPED(client_fixture) fixture;
    SCOPED(elsewhere) elsewhere;
    client_fixture_init(&fixture, false);
    elsewhere_init(&elsewhere, &fixture);
    fixture.config.auth.token = STR("secret");
    fixture.config.impersonate.user = STR("somebody");
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {307, "Location", "https://server.test:7443/x", ""});
    CHECK_OK(get(&fixture));
    CHECK_OK(get(&fixture));
    CHECK_EQ(buf_str(&elsewhere.seen), STR("/x\n/x\n"));
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("authorization")), STR("Bearer secret"));
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("impersonate-user")), STR("somebody"));
    /* Nobody listens there. */
    SCRIPT(&fixture, {307, "Location", "https://server.test:7444/x", ""});
    CHECK_ERROR(get(&fixture), ERROR_UNREACHABLE);
    SCRIPT(&fixture, {200, NULL, NULL, OBJECT});
    CHECK_OK(get(&fixture));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(sim_network_connections(fixture.network), (size_t)1); /* the others are not kept */
}

SIM_TEST(who_comes_back_from_elsewhere_comes_without_credentials)
{
    SCOPED(client_fixture) fixture;
    SCOPED(elsewhere) elsewhere;
    client_fixture_init(&fixture, false);
    elsewhere_init(&elsewhere, &fixture);
    char back[64];
    snprintf(back, sizeof(back), "https://server.test:%u/y", fixture.port);
    elsewhere.back = back;
    fixture.config.auth.token = STR("secret");
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {307, "Location", "https://server.test:7443/x", ""}, {401, NULL, NULL, ""});
    CHECK_ERROR(get(&fixture), ERROR_UNAUTHORIZED);
    CHECK_EQ(fixture.requests, (size_t)2);
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("authorization")), STR(""));
}
