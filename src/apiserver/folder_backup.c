#include "apiserver/folder_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/secret_file.h"
#include "apiserver/storage/store.h"
#include "apiserver/storage/store_backup.h"
#include "async/loop.h"
#include "base/arena.h"
#include "base/folder.h"
#include "base/log.h"
#include "base/memory.h"

#define WANTED "backup.wanted"
#define FAILED "backup.failed"
#define MADE   "backup.db"
#define PART   "backup.db.part"

#define RESTORING "corset.db.restoring"

/* What is kept of pki/. Other names in a backup are not written anywhere. */
static const char *const keys[] = {"ca.crt",    "ca.key",     "tokens.key", "admin.crt",
                                   "admin.key", "server.crt", "server.key"};

static const char *place(struct arena *arena, const char *folder, const char *name)
{
    return arena_print(arena, "%s/%s", folder, name).ptr;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static struct error *file_error(const char *what, const char *path)
{
    struct error *err = error_from_errno(errno, "%s %s", what, path);
    err->code = ERROR_IO;
    return err;
}

static struct error *rename_file(const char *from, const char *to)
{
    return rename(from, to) == 0 ? NULL : file_error("rename to", to);
}

void folder_backup_clean(const char *folder)
{
    static const char *const names[] = {FAILED,
                                        MADE,
                                        PART,
                                        PART "-journal",
                                        PART "-wal",
                                        RESTORING,
                                        RESTORING "-wal",
                                        RESTORING "-journal",
                                        RESTORING ".mark",
                                        RESTORING ".mark.new",
                                        RESTORING ".reserve"};
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < COUNT(names); i++)
        (void)unlink(place(&arena, folder, names[i]));
}

static struct error *give_file(const char *path, const struct stat *owner)
{
    if (lchown(path, owner->st_uid, owner->st_gid) != 0 && errno != ENOENT)
        return file_error("give to its user", path);
    return NULL;
}

struct error *folder_backup_give_to_owner(const char *folder)
{
    static const char *const names[] = {"lock",           "corset.db",         "corset.db-wal",
                                        "corset.db.mark", "corset.db.reserve", "pki"};
    SCOPED(arena) arena = {0};
    struct stat owner;
    if (stat(folder, &owner) != 0)
        return file_error("look at", folder);
    if (geteuid() != 0 || owner.st_uid == 0)
        return NULL;
    for (size_t i = 0; i < COUNT(names); i++)
        TRY(give_file(place(&arena, folder, names[i]), &owner));
    for (size_t i = 0; i < COUNT(keys); i++)
        TRY(give_file(arena_print(&arena, "%s/pki/%s", folder, keys[i]).ptr, &owner));
    return NULL;
}

/* The contents of pki/, as far as they are there. */
struct key_files {
    struct store_backup_file files[COUNT(keys)];
    struct buf contents[COUNT(keys)];
    size_t count;
};

static void key_files_done(struct key_files *files)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        buf_done(&files->contents[i]);
}

static struct error *read_keys(const char *pki, struct key_files *files)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct buf *content = &files->contents[files->count];
        bool is_there = false;
        content->secret = true;
        TRY(secret_file_read(pki, keys[i], content, &is_there));
        if (is_there)
            files->files[files->count++] = (struct store_backup_file){keys[i], buf_str(content)};
    }
    return NULL;
}

struct error *folder_backup_write(struct store *store, const char *folder, const char *path,
                                  int64_t *ret_revision)
{
    SCOPED(arena) arena = {0};
    SCOPED(key_files) pki = {.count = 0};
    TRY(read_keys(place(&arena, folder, "pki"), &pki));
    const struct store_backup_options options = {path, pki.files, pki.count};
    return store_backup(store, &options, ret_revision);
}

/* Root may ask for it; the server has to be able to remove the file, for which it needs no right.
 */
struct error *folder_backup_ask(const char *folder)
{
    SCOPED(arena) arena = {0};
    const char *path = place(&arena, folder, WANTED);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return error_new(ERROR_CONFLICT, "another backup of %s is under way", folder);
    if (fd < 0)
        return file_error("make", path);
    close(fd);
    return NULL;
}

bool folder_backup_is_wanted(const char *folder)
{
    SCOPED(arena) arena = {0};
    return exists(place(&arena, folder, WANTED));
}

void folder_backup_withdraw(const char *folder)
{
    SCOPED(arena) arena = {0};
    (void)unlink(place(&arena, folder, WANTED));
}

/* Between two disks. copy_file_range() does not work between all of them. */
static struct error *copy_content(int from, int to, const char *path)
{
    char piece[16384];
    ssize_t got;
    while ((got = read(from, piece, sizeof(piece))) > 0)
        if (write(to, piece, (size_t)got) != got)
            return file_error("write", path);
    explicit_bzero(piece, sizeof(piece));
    return got < 0 || fsync(to) != 0 ? file_error("copy the backup to", path) : NULL;
}

