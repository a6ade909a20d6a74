/*
 * Cells of Table rows for built-in kinds: kind_builtin_cells(), and the functions that cells of
 * many kinds share.
 *
 * find_printer() finds the cells by the kind's array of columns; kind_columns_internal.h explains
 * the tables. Each cell function adds exactly one value to the row. Functions that only some kinds
 * need are static in the files of these kinds. Upstream:
 * k8s.io/kubernetes/pkg/printers/internalversion/printers.go.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "apimachinery/selector.h"
#include "apiserver/registry/kind_age.h"
#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_columns_internal.h"
#include "base/arena.h"
#include "base/ascii.h"
#include "base/memory.h"
#include "json/path.h"

void kind_cell_part(struct buf *text, const char *separator, struct str part)
{
    if (text->len > 0)
        buf_add(text, str_from_c(separator));
    buf_add(text, part);
}

void kind_cell_lower(struct buf *text, struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        buf_add_char(text, ascii_to_lower(word.ptr[i]));
}

void kind_cell_list_done(struct kind_cell_list *list)
{
    buf_done(&list->text);
}

void kind_cell_list_add(struct kind_cell_list *list, struct str part)
{
    if (list->count < KIND_CELL_LIST_MAX)
        buf_print(&list->text, "%s%.*s", list->count ? "," : "", STR_ARG(part));
    list->count++;
}

void kind_cell_list_finish(struct kind_cell_list *list)
{
    if (list->count > KIND_CELL_LIST_MAX)
        buf_print(&list->text, " + %zu more...", list->count - KIND_CELL_LIST_MAX);
}

struct str kind_cell_digits(int64_t number, char text[static KIND_CELL_DIGITS_MAX])
{
    const int len = snprintf(text, KIND_CELL_DIGITS_MAX, "%lld", (long long)number);
    return (struct str){text, (size_t)len};
}

int64_t kind_cell_number(const struct json_value *object, const char *path)
{
    int64_t number = 0;
    return json_to_int64(json_path(object, path), &number) ? number : 0;
}

bool kind_cell_has_condition(const struct json_value *object, struct str type)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, json_path(object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), type))
            return str_eq(json_path_str(condition, "status"), STR("True"));
    return false;
}

/* Adds a text, or the cell's `otherwise` for an empty one. */
static void write_or(const struct kind_row *row, const struct kind_cell *cell, struct str text)
{
    json_builder_str(row->out, str_is_empty(text) ? str_from_c(cell->otherwise) : text);
}

/* A number is shown too: the value may be an IntOrString. */
void kind_cell_str(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *value = json_path(row->object, cell->path);
    SCOPED(buf) number = {0};
    if (json_type(value) == JSON_NUMBER)
        json_write(&number, value); /* the number of an IntOrString */
    write_or(row, cell, number.len > 0 ? buf_str(&number) : json_to_str(value));
}

void kind_cell_int(const struct kind_row *row, const struct kind_cell *cell)
{
    json_builder_int(row->out, kind_cell_number(row->object, cell->path));
}

void kind_cell_bool(const struct kind_row *row, const struct kind_cell *cell)
{
    bool truth;
    if (!json_to_bool(json_path(row->object, cell->path), &truth))
        truth = cell->otherwise != NULL;
    json_builder_bool(row->out, truth);
}

void kind_cell_count(const struct kind_row *row, const struct kind_cell *cell)
{
    json_builder_int(row->out, (int64_t)json_count(json_path(row->object, cell->path)));
}

void kind_cell_age(const struct kind_row *row, const struct kind_cell *cell)
{
    char text[KIND_AGE_MAX];
    const struct json_value *time = json_path(row->object, cell->path);
    if (cell->otherwise && str_is_empty(json_to_str(time)))
        json_builder_str(row->out, str_from_c(cell->otherwise));
    else
        json_builder_str(row->out, kind_age_since(time, row->now, text));
}

void kind_cell_join(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *item;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, item, json_path(row->object, cell->path))
        kind_cell_part(&text, ",", json_to_str(item));
    write_or(row, cell, buf_str(&text));
}

struct label {
    struct str key, value;
};

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

/* Labels are sorted by key, as Go's labels.FormatLabels() does. */
void kind_cell_labels(const struct kind_row *row, const struct kind_cell *cell)
{
    const struct json_value *labels = json_path(row->object, cell->path), *value;
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    struct label *sorted = arena_alloc(&arena, (json_count(labels) + 1) * sizeof(*sorted));
    size_t count = 0;
    JSON_FOREACH (key, value, labels)
        sorted[count++] = (struct label){key, json_to_str(value)};
    qsort(sorted, count, sizeof(*sorted), by_key);
    for (size_t i = 0; i < count; i++) {
        kind_cell_part(&text, ",", sorted[i].key);
        buf_add_char(&text, '=');
        buf_add(&text, sorted[i].value);
    }
    write_or(row, cell, buf_str(&text));
}

/* A selector that cannot be read is shown as "<error>", as upstream. */
void kind_cell_selector(const struct kind_row *row, const struct kind_cell *cell)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    struct selector selector;
    OWNED(error) err = selector_from_value(&arena, json_path(row->object, cell->path), &selector);
    if (err)
        buf_add(&text, STR("<error>"));
    else
        selector_write(&text, &selector);
    write_or(row, cell, buf_str(&text));
}

/* One member of all containers of a pod spec, with commas. Init containers are not shown. */
static void write_of_containers(const struct kind_row *row, const char *path, const char *member)
{
    const struct json_value *container;
    SCOPED(buf) text = {0};
    JSON_FOREACH (key, container, json_get(json_path(row->object, path), STR("containers")))
        kind_cell_part(&text, ",", json_path_str(container, member));
    json_builder_str(row->out, buf_str(&text));
}

void kind_cell_containers(const struct kind_row *row, const struct kind_cell *cell)
{
    write_of_containers(row, cell->path, "name");
}

void kind_cell_images(const struct kind_row *row, const struct kind_cell *cell)
{
    write_of_containers(row, cell->path, "image");
}

static const struct kind_printer *find_in(const struct kind_printer *printers, size_t count,
                                          const struct kind_column *columns)
{
    for (size_t i = 0; i < count; i++)
        if (printers[i].columns == columns)
            return &printers[i];
    return NULL;
}

/*
 * Arrays of columns are compared by address. Every kind has a printer; tests look at all of them.
 */
static const struct kind_printer *find_printer(const struct kind_column *columns)
{
    const struct kind_printer *printer =
        find_in(kind_printers_core, kind_printers_core_count, columns);
    if (!printer)
        printer = find_in(kind_printers_workload, kind_printers_workload_count, columns);
    if (!printer)
        printer = find_in(kind_printers_cluster, kind_printers_cluster_count, columns);
    if (!printer)
        printer = find_in(kind_printers_storage, kind_printers_storage_count, columns);
    assert(printer);
    return printer;
}

/* The number of cells is that of the columns. */
void kind_builtin_cells(const struct kind *kind, const struct json_value *object, timestamp now,
                        struct json_builder *out)
{
    OWNED(json_doc) stored = NULL;
    struct kind_row row = {.kind = kind, .object = object, .now = now, .out = out};
    if (kind_autoscaler_is_v1(kind)) {
        OWNED(error) unreadable = kind_autoscaler_to_v2(object, &stored);
        row.object = unreadable ? object : json_doc_root(stored);
    }
    const struct kind_printer *printer = find_printer(kind->columns);
    assert(printer->count == kind->column_count);
    for (size_t i = 0; i < printer->count; i++)
        printer->cells[i].write(&row, &printer->cells[i]);
}
