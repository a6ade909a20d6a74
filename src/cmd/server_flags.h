/*
 * Flags of the embedded API server, for "corset apiserver" and "corset up".
 */
#pragma once

#include "apiserver/apiserver.h"
#include "cmd/address.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "cmd/server_files.h"

struct server_settings {
    struct server_files files;
    const char *listen, *inject;
    size_t virtual_clusters;

    /* Read by server_flags_use(). */
    struct address address;
    struct fault_injection faults;
};

#define SERVER_DEFAULT                            \
    {                                             \
        .listen = "127.0.0.1:7443", .inject = "", \
    }

#define SERVER_FLAGS 6
extern const struct flag server_flags[SERVER_FLAGS];

#define SERVER_GROUP(settings)                                 \
    {                                                          \
        server_flags, SERVER_FLAGS, offsetof(settings, server) \
    }

/*
 * Reads what is a text of its own, and warns of an address that others can reach. COMMAND_USAGE
 * when a value is wrong, which has been said then.
 */
MUST_USE int server_flags_use(struct server_settings *settings, const struct command *command);

/* Borrowed from the settings; without the network. */
struct apiserver_options server_flags_options(const struct server_settings *settings);
