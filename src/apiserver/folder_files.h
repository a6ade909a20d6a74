/*
 * The files of a data folder, for commands that root may run while the folder belongs to the user
 * of a server. That user can put a symbolic link, a pipe or a hard link to a file of root wherever
 * a file is expected. In a folder of another user no link is therefore followed, a file is read
 * only if it belongs to the owner of the folder, and what root writes is given to that owner.
 *
 * Names are looked up below the descriptor of the folder. The folder's owner may rename the folder
 * meanwhile, and the operations still work on the same one. All operations block.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct folder_files {
    char *path;
    int fd;
    uid_t uid; /* the owner of the data folder */
    gid_t gid;
    bool is_open;
};

void folder_files_done(struct folder_files *files);

MUST_USE struct error *folder_files_open(const char *path, struct folder_files *ret_files);

/* A folder below, such as "pki". ERROR_NOT_FOUND when there is none, unless it is to be made. */
MUST_USE struct error *folder_files_open_below(const struct folder_files *parent, const char *name,
                                               bool is_made, struct folder_files *ret_files);

/* A missing file is no error. */
MUST_USE struct error *folder_files_read(const struct folder_files *files, const char *name,
                                         struct buf *out, bool *ret_is_there);

/* Mode 0600, synced, renamed into place. */
MUST_USE struct error *folder_files_write(const struct folder_files *files, const char *name,
                                          struct str content);

/* Makes an empty file, synced. ERROR_CONFLICT when there is something of that name. */
MUST_USE struct error *folder_files_make(const struct folder_files *files, const char *name);

/* Makes names durable. */
MUST_USE struct error *folder_files_sync(const struct folder_files *files);

/* When root has made the file: it is given to the owner of the folder. It may be missing. */
MUST_USE struct error *folder_files_give(const struct folder_files *files, const char *name);

/* Opens a regular file of the owner. *ret_fd is -1 when there is none. */
MUST_USE struct error *folder_files_open_file(const struct folder_files *files, const char *name,
                                              int *ret_fd, struct stat *ret_status);

/* Whether it is there, and a regular file. */
bool folder_files_has(const struct folder_files *files, const char *name);
void folder_files_remove(const struct folder_files *files, const char *name);

/* Writes all of it. The path is for the error. */
MUST_USE struct error *folder_files_put(int fd, struct str content, const char *path);
