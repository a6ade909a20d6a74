#include "http/lines.h"

#include "testing/test.h"

/* Feeds text in pieces of this size and writes "<line>" for each line, then the rest. */
static void split(struct str text, size_t piece, struct buf *out)
{
    SCOPED(lines) lines = {0};
    for (size_t at = 0; at < text.len; at += piece) {
        lines_feed(&lines, str_slice(text, at, at + piece));
        for (;;) {
            struct str line;
            CHECK_OK(lines_next(&lines, &line));
            if (!line.ptr)
                break;
            buf_add_char(out, '<');
            buf_add(out, line);
            buf_add_char(out, '>');
        }
    }
    buf_add(out, lines_rest(&lines));
}

TEST(lines_are_the_same_for_every_split)
{
    const struct {
        const char *name;
        struct str text, expected;
    } cases[] = {
        {"nothing",          STR(""),                STR("")               },
        {"one line",         STR("a\n"),             STR("<a>")            },
        {"no line end",      STR("abc"),             STR("abc")            },
        {"empty lines",      STR("\n\na\n\n"),       STR("<><><a><>")      },
        {"carriage returns", STR("a\r\nb\r\n\r\n"),  STR("<a><b><>")       },
        {"bare return",      STR("a\rb\n"),          STR("<a\rb>")         },
        {"rest",             STR("{\"a\":1}\n{\"b"), STR("<{\"a\":1}>{\"b")},
        {"NUL inside",       STR("a\0b\n"),          STR("<a\0b>")         },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t piece = 1; piece <= cases[i].text.len + 1; piece++) {
            TEST_CASE("%s, pieces of %zu", cases[i].name, piece);
            SCOPED(buf) out = {0};
            split(cases[i].text, piece, &out);
            CHECK_EQ(buf_str(&out), cases[i].expected);
        }
    }
}

TEST(lines_stop_at_their_limit)
{
    const struct {
        const char *name;
        struct str text;
        bool ok;
    } cases[] = {
        {"just fits",               STR("12345678\n"),       true },
        {"fits without its return", STR("12345678\r\n"),     true },
        {"one too many",            STR("123456789\n"),      false},
        {"no end in sight",         STR("1234567890123456"), false},
        {"second is too long",      STR("1\n123456789\n"),   false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t piece = 1; piece <= cases[i].text.len; piece++) {
            TEST_CASE("%s, pieces of %zu", cases[i].name, piece);
            SCOPED(lines) lines = {.limit = 8};
            OWNED(error) err = NULL;
            for (size_t at = 0; at < cases[i].text.len && !err; at += piece) {
                struct str line = STR("");
                lines_feed(&lines, str_slice(cases[i].text, at, at + piece));
                while (line.ptr && !err)
                    err = lines_next(&lines, &line);
            }
            CHECK_EQ(err == NULL, cases[i].ok);
            CHECK(!err || err->code == ERROR_TOO_LARGE);
        }
    }
}

TEST(lines_of_megabytes_are_not_scanned_again)
{
    SCOPED(lines) lines = {.limit = 8 * MEGABYTE};
    SCOPED(buf) piece = {0};
    struct str line;
    for (size_t i = 0; i < 64; i++)
        buf_add_char(&piece, 'x');
    /* Quadratic work over this many pieces would run into the test's time limit. */
    for (size_t i = 0; i < 8 * MEGABYTE / 64; i++) {
        lines_feed(&lines, buf_str(&piece));
        CHECK_OK(lines_next(&lines, &line));
        CHECK(line.ptr == NULL);
    }
    lines_feed(&lines, STR("\nnext"));
    CHECK_OK(lines_next(&lines, &line));
    CHECK_EQ(line.len, 8 * MEGABYTE);
    CHECK_EQ(lines_rest(&lines), STR(""));
    CHECK_OK(lines_next(&lines, &line));
    CHECK(lines.partial.capacity < 100);
    CHECK_EQ(lines_rest(&lines), STR("next"));
}
