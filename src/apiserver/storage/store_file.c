/*
 * Opening, writing and closing the SQLite file.
 *
 * Order of store_file_open(): the file is created with mode 0600, locked, identified (ours? which
 * format?), switched to write-ahead logging, given its schema if it is new, and loaded. The lock is
 * kept until the file is closed, so no other process can write it.
 *
 * store_file_commit() runs on a worker thread, one call at a time. With synchronous=FULL, COMMIT
 * returns after the log was synced; only then a write counts as durable.
 */
#include "apiserver/storage/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "apiserver/storage/store_file_internal.h"
#include "apiserver/storage/store_internal.h"
#include "base/memory.h"

#define APPLICATION_ID 0x63727374 /* "crst" */
#define SCHEMA_VERSION 1
#define TEXT_(x)       #x
#define TEXT(x)        TEXT_(x)

/*
 * The number of a row is the revision at which its object was created, so new rows go to the end of
 * the table.
 */
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE objects(id INTEGER PRIMARY KEY, resource TEXT NOT NULL,"
    " revision INTEGER NOT NULL, sum INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE counter(id INTEGER PRIMARY KEY CHECK(id=1), revision INTEGER NOT NULL);"
    "INSERT INTO counter VALUES(1,1);"
    "PRAGMA application_id=" TEXT(APPLICATION_ID) ";"
                                                  "PRAGMA user_version=" TEXT(
                                                      SCHEMA_VERSION) ";"
                                                                      "COMMIT";

static const char *const statement_texts[STATEMENTS] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_PUT] = "REPLACE INTO objects(id,resource,revision,sum,body) VALUES(?1,?2,?3,?4,?5)",
    [STATEMENT_DELETE] = "DELETE FROM objects WHERE id=?1",
    [STATEMENT_REVISION] = "UPDATE counter SET revision=?1 WHERE id=1",
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
    return error_new(ERROR_IO,
                     "store %s is damaged: %s; restore it from a backup, or move it away to start "
                     "with an empty one",
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

int64_t store_file_sum(struct str resource, int64_t revision, struct str body)
{
    const uint64_t seed = sum_add((uint64_t)revision, resource);
    return (int64_t)sum_add(seed, body);
}

/* Only the owner may read the file: it contains Secrets. SQLite gives its log the same mode. */
static struct error *make_private(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        return NULL;
    }
    if (errno == EEXIST)
        return NULL;
    struct error *err = error_from_errno(errno, "make store %s", path);
    err->code = ERROR_IO; /* not ERROR_NOT_FOUND, which means a missing object */
    return err;
}

static struct error *read_number(struct store_file *file, const char *sql, int64_t *ret_number)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_file_error(file, "read");
    struct error *err = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *ret_number = sqlite3_column_int64(statement, 0);
    else
        err = store_file_error(file, "read");
    sqlite3_finalize(statement);
    return err;
}

/* Accepts a file of this program in a version it knows, or an empty file. */
static struct error *identify_file(struct store_file *file, bool *ret_is_new)
{
    int64_t tables = 0, application = 0, version = 0;
    TRY(read_number(file, "SELECT count(*) FROM sqlite_schema", &tables));
    TRY(read_number(file, "PRAGMA application_id", &application));
    TRY(read_number(file, "PRAGMA user_version", &version));
    *ret_is_new = tables == 0 && application == 0;
    if (*ret_is_new)
        return NULL;
    if (application != APPLICATION_ID)
        return error_new(ERROR_IO, "%s is a database of another program; choose another file",
                         file->path);
    if (version > SCHEMA_VERSION)
        return error_new(ERROR_IO,
                         "store %s was written by a newer version of corset (format %lld, this one "
                         "knows %d); use that version, or another file",
                         file->path, (long long)version, SCHEMA_VERSION);
    return NULL;
}

/*
 * The lock comes first and is kept. Every commit is synced, because a response promises durability.
 */
static struct error *set_up_file(struct store_file *file)
{
    bool is_new;
    TRY(store_file_run(file, "PRAGMA locking_mode=EXCLUSIVE", "lock"));
    TRY(identify_file(file, &is_new));
    if (is_new)
        TRY(store_file_run(file, "PRAGMA page_size=8192", "make"));
    TRY(store_file_run(file,
                       "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                       "PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=FAST",
                       "set up"));
    /* With a shared lock a second process could read the file until the first write. */
    TRY(store_file_run(file, "BEGIN EXCLUSIVE; COMMIT", "lock"));
    if (is_new)
        TRY(store_file_run(file, schema, "make"));
    for (size_t i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(file->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &file->statements[i], NULL) != SQLITE_OK)
            return store_file_error(file, "set up");
    return NULL;
}

struct error *store_file_open(const char *path, struct store *store, struct store_file **ret_file)
{
    TRY(make_private(path));
    struct store_file *file = NEW(struct store_file);
    file->path = mem_dup(path, strlen(path));
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    struct error *err = NULL;
    if (sqlite3_open_v2(path, &file->db, flags, NULL) != SQLITE_OK)
        err = store_file_error(file, "open");
    if (!err)
        err = set_up_file(file);
    if (!err)
        err = store_file_load(file, store);
    if (err) {
        store_file_close(file);
        return err;
    }
    *ret_file = file;
    return NULL;
}

void store_file_close(struct store_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(file->statements[i]);
    sqlite3_close(file->db);
    mem_free(file->path);
    mem_free(file);
}

/* Statements are prepared once; resetting makes one ready for its next use. */
static struct error *run_statement(struct store_file *file, enum store_statement which)
{
    sqlite3_stmt *statement = file->statements[which];
    struct error *err = NULL;
    if (sqlite3_step(statement) != SQLITE_DONE)
        err = store_file_error(file, "write");
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
    sqlite3_bind_int64(put, 4, store_file_sum(resource, write->revision, body));
    sqlite3_bind_text64(put, 5, body.ptr, body.len, SQLITE_STATIC, SQLITE_UTF8);
    struct error *err = run_statement(file, STATEMENT_PUT);
    sqlite3_clear_bindings(put); /* the text is borrowed */
    return err;
}

/*
 * The counter is written with the group: revisions of deletes must not come again after a restart.
 */
static struct error *write_all(struct store_file *file, const struct list *writes)
{
    int64_t revision = 0;
    TRY(run_statement(file, STATEMENT_BEGIN));
    LIST_FOREACH (const struct store_write, write, writes, link) {
        TRY(write_one(file, write));
        revision = write->revision;
    }
    sqlite3_bind_int64(file->statements[STATEMENT_REVISION], 1, revision);
    TRY(run_statement(file, STATEMENT_REVISION));
    return run_statement(file, STATEMENT_COMMIT);
}

/* SQLite has already rolled back after some failures; autocommit mode tells. */
static void roll_back(struct store_file *file)
{
    if (!sqlite3_get_autocommit(file->db))
        sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
}

struct error *store_file_commit(struct store_file *file, const struct list *writes)
{
    roll_back(file); /* in case the last commit failed to roll back */
    struct error *err = write_all(file, writes);
    if (err)
        roll_back(file);
    return err;
}
