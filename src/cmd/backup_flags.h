/* What corset backup and corset restore have in common: a folder, a file and the global flags. */
#pragma once

#include "base/arena.h"
#include "cmd/flags.h"
#include "cmd/global_flags.h"

struct backup_settings {
    const char *data_dir;
    struct flag_list files;
    struct global_flags globals;

    const char *file;   /* the one of files */
    struct arena arena; /* of names of folders and files */
};

#define BACKUP_FLAG_GROUPS 2
extern const struct flag_group backup_flag_groups[BACKUP_FLAG_GROUPS];

/* Reads the flags and runs the function with a struct backup_settings; see command_run(). */
int backup_flags_run(const struct command *command, int argc, char **argv, fiber_fn fn);
