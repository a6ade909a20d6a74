/*
 * The file of a store: one SQLite database with a write-ahead log and a sync for every commit.
 *
 * The file is read once, when it is opened. Afterwards it is only written. Rows are addressed by
 * number, which the store remembers for each object, so the table needs no further index. One
 * process opens the file at a time. Calls come from any thread, one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/list.h"
#include "base/str.h"

struct store;
struct store_file;

struct store_file_options {
    const char *path;
    int64_t now;                /* wall-clock nanoseconds */
    bool was_used, accept_loss; /* see struct store_options */
};

/*
 * Opens or creates the file, checks it against itself and its mark, and loads objects and revision
 * into a new store. A refused file is left as it is.
 */
MUST_USE struct error *store_file_open(const struct store_file_options *options,
                                       struct store *store, struct store_file **ret_file);

/*
 * Checkpoints the write-ahead log. What cannot be checkpointed now is checkpointed at the next
 * start.
 */
void store_file_close(struct store_file *file);

/*
 * Writes a list of struct store_write in one transaction: all of them are durable, or none is. The
 * mark names the last of them then, but may not be on the disk yet.
 */
MUST_USE struct error *store_file_commit(struct store_file *file, const struct list *writes);

/*
 * How many bytes of new objects the disk takes before the reserve is touched, as it was after the
 * last commit or attempt to recover. Others write to the disk, too, so that a commit may still fail
 * for lack of space.
 */
int64_t store_file_room(const struct store_file *file);

/*
 * Whether the last commit failed for lack of space, or store_file_declare_full() was called.
 * Commits use the reserve until store_file_recover() succeeds; groups of them must be small.
 */
bool store_file_is_full(const struct store_file *file);
void store_file_declare_full(struct store_file *file);

/*
 * After a commit that failed, and on a full disk: empties the log, takes the whole reserve again
 * and writes the counter. False when any of it fails.
 */
bool store_file_recover(struct store_file *file);

/* Syncs the mark. May run beside a commit. */
void store_file_sync_mark(const struct store_file *file);

/* Moves everything from the log into the database and empties the log. */
void store_file_checkpoint(struct store_file *file);

/* The checksum of a row, because SQLite keeps none. Part of the file's format. Any thread. */
int64_t store_file_sum(struct str resource, int64_t revision, struct str body);
