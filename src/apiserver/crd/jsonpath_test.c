#include "apiserver/crd/jsonpath.h"

#include <stdint.h>

#include "apiserver/crd/crd_fixture_test.h"
#include "apiserver/crd/jsonpath_internal.h"
#include "json/builder.h"

/* All results as an array, or NULL; the error tells why. */
static struct json_doc *query(const struct json_value *object, struct str path, struct buf *problem)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    const struct jsonpath *compiled = NULL;
    struct path_values results;
    size_t unbounded = SIZE_MAX;
    struct json_doc *doc = NULL;
    OWNED(error) err = jsonpath_compile(&arena, path, &compiled);
    if (err) {
        buf_add(problem, str_from_c(err->message));
        return NULL;
    }
    const struct json_value *first = jsonpath_first(compiled, object);
    if (!path_steps_find(&compiled->steps, object, &arena, 0, &unbounded, &results)) {
        CHECK(!first);
        buf_add(problem, STR("failed"));
        return NULL;
    }
    CHECK_EQ(first != NULL, results.count > 0);
    json_builder_array(&builder);
    for (size_t i = 0; i < results.count; i++)
        json_builder_value(&builder, results.items[i]);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    return doc;
}

TEST(jsonpath_answers_as_kubectl)
{
    OWNED(json_doc) object = fixture_read(test_data("custom/jsonpath.json"));
    ROWS_FOREACH(row, "custom/jsonpath.jsonl")
    {
        SCOPED(buf) problem = {.limit = 0};
        OWNED(json_doc) found = query(json_doc_root(object), json_path_str(row, "path"), &problem);
        CHECK_EQ(buf_str(&problem), json_path_str(row, "error"));
        fixture_check_json(found ? json_doc_root(found) : NULL, json_get(row, STR("results")));
    }
}

TEST(jsonpath_has_an_end)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) problem = {.limit = 0};
    buf_add(&text, STR("{\"l\":["));
    for (int i = 0; i < 200; i++)
        buf_print(&text, "%s{\"x\":[1,2,3]}", i ? "," : "");
    buf_add(&text, STR("]}"));
    OWNED(json_doc) object = fixture_read(buf_str(&text));
    CHECK(!query(json_doc_root(object), STR(".l[*,*,*,*].x[*,*,*,*]"), &problem));
    CHECK_EQ(buf_str(&problem), STR("failed"));
}

/* {"l":[{"x":[1]},...],"n":[0,...],"s":"aaa..."}, with this many elements and characters. */
static struct json_doc *long_document(size_t count)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("{\"l\":["));
    for (size_t i = 0; i < count; i++)
        buf_print(&text, "%s{\"x\":[1]}", i ? "," : "");
    buf_add(&text, STR("],\"n\":["));
    for (size_t i = 0; i < count; i++)
        buf_print(&text, "%s0", i ? "," : "");
    buf_add(&text, STR("],\"s\":\""));
    for (size_t i = 0; i < count; i++)
        buf_add_char(&text, 'a');
    buf_add(&text, STR("\"}"));
    return fixture_read(buf_str(&text));
}

/* Whether a path finds something within a budget, which is lowered. */
static bool finds_within(const struct json_value *object, const char *path, size_t *budget)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct jsonpath *compiled = NULL;
    CHECK_OK(jsonpath_compile(&arena, str_from_c(path), &compiled));
    return jsonpath_first_within(compiled, object, budget) != NULL;
}

TEST(jsonpath_counts_what_it_looks_at)
{
    static const struct {
        const char *path;
        bool finds;
        size_t least, most; /* steps, of 5,000 elements */
    } cases[] = {
        {".s",                      true,  1,     4    },
        {".l[0]",                   true,  3,     10   },
        {".n[0,0,0,0,0,0,0,0,0,0]", true,  30,    100  },
        {".n[0:10]",                true,  10,    40   },
        {".n[7:7]",                 false, 1,     10   },
        {".n[9223372036854775807]", false, 1,     10   },
        {".n[-1]",                  true,  5000,  5010 },
        {".n[-1,-1,-1]",            true,  15000, 15050},
        {".l[?(@.y)]",              false, 10000, 25000},
        {".l[?(@.x[0]>1)]",         false, 20000, 60000},
        {"..y",                     false, 10000, 60000},
        {".l[0:100][?(@.x)]",       false, 200,   500  }, /* fails: elements are no arrays */
        {"[?(@.s==@.s)]",           false, 1,     10   },
        {".l.y.y.y",                false, 3,     10   },
    };
    OWNED(json_doc) object = long_document(5000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t budget = 1000000;
        TEST_CASE("%s", cases[i].path);
        CHECK_EQ(finds_within(json_doc_root(object), cases[i].path, &budget), cases[i].finds);
        const size_t steps = 1000000 - budget;
        CHECK(steps >= cases[i].least && steps <= cases[i].most);
    }
}

TEST(jsonpath_counts_long_texts_and_names)
{
    SCOPED(buf) name = {.limit = 0};
    OWNED(json_doc) long_text = long_document(16000);
    OWNED(json_doc) list = NULL;
    SCOPED(buf) text = {.limit = 0};
    size_t budget = 1000000;
    buf_add(&text, STR("["));
    json_write(&text, json_doc_root(long_text));
    buf_add(&text, STR("]"));
    list = fixture_read(buf_str(&text));
    CHECK(finds_within(json_doc_root(list), "[?(@.s==@.s)]", &budget));
    CHECK(budget < 1000000 - 2 * 16000 / JSONPATH_BYTES_PER_STEP);
    buf_add_char(&name, '.');
    for (int i = 0; i < 16000; i++)
        buf_add_char(&name, 'n');
    budget = 1000000;
    CHECK(!finds_within(json_doc_root(list), buf_c(&name), &budget));
    CHECK(budget <= 1000000 - 16000 / JSONPATH_BYTES_PER_STEP);
}

/* Filters forget errors inside of them, but not the end of a budget. */
TEST(jsonpath_fails_when_its_budget_ends)
{
    static const char *const paths[] = {
        ".l[?(@.x)]", ".l[?(@.x[0]==1)].x", ".n[-1]", ".n[*]", "..x", ".l.x", ".l[-1]", ".s"};
    OWNED(json_doc) object = long_document(5000);
    for (size_t i = 0; i < COUNT(paths); i++) {
        size_t budget = i + 1 == COUNT(paths) ? 1 : 1000;
        TEST_CASE("%s", paths[i]);
        CHECK(!finds_within(json_doc_root(object), paths[i], &budget));
        CHECK_EQ(budget, strcmp(paths[i], ".l.x") == 0 ? budget : (size_t)0);
        budget = 0;
        CHECK(!finds_within(json_doc_root(object), paths[i], &budget));
    }
}
