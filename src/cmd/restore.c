/*
 * corset restore: makes a data folder of a file that corset backup has written.
 *
 * The folder must be without a database and without a server; nothing that exists is overwritten
 * but keys. What goes wrong leaves the folder as it was, or as one that a server refuses, and
 * restore can be run again; see folder_restore.h.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "apiserver/data_dir.h"
#include "apiserver/folder_backup.h"
#include "apiserver/folder_restore.h"
#include "base/folder.h"
#include "cmd/backup_flags.h"

static struct error *restore_folder(struct backup_settings *settings, int64_t *ret_revision)
{
    OWNED(data_dir) dir = NULL;
    SCOPED(buf) holder = {.limit = 0};
    TRY(folder_make(settings->data_dir, 0700));
    TRY(data_dir_try_lock(settings->data_dir, &dir, &holder));
    if (!dir)
        return error_new(ERROR_CONFLICT, "it is in use by process %s; stop it first",
                         buf_c(&holder));
    struct error *err = folder_restore_from(settings->data_dir, settings->file, ret_revision);
    OWNED(error) not_given = folder_backup_give_to_owner(settings->data_dir);
    return err ? err : TAKE(not_given);
}

static struct error *restore(void *data)
{
    struct backup_settings *settings = data;
    int64_t revision = 0;
    if (access(settings->file, R_OK) != 0)
        return error_from_errno(errno, "open %s", settings->file);
    TRY(restore_folder(settings, &revision), "restore %s", settings->data_dir);
    printf("restored: %s\nresourceVersions go on above %lld; start the server\n",
           settings->data_dir, (long long)revision);
    return NULL;
}

static int run_restore(int argc, char **argv)
{
    return backup_flags_run(&command_restore, argc, argv, restore);
}

const struct command command_restore = {
    .name = "restore",
    .summary = "make a data folder of a backup",
    .help =
        "Makes a data folder of a file of 'corset backup': checks every object, then puts\n"
        "database and keys into the folder, which must have no database and no server. What was\n"
        "written after the backup is not there; resourceVersions go on above all that were ever\n"
        "given, so that clients notice and begin anew. Keys that were rotated since are those of\n"
        "the backup again: rotate them once more if that matters.\n\n"
        "Usage: corset restore FILE [FLAGS]\n\n"
        "  --data-dir DIR  the folder to make\n"
        "                  (default: corset below $XDG_DATA_HOME or ~/.local/share)\n\n"
        "Try it:\n"
        "  corset restore monday.backup --data-dir restored\n",
    .groups = backup_flag_groups,
    .group_count = BACKUP_FLAG_GROUPS,
    .run = run_restore,
};
