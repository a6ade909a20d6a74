/*
 * Text made safe to show: one line, valid UTF-8, nothing that moves a terminal's cursor or changes
 * the order in which text is displayed.
 *
 * There are two spellings: Go's %q, which error messages of Kubernetes use, and JSON. Both exist
 * for one character at a time too, for writers that must stop on the boundary of a character.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends s as Go's %q prints it, quotes included. Invalid bytes become \xNN. */
void str_quote_go(struct buf *buf, struct str s);

/*
 * Appends foreign text as one line for people: control characters are escaped as Go's %q does it,
 * quotes and backslashes stay as they are.
 */
void quote_add_shown(struct buf *buf, struct str s);

#define QUOTE_PIECE_MAX 12

/*
 * Takes one character off the front of *rest, which is not empty, and writes it as it stands
 * between quotes. Returns the number of bytes written. In JSON an invalid byte becomes U+FFFD.
 */
size_t quote_next_go(struct str *rest, char ret_piece[static QUOTE_PIECE_MAX]);
size_t quote_next_json(struct str *rest, char ret_piece[static QUOTE_PIECE_MAX]);

/*
 * False for characters without a glyph or with a harmful one: controls, spaces other than ' ',
 * format characters such as direction marks, line separators, surrogates, private use,
 * noncharacters. Code points that no version of Unicode has assigned yet count as printable, unlike
 * in Go, except for the planes that are entirely empty: the assigned ones change with every version
 * of Unicode.
 */
bool quote_is_printable(uint32_t code);
