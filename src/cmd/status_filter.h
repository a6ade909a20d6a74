/* The flags that choose rows of corset status and corset cluster list. */
#pragma once

#include "base/arena.h"
#include "cmd/flags.h"
#include "status/status_model.h"

struct status_filter {
    const char *selector_text;
    bool failed, unreachable;

    struct selector selector;
    struct arena arena; /* of the selector */
};

#define STATUS_FILTER_FLAGS 3
extern const struct flag status_filter_flags[STATUS_FILTER_FLAGS];

#define STATUS_FILTER_GROUP(settings)                                        \
    {                                                                        \
        status_filter_flags, STATUS_FILTER_FLAGS, offsetof(settings, filter) \
    }

/* Lines of a help text. */
#define STATUS_FILTER_HELP                                                                     \
    "  -l, --selector TEXT   clusters with these labels, and the sets that select them:\n"     \
    "                        env=prod, 'tier in (1,2)', '!canary'\n"                           \
    "  --failed              only what has failed\n"                                           \
    "  --unreachable         only clusters that cannot be reached, and their sets; together\n" \
    "                        with --failed, both\n"

/* Reads the selector. Prints a mistake and returns COMMAND_USAGE then. */
MUST_USE int status_filter_read(struct status_filter *filter, const struct command *command);
void status_filter_done(struct status_filter *filter);

/* Before objects are added to the model, which borrows from the filter. */
void status_filter_use(const struct status_filter *filter, struct status_model *model);
