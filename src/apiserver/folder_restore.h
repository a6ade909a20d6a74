/*
 * Puts a backup into a data folder; see folder_backup.h.
 *
 * While a folder is being restored it has the file corset.db.restoring. A server refuses the folder
 * then, so that a restore that failed or was cut off is not taken for a new folder, or for one with
 * the keys of another. The restore can be repeated.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

/* ERROR_IO while a restore of the folder is not complete. The folder may be missing. Blocks. */
MUST_USE struct error *folder_restore_check(const char *folder);

/*
 * The folder is locked by the caller, and has no database: ERROR_CONFLICT when it has one, or the
 * log of one. Every page, row and key is checked before anything gets its name; the database gets
 * its name last. What root writes is given to the owner of the folder. Suspends.
 */
MUST_USE struct error *folder_restore_from(const char *folder, const char *backup,
                                           int64_t *ret_revision);
