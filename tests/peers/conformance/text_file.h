/* A whole file, at once. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#define TEXT_FILE_MAX (64 * MEGABYTE)

/* ERROR_TOO_LARGE beyond the buffer's limit. */
MUST_USE struct error *text_file_read(const char *path, struct buf *out);
