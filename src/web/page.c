/*
 * The frame around every page, and the table of pages.
 *
 * The element #live at the end tells the script the address of the page and the digest of what is
 * on it: the stream begins where the page ends.
 */
#include "web/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "web/page_internal.h"

static const struct {
    const char *name; /* for the title */
    bool (*write)(const struct page *page);
} bodies[WEB_PAGES] = {
    [WEB_OVERVIEW] = {NULL,       page_overview },
    [WEB_SETS] = {"sets",     page_table    },
    [WEB_SET] = {NULL,       page_set      },
    [WEB_CLUSTERS] = {"clusters", page_table    },
    [WEB_CLUSTER] = {NULL,       page_cluster  },
    [WEB_PLACEMENT] = {NULL,       page_placement},
    [WEB_REASONS] = {"reasons",  page_reasons  },
    [WEB_EVENTS] = {"events",   page_events   },
};

/* The pages of the navigation, and those that count as part of them. */
static const struct {
    enum web_page page;
    const char *text;
    unsigned with; /* bits of enum web_page */
} places[] = {
    {WEB_OVERVIEW, "Overview", 1U << WEB_OVERVIEW                                          },
    {WEB_SETS,     "Sets",     1U << WEB_SETS | 1U << WEB_SET                              },
    {WEB_CLUSTERS, "Clusters", 1U << WEB_CLUSTERS | 1U << WEB_CLUSTER | 1U << WEB_PLACEMENT},
    {WEB_REASONS,  "Reasons",  1U << WEB_REASONS                                           },
    {WEB_EVENTS,   "Events",   1U << WEB_EVENTS                                            },
};

static void add_link(struct html *html, struct str rel, struct str href)
{
    html_begin(html, "link");
    html_attr(html, "rel", rel);
    html_attr(html, "href", href);
    html_end(html);
}

static void add_meta(struct html *html, const char *attr, struct str name, struct str content)
{
    html_begin(html, "meta");
    html_attr(html, attr, name);
    html_attr(html, "content", content);
    html_end(html);
}

/* Without a script the page renews itself; is_live false: it does not change. */
static void add_head(struct html *html, struct str title, bool is_live)
{
    html_begin(html, "head");
    html_begin(html, "meta");
    html_attr(html, "charset", STR("utf-8"));
    html_end(html);
    add_meta(html, "name", STR("viewport"), STR("width=device-width, initial-scale=1"));
    add_meta(html, "name", STR("color-scheme"), STR("light dark"));
    html_begin(html, "title");
    html_part(html, STR("title"));
    html_text(html, title);
    html_end(html);
    add_link(html, STR("icon"), STR("/icon.svg"));
    add_link(html, STR("stylesheet"), STR("/style.css"));
    if (is_live) {
        html_begin(html, "script");
        html_attr(html, "src", STR("/live.js"));
        html_flag(html, "defer");
        html_end(html);
        html_begin(html, "noscript");
        add_meta(html, "http-equiv", STR("refresh"), STR("30"));
        html_end(html);
    }
    html_end(html);
}

static void add_navigation(struct html *html, const struct web_query *query)
{
    html_begin(html, "nav");
    html_attr(html, "aria-label", STR("Pages"));
    for (size_t i = 0; i < COUNT(places); i++) {
        page_begin_link(html, &(struct web_query){.page = places[i].page}, NULL);
        if (places[i].with & 1U << query->page)
            html_attr(html, "aria-current", STR("page"));
        html_text(html, str_from_c(places[i].text));
        html_end(html);
    }
    html_end(html);
}

/* Finds sets on the page of sets, and clusters everywhere else. */
static void add_search(struct html *html, const struct web_query *query)
{
    const bool of_sets = query->page == WEB_SETS;
    html_begin(html, "form");
    html_attr(html, "role", STR("search"));
    html_attr(html, "action", of_sets ? STR("/sets") : STR("/clusters"));
    html_begin_class(html, "label", "hidden");
    html_attr(html, "for", STR("q"));
    html_text(html, of_sets ? STR("Find sets by name") : STR("Find clusters by name or label"));
    html_end(html);
    html_begin(html, "input");
    html_attr(html, "type", STR("search"));
    html_attr(html, "id", STR("q"));
    html_attr(html, "name", STR("q"));
    html_attr(html, "value", query->q);
    html_attr(html, "placeholder", of_sets ? STR("name") : STR("name or key=value"));
    html_attr(html, "maxlength", STR("256"));
    html_end(html);
    html_element(html, "button", NULL, STR("Find"));
    html_end(html);
}

