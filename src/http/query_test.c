#include "http/query.h"

#include "base/buf.h"
#include "testing/test.h"

TEST(query_reads_names_and_values)
{
    static const struct {
        const char *text, *name, *value; /* NULL: there is none */
    } cases[] = {
        {"a=1",              "a",     "1"         },
        {"a=1&b=2",          "b",     "2"         },
        {"a=1&a=2",          "a",     "1"         },
        {"a",                "a",     ""          },
        {"a=",               "a",     ""          },
        {"=1",               "",      "1"         },
        {"&&a=1&&",          "a",     "1"         },
        {"a=b=c",            "a",     "b=c"       },
        {"a=%3D%26",         "a",     "=&"        },
        {"a%3Db=1",          "a=b",   "1"         },
        {"a=x+y",            "a",     "x y"       },
        {"a=x%2By",          "a",     "x+y"       },
        {"watch=true#never", "watch", "true#never"},
        {"",                 "a",     NULL        },
        {"A=1",              "a",     NULL        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct query query;
        struct str value = {0};
        TEST_CASE("%s", cases[i].text);
        CHECK_OK(query_read(&arena, str_from_c(cases[i].text), &query));
        CHECK_EQ(query_find(&query, str_from_c(cases[i].name), &value), cases[i].value != NULL);
        CHECK_EQ(value, str_from_c(cases[i].value ? cases[i].value : ""));
        CHECK_EQ(query_get(&query, str_from_c(cases[i].name)), value);
    }
}

TEST(query_refuses_broken_escapes)
{
    static const char *const cases[] = {"a=%", "a=%2", "a=%zz", "%=1", "a=1&b=%4"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct query query;
        TEST_CASE("%s", cases[i]);
        CHECK_ERROR(query_read(&arena, str_from_c(cases[i]), &query), ERROR_BAD_REQUEST);
    }
}

TEST(query_has_a_limit)
{
    for (size_t count = QUERY_ITEMS_MAX - 1; count <= QUERY_ITEMS_MAX + 1; count++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) text = {.limit = 0};
        struct query query;
        for (size_t i = 0; i < count; i++)
            buf_print(&text, "%sn%zu=v", i ? "&" : "", i);
        struct error *err = query_read(&arena, buf_str(&text), &query);
        if (count > QUERY_ITEMS_MAX) {
            CHECK_ERROR(err, ERROR_BAD_REQUEST);
        } else {
            CHECK_OK(err);
            CHECK_EQ(query.count, count);
        }
    }
}
