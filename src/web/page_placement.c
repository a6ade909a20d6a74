/*
 * One set on one cluster: the chain of what must hold, each step with a sign, and below it what
 * corset why says, in the same words.
 */
#include "clusterresourceset/order.h"
#include "clusterresourceset/types/delivery.h"
#include "status/why_render.h"
#include "web/page_internal.h"
#include "web/web_waves.h"

enum step { STEP_MET, STEP_MISSED, STEP_OPEN };

static void begin_step(struct html *html, enum step step)
{
    static const struct {
        const char *class;
        struct str sign, word;
    } rows[] = {
        [STEP_MET] = {"met",    STR_INIT("✓"), STR_INIT("yes: ")    },
        [STEP_MISSED] = {"missed", STR_INIT("✗"), STR_INIT("no: ")     },
        [STEP_OPEN] = {"open",   STR_INIT("◌"), STR_INIT("not yet: ")},
    };
    html_begin_class(html, "li", rows[step].class);
    html_begin_class(html, "span", "sign");
    html_attr(html, "aria-hidden", STR("true"));
    html_text(html, rows[step].sign);
    html_end(html);
    html_element(html, "span", "hidden", rows[step].word);
    html_text(html, STR(" "));
}

static void add_selected(struct html *html, const struct status_cell *cell)
{
    SCOPED(buf) selector = {.limit = 0};
    selector_format(&selector, &cell->set->spec.selector);
    begin_step(html, STEP_MET);
    html_text(html, STR("selected by "));
    html_element(html, "code", NULL, buf_str(&selector));
    html_end(html);
}

static void add_dependencies(const struct page *page, const struct status_cluster *cluster,
                             const struct status_cell *cell)
{
    struct html *html = page->html;
    const struct order_names *names = &cell->set->depends_on;
    for (size_t i = 0; i < names->count; i++) {
        const struct status_cell *other;
        const enum order_state state =
            status_model_judge_named(&page->view->facts->model, cluster, names->names[i], &other);
        const bool is_waited_for = order_is_waited_for(state);
        SCOPED(buf) words = {.limit = 0};
        begin_step(html, is_waited_for ? STEP_OPEN : STEP_MET);
        html_text(html, STR("depends on "));
        page_link(html,
                  &(struct web_query){
                      .page = WEB_PLACEMENT, .key = cluster->key, .placement = names->names[i]},
                  NULL, names->names[i]);
        if (is_waited_for) {
            order_write_wait(&words, names->names[i], state);
            html_text(html, STR(": "));
            html_text(html, buf_str(&words));
        } else {
            html_text(html, state == ORDER_MET ? STR(", which is applied")
                                               : STR(", which does not select this cluster"));
        }
        html_end(html);
    }
}

/* A wave in this state, as a step of the chain. */
struct wave_step {
    struct str state;
    enum step step;
    struct str words;
};

static const struct wave_step *find_wave_step(struct str state)
{
    static const struct wave_step rows[] = {
        {STR_INIT("Waiting"),            STEP_OPEN,   STR_INIT(" has not begun")       },
        {STR_INIT("WaitingForApproval"), STEP_OPEN,   STR_INIT(" waits for approval")  },
        {STR_INIT("Halted"),             STEP_MISSED, STR_INIT(" is halted")           },
        {STR_INIT("Soaking"),            STEP_MET,    STR_INIT(" has begun, and soaks")},
        {STR_INIT("Done"),               STEP_MET,    STR_INIT(" is done")             },
        {STR_INIT(""),                   STEP_MET,    STR_INIT(" has begun")           },
    };
    size_t i = 0;
    while (i + 1 < COUNT(rows) && !str_eq(rows[i].state, state))
        i++;
    return &rows[i];
}

static void add_wave(const struct page *page, const struct status_cluster *cluster,
                     const struct status_cell *cell)
{
    struct html *html = page->html;
    const struct web_wave *waves = NULL;
    const size_t count = web_waves_find(page->view, cell->set, &waves);
    for (size_t i = 0; i < count; i++) {
        if (!web_waves_has(page->view->facts, cell->set, cluster, waves[i].name))
            continue;
        const struct wave_step *row = find_wave_step(waves[i].state);
        begin_step(html, row->step);
        html_text(html, STR("wave "));
        html_begin(html, "code");
        html_text_cut(html, waves[i].name, PAGE_NAME_MAX);
        html_end(html);
        html_text(html, row->words);
        if (waves[i].approval.len) {
            SCOPED(buf) command = {.limit = 0};
            page_write_approval(&command, cell->set->key, waves[i].name);
            html_text(html, STR(": "));
            html_element(html, "code", NULL, buf_str(&command));
        }
        html_end(html);
    }
}

