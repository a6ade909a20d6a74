#include "http/headers.h"

#include <stdio.h>

#include "base/memory.h"
#include "testing/test.h"

static void add(struct http_headers *headers, const char *name, const char *value)
{
    CHECK_OK(http_headers_add(headers, str_from_c(name), str_from_c(value)));
}

/* "name=value;" for every field. */
static struct str dump(const struct http_headers *headers, struct buf *text)
{
    buf_clear(text);
    HTTP_HEADERS_FOREACH (header, headers)
        buf_print(text, "%.*s=%.*s;", STR_ARG(header.name), STR_ARG(header.value));
    return buf_str(text);
}

TEST(headers_keep_order_and_lower_names)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) text = {0};
    CHECK_EQ(dump(&headers, &text), STR(""));
    add(&headers, "Accept", "a");
    add(&headers, "X-Thing", " \tpadded\t ");
    add(&headers, "accept", "b");
    add(&headers, "Empty", "");
    CHECK_EQ(dump(&headers, &text), STR("accept=a;x-thing=padded;accept=b;empty=;"));
    CHECK_EQ(headers.count, (size_t)4);
    CHECK_EQ(http_headers_find(&headers, STR("ACCEPT")), STR("a"));
    CHECK_EQ(http_headers_count(&headers, STR("Accept")), (size_t)2);
    CHECK(http_headers_find(&headers, STR("empty")).ptr != NULL);
    CHECK(http_headers_find(&headers, STR("none")).ptr == NULL);
}

TEST(headers_set_replaces_all)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) text = {0};
    add(&headers, "a", "1");
    add(&headers, "b", "2");
    add(&headers, "a", "3");
    CHECK_OK(http_headers_set(&headers, STR("A"), STR("4")));
    CHECK_EQ(dump(&headers, &text), STR("b=2;a=4;"));
    CHECK_ERROR(http_headers_set(&headers, STR("a"), STR("x\ny")), ERROR_INVALID);
    CHECK_EQ(dump(&headers, &text), STR("b=2;a=4;"));
    CHECK_EQ(http_headers_remove(&headers, STR("B")), (size_t)1);
    CHECK_EQ(http_headers_remove(&headers, STR("B")), (size_t)0);
    CHECK_EQ(dump(&headers, &text), STR("a=4;"));
    CHECK_EQ(headers.size, 2 + HTTP_HEADER_OVERHEAD);
    CHECK_EQ(http_headers_remove(&headers, STR("a")), (size_t)1);
    CHECK_EQ(headers.size, (size_t)0);
}

TEST(headers_refuse_what_could_be_a_line_of_its_own)
{
    const struct {
        const char *name;
        struct str header, value;
    } cases[] = {
        {"line feed in value",       STR("a"),        STR("x\nb: y")},
        {"carriage return in value", STR("a"),        STR("x\rb")   },
        {"end of line in value",     STR("a"),        STR("x\r\n")  },
        {"NUL in value",             STR("a"),        STR("x\0y")   },
        {"escape in value",          STR("a"),        STR("\x1b[0m")},
        {"delete in value",          STR("a"),        STR("\x7f")   },
        {"empty name",               STR(""),         STR("x")      },
        {"blank in name",            STR("a b"),      STR("x")      },
        {"colon in name",            STR("a:"),       STR("x")      },
        {"pseudo header",            STR(":path"),    STR("x")      },
        {"line feed in name",        STR("a\nb"),     STR("x")      },
        {"NUL in name",              STR("a\0"),      STR("x")      },
        {"letter beyond ASCII",      STR("\xc3\xa9"), STR("x")      },
    };
    SCOPED(http_headers) headers = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_ERROR(http_headers_add(&headers, cases[i].header, cases[i].value), ERROR_INVALID);
    }
    CHECK_EQ(headers.count, (size_t)0);
    CHECK_OK(http_headers_add(&headers, STR("a"), STR("tab\tand \xc3\xa9 are fine")));
}

TEST(headers_stop_at_their_limits)
{
    SCOPED(http_headers) headers = {.limit = 100, .count_limit = 2};
    OWNED_PTR char *large = mem_alloc_zero(101);
    memset(large, 'a', 100);
    CHECK_FAILS(http_headers_add(&headers, STR("a"), str_from(large, 68)), ERROR_TOO_LARGE, "100");
    CHECK_FAILS(http_headers_add(&headers, str_from(large, 100), STR("")), ERROR_TOO_LARGE, "100");
    CHECK_OK(http_headers_add(&headers, STR("a"), str_from(large, 10)));
    CHECK_OK(http_headers_add(&headers, STR("b"), STR("1")));
    CHECK_FAILS(http_headers_add(&headers, STR("c"), STR("")), ERROR_TOO_LARGE, "larger than");

    SCOPED(http_headers) many = {.count_limit = 2};
    add(&many, "a", "1");
    add(&many, "a", "2");
    CHECK_FAILS(http_headers_add(&many, STR("a"), STR("3")), ERROR_TOO_LARGE, "more than 2");
    http_headers_done(&many);
    add(&many, "a", "3");

    SCOPED(http_headers) exact = {.limit = 34};
    add(&exact, "a", "1");
    CHECK_ERROR(http_headers_add(&exact, STR("a"), STR("")), ERROR_TOO_LARGE);
}

TEST(headers_find_tokens_in_lists)
{
    SCOPED(http_headers) headers = {0};
    add(&headers, "Connection", "keep-alive , Upgrade");
    add(&headers, "Connection", "CLOSE");
    add(&headers, "Other", "closed");
    CHECK(http_headers_has_token(&headers, STR("connection"), STR("close")));
    CHECK(http_headers_has_token(&headers, STR("connection"), STR("upgrade")));
    CHECK(http_headers_has_token(&headers, STR("connection"), STR("keep-alive")));
    CHECK(!http_headers_has_token(&headers, STR("connection"), STR("keep")));
    CHECK(!http_headers_has_token(&headers, STR("other"), STR("close")));
}

TEST(headers_are_copied_whole)
{
    SCOPED(http_headers) from = {0}, to = {.limit = 70};
    SCOPED(buf) text = {0};
    add(&from, "a", "1");
    add(&from, "b", "2");
    CHECK_OK(http_headers_add_all(&to, &from));
    CHECK_EQ(dump(&to, &text), STR("a=1;b=2;"));
    CHECK_ERROR(http_headers_add_all(&to, &from), ERROR_TOO_LARGE);
    CHECK(http_header_is_secret(STR("Authorization")));
    CHECK(http_header_is_secret(STR("cookie")));
    CHECK(!http_header_is_secret(STR("accept")));
}
