#include "web/web_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clusterresourceset/types/delivery.h"
#include "web/web_waves.h"

struct key web_row_key(const struct web_row *row)
{
    if (row->cluster)
        return row->cluster->key;
    assert(row->set);
    return row->set->key;
}

enum status_state web_row_state(const struct web_row *row)
{
    if (row->cell)
        return row->cell->state;
    if (row->cluster)
        return row->cluster->state;
    assert(row->set);
    return row->set->state;
}

timestamp web_row_since(const struct web_row *row)
{
    if (row->cell)
        return row->cell->since;
    if (row->cluster)
        return row->cluster->since;
    assert(row->set);
    return row->set->since;
}

struct str web_row_why(const struct web_row *row)
{
    if (row->cell)
        return row->cell->why;
    if (row->cluster)
        return row->cluster->why;
    assert(row->set);
    return row->set->why;
}

size_t web_rows_matching(const struct web_rows *rows)
{
    size_t sum = 0;
    for (size_t i = 0; i < STATUS_STATES; i++)
        sum += rows->facets[i];
    return sum;
}

/* Without case, by part. */
static bool has_part(struct str text, struct str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++)
        if (str_eq_nocase(str_slice(text, at, at + part.len), part))
            return true;
    return false;
}

/* "env=prod" among "env=prod,tier=1". */
static bool has_label(struct str labels, struct str wanted)
{
    struct str label;
    while (labels.len) {
        str_cut(&labels, ',', &label);
        if (str_eq(label, wanted))
            return true;
    }
    return false;
}

/* Every word must be a part of the name or a label. */
static bool matches_words(struct str words, struct str name, struct str labels)
{
    struct str word;
    while (words.len) {
        str_cut(&words, ' ', &word);
        const bool is_label = str_find_char(word, '=') != STR_NONE;
        if (word.len && !(is_label ? has_label(labels, word) : has_part(name, word)))
            return false;
    }
    return true;
}

static bool matches_common(const struct web_query *query, struct key key, struct str labels)
{
    return (!query->namespace.len || str_eq(query->namespace, key.namespace)) &&
           matches_words(query->q, key.name, labels);
}

static bool is_ready(const struct status_cell *cell)
{
    return cell->delivery && str_eq(cell->delivery->state, STR("Ready"));
}

/* Whether the delivery records of the row say that it is ready. */
static bool row_is_ready(const struct web_row *row)
{
    if (row->cell)
        return is_ready(row->cell);
    if (!row->cluster)
        return row->set->has_health && row->set->ready == row->set->clusters;
    for (size_t i = 0; i < row->cluster->cell_count; i++)
        if (!is_ready(&row->cluster->cells[i]))
            return false;
    return row->cluster->cell_count > 0;
}

static bool has_state(const struct web_query *query, const struct web_row *row)
{
    if (!query->has_state)
        return true;
    return query->is_ready ? row_is_ready(row) : web_row_state(row) == query->state;
}

/* The order of two places, by what is sorted first and then always by namespace and name. */
static int compare_places(const struct web_query *query, const struct web_place *a,
                          const struct web_place *b)
{
    int order = 0;
    if (query->sort == WEB_SORT_STATE)
        order = (int)a->state - (int)b->state;
    else if (query->sort == WEB_SORT_SINCE && a->since != b->since)
        order = a->since < b->since ? -1 : 1;
    if (query->sort == WEB_SORT_SINCE && order && (!a->since || !b->since))
        return a->since ? -1 : 1; /* times that are not known come last, either way */
    if (order)
        return query->is_descending ? -order : order;
    order = str_cmp(a->key.namespace, b->key.namespace);
    if (!order)
        order = str_cmp(a->key.name, b->key.name);
    return query->is_descending && query->sort == WEB_SORT_NAME ? -order : order;
}

static struct web_place place_of(const struct web_row *row)
{
    return (struct web_place){web_row_state(row), web_row_since(row), web_row_key(row)};
}

/* While it is sorted, a row has the query beside it, since qsort() passes no argument. */
struct sorted {
    const struct web_query *query;
    struct web_place place;
    struct web_row row;
};

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *one = a, *other = b;
    return compare_places(one->query, &one->place, &other->place);
}

/* The rows while they are collected. */
struct collection {
    const struct web_view *view;
    const struct web_query *query;
    struct web_rows *rows;
    struct sorted *items; /* NULL: the rows are those of the view, from `begin` on */
    size_t begin, count;
    bool is_unsorted;
};

/* The row at an index of the view. */
static struct web_row row_of_view(const struct collection *collection, size_t index)
{
    const struct web_view *view = collection->view;
    return collection->query->page == WEB_SETS ? (struct web_row){.set = view->sets[index]}
                                               : (struct web_row){.cluster = view->clusters[index]};
}

