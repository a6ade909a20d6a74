#include "base/shorten.h"

#include "testing/test.h"

TEST(long_texts_keep_their_beginning_and_end_and_whole_words)
{
    static const struct {
        const char *name, *text;
        size_t max;
        const char *expected;
    } cases[] = {
        {"it fits",           "one two three",           13, "one two three"        },
        {"one byte too long", "one two three",           12, "one two …"          },
        {"both ends",         "first second third last", 18, "first second … last"},
        {"a space is a cut",  "first  second third",     9,  "first …"            },
        {"no word fits",      "abcdefghijklm",           12, "…"                  },
        {"only the end",      "abcdefghijklm: no",       12, "… no"               },
        {"nothing",           "",                        0,  ""                     },
        {"no room",           "a b",                     0,  "…"                  },
        {"lines",             "one\ntwo three\nfour",    14, "one\ntwo … four"    },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        shorten_text(&out, str_from_c(cases[i].text), cases[i].max);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].expected));
    }
}

/* Every length of a text of words: what is left consists of words of the text. */
TEST(no_length_cuts_a_word)
{
    const struct str text = STR("äpfel birnen kirschen pflaumen quitten zwetschgen");
    for (size_t max = 0; max <= text.len; max++) {
        SCOPED(buf) out = {.limit = 0};
        struct str rest, word;
        TEST_CASE("%zu", max);
        shorten_text(&out, text, max);
        CHECK(out.len <= max + sizeof(" … ") - 1);
        for (rest = buf_str(&out); rest.len;) {
            str_cut(&rest, ' ', &word);
            CHECK(str_eq(word, STR("…")) || str_contains(STR(" äpfel birnen kirschen pflaumen "
                                                             "quitten zwetschgen "),
                                                         word));
        }
    }
}

/* What is longer than a word is cut between characters. */
TEST(what_is_too_long_for_a_word_is_cut_between_characters)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < 1000; i++)
        buf_add(&text, STR("ä"));
    for (size_t max = 2 * SHORTEN_WORD_MAX; max < 2 * SHORTEN_WORD_MAX + 4; max++) {
        SCOPED(buf) out = {.limit = 0};
        shorten_text(&out, buf_str(&text), max);
        CHECK(out.len <= max + sizeof("…") - 1);
        CHECK(out.len > max / 2);
        CHECK(str_is_utf8(buf_str(&out)));
        CHECK_EQ(shorten_to_beginning(buf_str(&text), max).len, max / 2 * 2);
    }
}
