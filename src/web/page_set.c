/* One set: its condition in full, its policy in words, waves, clusters by state, resources. */
#include "clusterresourceset/types/delivery_policy.h"
#include "web/page_internal.h"
#include "web/web_contents.h"
#include "web/web_waves.h"

#define EVENTS_SHOWN  ((size_t)10)
#define REASONS_SHOWN ((size_t)20)

static void add_condition(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("set"));
    html_begin(html, "h1");
    html_text(html, STR("Set "));
    page_name(page, set->key);
    html_text(html, STR(" "));
    page_state(html, set->state);
    html_end(html);
    html_begin_class(html, "p", "lead");
    html_text(html, STR("Applied to "));
    html_number(html, status_count_applied(set->counts));
    html_text(html, STR(" of "));
    html_number(html, set->clusters);
    html_text(html, set->clusters == 1 ? STR(" cluster") : STR(" clusters"));
    html_text(html, STR(", in this state for "));
    html_time(html, set->since);
    html_text(html, STR("."));
    html_end(html);
    page_bar(page, set->counts,
             &(struct web_query){
                 .page = WEB_CLUSTERS, .set = set->key.name, .namespace = set->key.namespace});
    if (set->message.len || set->why.len)
        html_element(html, "blockquote", NULL, set->message.len ? set->message : set->why);
    html_end(html);
}

/* "repairs drift; deletes what manifests lose; waits until ready, 5 min" */
static void write_policy(const struct delivery_policy *policy, struct buf *out)
{
    static const char *const drift[] = {"does not look for drift", "reports drift",
                                        "repairs drift"};
    static const struct {
        enum delivery_policy_prune when;
        const char *words;
    } prunes[] = {
        {DELIVERY_POLICY_PRUNE_REMOVED,    "what manifests lose"                },
        {DELIVERY_POLICY_PRUNE_UNSELECTED, "from clusters that are not selected"},
        {DELIVERY_POLICY_PRUNE_DELETED,    "everything when the set is deleted" },
    };
    buf_add(out, str_from_c(drift[policy->drift]));
    for (size_t i = 0; i < COUNT(prunes); i++)
        if (policy->prune_when & prunes[i].when)
            buf_print(out, "; deletes %s", prunes[i].words);
    if (policy->health_timeout) {
        buf_add(out, STR("; waits until ready, "));
        html_add_age(out, 0, policy->health_timeout);
    }
    if (policy->wave_count)
        buf_print(out, "; rolls out in %zu wave%s", policy->wave_count,
                  policy->wave_count == 1 ? "" : "s");
    if (policy->fails_on_conflict)
        buf_add(out, STR("; leaves fields of others alone"));
    if (policy->has_values)
        buf_add(out, STR("; fills in values of each cluster"));
}

static void add_fact(struct html *html, const char *name, struct str text)
{
    if (!text.len)
        return;
    html_element(html, "dt", NULL, str_from_c(name));
    html_element(html, "dd", NULL, text);
}

static void add_policy_fact(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    const struct delivery_policy *policy = web_facts_policy(page->view->facts, set);
    if (!set->policy.len)
        return;
    SCOPED(buf) words = {.limit = 0};
    html_element(html, "dt", NULL, STR("Policy"));
    html_begin(html, "dd");
    html_begin(html, "code");
    html_text_cut(html, set->policy, PAGE_NAME_MAX);
    html_end(html);
    if (policy) {
        write_policy(policy, &words);
        html_text(html, STR(": "));
        html_text(html, buf_str(&words));
    }
    page_missing(page, WEB_KIND_POLICIES);
    html_end(html);
}

static void add_dependencies(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    if (!set->depends_on.count)
        return;
    html_element(html, "dt", NULL, STR("Depends on"));
    html_begin(html, "dd");
    for (size_t i = 0; i < set->depends_on.count; i++) {
        if (i)
            html_text(html, STR(", "));
        page_set_link(page, (struct key){set->key.namespace, set->depends_on.names[i]});
    }
    html_end(html);
}

static void add_facts(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    SCOPED(buf) selector = {.limit = 0};
    selector_format(&selector, &set->spec.selector);
    html_begin(html, "section");
    html_part(html, STR("facts"));
    html_begin(html, "dl");
    add_fact(html, "Selects", buf_str(&selector));
    add_fact(html, "Strategy", set->spec.strategy_text);
    add_policy_fact(page, set);
    add_dependencies(page, set);
    html_end(html);
    html_end(html);
}

