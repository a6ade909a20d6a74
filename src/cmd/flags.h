/*
 * Flags of commands: a table, read once.
 *
 *     const struct flag flags[] = {
 *         {"listen",    FLAG_TEXT, &listen},
 *         {"in-memory", FLAG_BOOL, &in_memory},
 *     };
 *     if (!flags_read(&command_x, argc, argv, flags, COUNT(flags)))
 *         return COMMAND_USAGE;
 *
 * "--name value", "--name=value" and, for FLAG_BOOL, "--name" alone. A typo gets a suggestion.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cmd/command.h"

enum flag_type {
    FLAG_TEXT,  /* const char * */
    FLAG_BOOL,  /* bool */
    FLAG_COUNT, /* size_t */
};

struct flag {
    const char *name;
    enum flag_type type;
    void *value;
};

/* False when something is wrong, which has been said then. */
bool flags_read(const struct command *command, int argc, char **argv, const struct flag *flags,
                size_t count);