static struct error *copy_file(const char *from, const char *path)
{
    SCOPED(arena) arena = {0};
    const char *part = arena_print(&arena, "%s.part", path).ptr;
    (void)unlink(part);
    const int source = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const int target = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct error *err = source < 0   ? file_error("open", from)
                        : target < 0 ? file_error("make", part)
                                     : copy_content(source, target, part);
    if (source >= 0)
        close(source);
    if (target >= 0)
        close(target);
    if (!err)
        err = rename_file(part, path);
    if (err)
        (void)unlink(part);
    else
        (void)unlink(from);
    return err;
}

/* A backup of root's belongs to root. */
static struct error *move_file(const char *from, const char *path)
{
    if (rename(from, path) != 0)
        return errno == EXDEV ? copy_file(from, path) : file_error("rename to", path);
    if (chown(path, geteuid(), getegid()) != 0)
        return file_error("own", path);
    return NULL;
}

struct error *folder_backup_take(const char *folder, const char *path)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) reason = {.limit = 0};
    bool has_failed = false;
    TRY(secret_file_read(folder, FAILED, &reason, &has_failed));
    if (!has_failed)
        return move_file(place(&arena, folder, MADE), path);
    (void)unlink(place(&arena, folder, FAILED));
    return error_new(ERROR_IO, "%.*s", STR_ARG(buf_str(&reason)));
}

static struct error *make_backup(struct store *store, const char *folder, struct arena *arena)
{
    const char *part = place(arena, folder, PART), *made = place(arena, folder, MADE);
    int64_t revision = 0;
    (void)unlink(part);
    (void)unlink(made);
    TRY(folder_backup_write(store, folder, part, &revision));
    TRY(rename_file(part, made));
    TRY(secret_file_sync(folder));
    log_info("Made a backup", LOG_INT("resourceVersion", revision));
    return NULL;
}

struct error *folder_backup_serve(struct store *store, const char *folder)
{
    SCOPED(arena) arena = {0};
    OWNED(error) err = make_backup(store, folder, &arena);
    if (error_is(err, ERROR_CANCELED))
        return TAKE(err);
    if (err)
        TRY(secret_file_write(folder, FAILED, str_from_c(err->message)));
    if (unlink(place(&arena, folder, WANTED)) != 0 && errno != ENOENT)
        return file_error("remove", WANTED);
    return TAKE(err);
}

/* Keys of a backup. They are kept here until the objects have been checked. */
static struct error *keep_key(void *data, struct str name, struct str content)
{
    struct key_files *pki = data;
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (!str_eq(name, str_from_c(keys[i])) || pki->count == COUNT(keys))
            continue;
        struct buf *copy = &pki->contents[pki->count];
        copy->secret = true;
        buf_add(copy, content);
        TRY(buf_check(copy));
        pki->files[pki->count++] = (struct store_backup_file){keys[i], buf_str(copy)};
    }
    return NULL;
}

static struct error *write_keys(const char *folder, const struct key_files *pki)
{
    TRY(folder_make(folder, 0700));
    for (size_t i = 0; i < pki->count; i++)
        TRY(secret_file_write(folder, pki->files[i].name, pki->files[i].content));
    return NULL;
}

/* Checks every row, and gives the database an epoch and revisions of its own. */
static struct error *settle_database(const char *path, int64_t *ret_revision)
{
    OWNED(store) store = NULL;
    TRY(store_open(loop_current(), &(struct store_options){.path = path, .accept_loss = true},
                   &store));
    *ret_revision = store_revision(store);
    return NULL;
}

/* The mark comes first: a database without its mark would look as if the mark was lost. */
static struct error *place_database(const char *folder, struct arena *arena)
{
    struct stat status;
    if (stat(place(arena, folder, RESTORING "-wal"), &status) == 0 && status.st_size)
        return error_new(ERROR_IO, "the log of %s/" RESTORING " cannot be emptied", folder);
    TRY(rename_file(place(arena, folder, RESTORING ".mark"),
                    place(arena, folder, "corset.db.mark")));
    TRY(secret_file_sync(folder));
    TRY(rename_file(place(arena, folder, RESTORING), place(arena, folder, "corset.db")));
    return secret_file_sync(folder);
}

struct error *folder_backup_restore(const char *folder, const char *backup, int64_t *ret_revision)
{
    SCOPED(arena) arena = {0};
    SCOPED(key_files) pki = {.count = 0};
    const char *database = place(&arena, folder, RESTORING);
    if (exists(place(&arena, folder, "corset.db")))
        return error_new(ERROR_CONFLICT,
                         "%s has a database already; move it away, or restore into another folder",
                         folder);
    folder_backup_clean(folder);
    folder_backup_withdraw(folder);
    (void)unlink(place(&arena, folder, "corset.db-wal"));
    TRY(store_backup_extract(backup, database, keep_key, &pki));
    TRY(settle_database(database, ret_revision));
    TRY(write_keys(place(&arena, folder, "pki"), &pki));
    TRY(place_database(folder, &arena));
    folder_backup_clean(folder);
    return NULL;
}
