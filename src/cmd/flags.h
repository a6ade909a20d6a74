/*
 * Flags of commands: tables of rows, each of which names the member of the command's settings that
 * its value goes to. The same tables serve completion.
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
 * Accepted are "--name value", "--name=value" and, for FLAG_BOOL, "--name" alone. A flag with a
 * letter is also "-f value", "-fvalue" and "-f=value"; "-v 3" is "--v 3". The row without a name
 * takes the arguments that are no flags, including a lone "-" and everything after "--". For an
 * unknown flag the most similar one is suggested.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cmd/command.h"

enum flag_type {
    FLAG_TEXT,  /* const char * */
    FLAG_BOOL,  /* bool */
    FLAG_COUNT, /* size_t */
    FLAG_LIST,  /* struct flag_list: may be given several times */
    FLAG_SPAN,  /* duration: "10s", "1m30s" */
    FLAG_LEVEL, /* double, a limit; negative: no limit */
};

struct flag_list {
    const char **items; /* owned, what they point to is borrowed */
    size_t count, capacity;
};

void flag_list_done(struct flag_list *list);

/* Values for completion: words with spaces between them, or one of these. */
#define FLAG_ANY    NULL
#define FLAG_FILE   "@file"
#define FLAG_FOLDER "@folder"

/* Names that the kubeconfig or the management cluster knows; see cmd/complete.h. */
#define FLAG_CONTEXT   "@context"
#define FLAG_NAMESPACE "@namespace"
#define FLAG_CLUSTER   "@cluster"
#define FLAG_SET       "@set"     /* "NAME" */
#define FLAG_SUBJECT   "@subject" /* "NAME" of a set, "cluster/NAME" */
#define FLAG_OBJECT    "@object"  /* "set/NAME", "cluster/NAME" */

struct flag {
    const char *name; /* "name", or "name|n" with a letter */
    enum flag_type type;
    size_t offset;       /* of the value in the settings of its group */
    const char *choices; /* for completion; values are not checked against them */
};

/* Rows that several commands share, and the offset of their settings in those of a command. */
struct flag_group {
    const struct flag *flags;
    size_t count, offset;
};

#define FLAGS_GROUP(rows, at) \
    {                         \
        rows, COUNT(rows), at \
    }

/* Reads a command line into the settings. Prints the first mistake and returns false. */
bool flags_read(const struct command *command, int argc, char **argv, void *settings);

/*
 * A row by its number over all groups of a command, including the row of plain arguments; NULL
 * past the end.
 */
const struct flag *flags_at(const struct command *command, size_t index);

/* The name that was most likely meant, in a buffer of FLAG_NAME_MAX bytes; NULL if none is similar.
 */
#define FLAG_NAME_MAX 64
const char *flags_guess(const struct command *command, struct str name, char *buffer);

struct str flag_name(const struct flag *flag);
char flag_letter(const struct flag *flag); /* 0: none */
