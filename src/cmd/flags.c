/*
 * Reads command lines by the tables of flags.h.
 *
 * flags_read() goes through the arguments once. is_flag() decides whether an argument is a flag,
 * read_written() splits it into row and value, and set_value() converts the value by the type of
 * the row. Every mistake is printed where it is found.
 */
#include "cmd/flags.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/str.h"

#define FLAGS_MAX 64

void flag_list_done(struct flag_list *list)
{
    mem_free(list->items);
    *list = (struct flag_list){0};
}

struct str flag_name(const struct flag *flag)
{
    struct str rest = str_from_c(flag->name), name;
    str_cut(&rest, '|', &name);
    return name;
}

/* A flag of one letter, such as "v", is its own letter. */
char flag_letter(const struct flag *flag)
{
    const struct str name = flag_name(flag);
    if (name.len == 1)
        return name.ptr[0];
    return flag->name[name.len] ? flag->name[name.len + 1] : '\0';
}

/* Groups are numbered one after the other. */
const struct flag *flags_at(const struct command *command, size_t index)
{
    for (size_t i = 0; i < command->group_count; i++) {
        if (index < command->groups[i].count)
            return &command->groups[i].flags[index];
        index -= command->groups[i].count;
    }
    return NULL;
}

/* A row of a table, and the address of its value in the settings. */
struct place {
    const struct flag *flag;
    void *value;
};

/* index must be the number of a row. */
static struct place place_at(const struct command *command, size_t index, char *settings)
{
    const struct flag_group *group = command->groups;
    for (; index >= group->count; group++)
        index -= group->count;
    const struct flag *flag = &group->flags[index];
    return (struct place){flag, settings + group->offset + flag->offset};
}

/* The number of the row with this name; STR_NONE if there is none. */
static size_t find_row(const struct command *command, struct str name)
{
    const struct flag *flag;
    for (size_t i = 0; (flag = flags_at(command, i)); i++)
        if (str_eq(name, flag_name(flag)))
            return i;
    return STR_NONE;
}

static size_t find_letter(const struct command *command, char letter)
{
    const struct flag *flag;
    for (size_t i = 0; letter && (flag = flags_at(command, i)); i++)
        if (flag_letter(flag) == letter)
            return i;
    return STR_NONE;
}

const char *flags_guess(const struct command *command, struct str name, char *buffer)
{
    char known[FLAGS_MAX][FLAG_NAME_MAX], typed[FLAG_NAME_MAX] = {0};
    const char *names[FLAGS_MAX];
    const struct flag *flag;
    size_t count = 0;
    for (size_t i = 0; count < FLAGS_MAX && (flag = flags_at(command, i)); i++) {
        const struct str full = flag_name(flag);
        if (full.len < 2)
            continue;
        snprintf(known[count], sizeof(known[count]), "%.*s", STR_ARG(full));
        names[count] = known[count];
        count++;
    }
    if (name.len)
        memcpy(typed, name.ptr, name.len < sizeof(typed) ? name.len : sizeof(typed) - 1);
    const char *meant = command_guess(typed, names, count);
    if (meant)
        snprintf(buffer, FLAG_NAME_MAX, "%s", meant);
    return meant ? buffer : NULL;
}

/*
 * Prints that the flag is unknown, with the most similar known flag if there is one. Returns
 * false.
 */
static bool refuse_flag(const struct command *command, const char *argument, struct str name)
{
    char buffer[FLAG_NAME_MAX];
    const char *meant = flags_guess(command, name, buffer);
    if (meant)
        command_misused(command, "unknown flag '%s'; did you mean '--%s'?", argument, meant);
    else
        command_misused(command, "unknown flag '%s'", argument);
    return false;
}

static void add_to_list(struct flag_list *list, const char *value)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, value);
}

/* strtod() skips leading spaces, which are refused here. */
static bool set_level(const struct command *command, struct place place, const char *value)
{
    const struct str name = flag_name(place.flag);
    char *end;
    const double number = strtod(value, &end);
    if (end != value && !*end && !ascii_is_space(*value) && isfinite(number)) {
        *(double *)place.value = number;
        return true;
    }
    command_misused(command, "--%.*s wants a number, not '%s'", STR_ARG(name), value);
    return false;
}

