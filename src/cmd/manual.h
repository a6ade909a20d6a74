/*
 * Manual pages, from the same texts as --help.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

struct command;

/* corset(1), with all commands, or that of one command: corset-up(1). In roff. Pure. */
void manual_write(const struct command *command, struct str overview, struct buf *out);

/* All of them into a folder, as corset.1, corset-up.1 and so on. Blocks. */
MUST_USE struct error *manual_write_all(const char *folder, struct str overview);
