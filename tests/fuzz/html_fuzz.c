/*
 * Whatever bytes are names, labels and messages: the page is valid UTF-8, and has the tags that it
 * has with harmless texts, no more and no fewer.
 */
#include "fuzz.h"
#include "testing/test.h"
#include "web/html.h"

/* A row with the text in every place where text can stand. */
static void write_row(struct html *html, struct str text)
{
    html_begin_class(html, "tr", "x");
    html_part(html, text);
    html_attr(html, "title", text);
    html_text(html, text);
    html_begin(html, "td");
    html_text_cut(html, text, 5);
    html_clock_text(html, text, text);
    html_end(html);
    html_element(html, "a", NULL, text);
    html_end(html);
    html_finish(html);
}

static size_t count(struct str text, char c)
{
    size_t number = 0;
    for (size_t i = 0; i < text.len; i++)
        number += text.ptr[i] == c;
    return number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED(html) html = {0};
    SCOPED(html) again = {0};
    SCOPED(html) plain = {0};
    const struct str text = str_from((const char *)data, size);
    write_row(&html, text);
    write_row(&again, text);
    write_row(&plain, STR("harmless"));
    CHECK(str_is_utf8(buf_str(&html.out)));
    CHECK_EQ(count(buf_str(&html.out), '<'), count(buf_str(&plain.out), '<'));
    CHECK_EQ(count(buf_str(&html.out), '>'), count(buf_str(&plain.out), '>'));
    CHECK_EQ(count(buf_str(&html.out), '"'), count(buf_str(&plain.out), '"'));
    CHECK_EQ(count(buf_str(&html.out), '\0'), 0);
    CHECK_EQ(html_digest(&html), html_digest(&again));
    return 0;
}
