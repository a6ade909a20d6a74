#include "apimachinery/selector.h"

#include "apimachinery/rows_test.h"
#include "apimachinery/selector_internal.h"

static struct error *make_selector(struct arena *arena, const struct json_value *row,
                                   struct selector *ret_selector)
{
    const struct json_value *query = json_get(row, STR("query"));
    if (query)
        return selector_read(arena, json_to_str(query), ret_selector);
    return selector_from_value(arena, json_get(row, STR("selector")), ret_selector);
}

static bool is_any_of(const struct json_value *texts, struct str text)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, texts)
        if (str_eq(json_to_str(value), text))
            return true;
    return false;
}

/* Frees the error. */
static void check_error(const struct json_value *row, struct error *err)
{
    const struct json_value *any = json_get(row, STR("error_any_of"));
    CHECK(err);
    if (any)
        CHECK(is_any_of(any, str_from_c(err->message)));
    else
        CHECK_EQ(str_from_c(err->message), json_path_str(row, "error"));
    CHECK_EQ((int)err->code,
             (int)(json_get(row, STR("query")) ? ERROR_BAD_REQUEST : ERROR_INVALID));
    error_free(err);
}

static void check_match(const struct selector *selector, const struct json_value *row)
{
    bool match = false, empty = false;
    CHECK(json_to_bool(json_get(row, STR("match")), &match));
    CHECK(json_to_bool(json_get(row, STR("empty")), &empty));
    CHECK_EQ(selector_matches(selector, json_get(row, STR("labels"))), match);
    CHECK_EQ(selector_is_empty(selector), empty);
}

static void check_texts(struct arena *arena, const struct selector *selector,
                        const struct json_value *row)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) format = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    struct selector again;
    selector_write(&text, selector);
    CHECK_EQ(buf_str(&text), json_path_str(row, "string"));
    selector_format(&format, selector);
    if (json_get(row, STR("format")))
        CHECK_EQ(buf_str(&format), json_path_str(row, "format"));
    CHECK_OK(selector_read(arena, buf_str(&text), &again));
    if (json_get(row, STR("query"))) {
        selector_write(&second, &again);
        CHECK_EQ(buf_str(&second), buf_str(&text));
    }
}

TEST(selector_oracle)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "oracle/selectors.jsonl")
    {
        SCOPED(arena) arena = {.limit = 0};
        struct selector selector;
        struct error *err = make_selector(&arena, row, &selector);
        rows++;
        if (json_get(row, STR("error")) || json_get(row, STR("error_any_of"))) {
            check_error(row, err);
            continue;
        }
        CHECK_OK(err);
        check_match(&selector, row);
        check_texts(&arena, &selector, row);
    }
    CHECK_EQ(rows, (size_t)219);
}

TEST(selector_errors_beyond_the_oracle)
{
    const struct {
        const char *text, *message;
    } cases[] = {
        {"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"           },
        {"a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"   },
        {"a in (",     "unable to parse requirement: found '', expected: ',', ')' or identifier"},
        {"a>1 2",      "found '2', expected: ',' or 'end of string'"                            },
    };
    SCOPED(arena) arena = {.limit = 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct selector selector;
        TEST_CASE("%s", cases[i].text);
        OWNED(error) err = selector_read(&arena, str_from_c(cases[i].text), &selector);
        CHECK(err);
        CHECK_EQ((const char *)err->message, cases[i].message);
    }
    struct selector selector;
    CHECK_ERROR(selector_read(&arena, str_from("a\0b", 3), &selector), ERROR_BAD_REQUEST);
    CHECK_ERROR(selector_read(&arena, str_from("\0", 1), &selector), ERROR_BAD_REQUEST);
}

TEST(selector_refuses_wrong_types)
{
    const char *cases[] = {"[]",
                           "1",
                           "{\"matchLabels\":[]}",
                           "{\"matchLabels\":{\"a\":1}}",
                           "{\"matchExpressions\":{}}",
                           "{\"matchExpressions\":[1]}",
                           "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
                           "\"values\":\"b\"}]}",
                           "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
                           "\"values\":[1]}]}"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        struct selector selector;
        TEST_CASE("%s", cases[i]);
        CHECK_OK(json_read(str_from_c(cases[i]), &doc));
        CHECK_ERROR(selector_from_value(&arena, json_doc_root(doc), &selector), ERROR_INVALID);
    }
}

TEST(selector_keeps_the_order_of_equal_keys)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) out = {.limit = 0};
    struct selector selector;
    for (int i = 0; i < 100; i++)
        buf_print(&text, "%sa!=%d", i ? "," : "", 100 - i);
    CHECK_OK(selector_read(&arena, buf_str(&text), &selector));
    selector_write(&out, &selector);
    CHECK_EQ(buf_str(&out), buf_str(&text));
}

/* Label k0000 to k0000+count-1, of which each third one is "x", and members that are no labels. */
static struct json_doc *many_labels(size_t count)
{
    SCOPED(buf) text = {.limit = 0};
    struct json_doc *doc = NULL;
    buf_add(&text, STR("{\"none\":1"));
    for (size_t i = count; i-- > 0;)
        buf_print(&text, ",\"k%05zu\":\"%s\"", i, i % 3 ? "y" : "x");
    buf_add(&text, STR("}"));
    CHECK_OK(json_read(buf_str(&text), &doc));
    return doc;
}

/* Of each third key, with two requirements for each that there is. */
static void many_requirements(struct arena *arena, size_t count, struct selector *ret_selector)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("!none,!absent"));
    for (size_t i = 0; i < count; i += 3)
        buf_print(&text, ",k%05zu=x,k%05zu notin (a,y),!other%zu", i, i, i);
    CHECK_OK(selector_read(arena, buf_str(&text), ret_selector));
}

/* What a match compares; the answer is that of each requirement on its own. */
static size_t match_steps(size_t size)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) labels = many_labels(size);
    struct selector selector;
    many_requirements(&arena, size, &selector);
    const struct json_value *root = json_doc_root(labels);
    const struct json_value **found =
        arena_alloc_array(&arena, selector.count, sizeof(const struct json_value *));
    const size_t steps = selector_find_labels(&selector, root, found);
    for (size_t i = 0; i < selector.count; i++)
        CHECK(found[i] == json_get(root, selector.items[i].key));
    CHECK(selector_matches(&selector, root));
    selector.items[selector.count / 2].op = SELECTOR_GREATER_THAN;
    CHECK(!selector_matches(&selector, root));
    return steps;
}

TEST(selector_of_many_requirements_costs_no_product)
{
    const size_t small = match_steps(1000), large = match_steps(4000);
    CHECK(small < (size_t)14000);
    CHECK(large < 6 * small);
}
