/*
 * The tables of sets and of clusters: facets, position, rows, links to the next and the previous
 * page. Every row is a part; what is above and below the table is one as well.
 */
#include "web/page_internal.h"

static bool is_of_sets(const struct page *page)
{
    return page->query->page == WEB_SETS;
}

static const char *things(const struct page *page, size_t count)
{
    if (is_of_sets(page))
        return count == 1 ? "set" : "sets";
    return count == 1 ? "cluster" : "clusters";
}

/* The same question without the place, or in another state. */
static struct web_query from_start(const struct web_query *query)
{
    struct web_query other = *query;
    other.has_after = false;
    return other;
}

static void add_facet(const struct page *page, const struct web_query *to, struct str sign,
                      const char *word, size_t count, bool is_chosen)
{
    struct html *html = page->html;
    html_begin(html, "li");
    page_begin_link(html, to, to->has_state ? page_state_class(to->state) : NULL);
    if (is_chosen)
        html_attr(html, "aria-current", STR("true"));
    if (sign.len) {
        html_begin(html, "span");
        html_attr(html, "aria-hidden", STR("true"));
        html_text(html, sign);
        html_end(html);
        html_text(html, STR(" "));
    }
    html_text(html, str_from_c(word));
    html_text(html, STR(" "));
    html_begin(html, "b");
    html_number(html, count);
    html_end(html);
    html_end(html);
    html_end(html);
}

static void add_facets(const struct page *page, const struct web_rows *rows)
{
    struct html *html = page->html;
    struct web_query to = from_start(page->query);
    html_begin_class(html, "ul", "facets");
    html_attr(html, "aria-label", STR("States"));
    to.has_state = false;
    add_facet(page, &to, STR(""), "all", web_rows_matching(rows), !page->query->has_state);
    for (size_t i = 0; i < STATUS_STATES; i++) {
        const enum status_state state = (enum status_state)i;
        const bool is_chosen =
            page->query->has_state && !page->query->is_ready && page->query->state == state;
        if (!rows->facets[i] && !is_chosen)
            continue;
        to.has_state = true;
        to.is_ready = false;
        to.state = state;
        add_facet(page, &to, page_sign(state), status_state_name(state), rows->facets[i],
                  is_chosen);
    }
    html_end(html);
}

/* What is asked for beside the state, and the way back to everything. */
static void add_filters(const struct page *page)
{
    const struct web_query *query = page->query;
    const struct {
        const char *name;
        struct str value;
    } rows[] = {
        {"matching",     query->q        },
        {"of set",       query->set      },
        {"in wave",      query->wave     },
        {"in namespace", query->namespace},
    };
    struct html *html = page->html;
    bool has_any = false;
    for (size_t i = 0; i < COUNT(rows); i++)
        has_any |= rows[i].value.len > 0;
    if (!has_any)
        return;
    html_begin_class(html, "p", "filters");
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!rows[i].value.len)
            continue;
        html_text(html, str_from_c(rows[i].name));
        html_text(html, STR(" "));
        html_begin(html, "code");
        html_text_cut(html, rows[i].value, PAGE_WHY_MAX);
        html_end(html);
        html_text(html, STR(" "));
    }
    page_link(html, &(struct web_query){.page = query->page}, NULL, STR("show all"));
    html_end(html);
}

/* "101–200 of 8,214", and the links. */
static void add_pager(const struct page *page, const struct web_rows *rows, struct str label)
{
    struct html *html = page->html;
    struct web_query to = *page->query;
    if (!rows->total)
        return;
    html_begin_class(html, "nav", "pager");
    html_attr(html, "aria-label", label);
    html_begin(html, "span");
    html_number(html, rows->count ? rows->first + 1 : rows->first);
    html_text(html, STR("–"));
    html_number(html, rows->first + rows->count);
    html_text(html, STR(" of "));
    html_number(html, rows->total);
    html_end(html);
    if (rows->has_previous) {
        to.has_after = !rows->previous_is_first;
        to.after = rows->previous;
        page_link(html, &to, NULL, STR("← Previous"));
    }
    if (rows->has_next) {
        to.has_after = true;
        to.after = rows->next;
        page_link(html, &to, NULL, STR("Next →"));
    }
    html_end(html);
}

/* The head of a column by which rows can be sorted: again for the other way. */
static void add_sort(const struct page *page, enum web_sort sort, const char *name)
{
    struct html *html = page->html;
    const bool is_chosen = page->query->sort == sort;
    struct web_query to = from_start(page->query);
    to.sort = sort;
    to.is_descending = is_chosen && !page->query->is_descending;
    html_begin(html, "th");
    html_attr(html, "scope", STR("col"));
    if (is_chosen)
        html_attr(html, "aria-sort",
                  page->query->is_descending ? STR("descending") : STR("ascending"));
    page_begin_link(html, &to, NULL);
    html_text(html, str_from_c(name));
    if (is_chosen) {
        html_begin_class(html, "span", "order");
        html_attr(html, "aria-hidden", STR("true"));
        html_text(html, page->query->is_descending ? STR(" ↑") : STR(" ↓"));
        html_end(html);
    }
    html_end(html);
    html_end(html);
}

