/* Flags of the embedded API server, for corset apiserver and corset up. */
#pragma once

#include "apiserver/apiserver.h"
#include "cmd/address.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "cmd/server_files.h"
#include "net/cidr.h"

struct loop;
struct network;

#define SERVER_DENIED_MAX 32

struct server_settings {
    struct server_files files;
    const char *listen, *inject;
    bool accept_loss;
    size_t virtual_clusters;
    duration max_token_lifetime;
    const char *storage_limit; /* empty: the default */
    const char *denied;        /* text of --deny-webhook-addresses; NULL: the default */

    /* Read by server_flags_use(). */
    struct address address;
    struct fault_injection faults;
    int64_t storage; /* 0: the default */
    struct cidr denied_ranges[SERVER_DENIED_MAX];
    size_t denied_count;
};

#define SERVER_DEFAULT                                                 \
    {                                                                  \
        .listen = "127.0.0.1:7443", .inject = "", .storage_limit = "", \
        .max_token_lifetime = 24 * HOUR,                               \
    }

#define SERVER_FLAGS 10
extern const struct flag server_flags[SERVER_FLAGS];

#define SERVER_GROUP(settings)                                 \
    {                                                          \
        server_flags, SERVER_FLAGS, offsetof(settings, server) \
    }

/* The lines about limits in the help texts of both commands. */
#define SERVER_LIMITS_HELP                                                                        \
    "  --max-token-lifetime DURATION\n"                                                           \
    "                           how long tokens of ServiceAccounts live at most (default 24h);\n" \
    "                           a request for more is shortened, and warned of\n"                 \
    "  --storage-limit SIZE     how much memory objects may take (default: half of what the\n"    \
    "                           process may use, at most 2Gi); further writes are refused,\n"     \
    "                           deletes are not. Virtual clusters may take half of it, one of\n"  \
    "                           them a tenth\n"                                                   \
    "  --deny-webhook-addresses CIDR,...\n"                                                       \
    "                           addresses at which webhooks are never called; none:\n"            \
    "                           no bounds (default: loopback and link-local addresses for\n"      \
    "                           webhooks of virtual clusters, no bounds for the main API)\n"

/*
 * Parses --listen, --inject, --storage-limit and --deny-webhook-addresses, checks
 * --max-token-lifetime, and warns of an address that other machines can reach. Prints a wrong value
 * and returns COMMAND_USAGE then.
 */
MUST_USE int server_flags_use(struct server_settings *settings, const struct command *command);

/* corset below $XDG_DATA_HOME, or below ~/.local/share. NULL without a home. */
const char *server_flags_default_folder(struct arena *arena);

/* Networks by which webhooks are called: of the main API, or of virtual clusters. */
struct network *server_flags_webhook_network(const struct server_settings *settings,
                                             struct loop *loop, bool of_clusters);

/* The options borrow from the settings. The networks are not set. */
struct apiserver_options server_flags_options(const struct server_settings *settings);
