/* The files of pki/ that belong to a backup, in memory. Secrets are wiped at the end. */
#pragma once

#include "apiserver/folder_files.h"
#include "apiserver/storage/store_backup.h"

#define FOLDER_KEYS 7

struct folder_keys {
    struct store_backup_file files[FOLDER_KEYS];
    struct buf contents[FOLDER_KEYS];
    size_t count;
};

void folder_keys_done(struct folder_keys *keys);

/* As far as they are there. A folder without pki/ has none. */
MUST_USE struct error *folder_keys_read(const struct folder_files *folder,
                                        struct folder_keys *keys);

/* A store_backup_file_fn. Other names are not kept: they would not be written anywhere. */
MUST_USE struct error *folder_keys_add(void *keys, struct str name, struct str content);

/*
 * The name of the first missing file among ca.crt, ca.key and tokens.key, or NULL. Without one of
 * them a server does not start, or makes a new one that no client knows.
 */
const char *folder_keys_missing(const struct folder_keys *keys);

/* Writes them into pki/, which is made if necessary. */
MUST_USE struct error *folder_keys_write(const struct folder_keys *keys,
                                         const struct folder_files *folder);

/*
 * Completes a rotation that waits in pki/, as the next start of a server would. The caller has the
 * lock of the folder.
 */
MUST_USE struct error *folder_keys_complete_rotation(const struct folder_files *folder);

/* See folder_files_give(). */
MUST_USE struct error *folder_keys_give(const struct folder_files *folder);