static void add_header(struct html *html, const struct web_query *query)
{
    html_begin_class(html, "a", "skip");
    html_attr(html, "href", STR("#main"));
    html_text(html, STR("Skip to the content"));
    html_end(html);
    html_begin(html, "header");
    html_begin_class(html, "a", "brand");
    html_attr(html, "href", STR("/"));
    html_text(html, STR("corset"));
    html_end(html);
    add_navigation(html, query);
    add_search(html, query);
    html_end(html);
}

/* What the reader must know before anything else: the page may be old. */
static void add_banner(struct html *html, const struct web_view *view)
{
    const struct web_facts *facts = view->facts;
    char time[TIMESTAMP_TEXT_MAX];
    html_begin(html, "div");
    html_part(html, STR("banner"));
    html_attr(html, "role", STR("status"));
    if (facts->problem.len) {
        html_begin_class(html, "p", "banner");
        html_text(html, STR("As of "));
        html_text(html, str_slice(timestamp_write(facts->as_of, time), 11, 19));
        html_text(html, STR(", not connected since "));
        html_text(html, str_slice(timestamp_write(facts->problem_since, time), 11, 19));
        html_text(html, STR(" UTC: "));
        html_text_cut(html, facts->problem, PAGE_WHY_MAX * 2);
        html_end(html);
    }
    html_end(html);
}

static void add_footer(struct html *html, const struct web_view *view)
{
    html_begin(html, "footer");
    html_begin(html, "p");
    html_begin(html, "span");
    html_attr(html, "id", STR("as-of"));
    html_text(html, STR("As of "));
    html_time(html, view->facts->as_of);
    html_text(html, STR(" ago. "));
    html_end(html);
    html_begin(html, "span");
    html_attr(html, "id", STR("liveness"));
    html_end(html);
    html_end(html);
    html_begin_class(html, "p", "hidden");
    html_attr(html, "id", STR("news"));
    html_attr(html, "aria-live", STR("polite"));
    html_end(html);
    html_end(html);
}

static void add_live(struct html *html, const struct page *page)
{
    SCOPED(buf) address = {.limit = 0};
    char digest[20];
    web_query_write(page->query, &address);
    snprintf(digest, sizeof(digest), "%016" PRIx64, html_digest(html));
    html_begin(html, "div");
    html_attr(html, "id", STR("live"));
    html_flag(html, "hidden");
    html_attr(html, "data-page", buf_str(&address));
    html_attr(html, "data-version", str_from_c(digest));
    html_end(html);
}

/* "8 failed", or that nothing is wrong. */
static void add_worst(struct buf *out, const size_t counts[static STATUS_STATES])
{
    for (size_t i = 0; i < STATUS_STATES; i++) {
        if (!counts[i] || status_state_is_fine((enum status_state)i))
            continue;
        html_add_number(out, counts[i]);
        buf_print(out, " %s", status_state_name((enum status_state)i));
        return;
    }
    buf_add(out, STR("all well"));
}

/* State first: "8 failed – clusters – corset". */
static void write_title(const struct page *page, struct buf *out)
{
    const struct web_query *query = page->query;
    const struct status_set *set = web_view_find_set(page->view, query->key);
    const struct status_cluster *cluster = web_view_find_cluster(page->view, query->key);
    const struct status_cell *cell = cluster ? web_view_find_cell(cluster, query->placement) : NULL;
    if (query->page == WEB_SET && set)
        buf_print(out, "%s – %.*s", status_state_name(set->state), STR_ARG(set->key.name));
    else if (query->page == WEB_CLUSTER && cluster)
        buf_print(out, "%s – %.*s", status_state_name(cluster->state), STR_ARG(cluster->key.name));
    else if (query->page == WEB_PLACEMENT && cell)
        buf_print(out, "%s – %.*s on %.*s", status_state_name(cell->state),
                  STR_ARG(cell->set->key.name), STR_ARG(cluster->key.name));
    else if (query->page == WEB_SET || query->page == WEB_CLUSTER || query->page == WEB_PLACEMENT)
        buf_add(out, STR("not there"));
    else
        add_worst(out,
                  query->page == WEB_SETS ? page->view->set_counts : page->view->cluster_counts);
    if (bodies[query->page].name)
        buf_print(out, " – %s", bodies[query->page].name);
    buf_add(out, STR(" – corset"));
}

