/*
 * Rows of a table are printed piece by piece: those of one piece are aligned with each other, and
 * columns never become narrower. Items of one cluster come one after the other, so clusters are
 * counted by comparing with the last one.
 */
#include "cmd/get_print.h"

#include <stdlib.h>

#include "apiserver/crd/jsonpath.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/memory.h"
#include "fleet/fleet_item.h"
#include "json/json.h"
#include "json/path.h"
#include "json/yaml/yaml_write.h"

#define GROUP_NAMES 3

struct get_group {
    size_t items, clusters;
    char *last;               /* cluster that was counted last */
    char *names[GROUP_NAMES]; /* the first clusters */
};

static void group_release(void *value)
{
    struct get_group *group = value;
    mem_free(group->last);
    for (size_t i = 0; i < GROUP_NAMES; i++)
        mem_free(group->names[i]);
    mem_free(group);
}

static struct error *take_member(void *data, struct str name, struct str value);
static struct error *take_element(void *data, struct str text);
static const struct list_scanner_ops scanner_ops = {take_member, take_element};

void get_print_init(struct get_print *print)
{
    print->scanner = (struct list_scanner){.ops = &scanner_ops, .data = print};
    print->groups.release = group_release;
}

void get_print_done(struct get_print *print)
{
    list_scanner_done(&print->scanner);
    map_done(&print->groups);
    buf_done(&print->cluster);
    arena_done(&print->arena);
    arena_done(&print->batch);
}

static bool has_rows(const struct get_print *print)
{
    return print->form == GET_TABLE || print->form == GET_WIDE;
}

/* Whether the cluster has not been seen before; counts it then. */
static void note_cluster(struct get_print *print, struct str cluster)
{
    print->items++;
    if (str_eq(buf_str(&print->cluster), cluster))
        return;
    print->clusters++;
    buf_clear(&print->cluster);
    buf_add(&print->cluster, cluster);
}

static char *copy_text(struct str text)
{
    return mem_dup(text.ptr ? text.ptr : "", text.len);
}

static void count_in_group(struct get_print *print, struct str value, struct str cluster)
{
    struct get_group *group = map_find(&print->groups, value);
    if (!group) {
        group = NEW(struct get_group);
        map_put(&print->groups, value, group);
    }
    group->items++;
    if (group->last && str_eq(str_from_c(group->last), cluster))
        return;
    mem_free(group->last);
    group->last = copy_text(cluster);
    if (group->clusters < GROUP_NAMES)
        group->names[group->clusters] = copy_text(cluster);
    group->clusters++;
}

/* A value as text; containers as JSON. */
static void add_value(struct buf *out, const struct json_value *value)
{
    if (json_type(value) == JSON_STRING)
        buf_add(out, json_to_str(value));
    else if (value)
        json_write(out, value);
}

/* Text of a cluster goes to a terminal: no control characters. */
static struct str clean_text(struct arena *arena, const struct json_value *value)
{
    SCOPED(buf) text = {.limit = 64 * KILOBYTE};
    add_value(&text, value);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            text.ptr[i] = ' ';
    return arena_str(arena, buf_str(&text));
}

static size_t text_width(struct str text)
{
    size_t width = 0;
    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return width;
}

static void add_cell(struct get_print *print, size_t column, struct str text)
{
    const size_t width = text_width(text);
    if (width > print->widths[column])
        print->widths[column] = width;
    ARENA_ARRAY_PUSH(&print->batch, print->cells, print->cell_count, print->cell_capacity, text);
}

/* Cluster, namespace, then the columns that are shown. */
static void add_row(struct get_print *print, const struct json_value *row)
{
    const struct json_value *cell;
    size_t index = 0, column = 0;
    JSON_FOREACH (key, cell, json_get(row, STR("cells"))) {
        (void)key;
        if (index >= print->column_count)
            break;
        if (print->shows[index])
            add_cell(print, column++, clean_text(&print->batch, cell));
        if (index == 0 && print->has_namespaces)
            add_cell(print, column++,
                     clean_text(&print->batch, json_path(row, "object.metadata.namespace")));
        index++;
    }
}

static struct error *take_row(struct get_print *print, const struct json_value *row)
{
    const struct json_value *first = json_at(json_get(row, STR("cells")), 0);
    note_cluster(print, json_to_str(first));
    if (has_rows(print))
        add_row(print, row);
    if (print->form == GET_NAME) {
        const struct str name = clean_text(&print->batch, json_path(row, "object.metadata.name"));
        buf_print(print->out, "%.*s %.*s/%.*s\n", STR_ARG(json_to_str(first)),
                  STR_ARG(print->resource), STR_ARG(name));
    }
    return NULL;
}

