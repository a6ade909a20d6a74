/* The table of global flags and their meaning. complete.c and program.c read the table as well. */
#include "cmd/global_flags.h"

#include <string.h>

#include "base/log.h"
#include "client/kubeconfig/kubeconfig.h"

const struct flag global_flags[GLOBAL_FLAGS_COUNT] = {
    {"kubeconfig",     FLAG_TEXT,  offsetof(struct global_flags, kubeconfig), FLAG_FILE          },
    {"context",        FLAG_TEXT,  offsetof(struct global_flags, context),    FLAG_CONTEXT       },
    {"namespace|n",    FLAG_TEXT,  offsetof(struct global_flags, namespace),  FLAG_NAMESPACE     },
    {"v",              FLAG_COUNT, offsetof(struct global_flags, verbosity),  FLAG_ANY           },
    {"logging-format", FLAG_TEXT,  offsetof(struct global_flags, format),     "text json"        },
    {"color",          FLAG_TEXT,  offsetof(struct global_flags, color),      "auto always never"},
};

static const struct {
    const char *name;
    enum terminal_color color;
} colors[] = {
    {"auto",   TERMINAL_AUTO  },
    {"always", TERMINAL_ALWAYS},
    {"never",  TERMINAL_NEVER },
};

/* False for an unknown name. */
static bool find_color(const char *name, enum terminal_color *ret_color)
{
    for (size_t i = 0; i < COUNT(colors); i++) {
        if (strcmp(colors[i].name, name) != 0)
            continue;
        *ret_color = colors[i].color;
        return true;
    }
    return false;
}

/* global_flags_use() has refused unknown names before. */
enum terminal_color global_flags_color(const struct global_flags *globals)
{
    enum terminal_color color = TERMINAL_AUTO;
    (void)find_color(globals->color, &color);
    return color;
}

/* Nothing is set up if a value is wrong. */
int global_flags_use(const struct global_flags *globals, const struct command *command)
{
    enum terminal_color color;
    if (strcmp(globals->format, "text") != 0 && strcmp(globals->format, "json") != 0)
        return command_misused(command, "--logging-format is text or json, not '%s'",
                               globals->format);
    if (!find_color(globals->color, &color))
        return command_misused(command, "--color is auto, always or never, not '%s'",
                               globals->color);
    log_set_level((int)globals->verbosity);
    log_set_format(strcmp(globals->format, "json") == 0 ? LOG_JSON : LOG_TEXT);
    return COMMAND_DONE;
}

struct error *global_flags_find_cluster(const struct global_flags *globals,
                                        struct rest_config *ret_config)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    const struct kubeconfig_options choice = {.context = str_from_c(globals->context),
                                              .namespace = str_from_c(globals->namespace)};
    paths.file = str_from_c(globals->kubeconfig);
    return error_wrap(kubeconfig_load(&paths, &choice, ret_config), "find the management cluster");
}
