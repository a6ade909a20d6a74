/*
 * Small files that only their owner may read, written whole or not at all.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* A file that is not there is no error. A NULL folder has no files. */
MUST_USE struct error *secret_file_read(const char *folder, const char *name, struct buf *out,
                                        bool *ret_is_there);

/* Mode 0600, synced, renamed into place. Into a NULL folder nothing is written. */
MUST_USE struct error *secret_file_write(const char *folder, const char *name, struct str content);

/* The same for what is written anew at every start: a crash of the machine may lose it. */
MUST_USE struct error *secret_file_write_unsynced(const char *folder, const char *name,
                                                  struct str content);
