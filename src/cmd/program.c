#include "cmd/program.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "cmd/command.h"
#include "cmd/globals.h"

static const struct command *const commands[] = {
    &command_demo,       &command_up,     &command_apiserver,
    &command_controller, &command_render, &command_version,
};

const struct command *command_at(size_t index)
{
    return index < COUNT(commands) ? commands[index] : NULL;
}

static const struct command *find_in(const struct command *const *list, size_t count,
                                     const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const char *last = strrchr(list[i]->name, ' ');
        if (strcmp(last ? last + 1 : list[i]->name, name) == 0)
            return list[i];
    }
    return NULL;
}

const struct command *command_find(const char *name)
{
    return find_in(commands, COUNT(commands), name);
}

static void print_help(FILE *out)
{
    fprintf(out, "corset brings manifests to every cluster of a fleet.\n\n"
                 "Usage: corset COMMAND [ARGUMENTS]\n\nCommands:\n");
    for (size_t i = 0; i < COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "  %-10s %s\n\n", "help", "explain a command: corset help up");
    fputs(GLOBALS_HELP, out);
    fprintf(out, "\nExit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 could not do it.\n\n"
                 "Try it:\n"
                 "  corset demo\n");
}

static int unknown(const char *name, const char *above, const struct command *const *list,
                   size_t count)
{
    const char *names[COUNT(commands) + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        const char *last = strrchr(list[i]->name, ' ');
        names[i] = last ? last + 1 : list[i]->name;
    }
    names[count] = "help";
    const char *meant = command_guess(name, names, count + 1);
    fprintf(stderr, "corset: there is no command '%s%s%s'.\n", above, *above ? " " : "", name);
    if (meant)
        fprintf(stderr, "Did you mean '%s%s%s'?\n", above, *above ? " " : "", meant);
    fprintf(stderr, "Try 'corset help%s%s'.\n", *above ? " " : "", above);
    return COMMAND_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc == 0) {
        print_help(stdout);
        return COMMAND_DONE;
    }
    const struct command *command = command_find(argv[0]);
    if (!command)
        return unknown(argv[0], "", commands, COUNT(commands));
    if (command->child_count && argc > 1) {
        const struct command *child = find_in(command->children, command->child_count, argv[1]);
        if (!child)
            return unknown(argv[1], command->name, command->children, command->child_count);
        command = child;
    }
    fputs(command->help, stdout);
    return COMMAND_DONE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Not behind "--", where everything is an argument. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* How many arguments a global flag at the front takes; 0: it is none. */
static int global_len(int argc, char **argv)
{
    struct str rest = str_from_c(argv[0]), name;
    const bool has_value = str_cut(&rest, '=', &name);
    for (size_t i = 0; i < GLOBALS_FLAGS; i++) {
        const struct flag *flag = &globals_flags[i];
        const bool is_long =
            str_starts_with(name, STR("--")) && str_eq(str_skip(name, 2), flag_name(flag));
        const bool is_letter =
            name.len >= 2 && name.ptr[0] == '-' && name.ptr[1] == flag_letter(flag);
        if (is_long)
            return has_value || argc < 2 ? 1 : 2;
        if (is_letter)
            return has_value || name.len > 2 || argc < 2 ? 1 : 2;
    }
    return 0;
}

/* "--kubeconfig F status -w" becomes "status --kubeconfig F -w". */
static void put_globals_behind(int argc, char **argv)
{
    int len = 0;
    while (len < argc) {
        const int more = global_len(argc - len, argv + len);
        if (!more)
            break;
        len += more;
    }
    if (!len || len >= argc)
        return;
    char *name = argv[len];
    memmove(argv + 1, argv, (size_t)len * sizeof(*argv));
    argv[0] = name;
}

static int run(const struct command *command, int argc, char **argv)
{
    if (command->child_count) {
        put_globals_behind(argc, argv);
        const struct command *child =
            argc ? find_in(command->children, command->child_count, argv[0]) : NULL;
        if (child)
            return run(child, argc - 1, argv + 1);
        if (argc && !is_help(argv[0]))
            return unknown(argv[0], command->name, command->children, command->child_count);
        fputs(command->help, argc ? stdout : stderr);
        return argc ? COMMAND_DONE : COMMAND_USAGE;
    }
    if (asks_for_help(argc, argv)) {
        fputs(command->help, stdout);
        return COMMAND_DONE;
    }
    return command->run(argc, argv);
}

int program_run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return COMMAND_USAGE;
    }
    put_globals_behind(argc - 1, argv + 1);
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || is_help(name))
        return help(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0)
        name = command_version.name;
    const struct command *command = command_find(name);
    if (!command)
        return unknown(name, "", commands, COUNT(commands));
    return run(command, argc - 2, argv + 2);
}
