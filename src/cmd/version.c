/* corset version: prints version, platform and commit. */
#include <stdio.h>
#include <string.h>

#include "apiserver/storage/store.h"
#include "cmd/global_flags.h"
#include "cmd/user_agent.h"

struct settings {
    const char *output;
    struct global_flags globals;
};

static const struct flag flags[] = {
    {"output|o", FLAG_TEXT, offsetof(struct settings, output), "json"},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* The text is the User-Agent, so that a server's log and this output match. */
static int run_version(int argc, char **argv)
{
    struct settings settings = {.output = "", .globals = GLOBAL_FLAGS_DEFAULT};
    if (!flags_read(&command_version, argc, argv, &settings))
        return COMMAND_USAGE;
    const bool json = strcmp(settings.output, "json") == 0;
    if (*settings.output && !json)
        return command_misused(&command_version, "-o is json, not '%s'", settings.output);
    const struct str name = user_agent_name();
    if (json)
        printf("{\"version\":\"%s\",\"commit\":\"%s\",\"platform\":\"%s\",\"dataFormat\":%d}\n",
               CORSET_VERSION, CORSET_COMMIT, USER_AGENT_PLATFORM, STORE_FORMAT);
    else
        printf("%.*s\n", STR_ARG(name));
    return COMMAND_DONE;
}

const struct command command_version = {
    .name = "version",
    .summary = "print version, platform and commit",
    .help =
        "Prints version, platform and commit.\n\n"
        "Usage: corset version [-o json]\n\n"
        "  -o, --output FORMAT  json: the same as an object, with the format of data folders that\n"
        "                       this version writes\n\n"
        "Try it:\n"
        "  corset version -o json\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_version,
};
