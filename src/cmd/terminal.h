/* Terminals: size, colour, and texts that fit into a number of columns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* True if the descriptor is a terminal that can move its cursor. */
bool terminal_is_live(int fd);

/* Decides by the flag --color, then by NO_COLOR and the terminal. */
bool terminal_has_color(int fd, enum terminal_color wanted);

/* The size of the terminal, else COLUMNS and LINES, else 80 x 24. */
void terminal_size(int fd, size_t *ret_width, size_t *ret_height);

/* Appends foreign text as one line; see quote_add_shown(). */
void terminal_add_shown(struct buf *out, struct str text);

/* The number of columns that a text takes. Combining characters take none. */
size_t terminal_width(struct str text);

/* Appends as much of a text as fits; a text that is cut ends in "…". */
void terminal_add_cut(struct buf *out, struct str text, size_t width);
