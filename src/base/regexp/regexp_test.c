#include "base/regexp/regexp.h"

#include "base/buf.h"
#include "testing/test.h"

#define STEPS ((size_t)10 * 1000 * 1000)

static bool matches(const struct regexp *regexp, struct str text)
{
    size_t steps = STEPS;
    const enum regexp_result result = regexp_match(regexp, text, &steps);
    CHECK(result != REGEXP_TOO_COSTLY);
    return result == REGEXP_MATCH;
}

TEST(regexp_does)
{
    const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"",                                         "anything",               true },
        {"a",                                        "bab",                    true },
        {"^[a-z]+$",                                 "abc",                    true },
        {"^[a-z]+$",                                 "ABC",                    false},
        {"^[a-z]+$",                                 "",                       false},
        {"^(a|bb|c|)$",                              "bb",                     true },
        {"^(a|bb|c|)$",                              "",                       true },
        {"^(a|bb|c|)$",                              "ab",                     false},
        {"^((a|b)|(c|d|e))f|g$",                     "ef",                     true },
        {"^((a|b)|(c|d|e)){2}$",                     "ae",                     true },
        {"^((a|b)|(c|d|e)){2}$",                     "a",                      false},
        {"^[a-zb-yc]$",                              "d",                      true },
        {"^[[:a]+$",                                 "[a:",                    true },
        {"^[xa-cq0-9]+$",                            "q5b",                    true },
        {"^[xa-cq0-9]+$",                            "d",                      false},
        {"^a{1{2}$",                                 "a{11",                   true },
        {"^a{1{2}$",                                 "a{1{{",                  false},
        {"^a|b$",                                    "xb",                     true },
        {"^a|b$",                                    "xbx",                    false},
        {"^(a|b|cd)*$",                              "abcdab",                 true },
        {"^(a|b|cd)*$",                              "abc",                    false},
        {"^a{2,3}$",                                 "aa",                     true },
        {"^a{2,3}$",                                 "aaaa",                   false},
        {"^a{0,2}$",                                 "",                       true },
        {"^a{0,2}$",                                 "aaa",                    false},
        {"^(ab){2,}$",                               "ababab",                 true },
        {"^(ab){2,}$",                               "ab",                     false},
        {"^a{0}b$",                                  "b",                      true },
        {"^a{,2}$",                                  "a{,2}",                  true },
        {"^\\d{1,3}(\\.\\d{1,3}){3}$",               "10.0.0.1",               true },
        {"^\\d{1,3}(\\.\\d{1,3}){3}$",               "10.0.0",                 false},
        {"^[^/]+$",                                  "a/b",                    false},
        {"^[\\w.-]+$",                               "a-b.c_1",                true },
        {"^[]a]+$",                                  "]a",                     true },
        {"^[a\\]]+$",                                "]a",                     true },
        {"^[-a-c]+$",                                "a-c",                    true },
        {"^[[:alpha:]]+$",                           "abC",                    true },
        {"^[[:^alpha:]]+$",                          "123",                    true },
        {"(?i)^true$",                               "TRUE",                   true },
        {"^(?i:t)rue$",                              "TRUE",                   false},
        {"(?s)^.$",                                  "\n",                     true },
        {"^.$",                                      "\n",                     false},
        {"(?m)^b$",                                  "a\nb\nc",                true },
        {"^b$",                                      "a\nb\nc",                false},
        {"\\bfoo\\b",                                "a foo b",                true },
        {"\\bfoo\\b",                                "afoob",                  false},
        {"^.$",                                      "\xc3\xa4",               true },
        {"^\\x{e4}$",                                "\xc3\xa4",               true },
        {"^\\Qa.b\\E$",                              "a.b",                    true },
        {"^\\Qa.b\\E$",                              "axb",                    false},
        {"^(?P<n>a)(?:b)?$",                         "ab",                     true },
        {"^a*?b+?$",                                 "aab",                    true },
        {"^(|a)$",                                   "",                       true },
        {"^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$",    "not-a-kind!",            false},
        {"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "ResourcesApplied",       true },
        {"^\\PC*$",                                  "a \xc3\xa4\xe2\x82\xac", true },
        {"^\\PC*$",                                  "a\n",                    false},
        {"^\\PC*$",                                  "\xe2\x80\x8b",           false},
        {"^\\p{C}$",                                 "\xcd\xb8",               true }, /* not assigned */
        {"^\\pL\\p{N}\\p{^L}$",
         "\xc3\xa4"
         "1!",                                                                 true },
        {"^[\\pL\\pN-]+$",                           "\xce\xb1-7",             true },
        {"^[^\\PZ]$",                                " ",                      true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        const struct regexp *regexp = NULL;
        TEST_CASE("%s on %s", cases[i].pattern, cases[i].text);
        CHECK_OK(regexp_compile(&arena, str_from_c(cases[i].pattern), &regexp));
        CHECK_EQ(matches(regexp, str_from_c(cases[i].text)), cases[i].match);
    }
}

