#include "cmd/flags.h"

#include <string.h>

#include "base/str.h"

#define FLAGS_MAX 32

static const struct flag *find(struct str name, const struct flag *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, str_from_c(flags[i].name)))
            return &flags[i];
    return NULL;
}

static bool unknown(const struct command *command, const char *argument, struct str name,
                    const struct flag *flags, size_t count)
{
    const char *names[FLAGS_MAX];
    char typed[64] = {0};
    for (size_t i = 0; i < count && i < FLAGS_MAX; i++)
        names[i] = flags[i].name;
    if (name.len)
        memcpy(typed, name.ptr, name.len < sizeof(typed) ? name.len : sizeof(typed) - 1);
    const char *meant = command_guess(typed, names, count < FLAGS_MAX ? count : FLAGS_MAX);
    if (meant)
        command_misused(command, "unknown flag '%s'; did you mean '--%s'?", argument, meant);
    else
        command_misused(command, "unknown flag '%s'", argument);
    return false;
}

static bool set(const struct command *command, const struct flag *flag, const char *value)
{
    uint64_t number;
    switch (flag->type) {
    case FLAG_TEXT:
        *(const char **)flag->value = value;
        return true;
    case FLAG_BOOL:
        *(bool *)flag->value = !value || strcmp(value, "true") == 0;
        if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
            return true;
        command_misused(command, "--%s is true or false, not '%s'", flag->name, value);
        return false;
    case FLAG_COUNT:
        if (str_to_uint64(str_from_c(value), &number) && number <= UINT32_MAX) {
            *(size_t *)flag->value = (size_t)number;
            return true;
        }
        command_misused(command, "--%s wants a number, not '%s'", flag->name, value);
        return false;
    }
    return false;
}

bool flags_read(const struct command *command, int argc, char **argv, const struct flag *flags,
                size_t count)
{
    for (int i = 0; i < argc; i++) {
        struct str rest = str_from_c(argv[i]), name;
        if (!str_starts_with(rest, STR("--"))) {
            command_misused(command, "unexpected argument '%s'", argv[i]);
            return false;
        }
        rest = str_skip(rest, 2);
        const bool has_value = str_cut(&rest, '=', &name);
        const struct flag *flag = find(name, flags, count);
        if (!flag)
            return unknown(command, argv[i], name, flags, count);
        const char *value = has_value ? argv[i] + 2 + name.len + 1 : NULL; /* behind the "=" */
        if (!has_value && flag->type != FLAG_BOOL) {
            if (i + 1 == argc) {
                command_misused(command, "--%s needs a value", flag->name);
                return false;
            }
            value = argv[++i];
        }
        if (!set(command, flag, value))
            return false;
    }
    return true;
}
