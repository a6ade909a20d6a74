/* One cluster: connection, labels, the sets on it, Events. */
#include "web/page_internal.h"

#define EVENTS_SHOWN ((size_t)20)

static void add_state(const struct page *page, const struct status_cluster *cluster)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("cluster"));
    html_begin(html, "h1");
    html_text(html, STR("Cluster "));
    page_name(page, cluster->key);
    html_text(html, STR(" "));
    page_state(html, cluster->state);
    html_end(html);
    html_begin_class(html, "p", "lead");
    html_number(html, status_count_applied(cluster->counts));
    html_text(html, STR(" of "));
    html_number(html, cluster->cell_count);
    html_text(html, cluster->cell_count == 1 ? STR(" set applied") : STR(" sets applied"));
    if (cluster->since) {
        html_text(html, STR(", in this state for "));
        html_time(html, cluster->since);
    }
    html_text(html, STR("."));
    html_end(html);
    if (cluster->why.len && !status_state_is_fine(cluster->state))
        html_element(html, "blockquote", NULL, cluster->why);
    html_end(html);
}

/* The error is in the ClusterCache's words, as they are in the condition of the Cluster. */
static void add_connection(const struct page *page, const struct status_cluster *cluster)
{
    struct html *html = page->html;
    html_element(html, "dt", NULL, STR("Connection"));
    html_begin(html, "dd");
    if (!cluster->is_provisioned) {
        html_text(html, STR("◌ not tried: the cluster is not provisioned yet"));
    } else if (cluster->is_unreachable) {
        html_text(html, STR("⊘ lost for "));
        html_time(html, cluster->times[STATUS_UNREACHABLE]);
        html_text(html, STR(": "));
        html_text_cut(html, cluster->lost_why, PAGE_TITLE_MAX);
        html_text(html, STR("."));
        if (cluster->last_success) {
            html_text(html, STR(" The last probe that succeeded was "));
            html_time(html, cluster->last_success);
            html_text(html, STR(" ago."));
        }
    } else if (cluster->connected) {
        html_text(html, STR("✓ up for "));
        html_time(html, cluster->connected);
        html_text(html, STR("."));
    } else {
        html_text(html, STR("✓ the cluster answers, as far as is known."));
    }
    page_connection(page, cluster);
    html_end(html);
}

static void add_label(struct html *html, struct str label)
{
    html_begin(html, "li");
    page_link(html, &(struct web_query){.page = WEB_CLUSTERS, .q = label}, NULL, label);
    html_end(html);
}

static void add_labels(struct html *html, struct str labels)
{
    struct str label;
    if (!labels.len)
        return;
    html_element(html, "dt", NULL, STR("Labels"));
    html_begin(html, "dd");
    html_begin_class(html, "ul", "labels");
    while (labels.len) {
        str_cut(&labels, ',', &label);
        add_label(html, label);
    }
    html_end(html);
    html_end(html);
}

static void add_facts(const struct page *page, const struct status_cluster *cluster)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("facts"));
    html_begin(html, "dl");
    add_connection(page, cluster);
    if (cluster->endpoint.len) {
        html_element(html, "dt", NULL, STR("Endpoint"));
        html_element(html, "dd", NULL, cluster->endpoint);
    }
    add_labels(html, cluster->labels);
    html_end(html);
    html_end(html);
}

static void add_cell(const struct page *page, const struct status_cluster *cluster,
                     const struct status_cell *cell)
{
    struct html *html = page->html;
    html_begin(html, "tr");
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    page_link(html,
              &(struct web_query){
                  .page = WEB_PLACEMENT, .key = cluster->key, .placement = cell->set->key.name},
              NULL, cell->set->key.name);
    html_end(html);
    page_begin_cell(html, NULL, "st");
    page_state(html, cell->state);
    html_end(html);
    page_begin_cell(html, "Resources", "num");
    html_number(html, cell->applied);
    html_text(html, STR(" of "));
    html_number(html, cell->set->spec.ref_count);
    html_end(html);
    page_begin_cell(html, "Since", "num");
    html_time(html, cell->since);
    html_end(html);
    page_begin_cell(html, NULL, "wide");
    page_why(html, cell->why);
    html_end(html);
    html_end(html);
}

static void add_cells_in(const struct page *page, const struct status_cluster *cluster,
                         enum status_state state)
{
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (cluster->cells[i].state == state)
            add_cell(page, cluster, &cluster->cells[i]);
}

/* The worst first. */
static void add_cells(const struct page *page, const struct status_cluster *cluster)
{
    static const char *const columns[] = {"Set", "State", "Resources", "Since", "Why"};
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("sets"));
    if (!cluster->cell_count) {
        html_element(html, "p", "calm", STR("No set selects this cluster."));
    } else {
        html_begin_class(html, "table", "rows");
        html_element(html, "caption", NULL, STR("Sets on it"));
        page_columns(html, columns, COUNT(columns));
        html_begin(html, "tbody");
        for (size_t state = 0; state < STATUS_STATES; state++)
            add_cells_in(page, cluster, (enum status_state)state);
        html_end(html);
        html_end(html);
    }
    html_end(html);
}

static void add_events(const struct page *page, const struct status_cluster *cluster)
{
    html_begin(page->html, "section");
    html_part(page->html, STR("events"));
    if (!page_missing(page, WEB_KIND_CLUSTER_EVENTS))
        page_event_table(page, STR("Cluster"), cluster->key, EVENTS_SHOWN);
    html_end(page->html);
}

bool page_cluster(const struct page *page)
{
    const struct status_cluster *cluster = web_view_find_cluster(page->view, page->query->key);
    if (!cluster)
        return false;
    add_state(page, cluster);
    add_cells(page, cluster);
    add_facts(page, cluster);
    add_events(page, cluster);
    return true;
}
