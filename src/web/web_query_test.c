#include "web/web_query.h"

#include "testing/test.h"

TEST(web_query_has_one_address_for_equal_questions)
{
    const struct {
        const char *name, *target, *address;
    } cases[] = {
        {"overview",                       "/",                                        "/"                     },
        {"unknown parameters are ignored", "/?x=1&y",                                  "/"                     },
        {"defaults are left out",          "/clusters?sort=state&limit=100&q=&state=", "/clusters"             },
        {"all of them",
         "/clusters?after=0.17.a/b&limit=10&sort=-since&q=env%3Dprod+x&namespace=n&wave=w&set=s&"
         "state=failed",                                                               "/clusters?state=failed&set=s&wave=w&namespace=n&q=env%3Dprod%20x&sort=-since&limit=10&"
         "after=0.17.a%2Fb"                                                            },
        {"the delivery record's word",     "/sets?state=ready",                        "/sets?state=ready"     },
        {"a set",                          "/sets/default/cni",                        "/sets/default/cni"     },
        {"a cluster with an odd name",     "/clusters/a/%3Cb%3E",                      "/clusters/a/%3Cb%3E"   },
        {"a placement",                    "/clusters/a/b/sets/c",                     "/clusters/a/b/sets/c"  },
        {"a slash at the end",             "/sets/",                                   "/sets"                 },
        {"a negative time",                "/sets?after=9.-5.a/b",                     "/sets?after=9.-5.a%2Fb"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) out = {0};
        struct web_query query;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(web_query_read(&arena, str_from_c(cases[i].target), &query));
        web_query_write(&query, &out);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].address));
    }
}

TEST(web_query_says_what_is_wrong)
{
    const struct {
        const char *target;
        enum error_code code;
        const char *message;
    } cases[] = {
        {"",                         ERROR_NO_SUCH_PATH, "no such page" },
        {"x",                        ERROR_NO_SUCH_PATH, "no such page" },
        {"/nothing",                 ERROR_NO_SUCH_PATH, "no such page" },
        {"/sets/a",                  ERROR_NO_SUCH_PATH, "no such page" },
        {"/clusters/a/b/sets",       ERROR_NO_SUCH_PATH, "no such page" },
        {"/clusters/a/b/sets/c/d",   ERROR_NO_SUCH_PATH, "no such page" },
        {"/sets/%zz/a",              ERROR_NO_SUCH_PATH, "no such page" },
        {"/sets//a",                 ERROR_NO_SUCH_PATH, "no such page" },
        {"/clusters?state=broken",   ERROR_INVALID,      "state is not" },
        {"/clusters?sort=size",      ERROR_INVALID,      "sort is not"  },
        {"/clusters?limit=9",        ERROR_INVALID,      "limit is not" },
        {"/clusters?limit=501",      ERROR_INVALID,      "limit is not" },
        {"/clusters?limit=-1",       ERROR_INVALID,      "limit is not" },
        {"/clusters?after=x",        ERROR_INVALID,      "after is not" },
        {"/clusters?after=99.0.a/b", ERROR_INVALID,      "after is not" },
        {"/clusters?after=1.0.a",    ERROR_INVALID,      "after is not" },
        {"/clusters?q=%",            ERROR_INVALID,      "broken escape"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        struct web_query query;
        TEST_CASE("%s", cases[i].target);
        CHECK_FAILS(web_query_read(&arena, str_from_c(cases[i].target), &query), cases[i].code,
                    cases[i].message);
    }
}
