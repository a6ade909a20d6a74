#include "clusterresourceset/apply/ownership_walk.h"

#include "testing/test.h"

static struct json_doc *read_fields(const char *text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    return doc;
}

TEST(all_members_of_a_set_of_fields_are_written)
{
    static const struct {
        const char *name, *fields, *told;
        bool is_secret;
    } cases[] = {
        {"empty",            "{}",                                                              "",                                  false},
        {"no object",        "[1]",                                                             "",                                  false},
        {"below each other", "{\"f:a\":{\"f:b\":{},\"f:c\":{\".\":{},\"f:d\":{}}},\"f:e\":{}}",
         "a.b, a.c.d, e",                                                                                                            false},
        {"an item alone",    "{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{}}}}",              "l[x]",                              false},
        {"keys of a Secret", "{\"f:l\":{\"k:{\\\"n\\\":\\\"x\\\"}\":{\".\":{},\"f:a\":{}}}}",
         "l[…].a",                                                                                                                 true },
        {"values of a list", "{\"f:l\":{\"v:\\\"x\\\"\":{},\"v:3\":{}}}",                       "l[x], l[3]",                        false},
        {"more than shown",
         "{\"f:a\":{},\"f:b\":{},\"f:c\":{},\"f:d\":{},\"f:e\":{},\"f:f\":{},\"f:g\":{},\"f:h\":{},"
         "\"f:i\":{},\"f:j\":{}}",                                                              "a, b, c, d, e, f, g, h and 2 more", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        OWNED(json_doc) doc = read_fields(cases[i].fields);
        ownership_walk_write_all(json_doc_root(doc), cases[i].is_secret, &out);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].told));
    }
}

/* What was skipped is not visited, and the path is right behind it. */
TEST(a_walk_goes_on_behind_what_it_skips)
{
    struct ownership_walk walk;
    SCOPED(buf) out = {.limit = 0};
    OWNED(json_doc)
    doc = read_fields("{\"f:a\":{\"f:b\":{\"f:c\":{}},\"f:d\":{}},\"f:e\":{\"f:f\":{}}}");
    ownership_walk_init(&walk, json_doc_root(doc));
    while (ownership_walk_next(&walk)) {
        ownership_walk_write_path(&walk, false, &out);
        buf_add_char(&out, ' ');
        if (str_ends_with(buf_str(&out), STR("a.b ")))
            ownership_walk_skip(&walk);
    }
    CHECK_EQ(buf_str(&out), STR("a a.b a.d e e.f "));
}

TEST(a_tree_deeper_than_a_walk_ends_it)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) out = {.limit = 0};
    for (size_t i = 0; i < 2 * OWNERSHIP_WALK_DEPTH; i++)
        buf_add(&text, STR("{\"f:a\":"));
    buf_add(&text, STR("{}"));
    for (size_t i = 0; i < 2 * OWNERSHIP_WALK_DEPTH; i++)
        buf_add_char(&text, '}');
    OWNED(json_doc) doc = read_fields(buf_c(&text));
    ownership_walk_write_all(json_doc_root(doc), false, &out);
    CHECK_EQ(buf_str(&out), STR(""));
}
