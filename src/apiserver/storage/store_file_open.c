/*
 * Opening the SQLite file and judging whether it is whole.
 *
 * Order of store_file_open(): the mark is read; a database that is missing or empty is judged
 * before SQLite sees it, because SQLite removes the log of an empty one. The revision that the
 * database has without its log is read. Then the file is created
 * with mode 0600, locked, identified (ours? which format?), switched to write-ahead logging, given
 * its schema if it is new, and loaded. What was loaded is compared with the mark. Only after that
 * anything is written: a file that is refused stays as it was found, its log included, so that it
 * can still be mended. The lock is kept until the file is closed, so no other process can write it.
 *
 * A new mark is on the disk before the database that belongs to it: a start that was cut off
 * between the two leaves a mark of nothing, which is not a loss.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/storage/store_file_bare.h"
#include "apiserver/storage/store_file_internal.h"
#include "apiserver/storage/store_internal.h"
#include "apiserver/storage/store_mark.h"
#include "base/buf.h"
#include "base/memory.h"
#include "base/random.h"

#define SCHEMA_VERSION STORE_FORMAT
#define TEXT_(x)       #x
#define TEXT(x)        TEXT_(x)

#define SET_VERSION "PRAGMA user_version=" TEXT(SCHEMA_VERSION) ";"

/* More than the groups that can be under way when the power fails. */
#define REVISIONS_UNKNOWN 1000000

/*
 * The number of a row is the revision at which its object was created, so new rows go to the end of
 * the table. The transaction stays open until the counter is written.
 */
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE objects(id INTEGER PRIMARY KEY, resource TEXT NOT NULL,"
    " revision INTEGER NOT NULL, sum INTEGER NOT NULL, body TEXT NOT NULL);"
    "CREATE TABLE counter(id INTEGER PRIMARY KEY CHECK(id=1), revision INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL, digest INTEGER NOT NULL);"
    "INSERT INTO counter VALUES(1,1,0,0);"
    "PRAGMA application_id=" TEXT(STORE_APPLICATION_ID) ";" SET_VERSION;

/* From the first format, which had neither mark nor digest. */
static const char upgrade[] =
    "BEGIN IMMEDIATE;"
    "ALTER TABLE counter ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE counter ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;" SET_VERSION;

/* What is known of a file before and while it is opened. */
struct finding {
    const struct store_file_options *options;
    struct store_mark mark;
    enum store_mark_state mark_state;
    int64_t bare;    /* the revision that the database has without its log, or 0 */
    bool is_new;     /* no database, or one without tables */
    struct buf loss; /* what is missing, in words; empty when nothing is */
};

static void finding_done(struct finding *finding)
{
    buf_done(&finding->loss);
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

/* The size of a file; 0 when it does not exist. */
static int64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* SQLite would wait for the other end of a pipe. */
static struct error *check_files(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".mark", ".reserve"};
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        SCOPED(buf) name = {.limit = 0};
        struct stat status;
        buf_print(&name, "%s%s", path, suffixes[i]);
        if (stat(buf_c(&name), &status) == 0 && !S_ISREG(status.st_mode) &&
            !S_ISDIR(status.st_mode)) /* which SQLite refuses itself */
            return error_new(ERROR_IO, "%s is not a file; remove it, or put the file back",
                             buf_c(&name));
    }
    return NULL;
}

/* A mark of the first revision is what a first start leaves that was cut off. */
static void judge_empty(const char *path, struct finding *finding)
{
    if (finding->mark_state == STORE_MARK_READ && finding->mark.revision > STORE_FIRST_REVISION)
        buf_print(&finding->loss, "it is missing or empty, but revision %lld was acknowledged",
                  (long long)finding->mark.revision);
    else if (finding->mark_state == STORE_MARK_DAMAGED)
        buf_print(&finding->loss, "it is missing or empty, and %s.mark is unreadable", path);
    else if (finding->options->was_used)
        buf_print(&finding->loss, "it is missing or empty, but the folder has been in use (pki/)");
}

