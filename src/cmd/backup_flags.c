#include "cmd/backup_flags.h"

#include "cmd/server_flags.h"

#define AT(member) offsetof(struct backup_settings, member)

static const struct flag flags[] = {
    {"data-dir", FLAG_TEXT, AT(data_dir), FLAG_FOLDER},
    {"",         FLAG_LIST, AT(files),    FLAG_FILE  },
};

const struct flag_group backup_flag_groups[BACKUP_FLAG_GROUPS] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct backup_settings),
};

static int parse_and_run(const struct command *command, struct backup_settings *settings, int argc,
                         char **argv, fiber_fn fn)
{
    if (!flags_read(command, argc, argv, settings))
        return COMMAND_USAGE;
    if (settings->files.count != 1)
        return command_misused(command, "give one FILE");
    settings->file = settings->files.items[0];
    if (!settings->data_dir)
        settings->data_dir = server_flags_default_folder(&settings->arena);
    if (!settings->data_dir)
        return command_misused(command, "give --data-dir, since HOME is not set");
    const int misused = global_flags_use(&settings->globals, command);
    return misused ? misused : command_run(fn, settings);
}

int backup_flags_run(const struct command *command, int argc, char **argv, fiber_fn fn)
{
    struct backup_settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(command, &settings, argc, argv, fn);
    flag_list_done(&settings.files);
    arena_done(&settings.arena);
    return code;
}
