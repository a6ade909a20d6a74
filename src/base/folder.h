/* Folders of the file system. */
#pragma once

#include <sys/types.h>

#include "base/error.h"

/* Makes the folder and those above it that are missing. One that is there already stays as it is.
 */
MUST_USE struct error *folder_make(const char *path, mode_t mode);
