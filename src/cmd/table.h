/*
 * A table for people: columns as wide as what is in them, cut to the width of the terminal.
 *
 *     SCOPED(table) table = {0};
 *     table_column(&table, "NAME", 40);
 *     table_column(&table, "WHY", 0);
 *     table_row(&table);
 *     table_cell(&table, name, TABLE_PLAIN);
 *     table_cell(&table, why, TABLE_RED);
 *     table_write(&table, &out, width, has_color);
 *
 * Pure: data in, text out. Texts are copied and made fit for a terminal. Rows may be followed by
 * lines of their own, see table_note().
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

/* At most so wide; 0: as wide as there is room, which only the last one should be. */
void table_column(struct table *table, const char *title, size_t width_max);

void table_row(struct table *table);
void table_cell(struct table *table, struct str text, enum table_color color);
void table_cell_print(struct table *table, enum table_color color, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* A line below the row, indented and cut; an empty one is none. */
void table_note(struct table *table, struct str text);

void table_write(const struct table *table, struct buf *out, size_t width, bool has_color);

/* A text in a colour, if there is colour. */
void table_add_colored(struct buf *out, struct str text, enum table_color color, bool has_color);
