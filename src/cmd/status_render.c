/*
 * Renders the model of corset status as tables.
 *
 * A struct budget decides how many rows of a table are shown in the height of the terminal; the
 * other rows are summed up by state in a last line. The reason of a problem is a column if the
 * terminal is wide enough (INLINE_WIDTH), otherwise a line below its row.
 */
#include "cmd/status_render.h"

#include "apiserver/registry/kind_age.h"
#include "cmd/table.h"
#include "cmd/terminal.h"

#define INLINE_WIDTH 110 /* from here on there is room for reasons in the row */
#define NAME_WIDTH   48
#define LABELS_WIDTH 60
#define WHY_WIDTH    160
#define HASH_SHOWN   19 /* "sha256:" and twelve digits */
#define ROWS_MIN     3

static const enum table_color colors[] = {
    [STATUS_FAILED] = TABLE_RED,     [STATUS_UNREACHABLE] = TABLE_RED,
    [STATUS_CONTESTED] = TABLE_RED,  [STATUS_DRIFTED] = TABLE_YELLOW,
    [STATUS_HELD] = TABLE_YELLOW,    [STATUS_PRUNING] = TABLE_YELLOW,
    [STATUS_WAITING] = TABLE_YELLOW, [STATUS_SETTLING] = TABLE_YELLOW,
    [STATUS_PAUSED] = TABLE_DIM,     [STATUS_DELETING] = TABLE_YELLOW,
    [STATUS_APPLIED] = TABLE_GREEN,  [STATUS_IDLE] = TABLE_DIM,
};

/* True if reasons are a column of the table. */
static bool is_inline(const struct status_view *view)
{
    return view->is_wide || !view->width || view->width >= INLINE_WIDTH;
}

static void add_state(struct table *table, enum status_state state)
{
    table_cell(table, str_from_c(status_state_name(state)), colors[state]);
}

/* A clock that is slightly behind the server's would give negative ages; they count as 0. */
static void add_age(struct table *table, timestamp time, const struct status_view *view)
{
    char text[KIND_AGE_MAX];
    if (!time) {
        table_cell(table, STR("-"), TABLE_DIM);
        return;
    }
    const duration age = kind_age_between(time, view->now);
    table_cell(table, kind_age_write(age < 0 ? 0 : age, text), TABLE_PLAIN);
}

/* "3/10" */
static void add_share(struct table *table, size_t part, size_t whole)
{
    table_cell_print(table, TABLE_PLAIN, "%zu/%zu", part, whole);
}

/* Zero is dim, so that other numbers stand out. */
static void add_count(struct table *table, size_t count, enum status_state state)
{
    table_cell_print(table, count ? colors[state] : TABLE_DIM, "%zu", count);
}

static void begin_why(struct table *table, const struct status_view *view)
{
    if (is_inline(view))
        table_column(table, "WHY", view->is_wide ? 0 : WHY_WIDTH);
}

/* In the row if there is room, otherwise below it. */
static void add_why(struct table *table, struct str why, const struct status_view *view)
{
    if (is_inline(view))
        table_cell(table, why, TABLE_PLAIN);
    else
        table_note(table, why);
}

/* "10000 clusters: 3 failed, 12 waiting, 9985 applied" */
static void add_summary(struct buf *out, const char *what, size_t count,
                        const size_t counts[static STATUS_STATES], const struct status_view *view)
{
    SCOPED(buf) title = {.limit = 0};
    const char *between = ": ";
    buf_print(&title, "%zu %s%s", count, what, count == 1 ? "" : "s");
    table_add_colored(out, buf_str(&title), TABLE_BOLD, view->has_color);
    for (size_t i = 0; i < STATUS_STATES; i++) {
        SCOPED(buf) part = {.limit = 0};
        if (!counts[i])
            continue;
        buf_print(&part, "%zu %s", counts[i], status_state_name((enum status_state)i));
        buf_add(out, str_from_c(between));
        table_add_colored(out, buf_str(&part), colors[i], view->has_color);
        between = ", ";
    }
    buf_add_char(out, '\n');
}

/* The number of rows that are asked for. */
static size_t count_shown(const struct status_model *model,
                          const size_t counts[static STATUS_STATES])
{
    size_t count = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        count += status_model_shows(model, (enum status_state)i) ? counts[i] : 0;
    return count;
}

