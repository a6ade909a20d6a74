/* Small files that only their owner may read, written completely or not at all. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/*
 * A missing file is no error. A NULL folder has no files. ERROR_IO when the name is not that of a
 * regular file; links to one are followed.
 */
MUST_USE struct error *secret_file_read(const char *folder, const char *name, struct buf *out,
                                        bool *ret_is_there);

/* Mode 0600, synced, renamed into place. With a NULL folder nothing is written. */
MUST_USE struct error *secret_file_write(const char *folder, const char *name, struct str content);

/* The same without waiting for the disk: for files that are written again at every start. */
MUST_USE struct error *secret_file_remake(const char *folder, const char *name, struct str content);

/* Tells whether a file was written since, without reading it. Zero: there is none. */
struct secret_file_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec written;
};

struct secret_file_stamp secret_file_stamp(const char *folder, const char *name);
bool secret_file_stamp_eq(const struct secret_file_stamp *a, const struct secret_file_stamp *b);

/* Makes renamed files of a folder durable. */
MUST_USE struct error *secret_file_sync(const char *folder);
