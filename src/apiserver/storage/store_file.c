/*
 * Writing and closing the SQLite file; store_file_open.c opens it.
 *
 * store_file_commit() runs on a worker thread, one call at a time. With synchronous=FULL, COMMIT
 * returns after the log was synced; only then a write counts as durable. The mark follows.
 */
#include "apiserver/storage/store_file.h"

#include <errno.h>
#include <unistd.h>

#include "apiserver/storage/store_file_internal.h"
#include "apiserver/storage/store_internal.h"
#include "apiserver/storage/store_mark.h"
#include "base/memory.h"

const char *const store_file_statements[STATEMENTS] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_PUT] = "REPLACE INTO objects(id,resource,revision,sum,body) VALUES(?1,?2,?3,?4,?5)",
    [STATEMENT_DELETE] = "DELETE FROM objects WHERE id=?1",
    [STATEMENT_REVISION] = "UPDATE counter SET revision=?1,epoch=?2,digest=?3 WHERE id=1",
};

/* SQLite reports a full quota or file size limit as an I/O error with the system's errno. */
static bool is_out_of_space(sqlite3 *db)
{
    const int errnum = sqlite3_system_errno(db);
    return sqlite3_errcode(db) == SQLITE_FULL ||
           (sqlite3_errcode(db) == SQLITE_IOERR &&
            (errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG));
}

struct error *store_file_corrupt(const struct store_file *file, const char *why)
{
    return error_new(
        ERROR_IO,
        "store %s is damaged: %s; restore the folder from a backup, or move the file away "
        "and start with an empty one by --accept-data-loss",
        file->path, why);
}