/* "None is failed or unreachable." instead of a table without rows. */
static void add_none(const struct status_model *model, struct buf *out)
{
    const char *between = "None is ";
    for (size_t i = 0; i < STATUS_STATES; i++) {
        if (!status_model_shows(model, (enum status_state)i))
            continue;
        buf_print(out, "%s%s", between, status_state_name((enum status_state)i));
        between = " or ";
    }
    buf_add(out, STR(".\n"));
}

/* "… and 9980 more: 9980 applied", for the rows that are not shown. */
static void add_rest(struct buf *out, const size_t counts[static STATUS_STATES],
                     const struct status_view *view)
{
    SCOPED(buf) text = {.limit = 0};
    size_t count = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        count += counts[i];
    if (!count)
        return;
    buf_print(&text, "… and %zu more", count);
    const char *between = ": ";
    for (size_t i = 0; i < STATUS_STATES; i++) {
        if (counts[i])
            buf_print(&text, "%s%zu %s", between, counts[i],
                      status_state_name((enum status_state)i));
        between = counts[i] ? ", " : between;
    }
    table_add_colored(out, buf_str(&text), TABLE_DIM, view->has_color);
    buf_add_char(out, '\n');
}

/* The lines a table may take, including titles and "… and more"; lines 0: no limit. */
struct budget {
    size_t lines, used;
    size_t rows; /* that are still to come */
    bool is_full;
};

/*
 * True if the next row fits. It counts as used in any case. After the first row that does not fit,
 * no other row is shown, since rows are sorted by importance. One line is kept for "… and more"
 * while rows are left.
 */
static bool takes(struct budget *budget, size_t cost)
{
    const size_t for_more = --budget->rows ? 1 : 0;
    if (budget->lines && budget->used + cost + for_more > budget->lines)
        budget->is_full = true;
    budget->used += cost;
    return !budget->is_full;
}

/* The number of lines of a row. */
static size_t cost_of(struct str why, const struct status_view *view)
{
    return !is_inline(view) && why.len ? 2 : 1;
}

/* The column of namespaces appears only with --all-namespaces. */
static void begin_names(struct table *table, const struct status_view *view)
{
    if (view->all_namespaces)
        table_column(table, "NAMESPACE", NAME_WIDTH);
    table_column(table, "NAME", NAME_WIDTH);
}

static void add_names(struct table *table, struct key key, const struct status_view *view)
{
    table_row(table);
    if (view->all_namespaces)
        table_cell(table, key.namespace, TABLE_PLAIN);
    table_cell(table, key.name, TABLE_PLAIN);
}

/* The names of spec.strategy in the API. */
static const char *strategy_name(const struct status_set *set)
{
    return set->spec.strategy == RESOURCE_RECONCILE    ? "Reconcile"
           : set->spec.strategy == RESOURCE_APPLY_ONCE ? "ApplyOnce"
                                                       : "unknown";
}

/* Clusters on which somebody has changed objects; of a set without a policy it is not known. */
static void add_drift(struct table *table, const struct status_set *set)
{
    const size_t contested = set->counts[STATUS_CONTESTED];
    if (set->policy.len)
        add_count(table, set->counts[STATUS_DRIFTED] + contested,
                  contested ? STATUS_CONTESTED : STATUS_DRIFTED);
    else
        table_cell(table, STR("-"), TABLE_DIM);
}

/* Clusters on which everything is ready; of a set without health it is not known. */
static void add_ready(struct table *table, const struct status_set *set)
{
    if (set->has_health)
        add_share(table, set->ready, set->clusters);
    else
        table_cell(table, STR("-"), TABLE_DIM);
}

/* How far the rollout of the set is, if it has waves. */
static void add_wave(struct table *table, const struct status_set *set)
{
    table_cell(table, set->has_rollout ? set->wave : STR("-"),
               set->has_rollout ? TABLE_PLAIN : TABLE_DIM);
}

/* -o wide has more columns, and so has a model with policies. */
static void add_set_row(struct table *table, const struct status_model *model,
                        const struct status_set *set, const struct status_view *view)
{
    add_names(table, set->key, view);
    add_state(table, set->state);
    add_share(table, status_count_applied(set->counts), set->clusters);
    add_count(table, set->counts[STATUS_FAILED], STATUS_FAILED);
    add_count(table, set->counts[STATUS_WAITING], STATUS_WAITING);
    if (model->has_health)
        add_ready(table, set);
    if (model->has_policies)
        add_drift(table, set);
    if (model->has_rollouts)
        add_wave(table, set);
    add_age(table, set->since, view);
    if (view->is_wide) {
        table_cell_print(table, TABLE_PLAIN, "%zu", set->spec.ref_count);
        table_cell(table, str_from_c(strategy_name(set)), TABLE_PLAIN);
        add_age(table, set->created, view);
    }
    add_why(table, set->why, view);
}

