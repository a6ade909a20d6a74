#include "clusterresourceset/types/value_token.h"

#include "base/buf.h"
#include "testing/test.h"

TEST(tokens_are_found_in_texts)
{
    static const struct {
        const char *text;
        size_t at;
        enum value_source source;
        enum value_type type;
        const char *key, *token;
    } cases[] = {
        {"((cluster.name))",                       0,  VALUE_NAME,       VALUE_TEXT, "",                 "((cluster.name))"        },
        {"a-((cluster.namespace))-b",              2,  VALUE_NAMESPACE,  VALUE_TEXT, "",                 "((cluster.namespace))"   },
        {"(((cluster.name)))",                     1,  VALUE_NAME,       VALUE_TEXT, "",                 "((cluster.name))"        },
        {"((cluster.label \"a/b\"))",              0,  VALUE_LABEL,      VALUE_TEXT, "a/b",
         "((cluster.label \"a/b\"))"                                                                                               },
        {"((cluster.annotation \"n\" as int))",    0,  VALUE_ANNOTATION, VALUE_INT,  "n",
         "((cluster.annotation \"n\" as int))"                                                                                     },
        {"((cluster.name as bool))",               0,  VALUE_NAME,       VALUE_BOOL, "",                 "((cluster.name as bool))"},
        {"((cluster.field \"/spec/a~1b/0\"))",     0,  VALUE_FIELD,      VALUE_TEXT, "/spec/a~1b/0",
         "((cluster.field \"/spec/a~1b/0\"))"                                                                                      },
        {"((cluster.label \"((cluster.name))\"))", 0,  VALUE_LABEL,      VALUE_TEXT, "((cluster.name))",
         "((cluster.label \"((cluster.name))\"))"                                                                                  },
        {"((cluster.x ((cluster.name))",           12, VALUE_NAME,       VALUE_TEXT, "",                 "((cluster.name))"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value_token token;
        size_t at;
        TEST_CASE("%s", cases[i].text);
        CHECK(value_token_find(str_from_c(cases[i].text), &token, &at));
        CHECK_EQ(at, cases[i].at);
        CHECK_EQ((int)token.source, (int)cases[i].source);
        CHECK_EQ((int)token.type, (int)cases[i].type);
        CHECK_EQ(token.key, str_from_c(cases[i].key));
        CHECK_EQ(token.text, str_from_c(cases[i].token));
    }
}

TEST(what_merely_begins_like_a_token_is_none)
{
    static const char *const texts[] = {
        "",
        "((",
        "echo $(( 1 + 2 ))",
        "((cluster.name)",
        "(( cluster.name ))",
        "((cluster.name ))",
        "((cluster.names))",
        "((cluster.name as int ))",
        "((cluster.name as text))",
        "((cluster.label a))",
        "((cluster.label \"\"))",
        "((cluster.label  \"a\"))",
        "((cluster.label \"a\")",
        "((cluster.label \"a\nb\"))",
        "((cluster.secret \"a\"))",
        "((Cluster.name))",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct value_token token;
        size_t at;
        TEST_CASE("%s", texts[i]);
        CHECK(!value_token_find(str_from_c(texts[i]), &token, &at));
    }
}

TEST(a_key_of_a_token_is_limited)
{
    for (size_t len = VALUE_TOKEN_KEY_MAX; len <= VALUE_TOKEN_KEY_MAX + 1; len++) {
        SCOPED(buf) text = {.limit = 0};
        struct value_token token;
        size_t at;
        buf_add(&text, STR("((cluster.label \""));
        for (size_t i = 0; i < len; i++)
            buf_add_char(&text, 'k');
        buf_add(&text, STR("\"))"));
        TEST_CASE("%zu", len);
        CHECK_EQ(value_token_find(buf_str(&text), &token, &at), len == VALUE_TOKEN_KEY_MAX);
    }
}