static void begin_document(struct html *html)
{
    html_doctype(html);
    html_begin(html, "html");
    html_attr(html, "lang", STR("en"));
}

static void begin_main(struct html *html)
{
    html_begin(html, "main");
    html_attr(html, "id", STR("main"));
    html_attr(html, "tabindex", STR("-1"));
}

/* Until everything has come nothing is counted: the numbers would be wrong. */
static bool write_loading(const struct page *page)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("loading"));
    html_begin(html, "h1");
    html_text(html, STR("Loading: "));
    html_number(html, page->view->facts->loaded);
    html_text(html, STR(" clusters so far"));
    html_end(html);
    html_element(html, "p", NULL, STR("The page appears as soon as all of them are here."));
    html_end(html);
    return true;
}

static void add_missing_subject(const struct page *page)
{
    struct html *html = page->html;
    const bool is_set = page->query->page == WEB_SET;
    html_begin(html, "section");
    html_part(html, STR("missing"));
    html_element(html, "h1", NULL, STR("This is not there"));
    html_begin(html, "p");
    html_text(html,
              is_set ? STR("There is no set ") : STR("There is no cluster or no set on it: "));
    html_begin(html, "code");
    html_text_cut(html, page->query->key.namespace, PAGE_NAME_MAX);
    html_text(html, STR("/"));
    html_text_cut(html, page->query->key.name, PAGE_NAME_MAX);
    html_end(html);
    html_text(html, STR(". It may have been deleted, or its selector has changed. See "));
    page_link(html, &(struct web_query){.page = is_set ? WEB_SETS : WEB_CLUSTERS}, NULL,
              is_set ? STR("all sets") : STR("all clusters"));
    html_text(html, STR("."));
    html_end(html);
    html_end(html);
}

int page_render(const struct web_view *view, const struct web_query *query, struct html *html)
{
    const struct page page = {html, view, query};
    SCOPED(buf) title = {.limit = 0};
    html->now = view->now;
    write_title(&page, &title);
    begin_document(html);
    add_head(html, buf_str(&title), true);
    html_begin(html, "body");
    add_header(html, query);
    add_banner(html, view);
    begin_main(html);
    const bool is_there =
        view->facts->is_loading ? write_loading(&page) : bodies[query->page].write(&page);
    if (!is_there)
        add_missing_subject(&page);
    html_end(html);
    add_footer(html, view);
    add_live(html, &page);
    html_end(html);
    html_end(html);
    html_finish(html);
    return is_there ? 200 : 404;
}

void page_render_problem(struct html *html, int status, struct str title, struct str text)
{
    SCOPED(buf) number = {.limit = 0};
    buf_print(&number, "%d – %.*s – corset", status, STR_ARG(title));
    begin_document(html);
    add_head(html, buf_str(&number), false);
    html_begin(html, "body");
    begin_main(html);
    html_element(html, "h1", NULL, title);
    html_element(html, "p", NULL, text);
    html_begin(html, "p");
    html_begin(html, "a");
    html_attr(html, "href", STR("/"));
    html_text(html, STR("To the overview"));
    html_end(html);
    html_end(html);
    html_end(html);
    html_end(html);
    html_end(html);
    html_finish(html);
}

static void add_token_field(struct html *html)
{
    html_begin(html, "label");
    html_attr(html, "for", STR("token"));
    html_text(html, STR("Bearer token"));
    html_end(html);
    html_begin(html, "input");
    html_attr(html, "type", STR("password"));
    html_attr(html, "id", STR("token"));
    html_attr(html, "name", STR("token"));
    html_attr(html, "autocomplete", STR("off"));
    html_flag(html, "required");
    html_end(html);
    html_element(html, "button", NULL, STR("Log in"));
}

void page_render_login(struct html *html, struct str problem)
{
    begin_document(html);
    add_head(html, STR("log in – corset"), false);
    html_begin(html, "body");
    begin_main(html);
    html_element(html, "h1", NULL, STR("corset"));
    if (problem.len)
        html_element(html, "p", "missing", problem);
    html_begin_class(html, "form", "login");
    html_attr(html, "method", STR("post"));
    html_attr(html, "action", STR("/login"));
    add_token_field(html);
    html_end(html);
    html_element(html, "p", NULL,
                 STR("A token of a user or service account that may list ClusterResourceSets, for "
                     "instance of: kubectl create token NAME"));
    html_end(html);
    html_end(html);
    html_end(html);
    html_finish(html);
}
