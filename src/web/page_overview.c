/*
 * The overview: one sentence, the bar of states, what needs attention, sets, rollouts under way.
 * Each of them is a part that changes as a whole.
 */
#include "web/page_internal.h"

#define REASONS_SHOWN ((size_t)10)
#define SETS_SHOWN    ((size_t)12)

static bool is_counted_apart(size_t state)
{
    return state == STATUS_APPLIED || state == STATUS_IDLE;
}

/* "10,000 clusters: 9,989 applied, 8 failed, 3 waiting": applied first, then the worst first. */
static void add_counts(const struct page *page)
{
    struct html *html = page->html;
    const size_t *counts = page->view->cluster_counts;
    size_t others = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        others += is_counted_apart(i) ? 0 : counts[i];
    if (counts[STATUS_APPLIED]) {
        html_number(html, counts[STATUS_APPLIED]);
        html_text(html, others || counts[STATUS_IDLE] ? STR(" applied, ") : STR(" applied"));
    }
    page_counts(page, counts, &(struct web_query){.page = WEB_CLUSTERS});
    if (counts[STATUS_IDLE]) {
        html_text(html, others ? STR(", ") : STR(""));
        html_number(html, counts[STATUS_IDLE]);
        html_text(html, STR(" idle"));
    }
}

static void add_sentence(const struct page *page)
{
    struct html *html = page->html;
    const size_t count = page->view->cluster_count;
    html_begin(html, "h1");
    if (count) {
        html_number(html, count);
        html_text(html, count == 1 ? STR(" cluster: ") : STR(" clusters: "));
        add_counts(page);
    } else {
        html_text(html, STR("No clusters yet"));
    }
    html_end(html);
}

/* What a newcomer does first. */
static void add_beginning(struct html *html)
{
    html_begin(html, "p");
    html_text(html, STR("Clusters appear here by themselves. To register one: "));
    html_element(html, "code", NULL, STR("corset cluster add NAME --from KUBECONFIG"));
    html_end(html);
}

static void add_summary(const struct page *page)
{
    html_begin(page->html, "section");
    html_part(page->html, STR("summary"));
    add_sentence(page);
    if (page->view->cluster_count)
        page_bar(page, page->view->cluster_counts, &(struct web_query){.page = WEB_CLUSTERS});
    else
        add_beginning(page->html);
    page_missing(page, WEB_KIND_CLUSTERS);
    html_end(page->html);
}

static void add_attention(const struct page *page)
{
    struct html *html = page->html;
    const struct web_reasons reasons = web_reasons_find(page->view, STR(""));
    html_begin(html, "section");
    html_part(html, STR("attention"));
    html_attr(html, "aria-labelledby", STR("attention-title"));
    html_begin(html, "h2");
    html_attr(html, "id", STR("attention-title"));
    html_text(html, STR("What needs somebody"));
    html_end(html);
    if (!reasons.count) {
        html_element(html, "p", "calm", STR("Nothing. Everything that can be done is done."));
    } else {
        page_reason_table(page, &reasons, REASONS_SHOWN);
    }
    if (reasons.count > REASONS_SHOWN) {
        SCOPED(buf) text = {.limit = 0};
        buf_add(&text, STR("All "));
        html_add_number(&text, reasons.count);
        buf_add(&text, STR(" reasons"));
        html_begin(html, "p");
        page_link(html, &(struct web_query){.page = WEB_REASONS}, NULL, buf_str(&text));
        html_end(html);
    }
    html_end(html);
}

static void add_set(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    const struct web_query to = {
        .page = WEB_CLUSTERS, .set = set->key.name, .namespace = set->key.namespace};
    html_begin(html, "tr");
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    page_set_link(page, set->key);
    html_end(html);
    page_begin_cell(html, NULL, "st");
    page_state(html, set->state);
    html_end(html);
    page_begin_cell(html, "Applied", "num");
    html_number(html, status_count_applied(set->counts));
    html_text(html, STR(" of "));
    html_number(html, set->clusters);
    html_end(html);
    page_begin_cell(html, NULL, "wide");
    page_bar(page, set->counts, &to);
    html_end(html);
    html_end(html);
}

static void add_sets(const struct page *page)
{
    static const char *const columns[] = {"Set", "State", "Applied", "Clusters by state"};
    struct html *html = page->html;
    const size_t count = page->view->set_count;
    html_begin(html, "section");
    html_part(html, STR("sets"));
    html_begin(html, "table");
    html_element(html, "caption", NULL, STR("Sets"));
    page_columns(html, columns, COUNT(columns));
    html_begin(html, "tbody");
    for (size_t i = 0; i < count && i < SETS_SHOWN; i++)
        add_set(page, page->view->sets[i]);
    html_end(html);
    html_end(html);
    if (count > SETS_SHOWN) {
        SCOPED(buf) text = {.limit = 0};
        buf_add(&text, STR("All "));
        html_add_number(&text, count);
        buf_add(&text, STR(" sets"));
        html_begin(html, "p");
        page_link(html, &(struct web_query){.page = WEB_SETS}, NULL, buf_str(&text));
        html_end(html);
    }
    page_missing(page, WEB_KIND_SETS);
    html_end(html);
}

static bool is_under_way(const struct web_rollout *rollout)
{
    return rollout && !str_eq(rollout->state, STR("RolledOut"));
}

static void add_rollout(const struct page *page, const struct status_set *set,
                        const struct web_rollout *rollout)
{
    struct html *html = page->html;
    html_begin(html, "li");
    page_set_link(page, set->key);
    html_text(html, STR(": "));
    html_text_cut(html, rollout->state, PAGE_WHY_MAX);
    html_text(html, STR(", wave "));
    html_text_cut(html, rollout->wave, PAGE_WHY_MAX);
    html_text(html, STR(", for "));
    html_time(html, rollout->since);
    html_end(html);
}

/* The part is there without rollouts as well, so that one that begins is no other page. */
static void add_rollouts(const struct page *page)
{
    struct html *html = page->html;
    size_t count = 0;
    html_begin(html, "section");
    html_part(html, STR("rollouts"));
    for (size_t i = 0; i < page->view->set_count && count < SETS_SHOWN; i++) {
        const struct status_set *set = page->view->sets[i];
        const struct web_rollout *rollout = web_facts_rollout(page->view->facts, set);
        if (!is_under_way(rollout))
            continue;
        if (!count++) {
            html_element(html, "h2", NULL, STR("Rollouts under way"));
            html_begin(html, "ul");
        }
        add_rollout(page, set, rollout);
    }
    if (count)
        html_end(html);
    html_end(html);
}

bool page_overview(const struct page *page)
{
    add_summary(page);
    add_attention(page);
    if (page->view->set_count)
        add_sets(page);
    add_rollouts(page);
    return true;
}
