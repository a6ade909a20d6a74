/*
 * Order of a backup: begin_copy() makes the file, copy_pages() runs between commits until SQLite
 * says that all pages are there, seal_copy() adds the small files and syncs. SQLite itself carries
 * pages over that a commit changes after they were copied, because commits use the same connection.
 *
 * The copy is written without a journal: until it is complete it is of no use anyway.
 */
#include "apiserver/storage/store_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "apiserver/storage/store_file_internal.h"
#include "apiserver/storage/store_internal.h"
#include "async/fiber.h"
#include "async/worker.h"

#define BACKUP_APPLICATION_ID 0x63727362 /* "crsb" */
#define TEXT_(x)              #x
#define TEXT(x)               TEXT_(x)

/* 4 MiB: commits wait for one step. */
#define STEP_PAGES 512

/* Members below err are used by one thread at a time. */
struct copy {
    struct store *store;
    const struct store_backup_options *options;
    struct error *err;
    sqlite3 *db;
    sqlite3_backup *backup;
    bool is_made, is_complete;
    int64_t revision;
};

static struct error *database_error(sqlite3 *db, const char *what, const char *path)
{
    const char *why =
        sqlite3_errcode(db) == SQLITE_FULL ? "no space left on device" : sqlite3_errmsg(db);
    return error_new(ERROR_IO, "%s %s: %s", what, path, why);
}

static struct error *run_sql(sqlite3 *db, const char *sql, const char *path)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return database_error(db, "write", path);
    return NULL;
}

static struct error *make_database(const char *path, sqlite3 **ret_db)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        struct error *err = error_from_errno(errno, "make %s", path);
        err->code = ERROR_IO;
        return err;
    }
    close(fd);
    if (sqlite3_open_v2(path, ret_db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return database_error(*ret_db, "open", path);
    return run_sql(*ret_db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", path);
}

/* SQLite has synced nothing. */
static struct error *sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct error *err = NULL;
    if (fd < 0 || fsync(fd) != 0)
        err = error_from_errno(errno, "sync %s", path);
    if (fd >= 0)
        close(fd);
    return err;
}

static void begin_copy(void *data)
{
    struct copy *copy = data;
    copy->err = make_database(copy->options->path, &copy->db);
    copy->is_made = copy->db != NULL;
    if (copy->err)
        return;
    copy->backup = sqlite3_backup_init(copy->db, "main", copy->store->file->db, "main");
    if (!copy->backup)
        copy->err = database_error(copy->db, "begin", copy->options->path);
}

/* The last step also ends the backup, so that the connection of the store is free of it. */
static void copy_pages(void *data)
{
    struct copy *copy = data;
    const int status = sqlite3_backup_step(copy->backup, STEP_PAGES);
    if (status == SQLITE_OK)
        return;
    copy->revision = copy->store->file->revision;
    copy->is_complete =
        sqlite3_backup_finish(TAKE(copy->backup)) == SQLITE_OK && status == SQLITE_DONE;
    if (!copy->is_complete)
        copy->err = database_error(copy->db, "copy the store to", copy->options->path);
}

static struct error *add_file(const struct copy *copy, const struct store_backup_file *file)
{
    const struct str name = str_from_c(file->name);
    sqlite3_stmt *insert = NULL;
    struct error *err = NULL;
    if (sqlite3_prepare_v2(copy->db, "INSERT INTO files VALUES(?1,?2,?3)", -1, &insert, NULL) !=
        SQLITE_OK)
        return database_error(copy->db, "write", copy->options->path);
    sqlite3_bind_text(insert, 1, name.ptr, (int)name.len, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 2, file->content.ptr, file->content.len, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, store_file_sum(name, 0, file->content));
    if (sqlite3_step(insert) != SQLITE_DONE)
        err = database_error(copy->db, "write", copy->options->path);
    sqlite3_finalize(insert);
    return err;
}

static struct error *seal_all(struct copy *copy)
{
    const char *path = copy->options->path;
    TRY(run_sql(copy->db,
                "PRAGMA journal_mode=DELETE; PRAGMA journal_mode=OFF; "
                "CREATE TABLE files(name TEXT PRIMARY KEY, content BLOB NOT NULL,"
                " sum INTEGER NOT NULL); PRAGMA application_id=" TEXT(BACKUP_APPLICATION_ID),
                path));
    for (size_t i = 0; i < copy->options->file_count; i++)
        TRY(add_file(copy, &copy->options->files[i]));
    if (sqlite3_close(copy->db) != SQLITE_OK)
        return database_error(copy->db, "close", path);
    copy->db = NULL;
    return sync_file(path);
}

static void seal_copy(void *data)
{
    struct copy *copy = data;
    copy->err = seal_all(copy);
}

/* Runs between commits, because an unfinished backup is known to the connection of the store. */
static void drop_copy(void *data)
{
    struct copy *copy = data;
    sqlite3_backup_finish(copy->backup);
    sqlite3_close(copy->db);
    if (copy->is_made)
        (void)unlink(copy->options->path);
}

static struct error *copy_store(struct copy *copy)
{
    store_run_between(copy->store, begin_copy, copy);
    TRY(TAKE(copy->err));
    while (!copy->is_complete) {
        TRY(fiber_yield());
        store_run_between(copy->store, copy_pages, copy);
        TRY(TAKE(copy->err));
    }
    TRY(worker_run(seal_copy, copy, NULL));
    return TAKE(copy->err);
}

struct error *store_backup(struct store *store, const struct store_backup_options *options,
                           int64_t *ret_revision)
{
    struct copy copy = {.store = store, .options = options};
    struct error *err = copy_store(&copy);
    if (err) {
        store_run_between(store, drop_copy, &copy);
        return err;
    }
    *ret_revision = copy.revision;
    return NULL;
}

/* The cleanup of DATABASE variables. */
static void close_database(sqlite3 **db)
{
    sqlite3_close(*db);
}

#define DATABASE __attribute__((cleanup(close_database))) sqlite3 *

static struct error *read_pragma(sqlite3 *db, const char *sql, const char *path,
                                 int64_t *ret_number)
{
    sqlite3_stmt *statement = NULL;
    struct error *err = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        err = database_error(db, "read", path);
    else
        *ret_number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return err;
}

static struct error *identify_backup(sqlite3 *db, const char *path)
{
    int64_t application = 0, format = 0;
    TRY(read_pragma(db, "PRAGMA application_id", path, &application));
    TRY(read_pragma(db, "PRAGMA user_version", path, &format));
    if (application != BACKUP_APPLICATION_ID)
        return error_new(ERROR_IO, "%s is no backup of corset", path);
    if (format > STORE_FORMAT)
        return error_new(ERROR_IO,
                         "%s was made by a newer version of corset (format %lld, this one knows "
                         "%d); restore it with that version",
                         path, (long long)format, STORE_FORMAT);
    return NULL;
}

static struct error *read_files(sqlite3_stmt *rows, const char *path, store_backup_file_fn *each,
                                void *data)
{
    int status;
    while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
        const struct str name = str_from((const char *)sqlite3_column_text(rows, 0),
                                         (size_t)sqlite3_column_bytes(rows, 0));
        const struct str content =
            str_from(sqlite3_column_blob(rows, 1), (size_t)sqlite3_column_bytes(rows, 1));
        if (sqlite3_column_int64(rows, 2) != store_file_sum(name, 0, content))
            return error_new(ERROR_IO, "%s is damaged: %.*s does not match its checksum", path,
                             STR_ARG(name));
        TRY(each(data, name, content));
    }
    if (status != SQLITE_DONE)
        return database_error(sqlite3_db_handle(rows), "read", path);
    return NULL;
}