TEST(regexp_go)
{
    const struct {
        const char *pattern, *message;
    } cases[] = {
        {"(",          "missing closing ): `(`"                      }, /* crd-invalid-020 */
        {"a)",         "unexpected ): `a)`"                          },
        {"[a",         "missing closing ]: `[a`"                     },
        {"*a",         "missing argument to repetition operator: `*`"},
        {"a|*",        "missing argument to repetition operator: `*`"},
        {"a**",        "invalid nested repetition operator: `**`"    },
        {"a{2}{3}",    "invalid nested repetition operator: `{2}{3}`"},
        {"a{1001}",    "invalid repeat count: `{1001}`"              },
        {"a{3,2}",     "invalid repeat count: `{3,2}`"               },
        {"[z-a]",      "invalid character class range: `z-a`"        },
        {"[[:no:]]",   "invalid character class range: `[:no:]`"     },
        {"\\8",        "invalid escape sequence: `\\8`"              },
        {"\\p{Greek}", "invalid character class range: `\\p{Greek}`" },
        {"\\p{L",      "invalid character class range: `\\p{L`"      },
        {"\\pX",       "invalid character class range: `\\pX`"       },
        {"a\\",        "trailing backslash at end of expression: ``" },
        {"(?=a)",      "invalid or unsupported Perl syntax: `(?=`"   },
        {"(?P<a-b>)",  "invalid named capture: `(?P<a-b>`"           },
        {"\xff",       "invalid UTF-8: `\xff`"                       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        const struct regexp *regexp = NULL;
        TEST_CASE("%s", cases[i].pattern);
        CHECK_FAILS(regexp_compile(&arena, str_from_c(cases[i].pattern), &regexp), ERROR_INVALID,
                    cases[i].message);
    }
}

TEST(regexp_program)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct regexp *regexp = NULL;
    CHECK_ERROR(regexp_compile(&arena, STR("((a{100}){100}){100}"), &regexp), ERROR_INVALID);
}

/* A category is hundreds of ranges in three characters: an expression may not have many of them. */
TEST(regexp_ranges)
{
    for (size_t i = 0; i < 2; i++) {
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) text = {.limit = 0};
        const struct regexp *regexp = NULL;
        buf_add(&text, i ? STR("[") : STR(""));
        for (size_t j = 0; j < 1000; j++)
            buf_add(&text, STR("\\PC"));
        buf_add(&text, i ? STR("]") : STR(""));
        CHECK_ERROR(regexp_compile(&arena, buf_str(&text), &regexp), ERROR_INVALID);
    }
}

/* Takes for ever where alternatives are tried one after the other. */
TEST(regexp_backtrack)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct regexp *regexp = NULL;
    char text[5001];
    memset(text, 'a', sizeof(text));
    text[5000] = '!';
    CHECK_OK(regexp_compile(&arena, STR("^((a+)+)+$"), &regexp));
    CHECK(!matches(regexp, str_from(text, sizeof(text))));
    CHECK(matches(regexp, str_from(text, 5000)));
}

TEST(regexp_text_has_a_limit)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    const struct regexp *regexp = NULL;
    while (text.len <= REGEXP_TEXT_MAX)
        buf_add(&text, STR("[a-z]?"));
    CHECK_FAILS(regexp_compile(&arena, buf_str(&text), &regexp), ERROR_INVALID, "too large");
}

TEST(regexp_match_gives_up_when_its_steps_are_used_up)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct regexp *regexp = NULL;
    char text[5000];
    size_t steps = 100000;
    memset(text, 'a', sizeof(text));
    CHECK_OK(regexp_compile(&arena, STR("^(a?){1000}b$"), &regexp));
    CHECK(regexp_match(regexp, str_from(text, sizeof(text)), &steps) == REGEXP_TOO_COSTLY);
    CHECK_EQ(steps, (size_t)0);
    steps = 100000;
    CHECK(regexp_match(regexp, STR("b"), &steps) == REGEXP_MATCH);
    CHECK(steps > 90000);
}
