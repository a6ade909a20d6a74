#include "cmd/flags.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/str.h"

#define FLAGS_MAX 64
#define NAME_MAX  64

void flag_list_done(struct flag_list *list)
{
    mem_free(list->items);
    *list = (struct flag_list){0};
}

static struct str name_of(const struct flag *flag)
{
    struct str rest = str_from_c(flag->name), name;
    str_cut(&rest, '|', &name);
    return name;
}

static char letter_of(const struct flag *flag)
{
    const struct str name = name_of(flag);
    return flag->name[name.len] ? flag->name[name.len + 1] : '\0';
}

static const struct flag *find(struct str name, const struct flag *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, name_of(&flags[i])))
            return &flags[i];
    return NULL;
}

static const struct flag *find_letter(char letter, const struct flag *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (letter && letter_of(&flags[i]) == letter)
            return &flags[i];
    return NULL;
}

static bool unknown(const struct command *command, const char *argument, struct str name,
                    const struct flag *flags, size_t count)
{
    char known[FLAGS_MAX][NAME_MAX], typed[NAME_MAX] = {0};
    const char *names[FLAGS_MAX];
    for (size_t i = 0; i < count && i < FLAGS_MAX; i++) {
        const struct str full = name_of(&flags[i]);
        snprintf(known[i], sizeof(known[i]), "%.*s", STR_ARG(full));
        names[i] = known[i];
    }
    if (name.len)
        memcpy(typed, name.ptr, name.len < sizeof(typed) ? name.len : sizeof(typed) - 1);
    const char *meant = command_guess(typed, names, count < FLAGS_MAX ? count : FLAGS_MAX);
    if (meant && meant[0])
        command_misused(command, "unknown flag '%s'; did you mean '--%s'?", argument, meant);
    else
        command_misused(command, "unknown flag '%s'", argument);
    return false;
}

static void add_to_list(struct flag_list *list, const char *value)
{
    list->items = mem_realloc_array(list->items, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = value;
}

static bool set_level(const struct command *command, const struct flag *flag, const char *value)
{
    const struct str name = name_of(flag);
    char *end;
    const double number = strtod(value, &end);
    if (end != value && !*end && !isspace((unsigned char)*value) && isfinite(number)) {
        *(double *)flag->value = number;
        return true;
    }
    command_misused(command, "--%.*s wants a number, not '%s'", STR_ARG(name), value);
    return false;
}

static bool set(const struct command *command, const struct flag *flag, const char *value)
{
    const struct str name = name_of(flag);
    uint64_t number;
    switch (flag->type) {
    case FLAG_TEXT:
        *(const char **)flag->value = value;
        return true;
    case FLAG_BOOL:
        *(bool *)flag->value = !value || strcmp(value, "true") == 0;
        if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
            return true;
        command_misused(command, "--%.*s is true or false, not '%s'", STR_ARG(name), value);
        return false;
    case FLAG_COUNT:
        if (str_to_uint64(str_from_c(value), &number) && number <= UINT32_MAX) {
            *(size_t *)flag->value = (size_t)number;
            return true;
        }
        command_misused(command, "--%.*s wants a number, not '%s'", STR_ARG(name), value);
        return false;
    case FLAG_LIST:
        add_to_list(flag->value, value);
        return true;
    case FLAG_SPAN:
        if (duration_read(str_from_c(value), flag->value) && *(duration *)flag->value >= 0)
            return true;
        command_misused(command, "--%.*s wants a duration such as 30s or 1m, not '%s'",
                        STR_ARG(name), value);
        return false;
    case FLAG_LEVEL:
        return set_level(command, flag, value);
    }
    return false;
}

/* A flag as it stands in an argument, and the value there; NULL when it has none there. */
struct written {
    const struct flag *flag;
    struct str name;
    const char *value;
};

static struct written read_written(const char *argument, const struct flag *flags, size_t count)
{
    struct written written = {0};
    if (argument[1] != '-') {
        written.flag = find_letter(argument[1], flags, count);
        written.name = str_from_c(argument + 1);
        if (written.flag && argument[2])
            written.value = argument + 2 + (argument[2] == '=');
        return written;
    }
    struct str rest = str_from_c(argument + 2);
    if (str_cut(&rest, '=', &written.name))
        written.value = argument + 2 + written.name.len + 1; /* behind the "=" */
    written.flag = written.name.len ? find(written.name, flags, count) : NULL;
    return written;
}

/* An argument that is no flag. */
static bool take_plain(const struct command *command, const char *argument,
                       const struct flag *flags, size_t count)
{
    const struct flag *rest = find(STR(""), flags, count);
    if (rest)
        return set(command, rest, argument);
    command_misused(command, "unexpected argument '%s'", argument);
    return false;
}

static bool is_flag(const char *argument, const struct flag *flags, size_t count)
{
    const bool has_letters = find(STR(""), flags, count) ||
                             (argument[0] == '-' && find_letter(argument[1], flags, count));
    return argument[0] == '-' && argument[1] && (argument[1] == '-' || has_letters);
}

bool flags_read(const struct command *command, int argc, char **argv, const struct flag *flags,
                size_t count)
{
    bool only_plain = false;
    for (int i = 0; i < argc; i++) {
        if (!only_plain && strcmp(argv[i], "--") == 0 && find(STR(""), flags, count)) {
            only_plain = true;
            continue;
        }
        if (only_plain || !is_flag(argv[i], flags, count)) {
            if (!take_plain(command, argv[i], flags, count))
                return false;
            continue;
        }
        struct written written = read_written(argv[i], flags, count);
        if (!written.flag)
            return unknown(command, argv[i], written.name, flags, count);
        if (!written.value && written.flag->type != FLAG_BOOL) {
            if (i + 1 == argc) {
                command_misused(command, "%s needs a value", argv[i]);
                return false;
            }
            written.value = argv[++i];
        }
        if (!set(command, written.flag, written.value))
            return false;
    }
    return true;
}
