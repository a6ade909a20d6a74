/* Failures grouped: on a page of their own, and the first of them on the overview. */
#include "web/page_internal.h"

#define SHOWN ((size_t)500)

/* One cluster as an example, with a link to what is known about it. */
static void add_example(const struct page *page, const struct web_reason *reason)
{
    struct html *html = page->html;
    struct web_query to = {.page = WEB_SET};
    if (reason->cluster) {
        to.page = reason->set ? WEB_PLACEMENT : WEB_CLUSTER;
        to.key = reason->cluster->key;
        if (reason->set)
            to.placement = reason->set->key.name;
    } else {
        to.key = reason->set->key;
    }
    page_begin_link(html, &to, NULL);
    page_name(page, to.key);
    html_end(html);
}

static void add_number(struct html *html, const char *label, size_t number)
{
    page_begin_cell(html, label, "num");
    html_number(html, number);
    html_end(html);
}

static void add_row(const struct page *page, const struct web_reason *reason)
{
    struct html *html = page->html;
    html_begin(html, "tr");
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    page_state(html, reason->state);
    html_text(html, STR(" "));
    page_why(html, reason->text);
    html_end(html);
    add_number(html, "Clusters", reason->clusters);
    add_number(html, "Sets", reason->sets);
    page_begin_cell(html, "Since", "num");
    html_time(html, reason->since);
    html_end(html);
    page_begin_cell(html, "Example", "name");
    add_example(page, reason);
    html_end(html);
    html_end(html);
}

void page_reason_table(const struct page *page, const struct web_reasons *reasons, size_t max)
{
    static const char *const columns[] = {"Reason", "Clusters", "Sets", "Since", "Example"};
    struct html *html = page->html;
    html_begin_class(html, "table", "reasons");
    html_element(html, "caption", "hidden", STR("Failures by reason"));
    page_columns(html, columns, COUNT(columns));
    html_begin(html, "tbody");
    for (size_t i = 0; i < reasons->count && i < max; i++)
        add_row(page, &reasons->items[i]);
    html_end(html);
    html_end(html);
}

bool page_reasons(const struct page *page)
{
    struct html *html = page->html;
    const struct web_reasons reasons = web_reasons_find(page->view, page->query->set);
    html_begin(html, "section");
    html_part(html, STR("reasons"));
    html_begin(html, "h1");
    html_number(html, reasons.count);
    html_text(html, reasons.count == 1 ? STR(" reason") : STR(" reasons"));
    if (page->query->set.len) {
        html_text(html, STR(" of set "));
        html_text_cut(html, page->query->set, PAGE_NAME_MAX);
    }
    html_end(html);
    if (reasons.count)
        page_reason_table(page, &reasons, SHOWN);
    else
        html_element(html, "p", "calm", STR("Nothing has failed."));
    html_end(html);
    return true;
}
