/* Manifests from files, folders and standard input, for commands that take them with -f. */
#pragma once

#include "base/error.h"
#include "base/str.h"

struct manifest_reader {
    /* Gets the text of one file, up to 16 MiB, and its name; both go when it returns. */
    struct error *(*read)(void *data, struct str text, const char *name);
    void *data;
};

/*
 * Reads a file; of a folder, its files that end in .yaml, .yml or .json, in the order of their
 * names; of "-", standard input. Errors name the file.
 */
MUST_USE struct error *manifest_files_read(const char *name, const struct manifest_reader *reader);
