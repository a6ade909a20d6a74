/*
 * The command line of the program.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "peers/conformance/choice.h"
#include "peers/conformance/compare.h"

struct options {
    struct str kubeconfig; /* empty: as kubectl looks for it */
    const char *server;    /* program to start; NULL: the kubeconfig's server runs already */
    const char *file;      /* the recording */
    const char *expect;    /* list of known failures; NULL: none */
    struct choice_options choose;
    struct compare_options compare;
    bool verbose, quiet, list, help;
};

/* False, with a message on standard error, for what cannot be understood. */
bool options_read(int argc, char **argv, struct options *ret_options);

extern const char options_help[];
