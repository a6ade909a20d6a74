/*
 * Backups of a store's file: made by SQLite's online backup while the store is in use, and read
 * back into a file of a store.
 *
 * A backup is one SQLite database: the tables of the store as they were at one moment, and a table
 * of small files that belong to them, such as keys. Its application id is not that of a store, so
 * that neither is taken for the other. Rows have the checksums of the store, the table of objects
 * has its digest, and each small file has a checksum.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct store;

struct store_backup_file {
    const char *name;
    struct str content;
};

struct store_backup_options {
    const char *path; /* must not exist; mode 0600 */
    const struct store_backup_file *files;
    size_t file_count;
};

/*
 * Copies a store that has a file. Pages are copied in steps between commits, so that writes go on;
 * the backup has the state after the commit that came before its last page, and *ret_revision is
 * the revision of that state. One backup of a store at a time. Suspends. After success the backup
 * is on the disk; after an error there is none.
 */
MUST_USE struct error *store_backup(struct store *store, const struct store_backup_options *options,
                                    int64_t *ret_revision);

typedef struct error *store_backup_file_fn(void *data, struct str name, struct str content);

/*
 * Checks that the file is a backup and that its pages fit together, and calls each() for the small
 * files. Blocks. Rows of the store are checked when what store_backup_extract() makes is opened.
 */
MUST_USE struct error *store_backup_read(const char *backup, store_backup_file_fn *each,
                                         void *data);

/*
 * Makes a store's file at path, which must not exist, from a backup. Blocks. The file is then to be
 * opened with the option accept_loss, because what was written after the backup is lost: revisions
 * go on above all that were given, and the file gets an epoch of its own. Opening also checks every
 * row.
 */
MUST_USE struct error *store_backup_extract(const char *backup, const char *path);