static void add_count(struct html *html, const char *label, size_t count)
{
    page_begin_cell(html, label, "num");
    html_number(html, count);
    html_end(html);
}

static void add_wave(const struct page *page, const struct status_set *set,
                     const struct web_wave *wave)
{
    struct html *html = page->html;
    html_begin(html, "tr");
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    page_link(html,
              &(struct web_query){.page = WEB_CLUSTERS,
                                  .set = set->key.name,
                                  .namespace = set->key.namespace,
                                  .wave = wave->name},
              NULL, wave->name);
    html_end(html);
    add_count(html, "Clusters", wave->clusters);
    add_count(html, "Done", wave->done);
    add_count(html, "Failed", wave->failed);
    add_count(html, "Unreachable", wave->unreachable);
    page_begin_cell(html, "State", "wide");
    html_text_cut(html, wave->state, PAGE_WHY_MAX);
    if (wave->soak_left) {
        SCOPED(buf) left = {.limit = 0};
        html_add_age(&left, 0, wave->soak_left);
        html_text(html, STR(", "));
        html_text(html, buf_str(&left));
        html_text(html, STR(" of soaking left"));
    }
    if (wave->approval.len) {
        SCOPED(buf) command = {.limit = 0};
        page_write_approval(&command, set->key, wave->name);
        html_text(html, STR(". To approve: "));
        html_element(html, "code", NULL, buf_str(&command));
    }
    html_end(html);
    html_end(html);
}

static void add_waves(const struct page *page, const struct status_set *set)
{
    static const char *const columns[] = {"Wave",   "Clusters",    "Done",
                                          "Failed", "Unreachable", "State"};
    struct html *html = page->html;
    const struct web_wave *waves = NULL;
    const size_t count = web_waves_find(page->view, set, &waves);
    html_begin(html, "section");
    html_part(html, STR("waves"));
    if (count) {
        html_begin(html, "table");
        html_element(html, "caption", NULL, STR("Waves"));
        page_columns(html, columns, COUNT(columns));
        html_begin(html, "tbody");
        for (size_t i = 0; i < count; i++)
            add_wave(page, set, &waves[i]);
        html_end(html);
        html_end(html);
    }
    html_end(html);
}

/* The hash that most recently was applied somewhere. */
static struct str find_hash(const struct web_view *view, const struct status_set *set, size_t ref)
{
    struct str hash = {0}, time = {0};
    for (size_t i = 0; i < view->cluster_count; i++) {
        for (size_t j = 0; j < view->clusters[i]->cell_count; j++) {
            const struct status_cell *cell = &view->clusters[i]->cells[j];
            if (cell->set != set || str_cmp(cell->resources[ref].time, time) < 0)
                continue;
            hash = cell->resources[ref].hash;
            time = cell->resources[ref].time;
        }
    }
    return hash;
}

static size_t count_applied(const struct web_view *view, const struct status_set *set, size_t ref)
{
    size_t count = 0;
    for (size_t i = 0; i < view->cluster_count; i++)
        for (size_t j = 0; j < view->clusters[i]->cell_count; j++)
            count += view->clusters[i]->cells[j].set == set &&
                     view->clusters[i]->cells[j].resources[ref].is_applied;
    return count;
}

/* "3 KiB" */
static void add_size(struct html *html, const struct web_content *content)
{
    SCOPED(buf) text = {.limit = 0};
    page_begin_cell(html, "Size", "num");
    if (content && content->size) {
        html_add_number(&text, content->size < KILOBYTE ? content->size
                                                        : (content->size + 512) / KILOBYTE);
        buf_add(&text, content->size < KILOBYTE ? STR(" B") : STR(" KiB"));
    }
    html_text(html, buf_str(&text));
    html_end(html);
}

static void add_object(const struct page *page, const struct web_content_object *object)
{
    struct html *html = page->html;
    html_begin(html, "li");
    html_begin_class(html, "span", "ns");
    html_text_cut(html, object->kind, PAGE_NAME_MAX);
    html_end(html);
    html_text(html, STR(" "));
    html_text_cut(html, object->namespace, PAGE_NAME_MAX);
    html_text(html, object->namespace.len ? STR("/") : STR(""));
    html_text_cut(html, object->name, PAGE_NAME_MAX);
    html_end(html);
}

