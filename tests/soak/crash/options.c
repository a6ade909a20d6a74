#include "soak/crash/options.h"

#include <getopt.h>
#include <stdio.h>

#include "base/str.h"

const char options_help[] =
    "Kills an API server at random moments and checks that it keeps its promises.\n"
    "\n"
    "Usage: crash --server PROGRAM [OPTIONS]\n"
    "\n"
    "  --server PROGRAM  the program: PROGRAM apiserver --data-dir FOLDER\n"
    "  --rounds N        how often it is killed under load (default 200)\n"
    "  --seed N          of the moments and of what is written (default 1)\n"
    "  --folder FOLDER   an empty folder for its data, which stays; else a temporary one\n"
    "\n"
    "Exit codes: 0 all promises kept, 1 not so, 2 wrong usage.\n";

static const struct option long_options[] = {
    {"server", required_argument, NULL, 's'},
    {"rounds", required_argument, NULL, 'r'},
    {"seed",   required_argument, NULL, 'e'},
    {"folder", required_argument, NULL, 'f'},
    {"help",   no_argument,       NULL, 'h'},
    {NULL,     0,                 NULL, 0  },
};

static bool take(struct options *options, int option, const char *value)
{
    switch (option) {
    case 's':
        options->server = value;
        return true;
    case 'r':
        return str_to_uint64(str_from_c(value), &options->rounds);
    case 'e':
        return str_to_uint64(str_from_c(value), &options->seed);
    case 'f':
        options->folder = value;
        return true;
    case 'h':
        options->help = true;
        return true;
    default:
        return false;
    }
}

bool options_read(int argc, char **argv, struct options *ret_options)
{
    int option;
    *ret_options = (struct options){.rounds = 200, .seed = 1};
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread yet */
    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
        if (!take(ret_options, option, optarg))
            return false;
    return optind == argc && (ret_options->help || ret_options->server);
}
