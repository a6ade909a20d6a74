#include "apimachinery/key.h"

#include "testing/test.h"

TEST(key_text_both_ways)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct key keys[] = {KEY("ns", "name"), KEY("", "name"), KEY("", "")};
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct key again = KEY("x", "x");
        SCOPED(buf) text = {.limit = 0};
        key_write(&text, keys[i]);
        TEST_CASE("%.*s", STR_ARG(buf_str(&text)));
        CHECK_EQ(key_text(&arena, keys[i]), buf_str(&text));
        CHECK_OK(key_read(buf_str(&text), &again));
        CHECK(key_eq(again, keys[i]));
    }
    struct key key;
    CHECK_FAILS(key_read(STR("a/b/c"), &key), ERROR_INVALID, "unexpected key format: \"a/b/c\"");
}

TEST(key_hash_separates_namespace_from_name)
{
    CHECK(key_hash(KEY("a", "bc"), 1) != key_hash(KEY("ab", "c"), 1));
    CHECK_EQ(key_hash(KEY("a", "b"), 7), key_hash(KEY("a", "b"), 7));
}

TEST(key_copy_outlives_its_source)
{
    SCOPED(arena) arena = {.limit = 0};
    char text[] = "ns/name";
    struct key key;
    CHECK_OK(key_read(str_from(text, sizeof(text) - 1), &key));
    const struct key copy = key_copy(&arena, key);
    memset(text, 'x', sizeof(text) - 1);
    CHECK(key_eq(copy, KEY("ns", "name")));
}
