/*
 * A backup of a data folder: its objects and its keys in one file, see storage/store_backup.h.
 * folder_restore.h is the way back.
 *
 * The database of a server is locked, so that only the server itself can copy it. A command asks
 * for a backup by the file backup.wanted in the folder; the server makes backup.db there and
 * removes backup.wanted. Instead of backup.db it leaves backup.failed with the reason if that did
 * not succeed. The command has made backup.failed before, because a full disk may have no room for
 * a reason: an empty one says that. A command that does not wait any longer removes its request;
 * the server then removes what it has made for it.
 *
 * Only who may write into the folder can ask, and that is who could read all of it anyway: the API
 * offers nothing of this, because the file holds the key of the authority.
 *
 * Without a server the command makes the backup itself. It has the lock of the folder then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct store;

/* What stays of interrupted backups goes; a request stays. Blocks. */
void folder_backup_clean(const char *folder);

/* When root has written into the folder: its files are given to the owner of the folder. Blocks. */
MUST_USE struct error *folder_backup_give_to_owner(const char *folder);

/*
 * Writes a backup of the folder to path, which must not exist. The keys must not be changed
 * meanwhile. ERROR_IO when keys are missing without which the backup would be of no use. Suspends.
 */
MUST_USE struct error *folder_backup_write(struct store *store, const char *folder,
                                           const char *path, int64_t *ret_revision);

/* For the command. ERROR_CONFLICT when a backup is asked for already. */
MUST_USE struct error *folder_backup_ask(const char *folder);
bool folder_backup_is_wanted(const char *folder);
/* Also removes what the server has left for it. */
void folder_backup_withdraw(const char *folder);

/*
 * What the server has left: backup.db is moved to path, or copied to another disk; backup.failed is
 * the error. Nothing stays in the folder. Blocks.
 */
MUST_USE struct error *folder_backup_take(const char *folder, const char *path);

/* For the server: makes backup.db, or backup.failed, and answers the command. Suspends. */
MUST_USE struct error *folder_backup_serve(struct store *store, const char *folder);
