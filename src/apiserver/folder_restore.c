/*
 * The steps of a restore:
 *
 *   1. The backup is checked, and its keys are read.
 *   2. corset.db.restoring is made. A server refuses a folder that has it.
 *   3. The database is made as corset.db.restored, and checked.
 *   4. The keys and the mark are put into place.
 *   5. corset.db.restored is renamed to corset.db.restoring.
 *   6. corset.db.restoring is renamed to corset.db.
 *
 * From step 2 on the folder has corset.db.restoring or corset.db at every moment.
 */
#include "apiserver/folder_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/folder_backup.h"
#include "apiserver/folder_files.h"
#include "apiserver/folder_keys.h"
#include "apiserver/storage/store.h"
#include "apiserver/storage/store_mark.h"
#include "async/loop.h"
#include "base/arena.h"
#include "base/duration.h"

#define DATABASE  "corset.db"
#define RESTORING DATABASE ".restoring"
#define RESTORED  DATABASE ".restored"

static const char *place(struct arena *arena, const char *folder, const char *name)
{
    return arena_print(arena, "%s/%s", folder, name).ptr;
}

struct error *folder_restore_check(const char *folder)
{
    struct stat status;
    SCOPED(arena) arena = {0};
    const char *path = place(&arena, folder, RESTORING);
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? NULL : error_from_errno(errno, "look at %s", path);
    return error_new(ERROR_IO,
                     "a restore of %s failed or was cut off; run 'corset restore' again, or use "
                     "another folder (%s says so; without it the folder is used as it is)",
                     folder, path);
}

/* What interrupted restores have left, those of earlier versions too. RESTORING itself stays. */
static void remove_rest(const struct folder_files *files)
{
    static const char *const names[] = {
        RESTORED,
        RESTORED "-wal",
        RESTORED "-journal",
        RESTORED ".mark",
        RESTORED ".mark.new",
        RESTORED ".reserve",
        RESTORING "-wal",
        RESTORING "-journal",
        RESTORING ".mark",
        RESTORING ".mark.new",
        RESTORING ".reserve",
    };
    for (size_t i = 0; i < COUNT(names); i++)
        folder_files_remove(files, names[i]);
}

static int64_t size_of(const struct folder_files *files, const char *name)
{
    struct stat status;
    return fstatat(files->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)status.st_size
                                                                       : -1;
}

/* A log without its database has writes that are nowhere else. */
static struct error *check_is_free(const struct folder_files *files)
{
    if (size_of(files, DATABASE) >= 0)
        return error_new(ERROR_CONFLICT,
                         "%s has a database already; move it away together with " DATABASE
                         "-wal, or restore into another folder",
                         files->path);
    if (size_of(files, DATABASE "-wal") > 0)
        return error_new(ERROR_CONFLICT,
                         "%s/" DATABASE "-wal has writes of the database that was here; move it to "
                         "where " DATABASE " is now, or restore into another folder",
                         files->path);
    return NULL;
}

static struct error *read_backup(const char *backup, struct folder_keys *keys)
{
    TRY(store_backup_read(backup, folder_keys_add, keys));
    const char *missing = folder_keys_missing(keys);
    if (missing)
        return error_new(ERROR_IO, "%s is damaged: it has no %s; restore another backup", backup,
                         missing);
    return NULL;
}

/*
 * Revisions go on above the mark of the new database, and by a safe distance: what is lost may have
 * had any of them. The clock is above every revision that was given, unless it was set back; the
 * mark that the folder still has tells then. Its epoch is that of no database, which is how the
 * store notices that something is lost.
 */
static struct error *mark_database(const struct folder_files *files, struct arena *arena)
{
    struct store_mark mark;
    enum store_mark_state state;
    int fd;
    const int64_t now = loop_wall(loop_current()) / MILLISECOND;
    TRY(store_mark_read(place(arena, files->path, DATABASE ".mark"), &mark, &state));
    mark.epoch = 0;
    if (state != STORE_MARK_READ || mark.revision < now)
        mark.revision = now;
    TRY(store_mark_open(place(arena, files->path, RESTORED ".mark"), mark, &fd));
    close(fd);
    return NULL;
}

/* Checks every row, and gives the database an epoch and revisions of its own. */
static struct error *settle_database(const struct folder_files *files, struct arena *arena,
                                     int64_t *ret_revision)
{
    OWNED(store) store = NULL;
    const char *path = place(arena, files->path, RESTORED);
    TRY(mark_database(files, arena));
    TRY(store_open(loop_current(), &(struct store_options){.path = path, .accept_loss = true},
                   &store));
    *ret_revision = store_revision(store);
    return NULL;
}

static struct error *rename_file(const struct folder_files *files, const char *from, const char *to)
{
    TRY(folder_files_give(files, from));
    if (renameat(files->fd, from, files->fd, to) == 0)
        return folder_files_sync(files);
    struct error *err = error_from_errno(errno, "rename to %s/%s", files->path, to);
    err->code = ERROR_IO;
    return err;
}

/* The mark comes first: a database without its mark would look as if the mark was lost. */
static struct error *place_database(const struct folder_files *files)
{
    if (size_of(files, RESTORED "-wal") > 0)
        return error_new(ERROR_IO, "the log of %s/" RESTORED " cannot be emptied", files->path);
    folder_files_remove(files, DATABASE "-wal");
    TRY(rename_file(files, RESTORED ".mark", DATABASE ".mark"));
    TRY(rename_file(files, RESTORED, RESTORING));
    remove_rest(files);
    return rename_file(files, RESTORING, DATABASE);
}

struct error *folder_restore_from(const char *folder, const char *backup, int64_t *ret_revision)
{
    SCOPED(arena) arena = {0};
    SCOPED(folder_keys) keys = {.count = 0};
    SCOPED(folder_files) files = {.path = NULL};
    TRY(folder_files_open(folder, &files));
    TRY(check_is_free(&files));
    TRY(read_backup(backup, &keys));
    TRY(error_ignore(folder_files_make(&files, RESTORING), ERROR_CONFLICT));
    remove_rest(&files);
    folder_backup_clean(folder);
    folder_backup_withdraw(folder);
    TRY(store_backup_extract(backup, place(&arena, folder, RESTORED)));
    TRY(settle_database(&files, &arena, ret_revision));
    TRY(folder_keys_complete_rotation(&files)); /* it would replace some of the restored keys */
    TRY(folder_keys_write(&keys, &files));
    return place_database(&files);
}
