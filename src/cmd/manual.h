/* Manual pages, made of the same texts as --help. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

struct command;

/*
 * Writes corset(1), which lists all commands, or the page of one command, such as corset-up(1), in
 * roff. command NULL means corset(1). Pure.
 */
void manual_write(const struct command *command, struct str overview, struct buf *out);

/* Writes all pages into a folder, as corset.1, corset-up.1 and so on. Blocks. */
MUST_USE struct error *manual_write_all(const char *folder, struct str overview);
