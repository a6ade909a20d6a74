/* The program: finds the command and runs it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "cmd/command.h"

static const struct command *const commands[] = {
    &command_apiserver,
    &command_demo,
    &command_version,
};

/* Further apart than this, a word is not a typing mistake of another. */
#define GUESS_DISTANCE 2

int command_fail(struct error *err)
{
    fprintf(stderr, "corset: %s\n", err->message);
    error_free(err);
    return COMMAND_FAILED;
}

int command_misused(const struct command *command, const char *format, ...)
{
    fprintf(stderr, "corset: ");
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry 'corset %s --help'.\n", command->name);
    return COMMAND_USAGE;
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Edits that turn one word into the other, by the usual table, a row at a time. */
static size_t distance(struct str a, struct str b)
{
    OWNED_PTR size_t *row = mem_realloc_array(NULL, b.len + 1, sizeof(*row));
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a.ptr[i - 1] != b.ptr[j - 1]));
            diagonal = above;
        }
    }
    return row[b.len];
}

const char *command_guess(const char *typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t nearest = GUESS_DISTANCE + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t apart = distance(str_from_c(typed), str_from_c(names[i]));
        if (apart < nearest) {
            nearest = apart;
            best = names[i];
        }
    }
    return best;
}

static void print_help(FILE *out)
{
    fprintf(out, "corset brings manifests to every cluster of a fleet.\n\n"
                 "Usage: corset COMMAND [ARGUMENTS]\n\nCommands:\n");
    for (size_t i = 0; i < COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "  %-10s %s\n\n", "help", "explain a command");
    fprintf(out, "Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 could not do it.\n");
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[COUNT(commands) + 1] = {[COUNT(commands)] = "help"};
    for (size_t i = 0; i < COUNT(commands); i++)
        names[i] = commands[i]->name;
    const char *meant = command_guess(name, names, COUNT(names));
    fprintf(stderr, "corset: there is no command '%s'.\n", name);
    if (meant)
        fprintf(stderr, "Did you mean '%s'?\n", meant);
    fprintf(stderr, "Try 'corset help'.\n");
    return COMMAND_USAGE;
}

static int help(const char *topic)
{
    if (!topic) {
        print_help(stdout);
        return COMMAND_DONE;
    }
    const struct command *command = find(topic);
    if (!command)
        return unknown(topic);
    fputs(command->help, stdout);
    return COMMAND_DONE;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return COMMAND_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "--version") == 0)
        name = command_version.name;
    const struct command *command = find(name);
    if (!command)
        return unknown(name);
    if (asks_for_help(argc - 2, argv + 2))
        return help(command->name);
    return command->run(argc - 2, argv + 2);
}