static void add_column(struct html *html, const char *name)
{
    html_begin(html, "th");
    html_attr(html, "scope", STR("col"));
    html_text(html, str_from_c(name));
    html_end(html);
}

static void add_heads(const struct page *page)
{
    struct html *html = page->html;
    html_begin(html, "thead");
    html_begin(html, "tr");
    add_sort(page, WEB_SORT_NAME, is_of_sets(page) ? "Set" : "Cluster");
    add_sort(page, WEB_SORT_STATE, "State");
    add_column(html, is_of_sets(page) ? "Clusters applied" : "Sets applied");
    add_sort(page, WEB_SORT_SINCE, "Since");
    add_column(html, "Why");
    html_end(html);
    html_end(html);
}

static void add_row_name(const struct page *page, const struct web_row *row)
{
    struct html *html = page->html;
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    if (row->cell) {
        const struct web_query to = {
            .page = WEB_PLACEMENT, .key = row->cluster->key, .placement = row->cell->set->key.name};
        page_begin_link(html, &to, NULL);
        page_name(page, row->cluster->key);
        html_end(html);
    } else if (row->cluster) {
        page_cluster_link(page, row->cluster->key);
    } else {
        page_set_link(page, row->set->key);
    }
    html_end(html);
}

/* Sets that are applied to a cluster, or clusters that have a set. */
static void add_row_counts(struct html *html, const struct web_row *row)
{
    page_begin_cell(html, row->cluster ? "Sets applied" : "Clusters applied", "num");
    html_number(html, status_count_applied(row->cluster ? row->cluster->counts : row->set->counts));
    html_text(html, STR(" of "));
    html_number(html, row->cluster ? row->cluster->cell_count : row->set->clusters);
    html_end(html);
}

static void add_row(const struct page *page, const struct web_row *row)
{
    struct html *html = page->html;
    const struct key key = web_row_key(row);
    SCOPED(buf) id = {.limit = 0};
    BUF_ADD_ALL(&id, row->cluster ? STR("c/") : STR("s/"), key.namespace, STR("/"), key.name);
    html_begin(html, "tr");
    html_part(html, buf_str(&id));
    add_row_name(page, row);
    page_begin_cell(html, NULL, "st");
    page_state(html, web_row_state(row));
    html_end(html);
    add_row_counts(html, row);
    page_begin_cell(html, "Since", "num");
    html_time(html, web_row_since(row));
    html_end(html);
    page_begin_cell(html, NULL, "wide");
    page_why(html, web_row_why(row));
    html_end(html);
    html_end(html);
}

static void add_nothing(const struct page *page)
{
    struct html *html = page->html;
    html_begin_class(html, "p", "calm");
    html_text(html, STR("Nothing matches. "));
    page_link(html, &(struct web_query){.page = page->query->page}, NULL,
              is_of_sets(page) ? STR("Show all sets") : STR("Show all clusters"));
    html_end(html);
}

static void add_rows(const struct page *page, const struct web_rows *rows)
{
    struct html *html = page->html;
    html_begin_class(html, "table", "rows");
    html_element(html, "caption", "hidden",
                 is_of_sets(page) ? STR("Sets, with state and reason")
                                  : STR("Clusters, with state and reason"));
    add_heads(page);
    html_begin(html, "tbody");
    for (size_t i = 0; i < rows->count; i++)
        add_row(page, &rows->items[i]);
    html_end(html);
    html_end(html);
}

static void add_top(const struct page *page, const struct web_rows *rows)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("top"));
    html_begin(html, "h1");
    html_number(html, rows->total);
    html_text(html, STR(" "));
    if (page->query->has_state) {
        html_text(html, web_query_state_name(page->query));
        html_text(html, STR(" "));
    }
    html_text(html, str_from_c(things(page, rows->total)));
    html_end(html);
    add_filters(page);
    add_facets(page, rows);
    page_missing(page, is_of_sets(page) ? WEB_KIND_SETS : WEB_KIND_CLUSTERS);
    add_pager(page, rows, STR("Pages of the table, above it"));
    if (!rows->total)
        add_nothing(page);
    html_end(html);
}

bool page_table(const struct page *page)
{
    struct html *html = page->html;
    const struct web_rows rows = web_rows_find(page->view, page->query);
    add_top(page, &rows);
    if (rows.count)
        add_rows(page, &rows);
    html_begin(html, "div");
    html_part(html, STR("bottom"));
    add_pager(page, &rows, STR("Pages of the table, below it"));
    html_end(html);
    return true;
}