/* Compares what was loaded with the mark. The first format may have no mark. */
static void judge_loaded(const struct store_file *file, const struct store *store,
                         struct finding *finding)
{
    const struct store_mark mark = finding->mark;
    if (finding->mark_state != STORE_MARK_READ) {
        if (file->version >= 2)
            buf_print(&finding->loss, "nothing tells whether it is complete, because %s is %s",
                      file->mark_path,
                      finding->mark_state == STORE_MARK_ABSENT ? "missing" : "unreadable");
    } else if (file->version >= 2 && mark.epoch != file->epoch) {
        buf_print(&finding->loss, "%s belongs to another database, of revision %lld",
                  file->mark_path, (long long)mark.revision);
    } else if (mark.revision > store->revision) {
        buf_print(&finding->loss,
                  "it ends at revision %lld, but %lld was acknowledged; its log %s-wal is damaged, "
                  "missing or of another time",
                  (long long)store->revision, (long long)mark.revision, file->path);
    } else if (finding->bare > store->revision) {
        buf_print(
            &finding->loss,
            "without its log it is at revision %lld, with it at %lld; %s-wal and %s are of an "
            "older time",
            (long long)finding->bare, (long long)store->revision, file->path, file->mark_path);
    }
}

/* ERROR_IO if the finding names a loss and the option accept_loss is not set. */
static struct error *check_loss(const char *path, const struct finding *finding)
{
    if (!finding->loss.len || finding->options->accept_loss)
        return NULL;
    const struct str loss = buf_str(&finding->loss);
    return error_new(ERROR_IO,
                     "store %s has lost acknowledged writes: %.*s; put the missing file back or "
                     "restore the folder from a backup, or go on without them by "
                     "--accept-data-loss",
                     path, STR_ARG(loss));
}

/* Accepts a file of this program in a version it knows, or an empty file. */
static struct error *identify_file(struct store_file *file, bool *ret_is_new)
{
    int64_t tables = 0, application = 0;
    TRY(read_number(file, "SELECT count(*) FROM sqlite_schema", &tables));
    TRY(read_number(file, "PRAGMA application_id", &application));
    TRY(read_number(file, "PRAGMA user_version", &file->version));
    *ret_is_new = tables == 0 && application == 0;
    if (*ret_is_new)
        return NULL;
    if (application != STORE_APPLICATION_ID)
        return error_new(ERROR_IO, "%s is a database of another program; choose another file",
                         file->path);
    if (file->version > SCHEMA_VERSION)
        return error_new(ERROR_IO,
                         "store %s was written by a newer version of corset (format %lld, this one "
                         "knows %d); a downgrade is not possible with this file: use the newer "
                         "version, or restore a backup from before the upgrade",
                         file->path, (long long)file->version, SCHEMA_VERSION);
    return file->version < 1 ? store_file_corrupt(file, "it has no format") : NULL;
}

static uint64_t draw_epoch(void)
{
    uint64_t epoch;
    random_bytes_secure(&epoch, sizeof(epoch));
    return epoch;
}

static struct error *renew_mark(struct store_file *file, int64_t revision)
{
    if (file->mark_fd >= 0)
        close(file->mark_fd);
    file->mark_fd = -1;
    return store_mark_open(file->mark_path, (struct store_mark){file->epoch, revision},
                           &file->mark_fd);
}

static struct error *prepare_statements(struct store_file *file)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(file->db, store_file_statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &file->statements[i], NULL) != SQLITE_OK)
            return store_file_error(file, "set up");
    return NULL;
}

/* Gives the file the newest format: a new one, or one of the first format. */
static struct error *give_format(struct store_file *file, const char *sql, int64_t revision)
{
    TRY(store_file_run(file, sql, "make"));
    TRY(prepare_statements(file));
    TRY(store_file_count(file, revision));
    return store_file_run(file, "COMMIT", "make");
}

/*
 * The lock comes first and is kept. Every commit is synced, because a response promises durability.
 * Closing does not touch the log until the file has been found to be whole.
 */
