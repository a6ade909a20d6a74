/*
 * The folder in which a server keeps its data, and the lock that keeps a second server out of it.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"

struct data_dir;

/*
 * Creates the folder if it does not exist, and locks it. ERROR_IO names the process that has locked
 * the folder. A folder that another user owns, or that group or others may write into, is ERROR_IO
 * as well, and so are keys and a database in it for which that holds. data_dir_open() blocks, so it
 * is for the start of a program.
 */
MUST_USE struct error *data_dir_open(const char *path, struct data_dir **ret_dir);

/*
 * Locks a folder that exists. The owner of the folder is not checked. When another process holds
 * the lock, *ret_dir becomes NULL and *ret_holder is the number of that process.
 */
MUST_USE struct error *data_dir_try_lock(const char *path, struct data_dir **ret_dir,
                                         struct buf *ret_holder);

void data_dir_free(struct data_dir *dir);
DEFINE_OWNED(data_dir)

/* The name of this machine; empty when it has none. */
void data_dir_hostname(struct buf *out);
