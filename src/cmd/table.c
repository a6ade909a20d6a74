/*
 * Lays out tables in two passes: measure() finds the width each column would like, fit() takes
 * columns from the widest ones until the table fits. Widths are counted in terminal columns, not
 * in bytes.
 */
#include "cmd/table.h"

#include <assert.h>
#include <stdarg.h>

#include "base/array.h"
#include "cmd/terminal.h"

#define GAP         2
#define NOTE_INDENT 4
#define WIDTH_MIN   3 /* columns are not made narrower than this */

static const char *const codes[] = {
    [TABLE_PLAIN] = "",         [TABLE_BOLD] = "\x1b[1m",    [TABLE_DIM] = "\x1b[2m",
    [TABLE_GREEN] = "\x1b[32m", [TABLE_YELLOW] = "\x1b[33m", [TABLE_RED] = "\x1b[31m",
};

void table_done(struct table *table)
{
    mem_free(table->rows);
    arena_done(&table->arena);
}

void table_column(struct table *table, const char *title, size_t width_max)
{
    assert(table->column_count < TABLE_COLUMNS_MAX);
    table->columns[table->column_count].title = str_from_c(title);
    table->columns[table->column_count++].width_max = width_max;
}

/* Cells and notes belong to the last row. */
void table_row(struct table *table)
{
    ARRAY_PUSH(table->rows, table->row_count, table->capacity, (struct table_row_){0});
}

/* A copy of the text that is safe for a terminal. */
static struct str shown(struct table *table, struct str text)
{
    SCOPED(buf) fit = {.limit = 0};
    terminal_add_shown(&fit, text);
    return arena_str(&table->arena, buf_str(&fit));
}

void table_cell(struct table *table, struct str text, enum table_color color)
{
    struct table_row_ *row = &table->rows[table->row_count - 1];
    assert(row->count < table->column_count);
    row->cells[row->count++] = (struct table_cell_){shown(table, text), color};
}

/* Texts of more than 127 bytes are cut; only numbers are printed this way. */
void table_cell_print(struct table *table, enum table_color color, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is */
    const int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    const size_t most = sizeof(text) - 1;
    table_cell(table, str_from(text, len < 0 ? 0 : (size_t)len < most ? (size_t)len : most), color);
}

void table_note(struct table *table, struct str text)
{
    table->rows[table->row_count - 1].note = shown(table, text);
}

void table_add_colored(struct buf *out, struct str text, enum table_color color, bool has_color)
{
    const bool colored = has_color && color != TABLE_PLAIN && text.len;
    if (colored)
        buf_add(out, str_from_c(codes[color]));
    buf_add(out, text);
    if (colored)
        buf_add(out, STR("\x1b[0m"));
}

/* The widest cell of each column, up to the maximum of the column if anything is cut. */
static void measure(const struct table *table, size_t widths[static TABLE_COLUMNS_MAX], bool is_cut)
{
    for (size_t i = 0; i < table->column_count; i++) {
        size_t most = terminal_width(table->columns[i].title);
        for (size_t j = 0; j < table->row_count; j++) {
            const size_t width = terminal_width(table->rows[j].cells[i].text);
            most = width > most ? width : most;
        }
        const size_t limit = table->columns[i].width_max;
        widths[i] = is_cut && limit && most > limit ? limit : most;
    }
}

/* The width of the whole table, with the gaps. */
static size_t sum(const struct table *table, const size_t *widths)
{
    size_t total = 0;
    for (size_t i = 0; i < table->column_count; i++)
        total += widths[i] + (i ? GAP : 0);
    return total;
}

/* Narrows the widest column by one until the table fits, or every column has WIDTH_MIN. */
static void fit(const struct table *table, size_t *widths, size_t width)
{
    while (sum(table, widths) > width) {
        size_t widest = 0;
        for (size_t i = 1; i < table->column_count; i++)
            if (widths[i] >= widths[widest])
                widest = i;
        if (widths[widest] <= WIDTH_MIN)
            return;
        widths[widest]--;
    }
}

/* No spaces follow the last cell that has a text. */
static void write_cells(const struct table *table, const struct table_row_ *row,
                        const size_t *widths, struct buf *out, bool has_color)
{
    size_t last = row->count;
    while (last && !row->cells[last - 1].text.len)
        last--;
    for (size_t i = 0; i < last; i++) {
        SCOPED(buf) cell = {.limit = 0};
        const size_t used = terminal_width(row->cells[i].text);
        terminal_add_cut(&cell, row->cells[i].text, widths[i]);
        table_add_colored(out, buf_str(&cell), row->cells[i].color, has_color);
        for (size_t j = used < widths[i] ? used : widths[i]; i + 1 < last && j < widths[i] + GAP;
             j++)
            buf_add_char(out, ' ');
    }
    buf_add_char(out, '\n');
    (void)table;
}

/* The note below a row, indented and dim. */
static void write_note(const struct table_row_ *row, struct buf *out, size_t width, bool has_color)
{
    SCOPED(buf) text = {.limit = 0};
    if (!row->note.len)
        return;
    for (size_t i = 0; i < NOTE_INDENT; i++)
        buf_add_char(out, ' ');
    if (width)
        terminal_add_cut(&text, row->note, width > NOTE_INDENT ? width - NOTE_INDENT : 1);
    else
        buf_add(&text, row->note);
    table_add_colored(out, buf_str(&text), TABLE_DIM, has_color);
    buf_add_char(out, '\n');
}

/* Titles, then rows, each followed by its note. */
void table_write(const struct table *table, struct buf *out, size_t width, bool has_color)
{
    size_t widths[TABLE_COLUMNS_MAX] = {0};
    struct table_row_ titles = {.count = table->column_count};
    for (size_t i = 0; i < table->column_count; i++)
        titles.cells[i] = (struct table_cell_){table->columns[i].title, TABLE_BOLD};
    measure(table, widths, width != 0);
    if (width)
        fit(table, widths, width);
    write_cells(table, &titles, widths, out, has_color);
    for (size_t i = 0; i < table->row_count; i++) {
        write_cells(table, &table->rows[i], widths, out, has_color);
        write_note(&table->rows[i], out, width, has_color);
    }
}
