/* What the program is asked to do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *server; /* the program */
    const char *folder; /* NULL: a temporary one */
    uint64_t rounds, seed;
    bool help;
};

extern const char options_help[];

/* False after it has said what is wrong. */
bool options_read(int argc, char **argv, struct options *ret_options);
