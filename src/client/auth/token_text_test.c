#include "client/auth/token_text.h"

#include "testing/test.h"

TEST(token_text_is_sendable)
{
    const struct {
        const char *name;
        struct str token;
        bool expected;
    } cases[] = {
        {"a usual one",  STR_INIT("eyJh.b-_~+/=="), true },
        {"an empty one", STR_INIT(""),              false},
        {"a blank",      STR_INIT("a b"),           false},
        {"a line end",   STR_INIT("a\r\nb"),        false},
        {"a NUL",        STR_INIT("a\0b"),          false},
        {"a delete",     STR_INIT("a\x7f"),         false},
        {"not ASCII",    STR_INIT("\xc3\xa4"),      false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(token_text_is_sendable(cases[i].token), cases[i].expected);
    }
}
