#include "fleet/list_scanner.h"

#include "testing/test.h"

static struct error *note_member(void *data, struct str name, struct str value)
{
    buf_print(data, "%.*s=%.*s;", STR_ARG(name), STR_ARG(value));
    return NULL;
}

static struct error *note_element(void *data, struct str value)
{
    buf_print(data, "<%.*s>", STR_ARG(value));
    return NULL;
}

static const struct list_scanner_ops ops = {note_member, note_element};

static struct error *scan(struct str text, size_t step, struct buf *seen)
{
    SCOPED(list_scanner) scanner = {.ops = &ops, .data = seen};
    while (text.len) {
        TRY(list_scanner_feed(&scanner, str_slice(text, 0, step)));
        text = str_skip(text, step < text.len ? step : text.len);
    }
    return list_scanner_end(&scanner);
}

TEST(lists_are_taken_apart_at_every_split)
{
    const struct {
        const char *text, *seen;
    } rows[] = {
        {"{}",                                                  ""                           },
        {"{\"kind\":\"L\",\"items\":[]}",                       "kind=\"L\";"                },
        {" { \"a\" : 1 , \"items\" : [ {\"x\":1} , 2 ] }",      "a=1;<{\"x\":1}><2>"         },
        {"{\"items\":[{\"s\":\"}]\\\"{\"}],\"m\":{\"c\":[1]}}",
         "<{\"s\":\"}]\\\"{\"}>m={\"c\":[1]};"                                               },
        {"{\"items\":null,\"rows\":[[1,[2]],\"x\"]}\n",         "items=null;<[1,[2]]><\"x\">"},
        {"{\"columns\":[1,2],\"items\":[true]}",                "columns=[1,2];<true>"       },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t step = 1; step < 9; step++) {
            SCOPED(buf) seen = {0};
            TEST_CASE("%s by %zu", rows[i].text, step);
            CHECK_OK(scan(str_from_c(rows[i].text), step, &seen));
            CHECK_EQ(buf_str(&seen), str_from_c(rows[i].seen));
        }
}

TEST(what_is_no_list_is_refused)
{
    const char *const texts[] = {
        "",
        "[]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"items\":[1,]}",
        "{\"items\":[,]}",
        "{\"items\":[1}",
        "{\"items\":[",
        "{}x",
        "\"x\"",
        "{\"a\":1 2}",
        "{\"items\":[1 2]}",
        "{a:1}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(buf) seen = {0};
        TEST_CASE("%s", texts[i]);
        CHECK_ERROR(scan(str_from_c(texts[i]), 3, &seen), ERROR_PARSE);
    }
}

TEST(depth_and_size_of_items_are_bounded)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) seen = {0};
    buf_add(&text, STR("{\"items\":["));
    for (int i = 0; i <= LIST_SCANNER_DEPTH_MAX; i++)
        buf_add_char(&text, '[');
    CHECK_ERROR(scan(buf_str(&text), 1000, &seen), ERROR_TOO_LARGE);
    buf_clear(&text);
    buf_add(&text, STR("{\"items\":[\""));
    while (text.len < LIST_SCANNER_VALUE_MAX + 100)
        buf_add(&text, STR("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"));
    CHECK_ERROR(scan(buf_str(&text), 10000, &seen), ERROR_TOO_LARGE);
}
