#include "cmd/fleet_flags.h"

#include <string.h>

#include "apimachinery/quantity.h"

#define AT(member) offsetof(struct fleet_settings, member)

const struct flag fleet_flags[FLEET_FLAGS] = {
    {"fleet-concurrency", FLAG_COUNT, AT(concurrency), FLAG_ANY    },
    {"fleet-memory",      FLAG_TEXT,  AT(memory),      FLAG_ANY    },
    {"fleet-identity",    FLAG_TEXT,  AT(identity),    "caller own"},
};

#define MEMORY_MIN ((int64_t)(MEGABYTE))

static bool read_memory(const char *text, size_t *ret_bytes)
{
    struct quantity quantity;
    int64_t bytes;
    if (!text)
        return true;
    OWNED(error) wrong = quantity_read(str_from_c(text), &quantity);
    if (wrong || !quantity_value(&quantity, &bytes) || bytes < MEMORY_MIN)
        return false;
    *ret_bytes = (size_t)bytes;
    return true;
}

int fleet_flags_use(struct fleet_settings *settings, const struct command *command)
{
    const char *identity = settings->identity ? settings->identity : "caller";
    settings->options.concurrency = settings->concurrency;
    if (!read_memory(settings->memory, &settings->options.memory))
        return command_misused(command, "--fleet-memory is at least 1Mi, not '%s'",
                               settings->memory);
    if (strcmp(identity, "caller") != 0 && strcmp(identity, "own") != 0)
        return command_misused(command, "--fleet-identity is caller or own, not '%s'", identity);
    settings->options.own_identity = strcmp(identity, "own") == 0;
    return COMMAND_DONE;
}
