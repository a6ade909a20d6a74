#include "web/html.h"

#include "base/duration.h"
#include "testing/test.h"

#define NOW ((timestamp)1767226200 * SECOND)

TEST(html_escapes_text_and_attributes)
{
    const struct {
        const char *name, *text, *escaped;
    } cases[] = {
        {"plain",              "cni-1 a/b",                     "cni-1 a/b"            },
        {"markup",             "<script>alert(\"1\")</script>",
         "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"                           },
        {"an attribute's end", "x' onload='y",                  "x&#39; onload=&#39;y" },
        {"an entity",          "a&lt;b",                        "a&amp;lt;b"           },
        {"other scripts",      "grün 雪 ✓",                 "grün 雪 ✓"        },
        {"a direction",        "a\u202eb",                      "a\ufffdb"             },
        {"controls",
         "a\x01"
         "b\x7f"
         "c\r",                                                 "a\ufffdb\ufffdc\ufffd"},
        {"lines",              "a\n\tb",                        "a\n\tb"               },
        {"no UTF-8",           "a\xff\xc3",                     "a\ufffd\ufffd"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(html) html = {.now = NOW};
        SCOPED(buf) expected = {0};
        TEST_CASE("%s", cases[i].name);
        html_begin(&html, "p");
        html_attr(&html, "title", str_from_c(cases[i].text));
        html_text(&html, str_from_c(cases[i].text));
        html_end(&html);
        html_finish(&html);
        buf_print(&expected, "<p title=\"%s\">%s</p>", cases[i].escaped, cases[i].escaped);
        CHECK_EQ(buf_str(&html.out), buf_str(&expected));
    }
}

TEST(html_text_may_hold_nul)
{
    SCOPED(html) html = {.now = NOW};
    html_element(&html, "b", NULL, str_from("a\0b", 3));
    CHECK_EQ(buf_str(&html.out), STR("<b>a\ufffdb</b>"));
}

TEST(html_text_is_cut_by_characters)
{
    SCOPED(html) html = {.now = NOW};
    html_text_cut(&html, STR("äöü<"), 3);
    html_text(&html, STR(" "));
    html_text_cut(&html, STR("äöü"), 3);
    CHECK_EQ(buf_str(&html.out), STR("äöü… äöü"));
}

TEST(html_elements_without_content_have_no_end)
{
    SCOPED(html) html = {.now = NOW};
    html_begin_class(&html, "input", "x");
    html_flag(&html, "checked");
    html_end(&html);
    CHECK_EQ(buf_str(&html.out), STR("<input class=\"x\" checked>"));
}

TEST(html_numbers_have_separators)
{
    const struct {
        size_t number;
        const char *text;
    } cases[] = {
        {0,       "0"        },
        {999,     "999"      },
        {1000,    "1,000"    },
        {10000,   "10,000"   },
        {1234567, "1,234,567"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(html) html = {.now = NOW};
        html_number(&html, cases[i].number);
        CHECK_EQ(buf_str(&html.out), str_from_c(cases[i].text));
    }
}

TEST(html_ages_are_short)
{
    const struct {
        duration age;
        const char *text;
    } cases[] = {
        {-SECOND,      "0 s"   },
        {14 * SECOND,  "14 s"  },
        {119 * SECOND, "119 s" },
        {3 * MINUTE,   "3 min" },
        {90 * MINUTE,  "90 min"},
        {2 * HOUR,     "2 h"   },
        {47 * HOUR,    "47 h"  },
        {96 * HOUR,    "4 d"   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {0};
        html_add_age(&out, NOW - cases[i].age, NOW);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].text));
    }
}

/* A row with a time and a text. */
static void write_row(struct html *html, struct str text)
{
    html_begin(html, "tr");
    html_part(html, STR("r/1"));
    html_begin(html, "td");
    html_time(html, NOW - MINUTE);
    html_end(html);
    html_element(html, "td", NULL, text);
    html_end(html);
}

TEST(html_parts_know_whether_they_changed)
{
    SCOPED(html) first = {.now = NOW};
    SCOPED(html) later = {.now = NOW + HOUR};
    SCOPED(html) other = {.now = NOW};
    write_row(&first, STR("a"));
    write_row(&later, STR("a"));
    write_row(&other, STR("b"));
    CHECK_EQ(first.part_count, 1);
    CHECK_EQ(first.parts[0].id, STR("r/1"));
    CHECK_EQ(str_slice(buf_str(&first.out), first.parts[0].begin, first.parts[0].end),
             buf_str(&first.out));
    CHECK(!str_eq(buf_str(&first.out), buf_str(&later.out)));
    CHECK_EQ(html_digest(&first), html_digest(&later));
    CHECK(html_digest(&first) != html_digest(&other));
}
