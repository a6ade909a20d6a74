/* Events: the last ones of all, or those about one object, newest first. */
#include "web/page_internal.h"

static void add_subject(const struct page *page, const struct web_event *event)
{
    if (str_eq(event->kind, STR("Cluster")))
        page_cluster_link(page, event->about);
    else
        page_set_link(page, event->about);
}

static void add_row(const struct page *page, const struct web_event *event)
{
    struct html *html = page->html;
    const bool is_bad = !str_eq(event->type, STR("Normal"));
    html_begin(html, "tr");
    page_begin_cell(html, "Ago", "num");
    html_time(html, event->time);
    html_end(html);
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    html_element(html, "span", "ns",
                 str_eq(event->kind, STR("Cluster")) ? STR("cluster ") : STR("set "));
    add_subject(page, event);
    html_end(html);
    page_begin_cell(html, "Reason", NULL);
    html_begin_class(html, "span", is_bad ? "state s-failed" : "state s-applied");
    html_text(html, is_bad ? STR("! ") : STR(""));
    html_text_cut(html, event->reason, PAGE_WHY_MAX);
    html_end(html);
    html_end(html);
    page_begin_cell(html, "Message", "wide");
    page_why(html, event->message);
    html_end(html);
    html_end(html);
}

static bool is_shown(const struct page *page, const struct web_event *event, struct str kind,
                     struct key about)
{
    return web_scope_has(&page->view->scope, event->about.namespace) &&
           (!kind.len || (str_eq(kind, event->kind) && key_eq(about, event->about)));
}

size_t page_event_table(const struct page *page, struct str kind, struct key about, size_t max)
{
    static const char *const columns[] = {"Ago", "About", "Reason", "Message"};
    struct html *html = page->html;
    const struct web_facts *facts = page->view->facts;
    size_t count = 0;
    for (size_t i = 0; i < facts->event_count && count < max; i++) {
        if (!is_shown(page, &facts->events[i], kind, about))
            continue;
        if (!count++) {
            html_begin_class(html, "table", "events");
            html_element(html, "caption", kind.len ? NULL : "hidden", STR("Events"));
            page_columns(html, columns, COUNT(columns));
            html_begin(html, "tbody");
        }
        add_row(page, &facts->events[i]);
    }
    if (count) {
        html_end(html);
        html_end(html);
    }
    return count;
}

bool page_events(const struct page *page)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("events"));
    html_element(html, "h1", NULL, STR("Events"));
    if (!page_missing(page, WEB_KIND_CLUSTER_EVENTS) &&
        !page_event_table(page, STR(""), (struct key){0}, page->query->limit))
        html_element(html, "p", "calm", STR("There are none."));
    html_end(html);
    return true;
}
