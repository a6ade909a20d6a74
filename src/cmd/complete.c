/*
 * Completes command lines. The words before the last one are read by take_word(), which follows
 * the names of commands and notices flags that expect a value. Then the last word is completed as
 * a value of the pending flag, as a flag, or as a command or plain argument.
 */
#include "cmd/complete.h"

#include <string.h>

#include "cmd/command.h"
#include "cmd/global_flags.h"

#define NAMES_MAX MEGABYTE

enum directive { COMPLETE_FILES = 0, COMPLETE_NOTHING = 4, COMPLETE_FOLDERS = 16 };

/* Before a command is known, only the global flags are. */
static const struct flag_group global_groups[] = {
    FLAGS_GROUP(global_flags, 0),
};
static const struct command no_command = {
    .name = "", .groups = global_groups, .group_count = COUNT(global_groups)};

/* Choices that are names, and what stands in front of each. */
static const struct {
    const char *choices;
    struct {
        enum complete_kind kind;
        const char *front;
    } parts[2];
    size_t count;
} name_choices[] = {
    {FLAG_CONTEXT,   {{COMPLETE_CONTEXTS, ""}},                                  1},
    {FLAG_NAMESPACE, {{COMPLETE_NAMESPACES, ""}},                                1},
    {FLAG_CLUSTER,   {{COMPLETE_CLUSTERS, ""}},                                  1},
    {FLAG_SET,       {{COMPLETE_SETS, ""}},                                      1},
    {FLAG_SUBJECT,   {{COMPLETE_SETS, ""}, {COMPLETE_CLUSTERS, "cluster/"}},     2},
    {FLAG_OBJECT,    {{COMPLETE_SETS, "set/"}, {COMPLETE_CLUSTERS, "cluster/"}}, 2},
};

/* What is known of the command line after some words. */
struct line {
    complete_names_fn *names;
    struct complete_place place;      /* by the flags of all commands */
    struct complete_place management; /* of cluster add, whose --kubeconfig is another cluster's */
    const struct command *command;    /* as far as it is known */
    const struct flag *pending;       /* whose value is next */
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

/* Remembers the flags that say where names are. */
static void note_value(struct line *line, const struct flag *flag, struct str value)
{
    const struct {
        struct str name;
        struct str *place;
    } rows[] = {
        {STR("kubeconfig"),            &line->place.kubeconfig     },
        {STR("context"),               &line->place.context        },
        {STR("namespace"),             &line->place.namespace      },
        {STR("management-kubeconfig"), &line->management.kubeconfig},
        {STR("management-context"),    &line->management.context   },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (str_eq(flag_name(flag), rows[i].name))
            *rows[i].place = value;
}

/* Reads one word that is complete. */
static void take_word(struct line *line, const char *text)
{
    const struct str word = str_from_c(text);
    if (line->pending) {
        note_value(line, line->pending, word);
        line->pending = NULL;
        return;
    }
    if (word.len && word.ptr[0] == '-') {
        struct str value = word, name;
        const bool has_value = str_cut(&value, '=', &name);
        const struct flag *flag = find_flag(line->command, name);
        if (flag && has_value)
            note_value(line, flag, value);
        else if (flag && flag->type != FLAG_BOOL)
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
 * Where the names for a flag are. cluster add has two clusters: its --context is of the workload
 * cluster's kubeconfig, every other name is one of the management cluster.
 */
static struct complete_place find_place(const struct line *line, const struct flag *flag,
                                        enum complete_kind kind)
{
    const bool has_two = find_flag(line->command, STR("--management-kubeconfig")) != NULL;
    struct complete_place place = line->place;
    if (!has_two || (kind == COMPLETE_CONTEXTS && str_eq(flag_name(flag), STR("context"))))
        return place;
    place = line->management;
    place.namespace = line->place.namespace;
    return place;
}

/* In the order in which they are found, since shells sort. */
static void add_names(const struct line *line, const struct flag *flag, size_t row,
                      struct str current, struct str front, struct buf *out)
{
    for (size_t i = 0; i < name_choices[row].count; i++) {
        SCOPED(buf) names = {.limit = NAMES_MAX};
        const enum complete_kind kind = name_choices[row].parts[i].kind;
        const struct complete_place place = find_place(line, flag, kind);
        line->names(kind, &place, &names);
        struct str rest = buf_str(&names), name;
        while (rest.len) {
            SCOPED(buf) word = {.limit = 0};
            SCOPED(buf) whole = {.limit = 0};
            str_cut(&rest, '\n', &name);
            buf_print(&word, "%s%.*s", name_choices[row].parts[i].front, STR_ARG(name));
            buf_print(&whole, "%.*s%.*s", STR_ARG(front), STR_ARG(buf_str(&word)));
            if (str_starts_with(buf_str(&word), current))
                add(out, STR(""), buf_str(&whole), NULL);
        }
    }
}

/*
 * Candidates for a value. For "--flag=value" the shell replaces the whole word, so every candidate
 * begins with `front`, which is "--flag=".
 */
static enum directive add_choices(const struct line *line, const struct flag *flag,
                                  struct str current, struct str front, struct buf *out)
{
    const char *choices = flag ? flag->choices : NULL;
    struct str rest = str_from_c(choices), word;
    if (!choices)
        return COMPLETE_NOTHING;
    if (strcmp(choices, FLAG_FILE) == 0)
        return COMPLETE_FILES;
    if (strcmp(choices, FLAG_FOLDER) == 0)
        return COMPLETE_FOLDERS;
    for (size_t i = 0; i < COUNT(name_choices); i++)
        if (strcmp(choices, name_choices[i].choices) == 0) {
            add_names(line, flag, i, current, front, out);
            return COMPLETE_NOTHING;
        }
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
        return add_choices(line, flag, value, front, out);
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
            return add_choices(line, flag, line->current, STR(""), out);
    return COMPLETE_NOTHING;
}

void complete_words(int argc, char **argv, complete_names_fn *names, struct buf *out)
{
    struct line line = {.command = &no_command, .names = names};
    for (int i = 0; i + 1 < argc; i++)
        take_word(&line, argv[i]);
    line.current = argc ? str_from_c(argv[argc - 1]) : STR("");
    enum directive directive;
    if (line.pending)
        directive = add_choices(&line, line.pending, line.current, STR(""), out);
    else if (str_starts_with(line.current, STR("-")))
        directive = complete_flag(&line, out);
    else
        directive = complete_plain(&line, out);
    buf_print(out, ":%d\n", (int)directive);
}
