#include "peers/conformance/pointer.h"

#include "testing/test.h"

static const struct json_value *root(struct json_doc **doc)
{
    CHECK_OK(json_read(
        STR("{\"a/b\":{\"~\":1},\"\":2,\"items\":[{\"name\":\"x\",\"n\":1},{\"name\":\"y/z\","
            "\"metadata\":{\"name\":\"deep\"}},{\"verbs\":[\"*\"]}]}"),
        doc));
    return json_doc_root(*doc);
}

TEST(pointers_find_values)
{
    const struct {
        const char *name, *pointer, *value;
    } cases[] = {
        {"escapes",                 "/a~1b/~0",                         "1"       },
        {"the empty name",          "/",                                "2"       },
        {"an index",                "/items/0/name",                    "\"x\""   },
        {"past the end",            "/items/3",                         NULL      },
        {"no negative indexes",     "/items/-1",                        NULL      },
        {"by text, with a slash",   "/items/[name=y/z]/metadata/name",  "\"deep\""},
        {"by JSON",                 "/items/[n=1]/name",                "\"x\""   },
        {"by JSON with brackets",   "/items/[verbs=[\"*\"]]/verbs/0",   "\"*\""   },
        {"dots go deeper",          "/items/[metadata.name=deep]/name", "\"y/z\"" },
        {"no such element",         "/items/[name=none]",               NULL      },
        {"through a scalar",        "/a~1b/~0/x",                       NULL      },
        {"brackets are for arrays", "/[a=b]",                           NULL      },
    };
    OWNED(json_doc) doc = NULL;
    const struct json_value *value = root(&doc);
    CHECK_EQ(pointer_find(value, STR("")), value);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        TEST_CASE("%s", cases[i].name);
        const struct json_value *found = pointer_find(value, str_from_c(cases[i].pointer));
        CHECK_EQ(found != NULL, cases[i].value != NULL);
        if (!found)
            continue;
        json_write(&text, found);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].value));
    }
}

TEST(patterns_cover_paths)
{
    const struct {
        const char *name, *pattern, *path;
        bool covers;
    } cases[] = {
        {"itself",                     "/a/b",        "/a/b",      true },
        {"all below",                  "/a",          "/a/b/c",    true },
        {"not above",                  "/a/b",        "/a",        false},
        {"any one token",              "/a/*/c",      "/a/x/c/d",  true },
        {"one token, not two",         "/a/*/c",      "/a/x/y/c",  false},
        {"anywhere",                   "**/spec/x",   "/a/spec/x", true },
        {"anywhere: at the beginning", "**/spec/x",   "/spec/x/y", true },
        {"anywhere: not apart",        "**/spec/x",   "/spec/a/x", false},
        {"anywhere: too short",        "**/spec/x/y", "/spec/x",   false},
        {"everything",                 "**",          "/spec/x",   true },
        {"another",                    "/a/b",        "/a/c",      false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        TEST_CASE("%s", cases[i].name);
        const struct pointer pattern = pointer_read(&arena, str_from_c(cases[i].pattern));
        const struct pointer path = pointer_read(&arena, str_from_c(cases[i].path));
        CHECK_EQ(pointer_covers(&pattern, path.tokens, path.count), cases[i].covers);
    }
}
