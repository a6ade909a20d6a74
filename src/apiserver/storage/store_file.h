/*
 * The file of a store: one SQLite database, write-ahead log, every commit synced.
 *
 * It is read once, when it is opened. From then on it is only written: rows are found by number,
 * which the store remembers for each object, so the table needs no index besides. One process holds
 * it at a time. Calls come from any thread, one at a time.
 */
#pragma once

#include "base/error.h"
#include "base/list.h"

struct store;
struct store_file;

/* Opens or makes the file, checks it, and loads objects and revision into a new store. */
MUST_USE struct error *store_file_open(const char *path, struct store *store,
                                       struct store_file **ret_file);

/* Checkpoints. What cannot be moved out of the log now will be at the next start. */
void store_file_close(struct store_file *file);

/* Writes a list of struct store_write in one transaction: all of them are durable, or none is. */
MUST_USE struct error *store_file_commit(struct store_file *file, const struct list *writes);
