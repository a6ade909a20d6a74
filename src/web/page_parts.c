/* The small parts of which pages are made: links, states, bars, cells. */
#include <stdio.h>

#include "web/page_internal.h"

/* Signs and classes; the words are those of corset status. */
static const struct {
    struct str sign;
    const char *class;
} states[STATUS_STATES] = {
    [STATUS_FAILED] = {STR_INIT("✗"), "s-failed"     },
    [STATUS_UNREACHABLE] = {STR_INIT("⊘"), "s-unreachable"},
    [STATUS_CONTESTED] = {STR_INIT("⇄"), "s-contested"  },
    [STATUS_DRIFTED] = {STR_INIT("≠"), "s-drifted"    },
    [STATUS_WAITING] = {STR_INIT("◌"), "s-waiting"    },
    [STATUS_SETTLING] = {STR_INIT("◐"), "s-settling"   },
    [STATUS_PAUSED] = {STR_INIT("‖"), "s-paused"     },
    [STATUS_DELETING] = {STR_INIT("−"), "s-deleting"   },
    [STATUS_APPLIED] = {STR_INIT("✓"), "s-applied"    },
    [STATUS_IDLE] = {STR_INIT("·"),  "s-idle"       },
};

struct str page_sign(enum status_state state)
{
    return states[state].sign;
}

const char *page_state_class(enum status_state state)
{
    return states[state].class;
}

void page_begin_link(struct html *html, const struct web_query *to, const char *class)
{
    SCOPED(buf) address = {.limit = 0};
    web_query_write(to, &address);
    html_begin_class(html, "a", class);
    html_attr(html, "href", buf_str(&address));
}

void page_link(struct html *html, const struct web_query *to, const char *class, struct str text)
{
    page_begin_link(html, to, class);
    html_text_cut(html, text, PAGE_NAME_MAX);
    html_end(html);
}

void page_name(const struct page *page, struct key key)
{
    if (page->view->has_namespaces) {
        html_begin_class(page->html, "span", "ns");
        html_text_cut(page->html, key.namespace, PAGE_NAME_MAX);
        html_text(page->html, STR("/"));
        html_end(page->html);
    }
    html_text_cut(page->html, key.name, PAGE_NAME_MAX);
}

static void add_named_link(const struct page *page, enum web_page to, struct key key)
{
    page_begin_link(page->html, &(struct web_query){.page = to, .key = key}, NULL);
    page_name(page, key);
    html_end(page->html);
}

void page_set_link(const struct page *page, struct key set)
{
    add_named_link(page, WEB_SET, set);
}

void page_cluster_link(const struct page *page, struct key cluster)
{
    add_named_link(page, WEB_CLUSTER, cluster);
}

static void add_sign(struct html *html, enum status_state state)
{
    html_begin_class(html, "span", "sign");
    html_attr(html, "aria-hidden", STR("true"));
    html_text(html, states[state].sign);
    html_end(html);
}

void page_state(struct html *html, enum status_state state)
{
    char class[32];
    snprintf(class, sizeof(class), "state %s", states[state].class);
    html_begin_class(html, "span", class);
    add_sign(html, state);
    html_text(html, STR(" "));
    html_text(html, str_from_c(status_state_name(state)));
    html_end(html);
}

/* The same question, in a state. */
static struct web_query in_state(const struct web_query *query, enum status_state state)
{
    struct web_query other = *query;
    other.has_state = true;
    other.state = state;
    return other;
}

/* Of a bar of 100. What is there has a share, however small; the style gives it 4 pixels. */
static size_t share_of(size_t count, size_t sum)
{
    return (count * 100 + sum / 2) / sum;
}

void page_bar(const struct page *page, const size_t counts[static STATUS_STATES],
              const struct web_query *to)
{
    struct html *html = page->html;
    size_t sum = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        sum += counts[i];
    html_begin_class(html, "span", "bar");
    for (size_t i = 0; i < STATUS_STATES; i++) {
        const enum status_state state = (enum status_state)i;
        const struct web_query with_state = in_state(to, state);
        char class[40];
        if (!counts[i])
            continue;
        SCOPED(buf) words = {.limit = 0};
        html_add_number(&words, counts[i]);
        buf_print(&words, " %s", status_state_name(state));
        snprintf(class, sizeof(class), "%s g%zu", states[i].class, share_of(counts[i], sum));
        page_begin_link(html, &with_state, class);
        html_attr(html, "title", buf_str(&words));
        html_element(html, "span", "hidden", buf_str(&words));
        html_end(html);
        html_text(html, STR(" "));
    }
    html_end(html);
}

