#include "custom/jsonpath.h"

#include "json/builder.h"
#include "testing/test.h"

/* All results as an array; "failed"; or what is wrong with the path. */
static void query(struct buf *out, struct str text, struct str path)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    const struct jsonpath *compiled = NULL;
    struct jsonpath_results results;
    CHECK_OK(json_read(text, &doc));
    OWNED(error) err = jsonpath_compile(&arena, path, &compiled);
    if (err) {
        buf_add(out, str_from_c(err->message));
        return;
    }
    if (!jsonpath_find(compiled, json_doc_root(doc), &arena, &results)) {
        CHECK(!jsonpath_first(compiled, json_doc_root(doc)));
        buf_add(out, STR("failed"));
        return;
    }
    CHECK_EQ(jsonpath_first(compiled, json_doc_root(doc)) != NULL, results.count > 0);
    buf_add_char(out, '[');
    for (size_t i = 0; i < results.count; i++) {
        if (i > 0)
            buf_add_char(out, ',');
        json_write(out, results.items[i]);
    }
    buf_add_char(out, ']');
}

TEST(jsonpath_find_answers_as_kubectl)
{
    static const char object[] =
        "{\"a\":{\"b\":1,\"x.y\":2,\"n\":null},\"l\":[1,2,3],\"s\":\"t\",\"e\":[],"
        "\"c\":[{\"type\":\"Ready\",\"status\":\"True\",\"n\":1},"
        "{\"type\":\"Live\",\"status\":\"False\",\"n\":2,\"opt\":true}],\"d\":[{\"k\":1},{}]}";
    static const struct {
        const char *path, *results;
    } cases[] = {
        {".a.b",                             "[1]"                                                                                                                                                                                },
        {"$.a.b",                            "[1]"                                                                                                                                                                                },
        {".a.n",                             "[null]"                                                                                                                                                                             },
        {".a.none.deeper",                   "[]"                                                                                                                                                                                 },
        {".a.x\\.y",                         "[2]"                                                                                                                                                                                },
        {".a['x\\.y']",                      "[2]"                                                                                                                                                                                },
        {".a['b']",                          "[1]"                                                                                                                                                                                },
        {".l[0]",                            "[1]"                                                                                                                                                                                },
        {".l[-1]",                           "[3]"                                                                                                                                                                                },
        {".l[-1:]",                          "[3]"                                                                                                                                                                                },
        {".l[1:]",                           "[2,3]"                                                                                                                                                                              },
        {".l[:2]",                           "[1,2]"                                                                                                                                                                              },
        {".l[0:3:2]",                        "[1,3]"                                                                                                                                                                              },
        {".l[*]",                            "[1,2,3]"                                                                                                                                                                            },
        {".l[0,2]",                          "[1,3]"                                                                                                                                                                              },
        {".l[3]",                            "failed"                                                                                                                                                                             },
        {".l[0:4]",                          "failed"                                                                                                                                                                             },
        {".l[2:1]",                          "failed"                                                                                                                                                                             },
        {".e[*]",                            "[]"                                                                                                                                                                                 },
        {".e[0]",                            "failed"                                                                                                                                                                             },
        {".s[0]",                            "failed"                                                                                                                                                                             },
        {".a.*",                             "[1,2,null]"                                                                                                                                                                         },
        {".c[*].status",                     "[\"True\",\"False\"]"                                                                                                                                                               },
        {".c[?(@.type==\"Ready\")].status",  "[\"True\"]"                                                                                                                                                                         },
        {".c[?(@.type=='Live')].status",     "[\"False\"]"                                                                                                                                                                        },
        {".c[?(@.type == \"Live\")].status", "[\"False\"]"                                                                                                                                                                        },
        {".c[?(@.type!=\"Ready\")].n",       "[2]"                                                                                                                                                                                },
        {".c[?(@.type==\"None\")].status",   "[]"                                                                                                                                                                                 },
        {".c[?(@.n>1)].type",                "[\"Live\"]"                                                                                                                                                                         },
        {".c[?(@.n<=1)].type",               "[\"Ready\"]"                                                                                                                                                                        },
        {".c[?(@.n>=1)].n",                  "[1,2]"                                                                                                                                                                              },
        {".c[?(@.n<2)].n",                   "[1]"                                                                                                                                                                                },
        {".c[?(@.n==\"1\")].type",           "failed"                                                                                                                                                                             },
        {".c[?(@.n==1.5)].type",             "failed"                                                                                                                                                                             },
        {".c[?(@.n=1)].type",                "failed"                                                                                                                                                                             },
        {".c[?(@.opt)].type",                "[\"Live\"]"                                                                                                                                                                         },
        {".c[?(@.opt==true)].type",          "failed"                                                                                                                                                                             },
        {".d[?(@.k==1)]",                    "failed"                                                                                                                                                                             },
        {".a[?(@.k==1)]",                    "failed"                                                                                                                                                                             },
        {"..type",                           "[\"Ready\",\"Live\"]"                                                                                                                                                               },
        {"..[0]",                            "failed"                                                                                                                                                                             },
        {"..*",                              "unrecognized character in action: '*'"                                                                                                                                              },
        {".",                                "[]"                                                                                                                                                                                 },
        {"",
         "[{\"a\":{\"b\":1,\"x.y\":2,\"n\":null},\"l\":[1,2,3],\"s\":\"t\",\"e\":[],\"c\":[{\"type\":\"Ready\",\"status\":\"True\",\"n\":1},{\"type\":\"Live\",\"status\":\"False\",\"n\":2,\"opt\":true}],\"d\":[{\"k\":1},{}]}]"},
        {"a",                                "failed"                                                                                                                                                                             },
        {".l[",                              "unterminated array"                                                                                                                                                                 },
        {".l[x]",                            "invalid array index x"                                                                                                                                                              },
        {".l[1:2:3:4]",                      "invalid array index 1:2:3:4"                                                                                                                                                        },
        {".c[?(@.type",                      "unterminated filter"                                                                                                                                                                },
        {".c[?(@.type)",                     "unclosed array expect ]"                                                                                                                                                            },
        {".c[?(@.type==\"Ready)].status",    "unterminated filter"                                                                                                                                                                },
        {"....a",                            "invalid multiple recursive descent"                                                                                                                                                 },
        {".a}",                              "unrecognized character in action: '}'"                                                                                                                                              },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) found = {.limit = 0};
        TEST_CASE("%s", cases[i].path);
        query(&found, str_from_c(object), str_from_c(cases[i].path));
        CHECK_EQ(buf_str(&found), str_from_c(cases[i].results));
    }
}

TEST(jsonpath_find_has_an_end)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) found = {.limit = 0};
    buf_add(&text, STR("{\"l\":["));
    for (int i = 0; i < 200; i++)
        buf_print(&text, "%s{\"x\":[1,2,3]}", i ? "," : "");
    buf_add(&text, STR("]}"));
    query(&found, buf_str(&text), STR(".l[*,*,*,*].x[*,*,*,*]"));
    CHECK_EQ(buf_str(&found), STR("failed"));
}
