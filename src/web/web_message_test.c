#include "web/web_message.h"

#include <stdio.h>

#include "testing/test.h"

/* A page of rows; those up to `changed` have another text. */
static void write_page(struct html *html, size_t first, size_t count, size_t changed)
{
    char id[16];
    for (size_t i = first; i < first + count; i++) {
        snprintf(id, sizeof(id), "r%zu", i);
        html_begin(html, "tr");
        html_part(html, str_from_c(id));
        html_text(html, i < changed ? STR("failed") : STR("applied"));
        html_end(html);
    }
}

TEST(a_message_has_the_parts_that_differ)
{
    const struct {
        const char *name;
        size_t changed;
        const char *part;
    } cases[] = {
        {"one",     1, "event: part\ndata: {\"id\":\"r0\",\"html\":\""},
        {"several", 3, ",\"more\":[{\"id\":\"r1\",\"html\":\""        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(html) from = {0};
        SCOPED(html) to = {0};
        SCOPED(buf) out = {0};
        TEST_CASE("%s", cases[i].name);
        write_page(&from, 0, 5, 0);
        write_page(&to, 0, 5, cases[i].changed);
        web_message_write(&from, &to, STR("v"), &out);
        CHECK_CONTAINS(buf_str(&out), str_from_c(cases[i].part));
        CHECK(!str_contains(buf_str(&out), STR("r4")));
    }
}

TEST(fv_11_what_does_not_fit_into_a_message_is_a_reload)
{
    SCOPED(html) from = {0};
    SCOPED(html) few = {0};
    SCOPED(html) all = {0};
    SCOPED(buf) message = {0};
    write_page(&from, 0, 1000, 0);
    write_page(&few, 0, 1000, 100);
    write_page(&all, 0, 1000, 1000);
    web_message_write(&from, &few, STR("v"), &message);
    CHECK_CONTAINS(buf_str(&message), STR("event: part"));
    CHECK(message.len <= WEB_MESSAGE_MAX);
    buf_clear(&message);
    web_message_write(&from, &all, STR("v"), &message);
    CHECK_EQ(buf_str(&message), STR("id: v\nevent: reload\ndata: {}\n\n"));
}

TEST(rows_that_come_go_or_move_are_a_reload)
{
    SCOPED(html) from = {0};
    SCOPED(html) more = {0};
    SCOPED(html) others = {0};
    SCOPED(buf) first = {0};
    SCOPED(buf) second = {0};
    write_page(&from, 0, 5, 0);
    write_page(&more, 0, 6, 0);
    write_page(&others, 1, 5, 0);
    web_message_write(&from, &more, STR("v"), &first);
    web_message_write(&from, &others, STR("v"), &second);
    CHECK_CONTAINS(buf_str(&first), STR("event: reload"));
    CHECK_CONTAINS(buf_str(&second), STR("event: reload"));
}
