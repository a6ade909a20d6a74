#include "cmd/server_flags.h"

#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "base/arena.h"
#include "net/network.h"
#include "net/tcp.h"

/* The bounds of kube-apiserver: an hour and 2^32 seconds. */
#define TOKEN_LIFETIME_MIN HOUR
#define TOKEN_LIFETIME_MAX (((int64_t)1 << 32) * SECOND)

#define AT(member) offsetof(struct server_settings, member)

const struct flag server_flags[SERVER_FLAGS] = {
    {"data-dir",                  FLAG_TEXT,  AT(files.data_dir),     FLAG_FOLDER},
    {"accept-data-loss",          FLAG_BOOL,  AT(accept_loss),        FLAG_ANY   },
    {"listen",                    FLAG_TEXT,  AT(listen),             FLAG_ANY   },
    {"virtual-clusters",          FLAG_COUNT, AT(virtual_clusters),   FLAG_ANY   },
    {"write-kubeconfig",          FLAG_TEXT,  AT(files.kubeconfig),   FLAG_FILE  },
    {"write-cluster-kubeconfigs", FLAG_TEXT,  AT(files.clusters),     FLAG_FOLDER},
    {"inject",                    FLAG_TEXT,  AT(inject),             FLAG_ANY   },
    {"max-token-lifetime",        FLAG_SPAN,  AT(max_token_lifetime), FLAG_ANY   },
    {"storage-limit",             FLAG_TEXT,  AT(storage_limit),      FLAG_ANY   },
    {"deny-webhook-addresses",    FLAG_TEXT,  AT(denied),             FLAG_ANY   },
};

/*
 * The machine itself, and what is reached without a router: clouds hand out credentials there. The
 * unspecified address is the machine itself, too.
 */
#define DENIED_DEFAULT "127.0.0.0/8,::1/128,0.0.0.0/8,::/128,169.254.0.0/16,fe80::/10"

/* Less does not hold what a server begins with. */
#define STORAGE_MIN ((int64_t)16 << 20)

static bool read_storage(const char *text, int64_t *ret_bytes)
{
    struct quantity quantity;
    *ret_bytes = 0;
    if (!*text)
        return true;
    OWNED(error) wrong = quantity_read(str_from_c(text), &quantity);
    return !wrong && quantity_value(&quantity, ret_bytes) && *ret_bytes >= STORAGE_MIN;
}

static bool read_denied(struct server_settings *settings)
{
    struct str text = str_from_c(settings->denied ? settings->denied : DENIED_DEFAULT);
    if (str_eq(text, STR("none")))
        text = STR("");
    return cidr_read_list(text, settings->denied_ranges, SERVER_DENIED_MAX,
                          &settings->denied_count);
}

struct network *server_flags_webhook_network(const struct server_settings *settings,
                                             struct loop *loop, bool of_clusters)
{
    struct network *network = tcp_network_new(loop);
    if (of_clusters || settings->denied)
        tcp_network_deny(network, settings->denied_ranges, settings->denied_count,
                         "--deny-webhook-addresses");
    return network;
}

/* Some flags have a syntax of their own; the other values need no conversion. */
int server_flags_use(struct server_settings *settings, const struct command *command)
{
    if (!address_read(settings->listen, &settings->address))
        return command_misused(command, "--listen wants HOST:PORT, not '%s'", settings->listen);
    if (settings->max_token_lifetime < TOKEN_LIFETIME_MIN ||
        settings->max_token_lifetime > TOKEN_LIFETIME_MAX)
        return command_misused(command, "--max-token-lifetime is between 1h and 1193046h28m16s");
    if (!read_storage(settings->storage_limit, &settings->storage))
        return command_misused(command,
                               "--storage-limit is at least 16Mi, for example 512Mi, not "
                               "'%s'",
                               settings->storage_limit);
    if (!read_denied(settings))
        return command_misused(command,
                               "--deny-webhook-addresses wants at most %d ranges such as "
                               "169.254.0.0/16, with commas between them, or none, not '%s'",
                               SERVER_DENIED_MAX, settings->denied);
    OWNED(error) wrong = fault_injection_read(str_from_c(settings->inject), &settings->faults);
    if (wrong)
        return command_misused(command, "--inject: %s", wrong->message);
    address_warn(&settings->address, settings->listen);
    return COMMAND_DONE;
}

const char *server_flags_default_folder(struct arena *arena)
{
    const char *data = getenv("XDG_DATA_HOME"); /* NOLINT(concurrency-mt-unsafe) */
    const char *home = getenv("HOME");          /* NOLINT(concurrency-mt-unsafe) */
    if (data && data[0] == '/')
        return arena_print(arena, "%s/corset", data).ptr;
    return home && *home ? arena_print(arena, "%s/.local/share/corset", home).ptr : NULL;
}

struct apiserver_options server_flags_options(const struct server_settings *settings)
{
    return (struct apiserver_options){
        .host = settings->address.host,
        .port = settings->address.port,
        .folder = settings->files.data_dir,
        .accept_loss = settings->accept_loss,
        .virtual_clusters = settings->virtual_clusters,
        .faults = settings->faults,
        .max_token_lifetime = settings->max_token_lifetime,
        .storage = settings->storage,
    };
}