static void take_item(struct get_print *print, const struct json_value *item)
{
    const struct str cluster = json_to_str(
        json_get(json_path(item, "metadata.annotations"), STR(FLEET_CLUSTER_ANNOTATION)));
    note_cluster(print, cluster);
    if (print->form == GET_YAML) {
        buf_add(print->out, print->items > 1 ? STR("---\n") : STR(""));
        yaml_write(print->out, item);
        return;
    }
    if (print->form != GET_JSONPATH && print->form != GET_GROUPS)
        return;
    SCOPED(arena) arena = {0};
    const struct str value = clean_text(&arena, jsonpath_first(print->path, item));
    if (print->form == GET_GROUPS)
        count_in_group(print, value.len ? value : STR("<none>"), cluster);
    else
        BUF_ADD_ALL(print->out, value, STR("\n"));
}

static struct error *take_element(void *data, struct str text)
{
    struct get_print *print = data;
    OWNED(json_doc) doc = NULL;
    TRY(json_read(text, &doc));
    const struct json_value *root = json_doc_root(doc);
    if (json_get(root, STR("cells")))
        return take_row(print, root);
    take_item(print, root);
    return NULL;
}

static void take_columns(struct get_print *print, const struct json_value *definitions)
{
    const struct json_value *definition;
    JSON_FOREACH (key, definition, definitions) {
        int64_t priority = 0;
        (void)key;
        if (print->column_count == GET_COLUMNS_MAX)
            break;
        (void)json_to_int64(json_get(definition, STR("priority")), &priority);
        print->columns[print->column_count] =
            clean_text(&print->arena, json_get(definition, STR("name")));
        print->shows[print->column_count++] = priority == 0 || print->form == GET_WIDE;
    }
}

/* The number behind "name=" in "asked=3, answered=2, …". */
static size_t read_count(struct str text, struct str name)
{
    const size_t at = str_find(text, name);
    uint64_t number = 0;
    for (size_t i = at + name.len; at != STR_NONE && i < text.len && ascii_is_digit(text.ptr[i]);
         i++)
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    return (size_t)number;
}

static void take_metadata(struct get_print *print, const struct json_value *metadata)
{
    const struct str counts = json_path_str(metadata, "clusters");
    const struct json_value *name;
    print->asked = read_count(counts, STR("asked="));
    print->answered = read_count(counts, STR("answered="));
    print->warning = clean_text(&print->arena, json_get(metadata, STR("warning")));
    JSON_FOREACH (key, name, json_get(metadata, STR("emptyClusters"))) {
        (void)key;
        print->missing++;
        if (print->form == GET_MISSING)
            BUF_ADD_ALL(print->out, clean_text(&print->arena, name), STR("\n"));
    }
}

static struct error *take_member(void *data, struct str name, struct str value)
{
    struct get_print *print = data;
    OWNED(json_doc) doc = NULL;
    TRY(json_read(value, &doc));
    if (str_eq(name, STR("columnDefinitions")))
        take_columns(print, json_doc_root(doc));
    else if (str_eq(name, STR("metadata")))
        take_metadata(print, json_doc_root(doc));
    return NULL;
}

static void add_padded(struct buf *out, struct str text, size_t width, bool is_last)
{
    buf_add(out, text);
    for (size_t i = text_width(text); !is_last && i < width + 3; i++)
        buf_add_char(out, ' ');
}

static size_t shown_columns(const struct get_print *print)
{
    size_t count = print->has_namespaces;
    for (size_t i = 0; i < print->column_count; i++)
        count += print->shows[i];
    return count;
}

static void add_title(struct get_print *print, size_t column, struct str title)
{
    char *upper = arena_alloc(&print->arena, title.len + 1);
    for (size_t i = 0; i < title.len; i++)
        upper[i] =
            title.ptr[i] >= 'a' && title.ptr[i] <= 'z' ? (char)(title.ptr[i] - 32) : title.ptr[i];
    if (title.len > print->widths[column])
        print->widths[column] = title.len;
    add_padded(print->out, str_from(upper, title.len), print->widths[column],
               column + 1 == shown_columns(print));
}

