/*
 * A table for people: columns are as wide as their contents and are cut to the width of the
 * terminal.
 *
 *     SCOPED(table) table = {0};
 *     table_column(&table, "NAME", 40);
 *     table_column(&table, "WHY", 0);
 *     table_row(&table);
 *     table_cell(&table, name, TABLE_PLAIN);
 *     table_cell(&table, why, TABLE_RED);
 *     table_write(&table, &out, width, has_color);
 *
 * Pure: data in, text out. Texts are copied and made safe for a terminal. A row may have a note,
 * which is a line below it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#define TABLE_COLUMNS_MAX 12

enum table_color {
    TABLE_PLAIN,
    TABLE_BOLD,
    TABLE_DIM,
    TABLE_GREEN,
    TABLE_YELLOW,
    TABLE_RED,
};

struct table_cell_ {
    struct str text;
    enum table_color color;
};

struct table_row_ {
    struct table_cell_ cells[TABLE_COLUMNS_MAX];
    size_t count;
    struct str note;
};

struct table {
    struct {
        struct str title;
        size_t width_max;
    } columns[TABLE_COLUMNS_MAX];
    size_t column_count;
    struct table_row_ *rows;
    size_t row_count, capacity;
    struct arena arena;
};

void table_done(struct table *table);

/* width_max 0: as wide as there is room; only the last column should be. */
void table_column(struct table *table, const char *title, size_t width_max);

void table_row(struct table *table);
void table_cell(struct table *table, struct str text, enum table_color color);
void table_cell_print(struct table *table, enum table_color color, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Sets the line below the last row. It is indented and cut; an empty text is no note. */
void table_note(struct table *table, struct str text);

/* width 0: nothing is cut, and every column is as wide as its contents. */
void table_write(const struct table *table, struct buf *out, size_t width, bool has_color);

/* Appends a text, in a colour if has_color. */
void table_add_colored(struct buf *out, struct str text, enum table_color color, bool has_color);
