/* Flags that every command takes: how to reach the API server, logging, colour. */
#pragma once

#include "cmd/command.h"
#include "cmd/flags.h"
#include "cmd/terminal.h"

struct rest_config;

struct global_flags {
    const char *kubeconfig, *context, *namespace;
    size_t verbosity;
    const char *format, *color;
};

#define GLOBAL_FLAGS_DEFAULT               \
    {                                      \
        .format = "text", .color = "auto", \
    }

#define GLOBAL_FLAGS_COUNT 6
extern const struct flag global_flags[GLOBAL_FLAGS_COUNT];

#define GLOBAL_FLAGS_GROUP(settings)                                  \
    {                                                                 \
        global_flags, GLOBAL_FLAGS_COUNT, offsetof(settings, globals) \
    }

/* The last lines of a help text. */
#define GLOBAL_FLAGS_HELP                                                                         \
    "Everywhere: --kubeconfig FILE, --context NAME, -n/--namespace NS, --v N, --logging-format\n" \
    "text|json, --color auto|always|never (and NO_COLOR).\n"

/* Sets up the log. Prints a wrong value and returns COMMAND_USAGE then. */
MUST_USE int global_flags_use(const struct global_flags *globals, const struct command *command);

enum terminal_color global_flags_color(const struct global_flags *globals);

/* Finds the management cluster as kubectl does. Blocks on files. */
MUST_USE struct error *global_flags_find_cluster(const struct global_flags *globals,
                                                 struct rest_config *ret_config);
