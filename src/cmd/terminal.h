/*
 * What a terminal can do: its size, whether to use colour, and lines that are written in place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum terminal_color { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* Whether a file descriptor is a terminal that understands more than plain lines. */
bool terminal_is_live(int fd);

/* Whether to use colour on it, given the flag and NO_COLOR. */
bool terminal_has_color(int fd, enum terminal_color wanted);

/* From the terminal, else COLUMNS and LINES, else 80 x 24. */
void terminal_size(int fd, size_t *ret_width, size_t *ret_height);

/* One line of text of others that moves no cursor, with quotes as they are. */
void terminal_add_shown(struct buf *out, struct str text);

/* Columns a text takes; counts characters, and none for those that combine. */
size_t terminal_width(struct str text);

/* As much of a text as fits, "…" at its end when something is missing. */
void terminal_add_cut(struct buf *out, struct str text, size_t width);
