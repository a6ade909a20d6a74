/*
 * What a database says without its log.
 *
 * A log only adds to its database, so what SQLite makes of both is never older than the database
 * alone. Where it is, the log is of another time.
 */
#pragma once

#include <stdint.h>

/* The revision in the database file at this path; 0 when the file alone cannot be read. */
int64_t store_file_bare_revision(const char *path);
