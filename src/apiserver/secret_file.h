/* Small files that only their owner may read, written completely or not at all. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* A missing file is no error. A NULL folder has no files. */
MUST_USE struct error *secret_file_read(const char *folder, const char *name, struct buf *out,
                                        bool *ret_is_there);

/* Mode 0600, synced, renamed into place. With a NULL folder nothing is written. */
MUST_USE struct error *secret_file_write(const char *folder, const char *name, struct str content);

/* The same without waiting for the disk: for files that are written again at every start. */
MUST_USE struct error *secret_file_remake(const char *folder, const char *name, struct str content);

/* Makes renamed files of a folder durable. */
MUST_USE struct error *secret_file_sync(const char *folder);
