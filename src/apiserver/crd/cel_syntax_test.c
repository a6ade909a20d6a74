#include "apiserver/crd/cel_syntax.h"

#include "testing/test.h"

TEST(cel_syntax_takes_expressions)
{
    static const char *const cases[] = {
        "self.size() < 10",
        "!has(self.max) || self.size <= self.max",
        "self.name != 'admin'",
        "!has(self.list) || self.list.all(x, x.startsWith('a'))",
        "'bad list of ' + self.name",
        "self == oldSelf",
        "has(self.a) ? self.a > 1 : false",
        "self.a ? self.b ? 1 : 2 : 3",
        "{'a': 1, 'b': [1, 2,], 'c': {}} == self",
        "self[\"a\"][0].b in ['x', r'\\d', b\"z\"]",
        "-1 < -self.x && !(!true)",
        "self.`x-y` == 1u || .5 < 1.5e-3 || 0x1F == 31",
        "'''long 'text' \n''' == \"\"\"x\"\"\"",
        "self.?a.orValue(1) == 1 // why",
        "[?self.?a, 1].size() > 0",
        "Type{field: 1}.field == 1",
        "self.exists(k, k == 'a\\'b')",
        "type(self.x) == string",
        "(self.a) - (self.b) > duration('1h')",
        "  self\n  ==\n  1  ",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cel_syntax_error err = {.message = "nothing"};
        TEST_CASE("%s", cases[i]);
        if (!cel_syntax_check(str_from_c(cases[i]), &err))
            test_fail(TEST_PLACE("expression"), "%zu:%zu %s", err.line, err.column, err.message);
    }
}

TEST(cel_syntax_refuses_what_is_none)
{
    static const struct {
        const char *text;
        size_t line, column;
        const char *message;
    } cases[] = {
        {"self +",                 1, 7, "unexpected end, an operand is expected"},
        {"",                       1, 1, "unexpected end, an operand is expected"},
        {"self.a self.b",          1, 8, "an operator is expected"               },
        {"self.a = 1",             1, 8, "unexpected character"                  },
        {"(self.a",                1, 8, "unexpected end, a bracket is open"     },
        {"self.a)",                1, 7, "mismatched bracket"                    },
        {"[1}",                    1, 3, "mismatched bracket"                    },
        {"self.",                  1, 6, "a name is expected behind '.'"         },
        {"self.a\n  && && self.b", 2, 6, "an operand is expected"                },
        {"'open",                  1, 1, "unterminated string"                   },
        {"1 ? 2",                  1, 6, "unexpected end, a bracket is open"     },
        {"a : b",                  1, 3, "unexpected ':'"                        },
        {"a, b",                   1, 2, "unexpected ','"                        },
        {"(1 + )",                 1, 6, "an operand is expected"                },
        {"1(2)",                   1, 2, "an operator is expected"               },
        {"12abc",                  1, 1, "malformed number"                      },
        {"a # b",                  1, 3, "unexpected character"                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cel_syntax_error err = {.message = "nothing"};
        TEST_CASE("%s", cases[i].text);
        CHECK(!cel_syntax_check(str_from_c(cases[i].text), &err));
        CHECK_EQ(err.message, cases[i].message);
        CHECK_EQ(err.line, cases[i].line);
        CHECK_EQ(err.column, cases[i].column);
    }
}

TEST(cel_syntax_has_a_depth)
{
    char text[2 * CEL_SYNTAX_DEPTH_MAX + 4];
    struct cel_syntax_error err;
    memset(text, '(', CEL_SYNTAX_DEPTH_MAX);
    text[CEL_SYNTAX_DEPTH_MAX] = 'a';
    memset(text + CEL_SYNTAX_DEPTH_MAX + 1, ')', CEL_SYNTAX_DEPTH_MAX);
    CHECK(cel_syntax_check(str_from(text, 2 * CEL_SYNTAX_DEPTH_MAX + 1), &err));
    text[CEL_SYNTAX_DEPTH_MAX] = '(';
    CHECK(!cel_syntax_check(str_from(text, CEL_SYNTAX_DEPTH_MAX + 1), &err));
    CHECK_EQ(err.message, "expression is nested too deeply");
}
