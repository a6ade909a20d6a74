#include "base/buf.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "testing/test.h"

TEST(buf_grows_up_to_its_limit)
{
    SCOPED(buf) buf = {.limit = 10};
    buf_add(&buf, STR("12345"));
    buf_print(&buf, "%d", 67890);
    CHECK_OK(buf_check(&buf));
    CHECK_EQ(buf_str(&buf), STR("1234567890"));
    buf_add_char(&buf, 'x');
    CHECK_ERROR(buf_check(&buf), ERROR_TOO_LARGE);
    CHECK_EQ(buf_str(&buf), STR("1234567890"));

    /* What fits again after an overflow must not slip in behind a hole. */
    buf_truncate(&buf, 3);
    buf_add_char(&buf, 'y');
    CHECK_EQ(buf_str(&buf), STR("123"));
    buf_clear(&buf);
    CHECK_OK(buf_check(&buf));
}

TEST(buf_keeps_its_limit_with_memory_to_spare)
{
    SCOPED(buf) buf = {.limit = 3};
    CHECK_EQ(strlen(buf_c(&buf)), (size_t)0);
    BUF_ADD_ALL(&buf, STR("ab"), STR(""), STR("c"));
    CHECK_OK(buf_check(&buf));
    buf_add_index(&buf, 0);
    CHECK_ERROR(buf_check(&buf), ERROR_TOO_LARGE);
    CHECK_EQ(buf_str(&buf), STR("abc"));
}

TEST(buf_adds_indexes)
{
    SCOPED(buf) buf = {0};
    buf_add_index(&buf, 0);
    buf_add_index(&buf, SIZE_MAX);
    CHECK_EQ(buf_str(&buf), STR("[0][18446744073709551615]"));
}

TEST(buf_prints_long_text)
{
    SCOPED(buf) buf = {0};
    char text[600];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    buf_print(&buf, "<%s>", text);
    CHECK_EQ(buf.len, sizeof(text) + 1);
    CHECK_EQ(buf.ptr[buf.len - 1], '>');
}

TEST(buf_consumes_and_hands_over)
{
    SCOPED(buf) buf = {.secret = true};
    buf_add(&buf, STR("hello world"));
    buf_consume(&buf, 6);
    CHECK_EQ(buf_str(&buf), STR("world"));
    CHECK_EQ(buf_c(&buf), "world");
    OWNED_PTR char *taken = buf_take(&buf);
    CHECK_EQ(taken, "world");
    CHECK_EQ(buf.len, (size_t)0);
    buf_consume(&buf, 5);
    buf_shrink(&buf);
    CHECK_EQ(buf_c(&buf), "");
}

TEST(buf_json_strings)
{
    SCOPED(buf) buf = {0};
    buf_add_json_string(&buf, STR("a\"b\\c\n\x01\x7f\xc3\xa9\xff\0"));
    CHECK_EQ(buf_str(&buf), STR("\"a\\\"b\\\\c\\n\\u0001\\u007f\xc3\xa9\xef\xbf\xbd\\u0000\""));
}