/* Converts and stores a value. value is NULL only for a FLAG_BOOL without a value. */
static bool set_value(const struct command *command, struct place place, const char *value)
{
    const struct str name = flag_name(place.flag);
    uint64_t number;
    assert(value || place.flag->type == FLAG_BOOL);
    switch (place.flag->type) {
    case FLAG_TEXT:
        *(const char **)place.value = value;
        return true;
    case FLAG_BOOL:
        *(bool *)place.value = !value || strcmp(value, "true") == 0;
        if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
            return true;
        command_misused(command, "--%.*s is true or false, not '%s'", STR_ARG(name), value);
        return false;
    case FLAG_COUNT:
        if (str_to_uint64(str_from_c(value), &number) && number <= UINT32_MAX) {
            *(size_t *)place.value = (size_t)number;
            return true;
        }
        command_misused(command, "--%.*s wants a number, not '%s'", STR_ARG(name), value);
        return false;
    case FLAG_LIST:
        add_to_list(place.value, value);
        return true;
    case FLAG_SPAN:
        if (duration_read(str_from_c(value), place.value) && *(duration *)place.value >= 0)
            return true;
        command_misused(command, "--%.*s wants a duration such as 30s or 1m, not '%s'",
                        STR_ARG(name), value);
        return false;
    case FLAG_LEVEL:
        return set_level(command, place, value);
    }
    return false;
}

/*
 * A flag as an argument writes it. value is NULL if the argument has none; row is STR_NONE for an
 * unknown flag.
 */
struct written {
    size_t row;
    struct str name;
    const char *value;
};

static struct written read_written(const struct command *command, const char *argument)
{
    struct written written = {.row = STR_NONE};
    if (argument[1] != '-') {
        written.row = find_letter(command, argument[1]);
        written.name = str_from_c(argument + 1);
        if (written.row != STR_NONE && argument[2])
            written.value = argument + 2 + (argument[2] == '=');
        return written;
    }
    struct str rest = str_from_c(argument + 2);
    if (str_cut(&rest, '=', &written.name))
        written.value = argument + 2 + written.name.len + 1; /* behind the "=" */
    if (written.name.len)
        written.row = find_row(command, written.name);
    return written;
}

/* Stores an argument that is no flag, if the command takes such arguments. */
static bool take_plain(const struct command *command, const char *argument, void *settings)
{
    const size_t row = find_row(command, STR(""));
    if (row != STR_NONE)
        return set_value(command, place_at(command, row, settings), argument);
    command_misused(command, "unexpected argument '%s'", argument);
    return false;
}

static bool has_plain(const struct command *command)
{
    return find_row(command, STR("")) != STR_NONE;
}

/*
 * "-5" is a flag only for commands that have plain arguments or a flag with that letter; for
 * others it is reported as an unexpected argument.
 */
static bool is_flag(const struct command *command, const char *argument)
{
    if (argument[0] != '-' || !argument[1])
        return false;
    return argument[1] == '-' || has_plain(command) ||
           find_letter(command, argument[1]) != STR_NONE;
}

bool flags_read(const struct command *command, int argc, char **argv, void *settings)
{
    bool only_plain = false;
    for (int i = 0; i < argc; i++) {
        if (!only_plain && strcmp(argv[i], "--") == 0 && has_plain(command)) {
            only_plain = true;
            continue;
        }
        if (only_plain || !is_flag(command, argv[i])) {
            if (!take_plain(command, argv[i], settings))
                return false;
            continue;
        }
        struct written written = read_written(command, argv[i]);
        const struct flag *flag = written.row == STR_NONE ? NULL : flags_at(command, written.row);
        if (!flag)
            return refuse_flag(command, argv[i], written.name);
        if (!written.value && flag->type != FLAG_BOOL) {
            if (i + 1 == argc) {
                command_misused(command, "%s needs a value", argv[i]);
                return false;
            }
            written.value = argv[++i];
        }
        if (!set_value(command, place_at(command, written.row, settings), written.value))
            return false;
    }
    return true;
}
