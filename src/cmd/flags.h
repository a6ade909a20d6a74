/*
 * Flags of commands: tables of rows, each of which says where in the command's settings its value
 * goes. What reads a command line also completes one.
 *
 *     static const struct flag flags[] = {
 *         {"listen",     FLAG_TEXT, offsetof(struct settings, listen), FLAG_ANY},
 *         {"output|o",   FLAG_TEXT, offsetof(struct settings, output), "yaml json"},
 *         {"filename|f", FLAG_LIST, offsetof(struct settings, files), FLAG_FILE},
 *         {"",           FLAG_LIST, offsetof(struct settings, files), FLAG_FILE},
 *     };
 *     static const struct flag_group groups[] = {
 *         FLAGS_GROUP(flags, 0),
 *         GLOBAL_FLAGS_GROUP(struct settings),
 *     };
 *     if (!flags_read(&command_x, argc, argv, &settings))
 *         return COMMAND_USAGE;
 *
 * "--name value", "--name=value" and, for FLAG_BOOL, "--name" alone. A flag that has a letter is
 * also "-f value", "-fvalue" and "-f=value"; "-v 3" is "--v 3". The row without a name is for
 * arguments that are no flags, a lone "-" among them; all that follow "--" are such. A typo gets a
 * suggestion.
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
    size_t count, capacity;
};

void flag_list_done(struct flag_list *list);

/* What may follow, for completion: words with spaces between, or one of these. */
#define FLAG_ANY    NULL
#define FLAG_FILE   "@file"
#define FLAG_FOLDER "@folder"

struct flag {
    const char *name; /* "name", or "name|n" with a letter */
    enum flag_type type;
    size_t offset;       /* of the value in the settings of its group */
    const char *choices; /* completed, not checked */
};

/* Rows that several commands share, and where in the settings of one of them theirs are. */
struct flag_group {
    const struct flag *flags;
    size_t count, offset;
};

#define FLAGS_GROUP(rows, at) \
    {                         \
        rows, COUNT(rows), at \
    }

/* False when something is wrong, which has been said then. */
bool flags_read(const struct command *command, int argc, char **argv, void *settings);

/* By number over all groups of a command, the row of plain arguments too; NULL past the end. */
const struct flag *flags_at(const struct command *command, size_t index);

struct str flag_name(const struct flag *flag);
char flag_letter(const struct flag *flag); /* 0: none */
