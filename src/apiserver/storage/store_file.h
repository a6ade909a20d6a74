/*
 * The file of a store: one SQLite database with a write-ahead log and a sync for every commit.
 *
 * The file is read once, when it is opened. Afterwards it is only written. Rows are addressed by
 * number, which the store remembers for each object, so the table needs no further index. One
 * process opens the file at a time. Calls come from any thread, one at a time.
 */
#pragma once

#include "base/error.h"
#include "base/list.h"

struct store;
struct store_file;

/* Opens or creates the file, checks it, and loads objects and revision into a new store. */
MUST_USE struct error *store_file_open(const char *path, struct store *store,
                                       struct store_file **ret_file);

/*
 * Checkpoints the write-ahead log. What cannot be checkpointed now is checkpointed at the next
 * start.
 */
void store_file_close(struct store_file *file);

/* Writes a list of struct store_write in one transaction: all of them are durable, or none is. */
MUST_USE struct error *store_file_commit(struct store_file *file, const struct list *writes);
