/*
 * The mark: a small file beside the database that names the newest acknowledged revision.
 *
 * SQLite drops what it cannot read at the end of its log, because it cannot tell a write that was
 * cut off by a power loss from one that was acknowledged and damaged later. The mark can: it is
 * written after a group is on the disk and before its writers are answered, so a database that is
 * behind its mark has lost something. It is synced shortly after. A power loss can therefore leave
 * a mark that is some hundredths of a second old, never one that is ahead.
 *
 * The epoch is drawn when a database is made and when a loss is accepted. It tells one database
 * from another with higher revisions.
 *
 * The file holds the mark twice, in blocks of their own, each with a checksum: a write that is cut
 * off, or a bit that flips, leaves the other one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct store_mark {
    uint64_t epoch;
    int64_t revision;
};

enum store_mark_state { STORE_MARK_ABSENT, STORE_MARK_DAMAGED, STORE_MARK_READ };

/* The newer one of the two. A damaged or absent file is no error. */
MUST_USE struct error *store_mark_read(const char *path, struct store_mark *ret_mark,
                                       enum store_mark_state *ret_state);

/* Makes the file anew, mode 0600, with the mark in both places, synced. */
MUST_USE struct error *store_mark_open(const char *path, struct store_mark mark, int *ret_fd);

/* Writes into the place that is older. Does not wait for the disk. False when that failed. */
bool store_mark_write(int fd, struct store_mark mark, unsigned *place);
bool store_mark_sync(int fd);