static struct web_row row_at(const struct collection *collection, size_t index)
{
    return collection->items ? collection->items[index].row
                             : row_of_view(collection, collection->begin + index);
}

static struct web_place place_at(const struct collection *collection, size_t index)
{
    const struct web_row row = row_at(collection, index);
    return place_of(&row);
}

/* The view is sorted by state: what asks for nothing else is a piece of it. */
static bool is_piece_of_view(const struct web_query *query)
{
    return !query->q.len && !query->namespace.len && !query->set.len && !query->wave.len &&
           !query->is_ready && query->sort == WEB_SORT_STATE && !query->is_descending;
}

static void take_piece(struct collection *collection)
{
    const struct web_view *view = collection->view;
    const bool of_sets = collection->query->page == WEB_SETS;
    const size_t *counts = of_sets ? view->set_counts : view->cluster_counts;
    memcpy(collection->rows->facets, counts, sizeof(collection->rows->facets));
    collection->count = of_sets ? view->set_count : view->cluster_count;
    if (!collection->query->has_state)
        return;
    for (size_t i = 0; i < (size_t)collection->query->state; i++)
        collection->begin += counts[i];
    collection->count = counts[collection->query->state];
}

/* What comes in order need not be sorted: the model is sorted by state. */
static void collect(struct collection *collection, const struct web_row *row)
{
    collection->rows->facets[web_row_state(row)]++;
    if (!has_state(collection->query, row))
        return;
    struct sorted *item = &collection->items[collection->count++];
    *item = (struct sorted){collection->query, place_of(row), *row};
    if (collection->count > 1 && compare_sorted(item - 1, item) > 0)
        collection->is_unsorted = true;
}

static void collect_sets(const struct web_view *view, struct collection *collection)
{
    for (size_t i = 0; i < view->set_count; i++) {
        const struct web_row row = {.set = view->sets[i]};
        if (matches_common(collection->query, row.set->key, STR("")))
            collect(collection, &row);
    }
}

static void collect_clusters(const struct web_view *view, struct collection *collection)
{
    const struct web_query *query = collection->query;
    for (size_t i = 0; i < view->cluster_count; i++) {
        struct web_row row = {.cluster = view->clusters[i]};
        if (query->set.len)
            row.cell = web_view_find_cell(row.cluster, query->set);
        if ((query->set.len && !row.cell) ||
            !matches_common(query, row.cluster->key, row.cluster->labels))
            continue;
        if (query->wave.len &&
            !(row.cell && web_waves_has(view->facts, row.cell->set, row.cluster, query->wave)))
            continue;
        collect(collection, &row);
    }
}

/* The number of rows up to the place. */
static size_t count_before(const struct collection *collection)
{
    const struct web_query *query = collection->query;
    size_t low = 0, high = query->has_after ? collection->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct web_place place = place_at(collection, middle);
        if (compare_places(query, &place, &query->after) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void cut_page(const struct collection *collection, struct web_rows *rows)
{
    const size_t limit = collection->query->limit;
    rows->total = collection->count;
    rows->first = count_before(collection);
    rows->count = rows->total - rows->first < limit ? rows->total - rows->first : limit;
    struct web_row *items =
        arena_alloc_array(collection->view->arena, rows->count + 1, sizeof(*items));
    for (size_t i = 0; i < rows->count; i++)
        items[i] = row_at(collection, rows->first + i);
    rows->items = items;
    rows->has_next = rows->first + rows->count < rows->total;
    rows->has_previous = rows->first > 0;
    rows->previous_is_first = rows->first <= limit;
    if (rows->has_next)
        rows->next = place_at(collection, rows->first + rows->count - 1);
    if (rows->has_previous && !rows->previous_is_first)
        rows->previous = place_at(collection, rows->first - limit - 1);
}

/* Goes through everything that there is. */
static void collect_all(struct collection *collection)
{
    const struct web_view *view = collection->view;
    const bool of_sets = collection->query->page == WEB_SETS;
    const size_t most = of_sets ? view->set_count : view->cluster_count;
    collection->items = mem_alloc((most + 1) * sizeof(*collection->items));
    if (of_sets)
        collect_sets(view, collection);
    else
        collect_clusters(view, collection);
    if (collection->is_unsorted)
        qsort(collection->items, collection->count, sizeof(*collection->items), compare_sorted);
}

struct web_rows web_rows_find(const struct web_view *view, const struct web_query *query)
{
    struct web_rows rows = {0};
    struct collection collection = {.view = view, .query = query, .rows = &rows};
    if (is_piece_of_view(query))
        take_piece(&collection);
    else
        collect_all(&collection);
    cut_page(&collection, &rows);
    mem_free(collection.items);
    return rows;
}
