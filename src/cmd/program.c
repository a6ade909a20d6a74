/*
 * The program's main function, the table of commands, and help.
 *
 * program_run() moves global flags behind the command, so that "corset --kubeconfig F status"
 * works, and then finds and runs the command. A command with children, such as cluster, runs the
 * child that its first argument names.
 */
#include "cmd/program.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "cmd/command.h"
#include "cmd/complete.h"
#include "cmd/global_flags.h"
#include "cmd/manual.h"

static const struct command *const commands[] = {
    &command_demo,        &command_up,     &command_cluster, &command_status,
    &command_get,         &command_why,    &command_web,     &command_plan,
    &command_pause,       &command_resume, &command_approve, &command_apiserver,
    &command_controller,  &command_bundle, &command_render,  &command_policy,
    &command_credentials, &command_backup, &command_restore, &command_completion,
    &command_version,
};

const struct command *command_at(size_t index)
{
    return index < COUNT(commands) ? commands[index] : NULL;
}

/* The name of a child is "cluster add"; the user types its last word. */
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

/* The text of corset help. manual.c and tools/reference read it too. */
static void add_overview(struct buf *out)
{
    buf_add(out, STR("corset brings manifests to every cluster of a fleet.\n\n"
                     "Usage: corset COMMAND [ARGUMENTS]\n\nCommands:\n"));
    for (size_t i = 0; i < COUNT(commands); i++)
        buf_print(out, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
    buf_print(out, "  %-10s  %s\n\n", "help", "explain a command: corset help up");
    buf_add(out, STR(GLOBAL_FLAGS_HELP));
    buf_add(out, STR("\nExit codes: 0 success, 1 the answer is no, 2 wrong usage, 3 failure.\n\n"
                     "Try it:\n"
                     "  corset demo\n"));
}

/* To standard output if it was asked for, to standard error after a mistake. */
static void print_overview(FILE *out)
{
    SCOPED(buf) text = {.limit = 0};
    add_overview(&text);
    fputs(buf_c(&text), out);
}

/* Prints that there is no such command, with a suggestion. above is the parent command or "". */
static int refuse_command(const char *name, const char *above, const struct command *const *list,
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
    fprintf(stderr, "Try '%s help%s%s'.\n", command_program(), *above ? " " : "", above);
    return COMMAND_USAGE;
}

/*
 * The command that the words name; NULL if there are no words. Prints a mistake and returns false.
 */
static bool find_topic(int argc, char **argv, const struct command **ret_command)
{
    *ret_command = NULL;
    if (argc == 0)
        return true;
    const struct command *command = command_find(argv[0]);
    if (!command) {
        refuse_command(argv[0], "", commands, COUNT(commands));
        return false;
    }
    *ret_command = command;
    if (!command->child_count || argc == 1)
        return true;
    *ret_command = find_in(command->children, command->child_count, argv[1]);
    if (!*ret_command)
        refuse_command(argv[1], command->name, command->children, command->child_count);
    return *ret_command != NULL;
}

/* For packagers: "help --man [COMMAND]" prints a manual page, "help --man-pages DIR" writes all. */
static int print_manual(int argc, char **argv)
{
    SCOPED(buf) overview = {.limit = 0};
    SCOPED(buf) page = {.limit = 0};
    const struct command *command;
    add_overview(&overview);
    if (strcmp(argv[0], "--man-pages") == 0 && argc == 2) {
        struct error *err = manual_write_all(argv[1], buf_str(&overview));
        return err ? command_fail(err) : COMMAND_DONE;
    }
    if (!find_topic(argc - 1, argv + 1, &command))
        return COMMAND_USAGE;
    manual_write(command, buf_str(&overview), &page);
    return command_print(buf_str(&page));
}

/* "corset help [COMMAND...]" */
static int print_help(int argc, char **argv)
{
    const struct command *command;
    if (argc && (strcmp(argv[0], "--man") == 0 || strcmp(argv[0], "--man-pages") == 0))
        return print_manual(argc, argv);
    if (!find_topic(argc, argv, &command))
        return COMMAND_USAGE;
    if (command)
        fputs(command->help, stdout);
    else
        print_overview(stdout);
    return COMMAND_DONE;
}

static int print_completions(int argc, char **argv)
{
    SCOPED(buf) out = {.limit = 0};
    complete_words(argc, argv, complete_names, &out);
    return command_print(buf_str(&out));
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* After "--" everything is an argument of the command. */
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* The number of arguments that a global flag at the front takes; 0 if there is none. */
static int global_flag_len(int argc, char **argv)
{
    struct str rest = str_from_c(argv[0]), name;
    const bool has_value = str_cut(&rest, '=', &name);
    for (size_t i = 0; i < GLOBAL_FLAGS_COUNT; i++) {
        const struct flag *flag = &global_flags[i];
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
static void move_global_flags(int argc, char **argv)
{
    int len = 0;
    while (len < argc) {
        const int more = global_flag_len(argc - len, argv + len);
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

/* A command with children and without arguments prints its help to standard error: wrong usage. */
static int run_command(const struct command *command, int argc, char **argv)
{
    if (command->child_count) {
        move_global_flags(argc, argv);
        const struct command *child =
            argc ? find_in(command->children, command->child_count, argv[0]) : NULL;
        if (child)
            return run_command(child, argc - 1, argv + 1);
        if (argc && !is_help(argv[0]))
            return refuse_command(argv[0], command->name, command->children, command->child_count);
        fputs(command->help, argc ? stdout : stderr);
        return argc ? COMMAND_DONE : COMMAND_USAGE;
    }
    if (asks_for_help(argc, argv)) {
        fputs(command->help, stdout);
        return COMMAND_DONE;
    }
    return command->run(argc, argv);
}

/* kubectl finds its plugins under this name: "kubectl corset status". */
static void take_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    if (name && strcmp(name, "kubectl-corset") == 0)
        command_set_program("kubectl corset");
}

/* Before a command only global flags may stand. */
static int refuse_front_flag(const char *argument)
{
    static const struct flag_group groups[] = {FLAGS_GROUP(global_flags, 0)};
    static const struct command globals = {.groups = groups, .group_count = COUNT(groups)};
    char buffer[FLAG_NAME_MAX];
    struct str rest = str_from_c(argument), name;
    str_cut(&rest, '=', &name);
    const char *meant = flags_guess(&globals, str_skip(name, name.len > 1 ? 2 : 1), buffer);
    fprintf(stderr, "corset: unknown flag '%s' in front of the command", argument);
    if (meant)
        fprintf(stderr, "; did you mean '--%s'?", meant);
    fprintf(stderr, "\nTry '%s help'.\n", command_program());
    return COMMAND_USAGE;
}

/*
 * "corset --version" is an alias of "corset version", and "__complete" is for the scripts of
 * corset completion.
 */
int program_run(int argc, char **argv)
{
    take_name(argv[0]);
    if (argc < 2) {
        print_overview(stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "__complete") == 0)
        return print_completions(argc - 2, argv + 2);
    move_global_flags(argc - 1, argv + 1);
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || is_help(name))
        return print_help(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0)
        name = command_version.name;
    const struct command *command = command_find(name);
    if (!command && name[0] == '-')
        return refuse_front_flag(name);
    if (!command)
        return refuse_command(name, "", commands, COUNT(commands));
    return run_command(command, argc - 2, argv + 2);
}
