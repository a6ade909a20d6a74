/*
 * Flags of commands: a table, read once.
 *
 *     const struct flag flags[] = {
 *         {"listen",     FLAG_TEXT, &listen},
 *         {"in-memory",  FLAG_BOOL, &in_memory},
 *         {"filename|f", FLAG_LIST, &files},
 *         {"",           FLAG_LIST, &files},
 *     };
 *     if (!flags_read(&command_x, argc, argv, flags, COUNT(flags)))
 *         return COMMAND_USAGE;
 *
 * "--name value", "--name=value" and, for FLAG_BOOL, "--name" alone. A flag that has a letter is
 * also
 * "-f value", "-fvalue" and "-f=value". The row without a name is for arguments that are no flags,
 * a lone "-" among them; all that follow "--" are such. A typo gets a suggestion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cmd/command.h"

enum flag_type {
    FLAG_TEXT,  /* const char * */
    FLAG_BOOL,  /* bool */
    FLAG_COUNT, /* size_t */
    FLAG_LIST,  /* struct flag_list: given as often as one likes */
    FLAG_SPAN,  /* duration: "10s", "1m30s" */
    FLAG_LEVEL, /* double, of limits; below zero: none */
};

struct flag_list {
    const char **items; /* owned, what they point to is borrowed */
    size_t count;
};

void flag_list_done(struct flag_list *list);

struct flag {
    const char *name; /* "name", or "name|n" with a letter */
    enum flag_type type;
    void *value;
};

/* False when something is wrong, which has been said then. */
bool flags_read(const struct command *command, int argc, char **argv, const struct flag *flags,
                size_t count);