/* The table of all sets; lines is the number of lines it may take, 0 for any. */
static void render_sets(const struct status_model *model, const struct status_view *view,
                        size_t lines, struct buf *out)
{
    SCOPED(table) table = {0};
    const size_t rows = count_shown(model, model->set_counts);
    struct budget budget = {.lines = lines, .used = 1, .rows = rows};
    size_t rest[STATUS_STATES] = {0};
    if (!rows) {
        add_none(model, out);
        return;
    }
    begin_names(&table, view);
    table_column(&table, "STATE", 0);
    table_column(&table, "APPLIED", 0);
    table_column(&table, "FAILED", 0);
    table_column(&table, "WAITING", 0);
    if (model->has_health)
        table_column(&table, "READY", 0);
    if (model->has_policies)
        table_column(&table, "DRIFT", 0);
    if (model->has_rollouts)
        table_column(&table, "WAVE", 0);
    table_column(&table, "SINCE", 0);
    if (view->is_wide) {
        table_column(&table, "RESOURCES", 0);
        table_column(&table, "STRATEGY", 0);
        table_column(&table, "AGE", 0);
    }
    begin_why(&table, view);
    for (size_t i = 0; i < model->set_count; i++) {
        const struct status_set *set = model->sets[i];
        if (!status_model_shows(model, set->state))
            continue;
        if (takes(&budget, cost_of(set->why, view)))
            add_set_row(&table, model, set, view);
        else
            rest[set->state]++;
    }
    table_write(&table, out, view->width, view->has_color);
    add_rest(out, rest, view);
}

static void add_cluster_row(struct table *table, const struct status_cluster *cluster,
                            const struct status_view *view)
{
    add_names(table, cluster->key, view);
    add_state(table, cluster->state);
    add_share(table, status_count_applied(cluster->counts), cluster->cell_count);
    add_share(table, cluster->applied, cluster->wanted);
    add_age(table, cluster->since, view);
    if (view->is_wide) {
        table_cell(table, cluster->endpoint, TABLE_PLAIN);
        add_age(table, cluster->created, view);
        table_cell(table, cluster->labels, TABLE_PLAIN);
    }
    add_why(table, cluster->why, view);
}

/* The table of all clusters; lines is the number of lines it may take, 0 for any. */
static void render_clusters(const struct status_model *model, const struct status_view *view,
                            size_t lines, struct buf *out)
{
    SCOPED(table) table = {0};
    const size_t rows = count_shown(model, model->cluster_counts);
    struct budget budget = {.lines = lines, .used = 1, .rows = rows};
    size_t rest[STATUS_STATES] = {0};
    if (!rows) {
        add_none(model, out);
        return;
    }
    begin_names(&table, view);
    table_column(&table, "STATE", 0);
    table_column(&table, "SETS", 0);
    table_column(&table, "RESOURCES", 0);
    table_column(&table, "SINCE", 0);
    if (view->is_wide) {
        table_column(&table, "ENDPOINT", NAME_WIDTH);
        table_column(&table, "AGE", 0);
        table_column(&table, "LABELS", LABELS_WIDTH);
    }
    begin_why(&table, view);
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct status_cluster *cluster = model->clusters[i];
        if (!status_model_shows(model, cluster->state))
            continue;
        if (takes(&budget, cost_of(cluster->why, view)))
            add_cluster_row(&table, cluster, view);
        else
            rest[cluster->state]++;
    }
    table_write(&table, out, view->width, view->has_color);
    add_rest(out, rest, view);
}

/* Lines that are written already. */
static size_t count_lines(const struct buf *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->len; i++)
        lines += text->ptr[i] == '\n';
    return lines;
}

/*
 * The lines that are left on the terminal, but at least enough for titles, a row and "… and more".
 */
static size_t lines_left(const struct status_view *view, const struct buf *out)
{
    const size_t used = count_lines(out);
    if (!view->height)
        return 0;
    return view->height > used + ROWS_MIN ? view->height - used : ROWS_MIN;
}

void status_render_clusters(const struct status_model *model, const struct status_view *view,
                            struct buf *out)
{
    if (!model->cluster_count) {
        buf_add(
            out,
            selector_is_empty(&model->selector)
                ? STR("No clusters. Add one: corset cluster add NAME --kubeconfig FILE\n")
                : STR("No cluster has these labels. All of them: corset cluster list -o wide\n"));
        return;
    }
    render_clusters(model, view, lines_left(view, out), out);
}

