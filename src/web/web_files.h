/* The three files beside the pages: style, script and icon, compiled in. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct web_file {
    struct str path, type, bytes;
};

/* False if no file has this path. */
bool web_files_find(struct str path, struct web_file *ret_file);
