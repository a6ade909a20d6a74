/*
 * corset backup: copies the data folder of a server into one file, while the server runs.
 *
 * A server that runs has the database locked and makes the copy; see folder_backup.h. When none
 * does, or when it ends before it has answered, the command has the lock and makes the copy itself.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "apiserver/data_dir.h"
#include "apiserver/folder_backup.h"
#include "apiserver/folder_keys.h"
#include "apiserver/folder_restore.h"
#include "apiserver/storage/store.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/signals.h"
#include "base/arena.h"
#include "cmd/backup_flags.h"
#include "cmd/until_signal.h"

#define SERVER_TIMEOUT (10 * MINUTE)
#define LOOK_EVERY     (50 * MILLISECOND)

/* Keys that are being replaced would not fit together in a backup. */
static struct error *complete_rotation(const struct backup_settings *settings)
{
    SCOPED(folder_files) files = {.path = NULL};
    TRY(folder_files_open(settings->data_dir, &files));
    return folder_keys_complete_rotation(&files);
}

/* The lock is held: no server runs, and nobody else can have asked for a backup. */
static struct error *copy_database(struct backup_settings *settings)
{
    OWNED(store) store = NULL;
    const char *part = arena_print(&settings->arena, "%s.part", settings->file).ptr;
    const char *path = arena_print(&settings->arena, "%s/corset.db", settings->data_dir).ptr;
    int64_t revision = 0;
    TRY(folder_restore_check(settings->data_dir));
    TRY(complete_rotation(settings));
    TRY(store_open(loop_current(), &(struct store_options){.path = path, .was_used = true},
                   &store));
    (void)unlink(part);
    TRY(folder_backup_write(store, settings->data_dir, part, &revision));
    if (rename(part, settings->file) == 0)
        return NULL;
    struct error *err = error_from_errno(errno, "rename %s to %s", part, settings->file);
    (void)unlink(part);
    return err;
}

/* Root leaves no file in the folder that the server's user cannot write. */
static struct error *copy_without_server(struct backup_settings *settings)
{
    struct error *err = copy_database(settings);
    folder_backup_clean(settings->data_dir);
    folder_backup_withdraw(settings->data_dir);
    OWNED(error) not_given = folder_backup_give_to_owner(settings->data_dir);
    return err ? err : TAKE(not_given);
}

struct copying {
    struct backup_settings *settings;
    bool is_done;
};

/* The server removes the request when it has answered. */
static struct error *wait_for_server(struct backup_settings *settings)
{
    const char *folder = settings->data_dir;
    const int64_t deadline = loop_now(loop_current()) + SERVER_TIMEOUT;
    while (folder_backup_is_wanted(folder)) {
        OWNED(data_dir) dir = NULL;
        SCOPED(buf) holder = {.limit = 0};
        TRY(data_dir_try_lock(folder, &dir, &holder));
        if (dir)
            return copy_without_server(settings);
        if (loop_now(loop_current()) >= deadline)
            return error_new(ERROR_DEADLINE,
                             "the server, process %s, has made no backup after 10 min; its log "
                             "says why",
                             buf_c(&holder));
        TRY(fiber_sleep(LOOK_EVERY));
    }
    return folder_backup_take(folder, settings->file);
}

static struct error *copy_folder(struct backup_settings *settings)
{
    OWNED(data_dir) dir = NULL;
    SCOPED(buf) holder = {.limit = 0};
    TRY(data_dir_try_lock(settings->data_dir, &dir, &holder));
    if (dir)
        return copy_without_server(settings);
    TRY(folder_backup_ask(settings->data_dir));
    struct error *err = wait_for_server(settings);
    if (err)
        folder_backup_withdraw(settings->data_dir);
    return err;
}

/* The function that until_signal() runs. */
static struct error *run_copy(void *data)
{
    struct copying *copying = data;
    TRY(copy_folder(copying->settings));
    copying->is_done = true;
    return NULL;
}

/* A signal ends the wait for the server, and the copy: the server must not go on for nobody. */
static struct error *copy_until_signal(struct backup_settings *settings)
{
    OWNED(signals) signals = NULL;
    struct copying copying = {.settings = settings};
    TRY(signals_new(loop_current(), &signals));
    TRY(until_signal(signals, run_copy, &copying, NULL));
    return copying.is_done ? NULL : error_new(ERROR_CANCELED, "interrupted; there is no backup");
}

/* A folder without a database is none: a mistyped name must not look like an empty backup. */
static struct error *back_up(void *data)
{
    struct backup_settings *settings = data;
    const char *path = arena_print(&settings->arena, "%s/corset.db", settings->data_dir).ptr;
    if (access(path, F_OK) != 0)
        return error_from_errno(errno, "look at %s", path);
    if (access(settings->file, F_OK) == 0)
        return error_new(ERROR_CONFLICT, "%s exists already; choose another name", settings->file);
    TRY(copy_until_signal(settings), "back up %s", settings->data_dir);
    printf("backed up: %s\nit holds the keys of the server and the kubeconfigs of all clusters\n",
           settings->file);
    return NULL;
}

static int run_backup(int argc, char **argv)
{
    return backup_flags_run(&command_backup, argc, argv, back_up);
}

const struct command command_backup = {
    .name = "backup",
    .summary = "copy the data of the embedded API server into a file",
    .help =
        "Copies the data folder of 'corset up' or 'corset apiserver' into one file, while the\n"
        "server runs or while it does not. The file has all objects as they were at one moment,\n"
        "and the keys of the server. Writes go on meanwhile. 'corset restore' makes a folder of\n"
        "it. Run it as root or as the user of the server.\n\n"
        "Usage: corset backup FILE [FLAGS]\n\n"
        "  --data-dir DIR  the folder of the server\n"
        "                  (default: corset below $XDG_DATA_HOME or ~/.local/share)\n\n"
        "Try it:\n"
        "  corset backup monday.backup --data-dir ~/.local/share/corset\n",
    .groups = backup_flag_groups,
    .group_count = BACKUP_FLAG_GROUPS,
    .run = run_backup,
};
