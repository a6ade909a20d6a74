#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/command.h"

#if defined(__x86_64__)
#define ARCH "amd64"
#elif defined(__aarch64__)
#define ARCH "arm64"
#else
#define ARCH "unknown"
#endif

static int run(int argc, char **argv)
{
    bool json = false;
    if (argc == 2 && strcmp(argv[0], "-o") == 0)
        json = strcmp(argv[1], "json") == 0;
    else if (argc == 1)
        json = strcmp(argv[0], "-ojson") == 0;
    if (argc > 0 && !json)
        return command_misused(&command_version, "unknown argument '%s'", argv[argc - 1]);
    if (json)
        printf("{\"version\":\"%s\",\"commit\":\"%s\",\"platform\":\"linux/%s\"}\n", CORSET_VERSION,
               CORSET_COMMIT, ARCH);
    else
        printf("corset/%s (linux/%s) %s\n", CORSET_VERSION, ARCH, CORSET_COMMIT);
    return COMMAND_DONE;
}

const struct command command_version = {
    .name = "version",
    .summary = "print version, platform and commit",
    .help = "Prints version, platform and commit.\n\n"
            "Usage: corset version [-o json]\n",
    .run = run,
};
