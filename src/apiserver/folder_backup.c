#include "apiserver/folder_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "apiserver/folder_files.h"
#include "apiserver/folder_keys.h"
#include "apiserver/storage/store.h"
#include "apiserver/storage/store_backup.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"

#define WANTED "backup.wanted"
#define FAILED "backup.failed"
#define MADE   "backup.db"
#define PART   "backup.db.part"

/* A backup on a disk with less room beside it would take the room of deletes. */
#define ROOM_KEPT (2 * MEGABYTE)

static const char *place(struct arena *arena, const char *folder, const char *name)
{
    return arena_print(arena, "%s/%s", folder, name).ptr;
}

static struct error *file_error(const char *what, const char *path)
{
    struct error *err = error_from_errno(errno, "%s %s", what, path);
    err->code = ERROR_IO;
    return err;
}

static void remove_all(const char *folder, const char *const *names, size_t count)
{
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < count; i++)
        (void)unlink(place(&arena, folder, names[i]));
}

void folder_backup_clean(const char *folder)
{
    static const char *const names[] = {FAILED, "." FAILED ".new", MADE,
                                        PART,   PART "-journal",   PART "-wal"};
    remove_all(folder, names, COUNT(names));
}

struct error *folder_backup_give_to_owner(const char *folder)
{
    static const char *const names[] = {"lock",
                                        "corset.db",
                                        "corset.db-wal",
                                        "corset.db.mark",
                                        "corset.db.reserve",
                                        "corset.db.restoring",
                                        "pki"};
    SCOPED(folder_files) files = {.path = NULL};
    TRY(folder_files_open(folder, &files));
    if (geteuid() != 0 || files.uid == 0)
        return NULL;
    for (size_t i = 0; i < COUNT(names); i++)
        TRY(folder_files_give(&files, names[i]));
    return folder_keys_give(&files);
}

struct error *folder_backup_write(struct store *store, const char *folder, const char *path,
                                  int64_t *ret_revision)
{
    SCOPED(folder_files) files = {.path = NULL};
    SCOPED(folder_keys) keys = {.count = 0};
    TRY(folder_files_open(folder, &files));
    TRY(folder_keys_read(&files, &keys));
    const char *missing = folder_keys_missing(&keys);
    if (missing)
        return error_new(ERROR_IO,
                         "%s/pki has no %s, and a backup without it is of no use; put it back, or "
                         "start a server with a folder that is new",
                         folder, missing);
    const struct store_backup_options options = {path, keys.files, keys.count};
    return store_backup(store, &options, ret_revision);
}

/*
 * Root may ask for it; the server has to be able to remove the files, for which it needs no right.
 * An answer of last week goes. So does what another command has made that asks at the same moment:
 * it is the same empty file.
 */
