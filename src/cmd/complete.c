/*
 * Completes command lines. The words before the last one are read by take_word(), which follows
 * the names of commands and notices flags that expect a value. Then the last word is completed as
 * a value of the pending flag, as a flag, or as a command or plain argument.
 */
#include "cmd/complete.h"

#include <string.h>

#include "cmd/command.h"
#include "cmd/global_flags.h"

enum directive { COMPLETE_FILES = 0, COMPLETE_NOTHING = 4, COMPLETE_FOLDERS = 16 };

/* Before a command is known, only the global flags are. */
static const struct flag_group global_groups[] = {
    FLAGS_GROUP(global_flags, 0),
};
static const struct command no_command = {
    .name = "", .groups = global_groups, .group_count = COUNT(global_groups)};

/* What is known of the command line after some words. */
struct line {
    const struct command *command; /* as far as it is known */
    const struct flag *pending;    /* whose value is next */
    struct str current;
    bool is_help;     /* "help" stands there: commands follow, and nothing else */
    bool is_complete; /* the command has no further part to its name */
};

/* "--name" by name, "-x" by letter; NULL for an unknown flag and for other words. */
static const struct flag *find_flag(const struct command *command, struct str word)
{
    const struct flag *flag;
    const bool is_long = str_starts_with(word, STR("--"));
    const struct str name = is_long ? str_skip(word, 2) : str_skip(word, 1);
    for (size_t i = 0; name.len && (flag = flags_at(command, i)); i++) {
        const bool is_letter = !is_long && name.len == 1 && flag_letter(flag) == name.ptr[0];
        if (is_letter || (is_long && str_eq(flag_name(flag), name)))
            return flag;
    }
    return NULL;
}

static const struct command *find_child(const struct command *command, struct str word)
{
    for (size_t i = 0; i < command->child_count; i++) {
        struct str name = str_from_c(command->children[i]->name);
        if (str_eq(str_skip(name, str_find_last_char(name, ' ') + 1), word))
            return command->children[i];
    }
    return NULL;
}

/* Reads one word that is complete. */
static void take_word(struct line *line, const char *text)
{
    const struct str word = str_from_c(text);
    if (line->pending) {
        line->pending = NULL;
        return;
    }
    if (word.len && word.ptr[0] == '-') {
        const struct flag *flag = find_flag(line->command, word);
        if (flag && flag->type != FLAG_BOOL)
            line->pending = flag;
        return;
    }
    const struct command *next = line->is_complete              ? NULL
                                 : line->command == &no_command ? command_find(text)
                                                                : find_child(line->command, word);
    line->is_help |= line->command == &no_command && str_eq(word, STR("help"));
    if (next) {
        line->command = next;
        line->is_complete = !next->child_count;
    }
}

/* Adds a candidate if it begins with the current word. */
static void add(struct buf *out, struct str current, struct str word, const char *about)
{
    if (!str_starts_with(word, current))
        return;
    buf_add(out, word);
    if (about && *about)
        buf_print(out, "\t%s", about);
    buf_add_char(out, '\n');
}

/*
 * Candidates for a value. For "--flag=value" the shell replaces the whole word, so every candidate
 * begins with `front`, which is "--flag=".
 */
static enum directive add_choices(struct buf *out, const char *choices, struct str current,
                                  struct str front)
{
    struct str rest = str_from_c(choices), word;
    if (!choices)
        return COMPLETE_NOTHING;
    if (strcmp(choices, FLAG_FILE) == 0)
        return COMPLETE_FILES;
    if (strcmp(choices, FLAG_FOLDER) == 0)
        return COMPLETE_FOLDERS;
    while (rest.len) {
        SCOPED(buf) whole = {.limit = 0};
        str_cut(&rest, ' ', &word);
        buf_add(&whole, front);
        buf_add(&whole, word);
        if (str_starts_with(word, current))
            add(out, STR(""), buf_str(&whole), NULL);
    }
    return COMPLETE_NOTHING;
}

/* A command may define a flag of the same name as a global one; each name is shown once. */
static bool is_first(const struct command *command, size_t index)
{
    const struct str name = flag_name(flags_at(command, index));
    for (size_t i = 0; i < index; i++)
        if (str_eq(flag_name(flags_at(command, i)), name))
            return false;
    return true;
}

/* Completes "--na" to names, and "--name=va" to values. */
static enum directive complete_flag(const struct line *line, struct buf *out)
{
    struct str value = line->current, name;
    if (str_cut(&value, '=', &name)) {
        const struct flag *flag = find_flag(line->command, name);
        const struct str front = str_slice(line->current, 0, name.len + 1);
        return add_choices(out, flag ? flag->choices : NULL, value, front);
    }
    const struct flag *flag;
    for (size_t i = 0; (flag = flags_at(line->command, i)); i++) {
        SCOPED(buf) word = {.limit = 0};
        if (!flag_name(flag).len || !is_first(line->command, i))
            continue;
        buf_print(&word, "--%.*s", STR_ARG(flag_name(flag)));
        add(out, line->current, buf_str(&word), NULL);
    }
    add(out, line->current, STR("--help"), "explain the command");
    return COMPLETE_NOTHING;
}

/* Completes commands, children of commands, and plain arguments. */
static enum directive complete_plain(const struct line *line, struct buf *out)
{
    const struct command *command = line->command;
    if (command == &no_command) {
        const struct command *each;
        for (size_t i = 0; (each = command_at(i)); i++)
            add(out, line->current, str_from_c(each->name), each->summary);
        if (!line->is_help)
            add(out, line->current, STR("help"), "explain a command");
        return COMPLETE_NOTHING;
    }
    for (size_t i = 0; i < command->child_count; i++) {
        const struct str name = str_from_c(command->children[i]->name);
        add(out, line->current, str_skip(name, str_find_last_char(name, ' ') + 1),
            command->children[i]->summary);
    }
    const struct flag *flag;
    for (size_t i = 0; !line->is_help && (flag = flags_at(command, i)); i++)
        if (!flag_name(flag).len)
            return add_choices(out, flag->choices, line->current, STR(""));
    return COMPLETE_NOTHING;
}

void complete_words(int argc, char **argv, struct buf *out)
{
    struct line line = {.command = &no_command};
    for (int i = 0; i + 1 < argc; i++)
        take_word(&line, argv[i]);
    line.current = argc ? str_from_c(argv[argc - 1]) : STR("");
    enum directive directive;
    if (line.pending)
        directive = add_choices(out, line.pending->choices, line.current, STR(""));
    else if (str_starts_with(line.current, STR("-")))
        directive = complete_flag(&line, out);
    else
        directive = complete_plain(&line, out);
    buf_print(out, ":%d\n", (int)directive);
}
