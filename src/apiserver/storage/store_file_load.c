/*
 * Reads a store's file at its start. A file that contradicts itself is refused as a whole: a store
 * with missing objects would look to controllers as if the objects had been deleted.
 */
#include <stdio.h>

#include "apiserver/storage/store_file_internal.h"
#include "apiserver/storage/store_internal.h"

/* The cleanup of STATEMENT variables. */
static void finalize_statement(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}

#define STATEMENT __attribute__((cleanup(finalize_statement))) sqlite3_stmt *

static struct error *prepare_statement(struct store_file *file, const char *sql,
                                       sqlite3_stmt **ret_statement)
{
    if (sqlite3_prepare_v2(file->db, sql, -1, ret_statement, NULL) != SQLITE_OK)
        return store_file_error(file, "read");
    return NULL;
}

static struct str column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return str_from(text, (size_t)sqlite3_column_bytes(statement, column));
}

/* quick_check finds damaged pages, but not damaged content; the checksum of each row finds that. */
static struct error *check_pages(struct store_file *file)
{
    STATEMENT check = NULL;
    TRY(prepare_statement(file, "PRAGMA quick_check(1)", &check));
    if (sqlite3_step(check) != SQLITE_ROW)
        return store_file_error(file, "check");
    const char *found = (const char *)sqlite3_column_text(check, 0);
    if (!found || !str_eq(str_from_c(found), STR("ok")))
        return store_file_corrupt(file, found ? found : "it cannot be checked");
    return NULL;
}

/* The first format had neither epoch nor digest. */
static struct error *load_counter(struct store_file *file, struct store *store, int64_t *ret_seal)
{
    STATEMENT counter = NULL;
    const char *sql = file->version >= 2 ? "SELECT revision,epoch,digest FROM counter"
                                         : "SELECT revision FROM counter";
    TRY(prepare_statement(file, sql, &counter));
    if (sqlite3_step(counter) != SQLITE_ROW || sqlite3_column_int64(counter, 0) < 1)
        return store_file_corrupt(file, "it has no revision");
    store->revision = sqlite3_column_int64(counter, 0);
    if (file->version < 2)
        return NULL;
    file->epoch = (uint64_t)sqlite3_column_int64(counter, 1);
    *ret_seal = sqlite3_column_int64(counter, 2);
    return NULL;
}

static struct error *damaged_row(const struct store_file *file, int64_t row, const char *why)
{
    char text[64];
    snprintf(text, sizeof(text), "row %lld %s", (long long)row, why);
    return store_file_corrupt(file, text);
}

/*
 * Columns: id, resource, revision, sum, body. The id is the revision of the creation, so it is not
 * newer than the row, and no row is newer than the counter.
 */
static struct error *load_row(struct store_file *file, sqlite3_stmt *row, struct store *store)
{
    const int64_t id = sqlite3_column_int64(row, 0), revision = sqlite3_column_int64(row, 2);
    const struct str resource = column_text(row, 1), body = column_text(row, 4);
    if (sqlite3_column_int64(row, 3) != store_file_sum(resource, revision, body))
        return damaged_row(file, id, "does not match its checksum");
    if (revision > store->revision || id > revision)
        return damaged_row(file, id, "is newer than the file");

    OWNED(object_text) text = NULL;
    OWNED(error) err = object_text_from_json(body, &text);
    if (err)
        return damaged_row(file, id, "is no object");
    const int64_t sum = sqlite3_column_int64(row, 3);
    const struct store_record record = {TAKE(text), revision, id, sum};
    if (!store_load(store, resource, record))
        return damaged_row(file, id, "repeats another one's name");
    file->digest += store_file_share(id, sum);
    return NULL;
}

struct error *store_file_load(struct store_file *file, struct store *store)
{
    int64_t seal = 0;
    TRY(check_pages(file));
    TRY(load_counter(file, store, &seal));
    STATEMENT rows = NULL;
    TRY(prepare_statement(file, "SELECT id,resource,revision,sum,body FROM objects ORDER BY id",
                          &rows));
    int status;
    while ((status = sqlite3_step(rows)) == SQLITE_ROW)
        TRY(load_row(file, rows, store));
    if (status != SQLITE_DONE)
        return store_file_error(file, "read");
    if (file->version >= 2 && seal != store_file_seal(file, store->revision))
        return store_file_corrupt(file, "its rows do not match its digest");
    return NULL;
}
