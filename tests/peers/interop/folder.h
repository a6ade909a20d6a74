/*
 * A temporary folder of a test's own. It is gone when the test has ended, even by a failed check.
 */
#pragma once

#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/owned.h"
#include "base/str.h"

struct folder {
    struct arena texts;
    const char *path;
    int leash; /* while we hold it, the folder stays */
    pid_t remover;
};

/* To be called before the loop has started threads. A failure ends the test. */
void folder_init(struct folder *folder);
void folder_done(struct folder *folder);

/* The path of a file in it, or of the folder itself for "". Lives as long as the folder. */
const char *folder_file(struct folder *folder, const char *name);

/* Writes a whole file and returns its path. Folders on the way are made. */
const char *folder_write(struct folder *folder, const char *name, struct str bytes);

/* Appends a file's content; the buffer's limit bounds it. */
void file_read(const char *path, struct buf *bytes);
