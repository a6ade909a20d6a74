#include "http/head.h"

#include "testing/test.h"

TEST(head_owns_and_moves_its_texts)
{
    char method[] = "GET", target[] = "/a?b";
    struct http_head head = {.method = str_from_c(method), .target = str_from_c(target)};
    head.authority = STR("host");
    http_head_own(&head);
    memset(method, 'x', sizeof(method));
    memset(target, 'x', sizeof(target));

    SCOPED(http_head) taken = http_head_take(&head);
    http_head_done(&head);
    CHECK_EQ(taken.method, STR("GET"));
    CHECK_EQ(taken.scheme, STR(""));
    CHECK_EQ(taken.authority, STR("host"));
    CHECK_EQ(taken.target, STR("/a?b"));
}

TEST(head_checks_requests)
{
    const struct {
        const char *name, *method, *authority, *target;
        bool ok;
    } cases[] = {
        {"plain",                  "GET",     "host",     "/",         true },
        {"query and port",         "GET",     "[::1]:80", "/a?b=c",    true },
        {"options for the server", "OPTIONS", "host",     "*",         true },
        {"tunnel",                 "CONNECT", "host:443", "",          true },
        {"star with another verb", "GET",     "host",     "*",         false},
        {"tunnel with a path",     "CONNECT", "host:443", "/",         false},
        {"no method",              "",        "host",     "/",         false},
        {"blank in method",        "GET /",   "host",     "/",         false},
        {"line end in method",     "GET\r\n", "host",     "/",         false},
        {"no host",                "GET",     "",         "/",         false},
        {"user in host",           "GET",     "u@host",   "/",         false},
        {"path in host",           "GET",     "host/",    "/",         false},
        {"two hosts",              "GET",     "a,b",      "/",         false},
        {"blank in host",          "GET",     "ho st",    "/",         false},
        {"no target",              "GET",     "host",     "",          false},
        {"whole URL",              "GET",     "host",     "http://h/", false},
        {"blank in target",        "GET",     "host",     "/a b",      false},
        {"line end in target",     "GET",     "host",     "/a\r\nb",   false},
        {"fragment in target",     "GET",     "host",     "/a#b",      false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        const struct http_head head = {.method = str_from_c(cases[i].method),
                                       .authority = str_from_c(cases[i].authority),
                                       .target = str_from_c(cases[i].target)};
        OWNED(error) err = http_head_check_request(&head);
        CHECK_EQ(err == NULL, cases[i].ok);
    }
}

TEST(head_checks_responses)
{
    for (int status = -1; status < 1100; status++) {
        const struct http_head head = {.status = status};
        OWNED(error) err = http_head_check_response(&head);
        CHECK_EQ(err == NULL, status >= 200 && status < 600);
    }
}

TEST(head_reads_lengths)
{
    const struct {
        const char *name, *value;
        int64_t length;
    } cases[] = {
        {"zero",          "0",                    0        },
        {"number",        "42",                   42       },
        {"the largest",   "9223372036854775807",  INT64_MAX},
        {"too large",     "9223372036854775808",  -1       },
        {"far too large", "99999999999999999999", -1       },
        {"empty",         "",                     -1       },
        {"negative",      "-1",                   -1       },
        {"plus",          "+1",                   -1       },
        {"hexadecimal",   "0x10",                 -1       },
        {"list",          "5, 5",                 -1       },
        {"fraction",      "1.0",                  -1       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(http_head) head = {0};
        CHECK_OK(
            http_headers_add(&head.headers, STR("Content-Length"), str_from_c(cases[i].value)));
        int64_t length = -1;
        OWNED(error) err = http_head_read_length(&head, &length);
        CHECK_EQ(err == NULL, cases[i].length >= 0);
        CHECK_EQ(length, cases[i].length);
    }
    SCOPED(http_head) none = {0};
    int64_t length = 0;
    CHECK_OK(http_head_read_length(&none, &length));
    CHECK_EQ(length, (int64_t)-1);
    CHECK_OK(http_headers_add(&none.headers, STR("content-length"), STR("5")));
    CHECK_OK(http_headers_add(&none.headers, STR("content-length"), STR("5")));
    CHECK_ERROR(http_head_read_length(&none, &length), ERROR_PROTOCOL);
}

TEST(head_knows_answers_without_body)
{
    CHECK(http_has_no_body(STR("HEAD"), 200));
    CHECK(http_has_no_body(STR("GET"), 204));
    CHECK(http_has_no_body(STR("GET"), 304));
    CHECK(http_has_no_body(STR("GET"), 100));
    CHECK(!http_has_no_body(STR("GET"), 200));
    CHECK_EQ(http_status_text(404), STR("Not Found"));
    CHECK_EQ(http_status_text(299), STR(""));
}
