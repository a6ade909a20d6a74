/*
 * Flags that every command takes: how to reach the API server, how to log, whether to use colour.
 */
#pragma once

#include "cmd/command.h"
#include "cmd/flags.h"
#include "cmd/terminal.h"

struct rest_config;

struct globals {
    const char *kubeconfig, *context, *namespace;
    size_t verbosity;
    const char *format, *color;
};

#define GLOBALS_DEFAULT                    \
    {                                      \
        .format = "text", .color = "auto", \
    }

#define GLOBALS_FLAGS 6
extern const struct flag globals_flags[GLOBALS_FLAGS];

#define GLOBALS_GROUP(settings)                                   \
    {                                                             \
        globals_flags, GLOBALS_FLAGS, offsetof(settings, globals) \
    }

/* The last lines of a help text. */
#define GLOBALS_HELP                                                                              \
    "Everywhere: --kubeconfig FILE, --context NAME, -n/--namespace NS, --v N, --logging-format\n" \
    "text|json, --color auto|always|never (and NO_COLOR).\n"

/* Sets up the log. COMMAND_USAGE when a value is wrong, which has been said then. */
MUST_USE int globals_use(const struct globals *globals, const struct command *command);

enum terminal_color globals_color(const struct globals *globals);

/* The management cluster, as kubectl would find it. Blocks on files. */
MUST_USE struct error *globals_find_cluster(const struct globals *globals,
                                            struct rest_config *ret_config);