static struct error *set_up_file(struct store_file *file, struct finding *finding)
{
    sqlite3_db_config(file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    TRY(store_file_run(file, "PRAGMA locking_mode=EXCLUSIVE", "lock"));
    TRY(identify_file(file, &finding->is_new));
    if (finding->is_new && !finding->loss.len)
        judge_empty(file->path, finding);
    TRY(check_loss(file->path, finding));
    if (finding->is_new)
        TRY(store_file_run(
            file,
            "PRAGMA page_size=" TEXT(STORE_FILE_PAGE_SIZE) "; "
                                                           "PRAGMA auto_vacuum=INCREMENTAL",
            "make"));
    TRY(store_file_run(file,
                       "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                       "PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=FAST",
                       "set up"));
    /* With a shared lock a second process could read the file until the first write. */
    return store_file_run(file, "BEGIN EXCLUSIVE; COMMIT", "lock");
}

/*
 * The next revision is higher than every revision that the store has given before. The mark names
 * the highest one. If the mark is missing, the next revision is the number of milliseconds since
 * 1970: a store that counts its writes does not reach that number.
 */
static struct error *accept_loss(struct store_file *file, struct store *store,
                                 const struct finding *finding)
{
    int64_t revision = store->revision;
    if (finding->mark_state == STORE_MARK_READ && finding->mark.revision > revision)
        revision = finding->mark.revision;
    if (finding->bare > revision)
        revision = finding->bare;
    revision += REVISIONS_UNKNOWN;
    const int64_t now = finding->options->now / MILLISECOND;
    if (finding->mark_state != STORE_MARK_READ && now > revision)
        revision = now;
    file->epoch = draw_epoch();
    TRY(renew_mark(file, revision));
    TRY(store_file_count(file, revision));
    store->revision = revision;
    store->accepted_loss = mem_dup(finding->loss.ptr, finding->loss.len);
    return NULL;
}

/* Brings the loaded file, which is whole or accepted as it is, up to date. */
static struct error *settle_file(struct store_file *file, struct store *store,
                                 const struct finding *finding)
{
    if (file->version < 2) {
        file->epoch = finding->mark_state == STORE_MARK_READ ? finding->mark.epoch : draw_epoch();
        TRY(renew_mark(file, store->revision));
        TRY(give_format(file, upgrade, store->revision));
    } else {
        if (!file->statements[0])
            TRY(prepare_statements(file));
        if (!finding->loss.len)
            TRY(renew_mark(file, store->revision));
    }
    return finding->loss.len ? accept_loss(file, store, finding) : NULL;
}

/* A new file. Its mark comes first, unless the old one still testifies to a loss. */
static struct error *make_file(struct store_file *file, const struct store *store,
                               const struct finding *finding)
{
    file->epoch = draw_epoch();
    file->version = SCHEMA_VERSION;
    if (!finding->loss.len)
        TRY(renew_mark(file, 0));
    return give_format(file, schema, store->revision);
}

static struct error *open_file(struct store_file *file, struct store *store,
                               struct finding *finding)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    TRY(check_files(file->path));
    TRY(store_mark_read(file->mark_path, &finding->mark, &finding->mark_state));
    finding->bare = store_file_bare_revision(file->path);
    if (size_of(file->path) == 0)
        judge_empty(file->path, finding);
    TRY(check_loss(file->path, finding));
    TRY(store_reserve_open(&file->reserve, file->path)); /* a start needs some space, too */
    TRY(make_private(file->path));
    if (sqlite3_open_v2(file->path, &file->db, flags, NULL) != SQLITE_OK)
        return store_file_error(file, "open");
    TRY(set_up_file(file, finding));
    if (finding->is_new)
        TRY(make_file(file, store, finding));
    TRY(store_file_load(file, store));
    if (!finding->is_new)
        judge_loaded(file, store, finding);
    TRY(check_loss(file->path, finding));
    TRY(settle_file(file, store, finding));
    store_file_begin(file, store->revision);
    sqlite3_db_config(file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return NULL;
}

struct error *store_file_open(const struct store_file_options *options, struct store *store,
                              struct store_file **ret_file)
{
    SCOPED(buf) mark = {.limit = 0};
    SCOPED(finding) finding = {.options = options};
    struct store_file *file = NEW(struct store_file);
    file->mark_fd = file->reserve.fd = -1;
    file->path = mem_dup(options->path, strlen(options->path));
    buf_print(&mark, "%s.mark", options->path);
    file->mark_path = mem_dup(mark.ptr, mark.len);
    struct error *err = open_file(file, store, &finding);
    if (err) {
        store_file_close(file);
        return err;
    }
    *ret_file = file;
    return NULL;
}
