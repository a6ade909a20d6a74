/* What opening and writing a store's file share. */
#pragma once

#include <sqlite3.h>

#include "apiserver/storage/store_file.h"
#include "base/str.h"

enum store_statement {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_PUT,
    STATEMENT_DELETE,
    STATEMENT_REVISION,
    STATEMENTS,
};

struct store_file {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *statements[STATEMENTS];
};

/*
 * The newest error of the database in words for people: what was tried, on which file, what to do.
 */
MUST_USE struct error *store_file_error(const struct store_file *file, const char *what);

/* The content of the file contradicts itself. */
MUST_USE struct error *store_file_corrupt(const struct store_file *file, const char *why);

/* Runs statements without a result. */
MUST_USE struct error *store_file_run(struct store_file *file, const char *sql, const char *what);

/* The checksum of a row, because SQLite keeps none. Part of the file's format. */
int64_t store_file_sum(struct str resource, int64_t revision, struct str body);

/* Reads every row into the store. */
MUST_USE struct error *store_file_load(struct store_file *file, struct store *store);