static void add_connected(const struct page *page, const struct status_cluster *cluster)
{
    struct html *html = page->html;
    begin_step(html, cluster->is_unreachable   ? STEP_MISSED
                     : cluster->is_provisioned ? STEP_MET
                                               : STEP_OPEN);
    if (cluster->is_unreachable) {
        html_text(html, STR("connected: "));
        html_element(html, "q", NULL, cluster->lost_why);
        html_text(html, STR("."));
        page_connection(page, cluster);
    } else {
        html_text(html, cluster->is_provisioned ? STR("connected")
                                                : STR("the cluster is not provisioned yet"));
    }
    html_end(html);
}

static void add_pause(struct html *html, const struct status_cluster *cluster,
                      const struct status_cell *cell)
{
    if (!cluster->is_paused && !cell->set->is_paused)
        return;
    begin_step(html, STEP_OPEN);
    html_text(html, cluster->is_paused ? STR("the cluster is paused") : STR("the set is paused"));
    html_end(html);
}

static void add_applied(struct html *html, const struct status_cell *cell)
{
    const bool is_applied = status_state_is_applied(cell->state);
    begin_step(html, is_applied                     ? STEP_MET
                     : cell->state == STATUS_FAILED ? STEP_MISSED
                                                    : STEP_OPEN);
    html_text(html, STR("applied: "));
    html_number(html, cell->applied);
    html_text(html, STR(" of "));
    html_number(html, cell->set->spec.ref_count);
    html_text(html, cell->set->spec.ref_count == 1 ? STR(" resource") : STR(" resources"));
    if (cell->state == STATUS_FAILED && cell->why.len) {
        html_text(html, STR(": "));
        html_begin(html, "q");
        html_text_cut(html, cell->why, PAGE_TITLE_MAX);
        html_end(html);
    }
    html_end(html);
}

/* Only of what was applied can be told what became of it. */
static void add_after(struct html *html, const struct status_cell *cell)
{
    if (cell->state == STATUS_SETTLING) {
        begin_step(html, STEP_OPEN);
        html_text(html, STR("ready: "));
    } else if (cell->state == STATUS_DRIFTED || cell->state == STATUS_CONTESTED) {
        begin_step(html, STEP_MISSED);
        html_text(html, STR("unchanged since: "));
    } else if (cell->state == STATUS_HELD || cell->state == STATUS_PRUNING) {
        begin_step(html, STEP_OPEN);
        html_text(html, STR("without what is no longer wanted: "));
    } else {
        return;
    }
    html_begin(html, "q");
    html_text_cut(html, cell->why, PAGE_TITLE_MAX);
    html_end(html);
    html_end(html);
}

static void add_head(const struct page *page, const struct status_cluster *cluster,
                     const struct status_cell *cell)
{
    struct html *html = page->html;
    html_begin(html, "h1");
    page_link(html, &(struct web_query){.page = WEB_SET, .key = cell->set->key}, NULL,
              cell->set->key.name);
    html_text(html, STR(" on "));
    page_cluster_link(page, cluster->key);
    html_text(html, STR(" "));
    page_state(html, cell->state);
    html_end(html);
    html_begin_class(html, "p", "lead");
    html_text(html, STR("In this state for "));
    html_time(html, cell->since);
    if (cell->delivery && cell->delivery->revision.len) {
        html_text(html, STR(", revision "));
        html_element(html, "code", NULL, cell->delivery->revision);
    }
    html_text(html, STR("."));
    html_end(html);
}

static void add_chain(const struct page *page, const struct status_cluster *cluster,
                      const struct status_cell *cell)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("chain"));
    add_head(page, cluster, cell);
    html_begin_class(html, "ol", "chain");
    add_selected(html, cell);
    add_dependencies(page, cluster, cell);
    add_wave(page, cluster, cell);
    add_pause(html, cluster, cell);
    add_connected(page, cluster);
    add_applied(html, cell);
    add_after(html, cell);
    html_end(html);
    html_end(html);
}

/* The ages in it change by the clock alone. */
static void add_why(const struct page *page, const struct status_cluster *cluster,
                    const struct status_cell *cell)
{
    struct html *html = page->html;
    const struct status_model *model = &page->view->facts->model;
    SCOPED(buf) why = {.limit = 0};
    SCOPED(buf) constant = {.limit = 0};
    why_render_chain(model, cluster, cell, page->view->now, &why);
    why_render_chain(model, cluster, cell, 0, &constant);
    html_begin(html, "section");
    html_part(html, STR("why"));
    html_attr(html, "aria-labelledby", STR("why-title"));
    html_begin(html, "h2");
    html_attr(html, "id", STR("why-title"));
    html_text(html, STR("In the words of "));
    html_element(html, "code", NULL, STR("corset why"));
    html_end(html);
    html_begin(html, "pre");
    html_clock_text(html, buf_str(&why), buf_str(&constant));
    html_end(html);
    html_end(html);
}

bool page_placement(const struct page *page)
{
    const struct status_cluster *cluster = web_view_find_cluster(page->view, page->query->key);
    const struct status_cell *cell =
        cluster ? web_view_find_cell(cluster, page->query->placement) : NULL;
    if (!cell)
        return false;
    add_chain(page, cluster, cell);
    add_why(page, cluster, cell);
    return true;
}