static struct error *list_files(sqlite3 *db, const char *path, store_backup_file_fn *each,
                                void *data)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(db, "SELECT name,content,sum FROM files", -1, &rows, NULL) != SQLITE_OK)
        return database_error(db, "read", path);
    struct error *err = read_files(rows, path, each, data);
    sqlite3_finalize(rows);
    return err;
}

static struct error *extract_store(sqlite3 *from, const char *path)
{
    DATABASE to = NULL;
    TRY(make_database(path, &to));
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (!backup)
        return database_error(to, "begin", path);
    const int status = sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK || status != SQLITE_DONE)
        return database_error(to, "copy the backup to", path);
    TRY(run_sql(to, "DROP TABLE files; PRAGMA application_id=" TEXT(STORE_APPLICATION_ID), path));
    return sync_file(path);
}

static struct error *open_backup(const char *path, sqlite3 **ret_db)
{
    if (sqlite3_open_v2(path, ret_db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return database_error(*ret_db, "open", path);
    return identify_backup(*ret_db, path);
}

/*
 * The checksums of the small files do not tell that one of them is missing: a flipped bit can hide
 * rows. Such a bit leaves pages that contradict each other, or the table and its index.
 */
static struct error *check_pages(sqlite3 *db, const char *path)
{
    sqlite3_stmt *rows = NULL;
    struct error *err = NULL;
    if (sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &rows, NULL) != SQLITE_OK ||
        sqlite3_step(rows) != SQLITE_ROW) {
        err = database_error(db, "read", path);
    } else {
        const struct str found = str_from((const char *)sqlite3_column_text(rows, 0),
                                          (size_t)sqlite3_column_bytes(rows, 0));
        if (!str_eq(found, STR("ok")))
            err = error_new(ERROR_IO, "%s is damaged: %.*s; restore another backup", path,
                            STR_ARG(found));
    }
    sqlite3_finalize(rows);
    return err;
}

struct error *store_backup_read(const char *backup, store_backup_file_fn *each, void *data)
{
    DATABASE db = NULL;
    TRY(open_backup(backup, &db));
    TRY(check_pages(db, backup));
    return list_files(db, backup, each, data);
}

struct error *store_backup_extract(const char *backup, const char *path)
{
    DATABASE db = NULL;
    TRY(open_backup(backup, &db));
    return extract_store(db, path);
}