/* Kinds and names; what is inside of them is not known here. */
static void add_objects(const struct page *page, const struct web_content *content)
{
    struct html *html = page->html;
    const size_t shown =
        content->count < WEB_CONTENT_OBJECTS_MAX ? content->count : WEB_CONTENT_OBJECTS_MAX;
    html_begin_class(html, "ul", "labels");
    for (size_t i = 0; i < shown; i++)
        add_object(page, &content->objects[i]);
    html_end(html);
    if (content->count > shown) {
        html_text(html, STR("and "));
        html_number(html, content->count - shown);
        html_text(html, STR(" more"));
    }
}

static void add_content(const struct page *page, const struct web_content *content)
{
    struct html *html = page->html;
    page_begin_cell(html, NULL, "wide");
    if (content && content->problem.len) {
        html_text(html, STR("Not shown: "));
        html_text_cut(html, content->problem, PAGE_WHY_MAX * 3);
    } else if (content) {
        add_objects(page, content);
    }
    html_end(html);
}

static void add_hash(struct html *html, struct str hash)
{
    page_begin_cell(html, "Hash", NULL);
    html_begin(html, "code");
    html_attr(html, "title", hash);
    html_text(html, str_slice(hash, 0, 19));
    html_end(html);
    html_end(html);
}

static void add_resource(const struct page *page, const struct status_set *set, size_t ref)
{
    struct html *html = page->html;
    const struct web_content *content = web_view_find_content(page->view, set, ref);
    const bool has_hash = content && content->hash.len;
    html_begin(html, "tr");
    html_begin(html, "th");
    html_attr(html, "scope", STR("row"));
    html_element(html, "span", "ns", resource_kind_name(set->spec.refs[ref].kind));
    html_text(html, STR(" "));
    html_text_cut(html, set->spec.refs[ref].name, PAGE_NAME_MAX);
    html_end(html);
    add_count(html, "Clusters that have it", count_applied(page->view, set, ref));
    page_begin_cell(html, "Objects", "num");
    if (content && !content->problem.len)
        html_number(html, content->count);
    html_end(html);
    add_size(html, content);
    add_hash(html, has_hash ? content->hash : find_hash(page->view, set, ref));
    add_content(page, content);
    html_end(html);
}

static void add_resources(const struct page *page, const struct status_set *set)
{
    static const char *const columns[] = {"Resource", "Clusters that have it", "Objects", "Size",
                                          "Hash",     "What is in it"};
    struct html *html = page->html;
    html_begin(html, "section");
    html_part(html, STR("resources"));
    html_begin_class(html, "table", "rows");
    html_element(html, "caption", NULL, STR("What it brings"));
    page_columns(html, columns, COUNT(columns));
    html_begin(html, "tbody");
    for (size_t i = 0; i < set->spec.ref_count; i++)
        add_resource(page, set, i);
    html_end(html);
    html_end(html);
    html_end(html);
}

static void add_reasons(const struct page *page, const struct status_set *set)
{
    struct html *html = page->html;
    const struct web_reasons reasons = web_reasons_find(page->view, set->key.name);
    html_begin(html, "section");
    html_part(html, STR("attention"));
    if (reasons.count) {
        html_element(html, "h2", NULL, STR("What needs somebody"));
        page_reason_table(page, &reasons, REASONS_SHOWN);
    }
    html_end(html);
}

static void add_events(const struct page *page, const struct status_set *set)
{
    html_begin(page->html, "section");
    html_part(page->html, STR("events"));
    if (!page_missing(page, WEB_KIND_SET_EVENTS))
        page_event_table(page, STR("ClusterResourceSet"), set->key, EVENTS_SHOWN);
    html_end(page->html);
}

bool page_set(const struct page *page)
{
    const struct status_set *set = web_view_find_set(page->view, page->query->key);
    if (!set)
        return false;
    add_condition(page, set);
    add_reasons(page, set);
    add_waves(page, set);
    add_facts(page, set);
    add_resources(page, set);
    add_events(page, set);
    return true;
}
