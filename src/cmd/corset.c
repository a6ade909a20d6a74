/* The program: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"

static const struct command *const commands[] = {
    &command_apiserver,
    &command_controller,
    &command_demo,
    &command_render,
    &command_version,
};

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