/* Sets get a third of the height, clusters the rest. */
void status_render_all(const struct status_model *model, const struct status_view *view,
                       struct buf *out)
{
    if (!model->set_count) {
        buf_add(out, selector_is_empty(&model->selector)
                         ? STR("No ClusterResourceSets. An example: corset demo --manifests\n")
                         : STR("No ClusterResourceSet selects a cluster with these labels.\n"));
    } else {
        const size_t third = view->height / 3;
        add_summary(out, "set", model->set_count, model->set_counts, view);
        render_sets(model, view, !view->height ? 0 : third > ROWS_MIN ? third : ROWS_MIN, out);
    }
    buf_add_char(out, '\n');
    if (model->cluster_count)
        add_summary(out, "cluster", model->cluster_count, model->cluster_counts, view);
    status_render_clusters(model, view, out);
}

/* A line "title text" of a heading, cut to the width, if any. An empty text is left out. */
static void add_line(struct buf *out, const char *title, struct str text,
                     const struct status_view *view)
{
    SCOPED(buf) shown = {.limit = 0};
    if (!text.len)
        return;
    terminal_add_shown(&shown, text);
    buf_print(out, "%-11s", title);
    if (view->width)
        terminal_add_cut(out, buf_str(&shown), view->width > 12 ? view->width - 11 : 1);
    else
        buf_add(out, buf_str(&shown));
    buf_add_char(out, '\n');
}

/* "Set default/cni applied": the first line about one set or one cluster. */
static void add_heading(struct buf *out, const char *kind, struct key key, enum status_state state,
                        const struct status_view *view)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%s %.*s/%.*s", kind, STR_ARG(key.namespace), STR_ARG(key.name));
    table_add_colored(out, buf_str(&name), TABLE_BOLD, view->has_color);
    buf_add(out, STR("  "));
    table_add_colored(out, str_from_c(status_state_name(state)), colors[state], view->has_color);
    buf_add_char(out, '\n');
}

/* What the set selects and names, before the table of its clusters. */
static void add_set_facts(struct buf *out, const struct status_set *set,
                          const struct status_view *view)
{
    SCOPED(buf) selector = {.limit = 0};
    SCOPED(buf) resources = {.limit = 0};
    selector_format(&selector, &set->spec.selector);
    for (size_t i = 0; i < set->spec.ref_count; i++)
        buf_print(&resources, "%s%.*s %.*s", i ? ", " : "",
                  STR_ARG(resource_kind_name(set->spec.refs[i].kind)),
                  STR_ARG(set->spec.refs[i].name));
    add_heading(out, "Set", set->key, set->state, view);
    add_line(out, "selects", buf_str(&selector), view);
    add_line(out, "resources", buf_str(&resources), view);
    add_line(out, "strategy", str_from_c(strategy_name(set)), view);
    add_line(out, "why", set->why, view);
    buf_add_char(out, '\n');
    add_summary(out, "cluster", set->clusters, set->counts, view);
}

/* NULL if the set does not select the cluster. */
static const struct status_cell *cell_of(const struct status_cluster *cluster,
                                         const struct status_set *set)
{
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (cluster->cells[i].set == set)
            return &cluster->cells[i];
    return NULL;
}

/* The table of one set on all its clusters. */
struct cells {
    struct table table;
    struct budget budget;
    size_t rest[STATUS_STATES];
};

static void cells_done(struct cells *cells)
{
    table_done(&cells->table);
}

/* Adds a row, or counts the cell among those that are not shown. */
static void add_cell(struct cells *cells, const struct status_cluster *cluster,
                     const struct status_cell *cell, const struct status_view *view)
{
    struct table *table = &cells->table;
    if (!takes(&cells->budget, cost_of(cell->why, view))) {
        cells->rest[cell->state]++;
        return;
    }
    table_row(table);
    table_cell(table, cluster->key.name, TABLE_PLAIN);
    add_state(table, cell->state);
    add_share(table, cell->applied, cell->set->spec.ref_count);
    add_age(table, cell->since, view);
    add_why(table, cell->why, view);
}

/*
 * Clusters are sorted by their own state, which may be due to another set. So the cells are added
 * state by state.
 */