struct error *store_file_error(const struct store_file *file, const char *what)
{
    switch (sqlite3_errcode(file->db)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return store_file_corrupt(file, sqlite3_errmsg(file->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_new(ERROR_IO, "store %s is in use by another process; stop that one first",
                         file->path);
    default:
        break;
    }
    if (is_out_of_space(file->db))
        return error_new(ERROR_IO, "%s store %s: no space left on device", what, file->path);
    return error_new(ERROR_IO, "%s store %s: %s", what, file->path, sqlite3_errmsg(file->db));
}

struct error *store_file_run(struct store_file *file, const char *sql, const char *what)
{
    if (sqlite3_exec(file->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_file_error(file, what);
    return NULL;
}

/* Multiplies and folds eight bytes at a time. Detects bits that flipped, not manipulation. */
static uint64_t sum_add(uint64_t sum, struct str s)
{
    while (s.len) {
        uint64_t word = s.len;
        const size_t len = s.len < sizeof(word) ? s.len : sizeof(word);
        memcpy(&word, s.ptr, len);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
        s = str_skip(s, len);
    }
    return sum;
}

uint64_t store_file_share(int64_t row, int64_t sum)
{
    const uint64_t words[] = {(uint64_t)row, (uint64_t)sum};
    return sum_add(0, str_from((const char *)words, sizeof(words)));
}

int64_t store_file_seal(const struct store_file *file, int64_t revision)
{
    const uint64_t words[] = {file->digest, file->epoch, (uint64_t)revision};
    return (int64_t)sum_add(0, str_from((const char *)words, sizeof(words)));
}

int64_t store_file_sum(struct str resource, int64_t revision, struct str body)
{
    const uint64_t seed = sum_add((uint64_t)revision, resource);
    return (int64_t)sum_add(seed, body);
}

void store_file_close(struct store_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(file->statements[i]);
    sqlite3_close(file->db);
    if (file->mark_fd >= 0) {
        store_file_sync_mark(file);
        close(file->mark_fd);
    }
    store_reserve_close(&file->reserve);
    mem_free(file->mark_path);
    mem_free(file->path);
    mem_free(file);
}

/* Without the file's name: clients are told this. */
static struct error *write_error(struct store_file *file)
{
    file->is_full |= is_out_of_space(file->db);
    return error_new(ERROR_IO, "write to the store: %s",
                     is_out_of_space(file->db) ? "no space left on device"
                                               : sqlite3_errmsg(file->db));
}

/* Statements are prepared once; resetting makes one ready for its next use. */
static struct error *run_statement(struct store_file *file, enum store_statement which)
{
    sqlite3_stmt *statement = file->statements[which];
    struct error *err = NULL;
    if (sqlite3_step(statement) != SQLITE_DONE)
        err = write_error(file);
    sqlite3_reset(statement);
    return err;
}

static struct error *write_one(struct store_file *file, const struct store_write *write)
{
    if (write->is_delete) {
        sqlite3_bind_int64(file->statements[STATEMENT_DELETE], 1, write->row);
        return run_statement(file, STATEMENT_DELETE);
    }
    sqlite3_stmt *put = file->statements[STATEMENT_PUT];
    const struct str resource = str_from_c(write->resource->name);
    const struct str body = object_text_json(write->text);
    sqlite3_bind_int64(put, 1, write->row);
    sqlite3_bind_text(put, 2, resource.ptr, (int)resource.len, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, write->revision);
    sqlite3_bind_int64(put, 4, write->sum);
    sqlite3_bind_text64(put, 5, body.ptr, body.len, SQLITE_STATIC, SQLITE_UTF8);
    struct error *err = run_statement(file, STATEMENT_PUT);
    sqlite3_clear_bindings(put); /* the text is borrowed */
    return err;
}

struct error *store_file_count(struct store_file *file, int64_t revision)
{
    sqlite3_stmt *statement = file->statements[STATEMENT_REVISION];
    sqlite3_bind_int64(statement, 1, revision);
    sqlite3_bind_int64(statement, 2, (int64_t)file->epoch);
    sqlite3_bind_int64(statement, 3, store_file_seal(file, revision));
    return run_statement(file, STATEMENT_REVISION);
}

/* What the digest becomes by a write. */
static void count_write(struct store_file *file, const struct store_write *write)
{
    if (write->has_former)
        file->digest -= store_file_share(write->row, write->former_sum);
    if (!write->is_delete)
        file->digest += store_file_share(write->row, write->sum);
}

/*
 * The counter is written with the group: revisions of deletes must not come again after a restart.
 */
static struct error *write_all(struct store_file *file, const struct list *writes,
                               int64_t *ret_revision)
{
    TRY(run_statement(file, STATEMENT_BEGIN));
    LIST_FOREACH (const struct store_write, write, writes, link) {
        TRY(write_one(file, write));
        count_write(file, write);
        *ret_revision = write->revision;
    }
    TRY(store_file_count(file, *ret_revision));
    return run_statement(file, STATEMENT_COMMIT);
}

/* SQLite has already rolled back after some failures; autocommit mode tells. */
static void roll_back(struct store_file *file)
{
    if (!sqlite3_get_autocommit(file->db))
        sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
}

/* What the last page of the log needs, and those of the tree, beside what objects take. */
#define ROOM_KEPT ((int64_t)1 << 20)

/* Much more than one object, so that the disk is not full again at once. */
#define ROOM_TO_RECOVER ((int64_t)8 << 20)

/* How many pages the log has before they are moved into the database. */
#define LOG_PAGES 1000

/* How often pages are given back after a commit or in an attempt to recover, which others wait for.
 */
#define VACUUM_STEPS 8

static void measure_room(struct store_file *file)
{
    const int64_t space = store_reserve_free_space(&file->reserve);
    const int64_t missing = (int64_t)(STORE_RESERVE_SIZE - file->reserve.size);
    const int64_t kept = file->unmoved + ROOM_KEPT + missing;
    file->room = space > kept ? space - kept : 0;
}

int64_t store_file_room(const struct store_file *file)
{
    return file->room;
}

bool store_file_is_full(const struct store_file *file)
{
    return file->is_full;
}

void store_file_declare_full(struct store_file *file)
{
    file->is_full = true;
}

static void checkpoint_log(struct store_file *file, int mode)
{
    int pages = 0, moved = 0;
    if (sqlite3_wal_checkpoint_v2(file->db, NULL, mode, &pages, &moved) == SQLITE_OK &&
        pages >= moved)
        file->unmoved = (int64_t)(pages - moved) * STORE_FILE_PAGE_SIZE;
}

/* The hook of SQLite after each commit, with the number of pages in the log. */
static int on_commit(void *data, sqlite3 *db, const char *name, int pages)
{
    struct store_file *file = data;
    (void)db;
    (void)name;
    file->unmoved = (int64_t)pages * STORE_FILE_PAGE_SIZE;
    if (pages >= LOG_PAGES)
        checkpoint_log(file, SQLITE_CHECKPOINT_PASSIVE);
    return SQLITE_OK;
}

static bool has_much_room(const struct store_file *file)
{
    return file->room >= ROOM_TO_RECOVER;
}

/*
 * On a full disk the reserve stays given up until the first attempt to recover: the rest of a start
 * writes some files, too.
 */
void store_file_begin(struct store_file *file, int64_t revision)
{
    file->revision = revision;
    sqlite3_wal_hook(file->db, on_commit, file);
    measure_room(file);
    file->is_full = !has_much_room(file) || !store_reserve_take(&file->reserve);
}

/*
 * Gives space back to the disk: the log's, then that of pages of the database that hold nothing any
 * more. Some of them at a time, because others that stand behind them are moved by way of the log.
 */
static void make_room(struct store_file *file)
{
    store_file_checkpoint(file);
    for (int i = 0; i < VACUUM_STEPS && !has_much_room(file); i++) {
        if (sqlite3_exec(file->db, "PRAGMA incremental_vacuum(128)", NULL, NULL, NULL) != SQLITE_OK)
            return;
        store_file_checkpoint(file);
    }
}

/* On a full disk a commit leaves an empty log: the next commit uses the same space. */
static bool make_reserve(struct store_file *file)
{
    store_reserve_give_up(&file->reserve);
    make_room(file);
    const bool is_whole = store_reserve_take(&file->reserve);
    measure_room(file);
    return is_whole;
}

/*
 * A mark that cannot be written is one that is late: the database is ahead of it, which is harmless
 * by itself, and the next commit tries again.
 */
struct error *store_file_commit(struct store_file *file, const struct list *writes)
{
    const uint64_t digest = file->digest;
    int64_t revision = 0;
    if (file->is_full)
        store_reserve_give_up(&file->reserve);
    roll_back(file); /* in case the last commit failed to roll back */
    struct error *err = write_all(file, writes, &revision);
    if (err) {
        roll_back(file);
        file->digest = digest;
    } else {
        file->revision = revision;
        (void)store_mark_write(file->mark_fd, (struct store_mark){file->epoch, revision},
                               &file->mark_place);
    }
    measure_room(file);
    if (file->is_full)
        (void)make_reserve(file);
    else if (!has_much_room(file))
        make_room(file);
    return err;
}

bool store_file_recover(struct store_file *file)
{
    roll_back(file);
    if (!make_reserve(file) || !has_much_room(file))
        return false;
    OWNED(error) err = store_file_count(file, file->revision);
    roll_back(file);
    file->is_full = file->is_full && err;
    return !err;
}

void store_file_sync_mark(const struct store_file *file)
{
    (void)store_mark_sync(file->mark_fd);
}

/* A checkpoint that fails is made by a later commit, or at the end. */
void store_file_checkpoint(struct store_file *file)
{
    checkpoint_log(file, SQLITE_CHECKPOINT_TRUNCATE);
    measure_room(file);
}
