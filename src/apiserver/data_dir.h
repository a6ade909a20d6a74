/*
 * The folder of a server, and the lock that keeps a second one out of it.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"

struct data_dir;

/* Makes the folder if it is not there. ERROR_IO says who holds it. Blocks: for a start. */
MUST_USE struct error *data_dir_open(const char *path, struct data_dir **ret_dir);
void data_dir_free(struct data_dir *dir);
DEFINE_OWNED(data_dir)

/* The name of this machine, empty when it has none. */
void data_dir_hostname(struct buf *out);