static void print_header(struct get_print *print)
{
    size_t column = 0;
    print->has_header = true;
    for (size_t i = 0; i < print->column_count; i++) {
        if (print->shows[i])
            add_title(print, column++, print->columns[i]);
        if (i == 0 && print->has_namespaces)
            add_title(print, column++, STR("Namespace"));
    }
    while (print->out->len && print->out->ptr[print->out->len - 1] == ' ')
        buf_truncate(print->out, print->out->len - 1);
    buf_add_char(print->out, '\n');
}

/* The rows that came with a piece. */
static void print_batch(struct get_print *print)
{
    const size_t columns = shown_columns(print);
    if (!columns)
        return;
    if (print->cell_count && !print->has_header)
        print_header(print);
    size_t column = 0;
    for (size_t i = 0; i < print->cell_count; i++) {
        const bool is_last = column + 1 == columns;
        add_padded(print->out, print->cells[i], print->widths[column], is_last);
        if (is_last)
            buf_add_char(print->out, '\n');
        column = is_last ? 0 : column + 1;
    }
    print->cells = NULL;
    print->cell_count = print->cell_capacity = 0;
    arena_clear(&print->batch);
}

struct error *get_print_take(void *data, struct str piece)
{
    struct get_print *print = data;
    if (print->form == GET_JSON)
        buf_add(print->out, piece);
    TRY(list_scanner_feed(&print->scanner, piece), "read the answer");
    print_batch(print);
    return buf_check(print->out);
}

struct ranked {
    struct str value;
    const struct get_group *group;
};

/* Largest first, then by value. */
static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->group->items != right->group->items)
        return left->group->items < right->group->items ? 1 : -1;
    return str_cmp(left->value, right->value);
}

static void add_number(struct buf *out, size_t number)
{
    char digits[STR_NUMBER_MAX];
    const struct str text = str_number(number, digits);
    for (size_t i = 0; i < text.len; i++) {
        if (i && (text.len - i) % 3 == 0)
            buf_add_char(out, ',');
        buf_add_char(out, text.ptr[i]);
    }
}

static struct str number_text(struct arena *arena, size_t number)
{
    SCOPED(buf) text = {0};
    add_number(&text, number);
    return arena_str(arena, buf_str(&text));
}

static struct str group_names(struct arena *arena, const struct get_group *group)
{
    SCOPED(buf) text = {0};
    for (size_t i = 0; i < group->clusters && i < GROUP_NAMES; i++)
        buf_print(&text, "%s%s", i ? ", " : "", group->names[i]);
    if (group->clusters > GROUP_NAMES)
        buf_add(&text, STR(", …"));
    return arena_str(arena, buf_str(&text));
}

/* VALUE, the resource, CLUSTERS, and the first clusters without a title. */
static void print_groups(struct get_print *print)
{
    const size_t count = map_count(&print->groups);
    struct ranked *ranked = arena_alloc_array(&print->arena, count, sizeof(*ranked));
    size_t at = 0;
    MAP_FOREACH (entry, &print->groups)
        ranked[at++] = (struct ranked){map_key(entry), entry->value};
    if (count)
        qsort(ranked, count, sizeof(*ranked), compare_ranked);
    print->columns[0] = STR("Value");
    print->columns[1] = print->resource;
    print->columns[2] = STR("Clusters");
    print->columns[3] = STR("");
    print->column_count = 4;
    print->has_namespaces = false;
    for (size_t i = 0; i < 4; i++)
        print->shows[i] = true;
    for (size_t i = 0; i < count; i++) {
        add_cell(print, 0, ranked[i].value);
        add_cell(print, 1, number_text(&print->arena, ranked[i].group->items));
        add_cell(print, 2, number_text(&print->arena, ranked[i].group->clusters));
        add_cell(print, 3, group_names(&print->arena, ranked[i].group));
    }
    print_batch(print);
}

struct error *get_print_end(struct get_print *print)
{
    TRY(list_scanner_end(&print->scanner), "read the answer");
    if (print->form == GET_GROUPS)
        print_groups(print);
    if (print->form == GET_COUNT) {
        add_number(print->out, print->items);
        BUF_ADD_ALL(print->out, STR(" "), print->resource, STR(" in "));
        add_number(print->out, print->clusters);
        buf_add(print->out, print->clusters == 1 ? STR(" cluster\n") : STR(" clusters\n"));
    }
    if (print->form == GET_GROUPS || print->form == GET_COUNT) {
        add_number(print->out, print->answered);
        buf_add(print->out, STR(" of "));
        add_number(print->out, print->asked);
        buf_add(print->out, STR(" clusters answered\n"));
    }
    return buf_check(print->out);
}