struct error *folder_backup_ask(const char *folder)
{
    SCOPED(folder_files) files = {.path = NULL};
    struct stat status;
    TRY(folder_files_open(folder, &files));
    if (fstatat(files.fd, WANTED, &status, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISREG(status.st_mode)
                   ? error_new(ERROR_CONFLICT, "another backup of %s is under way", folder)
                   : error_new(ERROR_IO, "%s/" WANTED " is not a file; remove it", folder);
    folder_files_remove(&files, FAILED);
    TRY(error_ignore(folder_files_make(&files, FAILED), ERROR_CONFLICT));
    struct error *err = folder_files_make(&files, WANTED);
    if (err && !error_is(err, ERROR_CONFLICT))
        folder_backup_withdraw(folder);
    return err;
}

bool folder_backup_is_wanted(const char *folder)
{
    SCOPED(arena) arena = {0};
    struct stat status;
    return lstat(place(&arena, folder, WANTED), &status) == 0 && S_ISREG(status.st_mode);
}

/* The request goes first: what the server makes after that is removed by the server. */
void folder_backup_withdraw(const char *folder)
{
    static const char *const names[] = {WANTED, FAILED, MADE};
    remove_all(folder, names, COUNT(names));
}

/* Between two disks. copy_file_range() does not work between all of them. */
static struct error *copy_content(int from, int to, const char *path)
{
    char piece[16384];
    ssize_t got;
    struct error *err = NULL;
    while (!err && (got = read(from, piece, sizeof(piece))) != 0) {
        if (got > 0)
            err = folder_files_put(to, str_from(piece, (size_t)got), path);
        else if (errno != EINTR)
            err = file_error("copy the backup to", path);
    }
    explicit_bzero(piece, sizeof(piece));
    return err || fsync(to) == 0 ? err : file_error("sync", path);
}

static struct error *copy_file(int source, const char *path)
{
    SCOPED(arena) arena = {0};
    const char *part = arena_print(&arena, "%s.part", path).ptr;
    (void)unlink(part);
    const int target = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (target < 0)
        return file_error("make", part);
    struct error *err = copy_content(source, target, part);
    close(target);
    if (!err && rename(part, path) != 0)
        err = file_error("rename to", path);
    if (err)
        (void)unlink(part);
    return err;
}

/*
 * A backup of root's belongs to root. Who owns the folder may have put another file into its place
 * meanwhile.
 */
static struct error *own_file(int source, const struct stat *made, const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 || status.st_ino != made->st_ino ||
        status.st_dev != made->st_dev) {
        (void)unlink(path);
        return error_new(ERROR_IO, "%s was exchanged meanwhile; try again", path);
    }
    return fchown(source, geteuid(), getegid()) == 0 ? NULL : file_error("own", path);
}

static struct error *move_file(const struct folder_files *files, int source,
                               const struct stat *made, const char *path)
{
    if (renameat(files->fd, MADE, AT_FDCWD, path) == 0)
        return own_file(source, made, path);
    return errno == EXDEV ? copy_file(source, path) : file_error("rename to", path);
}

/* Only the server makes MADE, and removes it before it tries: it tells that the backup was made. */
static struct error *take_answer(const struct folder_files *files, const char *path)
{
    SCOPED(buf) reason = {.limit = 0};
    struct stat made;
    bool has_failed = false;
    int source;
    TRY(folder_files_open_file(files, MADE, &source, &made));
    if (source >= 0) {
        struct error *err = move_file(files, source, &made, path);
        close(source);
        return err;
    }
    TRY(folder_files_read(files, FAILED, &reason, &has_failed));
    if (reason.len)
        return error_new(ERROR_IO, "%.*s", STR_ARG(buf_str(&reason)));
    return error_new(ERROR_IO,
                     "the server has left no backup; %s has no space for one, or the log of the "
                     "server says why",
                     files->path);
}

struct error *folder_backup_take(const char *folder, const char *path)
{
    SCOPED(folder_files) files = {.path = NULL};
    TRY(folder_files_open(folder, &files));
    struct error *err = take_answer(&files, path);
    folder_files_remove(&files, FAILED);
    folder_files_remove(&files, MADE);
    return err;
}

/* Deletes need the rest of the disk, and a backup that does not fit takes it for nothing. */
static struct error *check_room(const char *folder, struct arena *arena)
{
    struct statvfs disk;
    struct stat database;
    if (statvfs(folder, &disk) != 0 || stat(place(arena, folder, "corset.db"), &database) != 0)
        return NULL;
    const uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (room >= (uint64_t)database.st_size + ROOM_KEPT)
        return NULL;
    return error_new(ERROR_IO,
                     "a copy of corset.db does not fit beside it: no space left on device; make "
                     "room for %llu MiB in %s",
                     (unsigned long long)((uint64_t)database.st_size + ROOM_KEPT) / MEGABYTE + 1,
                     folder);
}

static struct error *make_backup(struct store *store, const struct folder_files *files,
                                 struct arena *arena)
{
    int64_t revision = 0;
    folder_files_remove(files, PART);
    folder_files_remove(files, MADE);
    TRY(check_room(files->path, arena));
    TRY(folder_backup_write(store, files->path, place(arena, files->path, PART), &revision));
    if (renameat(files->fd, PART, files->fd, MADE) != 0)
        return file_error("rename to", MADE);
    TRY(folder_files_sync(files));
    log_info("Made a backup", LOG_INT("resourceVersion", revision));
    return NULL;
}

/* A command may have gone, and another one may have come, which wants a backup of a later moment.
 */
static bool is_same_request(const struct folder_files *files, const struct stat *request)
{
    struct stat now;
    return fstatat(files->fd, WANTED, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           now.st_ino == request->st_ino && now.st_ctim.tv_sec == request->st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == request->st_ctim.tv_nsec;
}

/* The request is answered whatever happens; without room for a reason FAILED stays empty. */
static struct error *answer(const struct folder_files *files, const struct stat *request,
                            const struct error *failure)
{
    if (!is_same_request(files, request)) {
        folder_files_remove(files, MADE);
        if (!folder_files_has(files, WANTED))
            folder_files_remove(files, FAILED);
        return NULL;
    }
    struct error *err = NULL;
    if (failure)
        err = folder_files_write(files, FAILED, str_from_c(failure->message));
    else
        folder_files_remove(files, FAILED);
    if (unlinkat(files->fd, WANTED, 0) != 0 && errno != ENOENT)
        err = error_join(err, file_error("remove", WANTED));
    return err;
}

struct error *folder_backup_serve(struct store *store, const char *folder)
{
    SCOPED(arena) arena = {0};
    SCOPED(folder_files) files = {.path = NULL};
    struct stat request;
    TRY(folder_files_open(folder, &files));
    if (fstatat(files.fd, WANTED, &request, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NULL : file_error("look at", WANTED);
    struct error *err = make_backup(store, &files, &arena);
    if (error_is(err, ERROR_CANCELED))
        return err;
    struct error *unanswered = answer(&files, &request, err);
    return error_join(err, unanswered);
}
