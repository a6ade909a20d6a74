/* Flags of the fleet API, for corset up and corset controller. */
#pragma once

#include "cmd/command.h"
#include "cmd/flags.h"
#include "fleet/fleet.h"

struct fleet_settings {
    size_t concurrency;
    const char *memory, *identity;

    struct fleet_options options; /* by fleet_flags_use(); without ClusterCache and metrics */
};

#define FLEET_FLAGS 3
extern const struct flag fleet_flags[FLEET_FLAGS];
#define FLEET_GROUP_OF(settings)                            \
    {                                                       \
        fleet_flags, FLEET_FLAGS, offsetof(settings, fleet) \
    }

/* The lines about these flags in a help text. */
#define FLEET_HELP                                                                               \
    "  --fleet-concurrency N    requests to clusters at a time (default 512)\n"                  \
    "  --fleet-memory SIZE      what answers may hold that wait for their turn (default 64Mi)\n" \
    "  --fleet-identity caller|own\n"                                                            \
    "                           whose rights count on clusters: those of the caller, by\n"       \
    "                           impersonation (default), or those of the kubeconfig, and then\n" \
    "                           reading only and no Secrets\n"

/* Prints a wrong value and returns COMMAND_USAGE then. */
MUST_USE int fleet_flags_use(struct fleet_settings *settings, const struct command *command);