void page_counts(const struct page *page, const size_t counts[static STATUS_STATES],
                 const struct web_query *to)
{
    struct html *html = page->html;
    bool has_begun = false;
    for (size_t i = 0; i < STATUS_STATES; i++) {
        const struct web_query with_state = in_state(to, (enum status_state)i);
        if (!counts[i] || i == STATUS_APPLIED || i == STATUS_IDLE)
            continue;
        if (has_begun)
            html_text(html, STR(", "));
        has_begun = true;
        page_begin_link(html, &with_state, states[i].class);
        html_number(html, counts[i]);
        html_text(html, STR(" "));
        html_text(html, str_from_c(status_state_name((enum status_state)i)));
        html_end(html);
    }
}

/* The whole is in the title only if it was cut. */
void page_why(struct html *html, struct str why)
{
    if (!why.len)
        return;
    html_begin_class(html, "span", "why");
    if (why.len > PAGE_WHY_MAX)
        html_attr(html, "title", str_slice(why, 0, PAGE_TITLE_MAX));
    html_text_cut(html, why, PAGE_WHY_MAX);
    html_end(html);
}

void page_write_approval(struct buf *out, struct key set, struct str wave)
{
    buf_print(out, "corset approve %.*s --wave %.*s -n %.*s", STR_ARG(set.name), STR_ARG(wave),
              STR_ARG(set.namespace));
}

void page_begin_cell(struct html *html, const char *label, const char *class)
{
    html_begin_class(html, "td", class);
    if (label)
        html_attr(html, "data-label", str_from_c(label));
}

void page_columns(struct html *html, const char *const *names, size_t count)
{
    html_begin(html, "thead");
    html_begin(html, "tr");
    for (size_t i = 0; i < count; i++) {
        html_begin(html, "th");
        html_attr(html, "scope", STR("col"));
        html_text(html, str_from_c(names[i]));
        html_end(html);
    }
    html_end(html);
    html_end(html);
}

/* "14 s", which the clock changes; its end does not. */
static void add_remaining(struct html *html, timestamp now, duration left)
{
    char end[TIMESTAMP_TEXT_MAX];
    SCOPED(buf) age = {.limit = 0};
    html_add_age(&age, 0, left);
    html_clock_text(html, buf_str(&age), timestamp_write(now + left, end));
}

void page_connection(const struct page *page, const struct status_cluster *cluster)
{
    struct html *html = page->html;
    const struct web_facts *facts = page->view->facts;
    struct web_connection connection;
    if (!facts->connection)
        return;
    if (!facts->connection(facts->connection_data, cluster->key, &connection)) {
        html_text(html, STR(" It has not been tried by this process."));
        return;
    }
    if (connection.last_probe) {
        html_text(html, connection.failures ? STR(" The last probe failed ")
                                            : STR(" The last probe was "));
        html_time(html, connection.last_probe);
        html_text(html, STR(" ago"));
        html_text(html, connection.failures ? STR(": ") : STR("."));
    }
    if (connection.failures) {
        html_text_cut(html, connection.problem, PAGE_TITLE_MAX);
        html_text(html, STR("."));
    }
    if (connection.next_try) {
        html_text(html, STR(" Next try in "));
        add_remaining(html, page->view->now, connection.next_try);
        html_text(html, STR("."));
    }
}

bool page_missing(const struct page *page, enum web_kind kind)
{
    const struct str why = page->view->facts->missing[kind];
    if (!why.len)
        return false;
    html_begin_class(page->html, "p", "missing");
    html_text(page->html, STR("Not shown: "));
    html_text_cut(page->html, why, PAGE_WHY_MAX * 3);
    html_text(page->html, STR(" The right that is needed: list and watch "));
    html_element(page->html, "code", NULL, web_kind_resource(kind));
    html_text(page->html, STR("."));
    html_end(page->html);
    return true;
}
