/* What opening and writing a store's file share. */
#pragma once

#include <sqlite3.h>

#include "apiserver/storage/store_file.h"
#include "apiserver/storage/store_reserve.h"
#include "base/str.h"

#define STORE_FILE_PAGE_SIZE 8192
#define STORE_APPLICATION_ID 0x63727374 /* "crst" */

enum store_statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_PUT,
    STATEMENT_DELETE,
    STATEMENT_REVISION,
    STATEMENTS,
};

extern const char *const store_file_statements[STATEMENTS];

/*
 * The digest is the sum of the shares of all rows: a row that is missing, or comes back, is noticed
 * although the rest of the file is sound.
 */
struct store_file {
    sqlite3 *db;
    char *path, *mark_path;
    sqlite3_stmt *statements[STATEMENTS];
    int64_t version; /* of the format, as it was found; 0: a new file */
    uint64_t epoch, digest;
    int mark_fd; /* -1: none */
    unsigned mark_place;
    struct store_reserve reserve;
    bool is_full;     /* commits use the reserve */
    int64_t revision; /* the counter's */
    int64_t unmoved;  /* bytes that are in the log alone: the database needs space for them */
    int64_t room;     /* see store_file_room() */
};

/* What one row adds to the digest. Part of the file's format. */
uint64_t store_file_share(int64_t row, int64_t sum);

/* The digest in the file also covers the counter's own row. Part of the file's format. */
int64_t store_file_seal(const struct store_file *file, int64_t revision);

/*
 * The newest error of the database in words for people: what was tried, on which file, what to do.
 */
MUST_USE struct error *store_file_error(const struct store_file *file, const char *what);

/* The content of the file contradicts itself. */
MUST_USE struct error *store_file_corrupt(const struct store_file *file, const char *why);

/* Runs statements without a result. */
MUST_USE struct error *store_file_run(struct store_file *file, const char *sql, const char *what);

/*
 * Writes revision, epoch and digest into the database. The write joins the transaction that is
 * open; if none is open, SQLite commits the write by itself.
 */
MUST_USE struct error *store_file_count(struct store_file *file, int64_t revision);

/* The file is whole and at this revision; its space is looked after from now on. */
void store_file_begin(struct store_file *file, int64_t revision);

/* Reads every row into the store; computes the digest and compares it with the stored one. */
MUST_USE struct error *store_file_load(struct store_file *file, struct store *store);
