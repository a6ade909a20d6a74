#include "json/weight.h"

#include "base/buf.h"
#include "json/json.h"
#include "testing/test.h"

static bool holds(const char *text, size_t depth, size_t values)
{
    return json_is_within(str_from_c(text), depth, values);
}

TEST(json_weight_counts_values_and_levels)
{
    static const struct {
        const char *text;
        size_t depth, values;
    } cases[] = {
        {"1",                     0, 1},
        {"[]",                    1, 2},
        {"[1,2,3]",               1, 4},
        {"{\"a\":1,\"b\":2}",     1, 5},
        {"[[[1]]]",               3, 4},
        {"\"[,[,:{\"",            0, 1},
        {"[\"a\\\"[[[,\\\\\",2]", 1, 3},
        {"[\"\\\\\",[2]]",        2, 4},
        {"\"\\\\\\\"[\"",         0, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        CHECK(holds(cases[i].text, cases[i].depth, cases[i].values));
        CHECK(!holds(cases[i].text, cases[i].depth, cases[i].values - 1));
        if (cases[i].depth)
            CHECK(!holds(cases[i].text, cases[i].depth - 1, cases[i].values));
    }
}

/* Text that is no JSON is the parser's to refuse, and must only end the scan. */
TEST(json_weight_takes_any_bytes)
{
    CHECK(holds("", 0, 1));
    CHECK(holds("]]]]", 0, 1));
    CHECK(holds("\"", 0, 1));
    CHECK(holds("\"\\", 0, 1));
    CHECK(holds("\"\\\"", 0, 1));
    CHECK(!holds("][[", 1, 9));
}

/* Each backslash may be looked at once for the quote behind it, not once for each quote. */
TEST(json_weight_takes_time_by_length)
{
    SCOPED(buf) text = {0};
    buf_add_char(&text, '"');
    for (size_t i = 0; i < MEGABYTE; i++)
        buf_add(&text, STR("\\\""));
    CHECK(json_is_within(buf_str(&text), 0, 1));
}

TEST(json_read_refuses_depth_before_it_takes_memory)
{
    SCOPED(buf) text = {0};
    for (size_t i = 0; i < 31 * MEGABYTE; i++)
        buf_add_char(&text, '[');
    struct json_doc *doc = NULL;
    CHECK_FAILS(json_read(buf_str(&text), &doc), ERROR_PARSE, "exceeded max depth");
}