static void add_cells(struct cells *cells, const struct status_model *model,
                      const struct status_set *set, const struct status_view *view)
{
    for (size_t state = 0; state < STATUS_STATES; state++)
        for (size_t i = 0;
             status_model_shows(model, (enum status_state)state) && i < model->cluster_count; i++) {
            const struct status_cell *cell = cell_of(model->clusters[i], set);
            if (cell && cell->state == (enum status_state)state)
                add_cell(cells, model->clusters[i], cell, view);
        }
}

/* One set: its facts, then a row for each cluster it selects. */
void status_render_set(const struct status_model *model, const struct status_set *set,
                       const struct status_view *view, struct buf *out)
{
    SCOPED(cells) cells = {0};
    struct table *table = &cells.table;
    add_set_facts(out, set, view);
    const size_t rows = count_shown(model, set->counts);
    if (set->clusters && !rows)
        add_none(model, out);
    if (!rows)
        return;
    cells.budget = (struct budget){.lines = lines_left(view, out), .used = 1, .rows = rows};
    table_column(table, "CLUSTER", NAME_WIDTH);
    table_column(table, "STATE", 0);
    table_column(table, "RESOURCES", 0);
    table_column(table, "SINCE", 0);
    begin_why(table, view);
    add_cells(&cells, model, set, view);
    table_write(table, out, view->width, view->has_color);
    add_rest(out, cells.rest, view);
}

/* A resource that the binding does not mention waits, unless its set is paused or being deleted. */
static enum status_state resource_state(const struct status_cell *cell,
                                        const struct status_resource *resource)
{
    if (cell->state == STATUS_UNREACHABLE)
        return cell->state;
    if (resource->is_known)
        return resource->is_applied ? STATUS_APPLIED : STATUS_FAILED;
    return cell->state == STATUS_PAUSED || cell->state == STATUS_DELETING ? cell->state
                                                                          : STATUS_WAITING;
}

/*
 * The reason of a cell stands below the last resource of its set. That a cluster cannot be reached
 * stands above all of them.
 */
static void add_resource_row(struct table *table, const struct status_cell *cell, size_t index,
                             const struct status_view *view)
{
    const struct status_resource *resource = &cell->resources[index];
    const struct resource_ref *ref = &cell->set->spec.refs[index];
    const struct str kind = resource_kind_name(ref->kind);
    SCOPED(buf) resource_name = {.limit = 0};
    timestamp time = 0;
    (void)timestamp_read(resource->time, &time);
    table_row(table);
    table_cell(table, cell->set->key.name, TABLE_PLAIN);
    buf_print(&resource_name, "%.*s/%.*s", STR_ARG(kind), STR_ARG(ref->name));
    table_cell(table, buf_str(&resource_name), TABLE_PLAIN);
    add_state(table, resource_state(cell, resource));
    add_age(table, time, view);
    table_cell(table, str_slice(resource->hash, 0, HASH_SHOWN), TABLE_DIM);
    if (index + 1 == cell->set->spec.ref_count)
        table_note(table, cell->state == STATUS_UNREACHABLE ? STR("") : cell->why);
}

/* One cluster: a row for each resource of each set that selects it. */
void status_render_cluster(const struct status_model *model, const struct status_cluster *cluster,
                           const struct status_view *view, struct buf *out)
{
    SCOPED(table) table = {0};
    add_heading(out, "Cluster", cluster->key, cluster->state, view);
    add_line(out, "endpoint", cluster->endpoint, view);
    add_line(out, "labels", cluster->labels, view);
    if (!cluster->is_provisioned)
        add_line(out, "waits for", STR("status.initialization.infrastructureProvisioned"), view);
    if (cluster->is_unreachable)
        add_line(out, "why", cluster->why, view);
    buf_add_char(out, '\n');
    if (!cluster->cell_count) {
        buf_add(out, STR("No set selects this cluster.\n"));
        return;
    }
    if (!count_shown(model, cluster->counts)) {
        add_none(model, out);
        return;
    }
    table_column(&table, "SET", NAME_WIDTH);
    table_column(&table, "RESOURCE", NAME_WIDTH);
    table_column(&table, "STATE", 0);
    table_column(&table, "SINCE", 0);
    table_column(&table, "HASH", 0);
    for (size_t i = 0; i < cluster->cell_count; i++)
        for (size_t j = 0; status_model_shows(model, cluster->cells[i].state) &&
                           j < cluster->cells[i].set->spec.ref_count;
             j++)
            add_resource_row(&table, &cluster->cells[i], j, view);
    table_write(&table, out, view->width, view->has_color);
}
