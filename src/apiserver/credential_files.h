/*
 * The files of an API server's certificates and keys: in a folder or, for a server that keeps
 * nothing on disk, in memory. Each is written completely or not at all; see secret_file.h.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define CREDENTIAL_FILES_MAX 8

struct credential_files {
    const char *folder; /* NULL: in memory */
    struct {
        const char *name; /* NULL: free */
        struct buf content;
    } memory[CREDENTIAL_FILES_MAX];
};

void credential_files_done(struct credential_files *files);

/* A missing file is no error. */
MUST_USE struct error *credential_files_read(const struct credential_files *files, const char *name,
                                             struct buf *out, bool *ret_is_there);

/* The name has to outlive the files. */
MUST_USE struct error *credential_files_write(struct credential_files *files, const char *name,
                                              struct str content);
