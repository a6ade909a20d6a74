/*
 * corset cluster add: registers a workload cluster after checking that it can be used.
 *
 * Two clusters take part. The workload cluster is that of --kubeconfig behind the command. The
 * management cluster is that of --management-kubeconfig, of a --kubeconfig in front of "cluster",
 * or the one that kubectl would use. Nothing is written before all checks have succeeded.
 */
#include <stdio.h>

#include "apimachinery/validation.h"
#include "async/loop.h"
#include "base/array.h"
#include "cmd/cluster_account.h"
#include "cmd/cluster_check.h"
#include "cmd/cluster_objects.h"
#include "cmd/management_client.h"
#include "cmd/user_agent.h"

struct settings {
    struct flag_list names;
    struct flag_list kubeconfigs, contexts; /* the last one is the workload cluster's */
    const char *management_kubeconfig, *management_context;
    struct flag_list labels;
    bool skip_checks, replace;
    bool create_account, rotate;
    struct global_flags globals;
};

/* The labels of all flags -l, each of which may hold several: "a=b,c=d". */
struct labels {
    struct arena arena;
    const char **items;
    size_t count, capacity;
};

static void labels_done(struct labels *labels)
{
    mem_free((void *)labels->items);
    arena_done(&labels->arena);
}

/* Every label is checked before the first request. */
static struct error *read_labels(const struct flag_list *texts, struct labels *labels)
{
    for (size_t i = 0; i < texts->count; i++) {
        struct str rest = str_from_c(texts->items[i]), label;
        while (rest.len) {
            str_cut(&rest, ',', &label);
            TRY(cluster_objects_check_label(label));
            ARRAY_PUSH(labels->items, labels->count, labels->capacity,
                       arena_c(&labels->arena, label));
        }
    }
    return NULL;
}

/* NULL if the flag was not given. */
static const char *last_of(const struct flag_list *list)
{
    return list->count ? list->items[list->count - 1] : NULL;
}

/*
 * program.c moves global flags behind the command. Of two flags --kubeconfig the first one stood
 * in front of the command, so it is for the management cluster.
 */
static struct global_flags management_globals(const struct settings *settings)
{
    struct global_flags globals = settings->globals;
    globals.kubeconfig = settings->management_kubeconfig;
    globals.context = settings->management_context;
    if (!globals.kubeconfig && settings->kubeconfigs.count > 1)
        globals.kubeconfig = settings->kubeconfigs.items[0];
    if (!globals.context && settings->contexts.count > 1)
        globals.context = settings->contexts.items[0];
    return globals;
}

/* A client of the workload cluster. */
static struct client *open_workload(const struct management_client *management,
                                    const struct rest_config *workload)
{
    return client_new(loop_current(), &(struct client_options){.config = workload,
                                                               .network = management->network,
                                                               .tls = management->tls,
                                                               .proxies = &management->proxies,
                                                               .user_agent = user_agent_name()});
}

/* Sends requests to the workload cluster. *ret_version stays empty with --skip-checks. */
static struct error *check_workload(const struct settings *settings,
                                    const struct management_client *management,
                                    const struct rest_config *workload, struct arena *arena,
                                    struct str *ret_version)
{
    if (settings->skip_checks)
        return NULL;
    OWNED(client) client = open_workload(management, workload);
    TRY(cluster_check_reach(client, arena, ret_version));
    TRY(cluster_check_version(*ret_version));
    return cluster_check_permissions(client);
}

/* Registering such a cluster is allowed, but nobody should do it unknowingly. */
static void warn_insecure(const struct rest_config *workload)
{
    if (workload->tls.skip_verify)
        fprintf(stderr,
                "corset: warning: the kubeconfig says insecure-skip-tls-verify: whoever answers at "
                "%.*s gets its credentials; give it certificate-authority-data instead\n",
                STR_ARG(workload->host));
}

/* The words of the last line of output. */
static const char *const changes[] = {
    [CLUSTER_CREATED] = "added",
    [CLUSTER_CHANGED] = "changed",
    [CLUSTER_UNCHANGED] = "unchanged",
};

/* The same server, with the token as the only credential. Borrows from both. */
static struct rest_config with_token(const struct rest_config *workload, struct str token)
{
    struct rest_config config = *workload;
    config.auth = (struct rest_auth){.token = token};
    config.impersonate = (struct rest_impersonation){0};
    config.tls.identity = NULL;
    config.tls.certificate_pem = config.tls.key_pem = STR("");
    return config;
}

/*
 * The kubeconfig to be stored. With an account the credentials of the user are used here, once, and
 * only the account's token is stored.
 */
static struct error *make_kubeconfig(const struct settings *settings, struct client *user,
                                     const struct rest_config *workload,
                                     struct cluster_account *account, struct buf *out,
                                     struct rest_config *ret_stored)
{
    const struct str name = str_from_c(settings->names.items[0]);
    if (!user)
        return cluster_check_write(workload, name, out, ret_stored);
    TRY(cluster_account_make(user, settings->rotate, account), "%.*s", STR_ARG(workload->host));
    const struct rest_config config = with_token(workload, buf_str(&account->token));
    return cluster_check_write(&config, name, out, ret_stored);
}

/*
 * Local mistakes are found first, then the workload cluster is asked, and the management cluster
 * is written last. Old tokens go when the new one is stored.
 */
static struct error *add_cluster(void *data)
{
    const struct settings *settings = data;
    const struct global_flags globals = management_globals(settings);
    const struct str name = str_from_c(settings->names.items[0]);
    SCOPED(arena) arena = {0};
    SCOPED(labels) labels = {0};
    SCOPED(management_client) management = {0};
    SCOPED(rest_config) workload = {0};
    SCOPED(rest_config) stored = {0};
    SCOPED(cluster_account) account = {0};
    SCOPED(buf) kubeconfig = {.secret = true};
    OWNED(client) user = NULL;
    struct str version = {0};
    enum cluster_change change;
    const bool has_account = settings->create_account || settings->rotate;
    TRY(read_labels(&settings->labels, &labels));
    TRY(cluster_check_read(last_of(&settings->kubeconfigs),
                           str_from_c(last_of(&settings->contexts)), has_account, &workload));
    TRY(management_client_open(&management, &globals));
    if (has_account)
        user = open_workload(&management, &workload);
    TRY(make_kubeconfig(settings, user, &workload, &account, &kubeconfig, &stored));
    TRY(check_workload(settings, &management, &stored, &arena, &version));
    const struct cluster_object cluster = {
        .key = {management.config.namespace, name},
        .labels = labels.items,
        .label_count = labels.count,
        .replaces = settings->replace,
        .server = workload.host,
        .host = workload.server.host,
        .port = workload.server.port,
        .kubeconfig = buf_str(&kubeconfig),
    };
    warn_insecure(&workload);
    TRY(cluster_objects_put(management.client, &cluster, &change));
    printf("cluster %.*s/%.*s %s: %s%.*s%s%.*s\n", STR_ARG(cluster.key.namespace), STR_ARG(name),
           changes[change], version.len ? "Kubernetes " : "", STR_ARG(version),
           version.len ? " at " : "", STR_ARG(workload.host));
    if (settings->rotate)
        TRY(cluster_account_retire(user, &account), "%.*s", STR_ARG(workload.host));
    return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"",                       FLAG_LIST, AT(names),                 FLAG_ANY    },
    {"kubeconfig",             FLAG_LIST, AT(kubeconfigs),           FLAG_FILE   },
    {"context",                FLAG_LIST, AT(contexts),              FLAG_CONTEXT},
    {"labels|l",               FLAG_LIST, AT(labels),                FLAG_ANY    },
    {"management-kubeconfig",  FLAG_TEXT, AT(management_kubeconfig), FLAG_FILE   },
    {"management-context",     FLAG_TEXT, AT(management_context),    FLAG_CONTEXT},
    {"create-service-account", FLAG_BOOL, AT(create_account),        FLAG_ANY    },
    {"rotate",                 FLAG_BOOL, AT(rotate),                FLAG_ANY    },
    {"replace",                FLAG_BOOL, AT(replace),               FLAG_ANY    },
    {"skip-checks",            FLAG_BOOL, AT(skip_checks),           FLAG_ANY    },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int complete_settings(const struct settings *settings)
{
    if (settings->names.count != 1)
        return command_misused(&command_cluster_add, "give one name for the cluster");
    const struct str name = str_from_c(settings->names.items[0]);
    if (!validation_is_ok(validation_dns1035_label(name)))
        return command_misused(&command_cluster_add,
                               "'%.*s' cannot be the name of a cluster; lower-case letters, digits "
                               "and '-' can, with a letter first",
                               STR_ARG(name));
    if (!settings->kubeconfigs.count)
        return command_misused(&command_cluster_add,
                               "give --kubeconfig FILE, which reaches the cluster");
    return global_flags_use(&settings->globals, &command_cluster_add);
}

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_cluster_add, argc, argv, settings))
        return COMMAND_USAGE;
    const int misused = complete_settings(settings);
    return misused ? misused : command_run(add_cluster, settings);
}

static int run_cluster_add(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.names);
    flag_list_done(&settings.kubeconfigs);
    flag_list_done(&settings.contexts);
    flag_list_done(&settings.labels);
    return code;
}

const struct command command_cluster_add = {
    .name = "cluster add",
    .summary = "register a workload cluster",
    .help =
        "Registers a workload cluster: checks that it answers and that the kubeconfig may apply\n"
        "objects there, then writes a Cluster and a Secret with the kubeconfig into the management\n"
        "cluster. Run again, it brings both up to date and keeps the labels.\n\n"
        "Usage: corset cluster add NAME --kubeconfig FILE [FLAGS]\n\n"
        "  --kubeconfig FILE        of the workload cluster; - is standard input. Files it names\n"
        "                           are copied into it; programs (EKS, GKE, AKS) and token files\n"
        "                           are refused without --create-service-account\n"
        "  --context NAME           context of this kubeconfig\n"
        "  -n, --namespace NS       namespace of the Cluster (default: that of the context)\n"
        "  -l, --labels KEY=VALUE,...\n"
        "                           labels of the Cluster, by which sets select it; KEY- removes\n"
        "                           one, and those that are not mentioned stay\n"
        "  --create-service-account use the kubeconfig once, here, to make a ServiceAccount with\n"
        "                           cluster-admin in the cluster, and store only its token\n"
        "  --rotate                 the same with a new token; the old ones are deleted\n"
        "  --replace                the cluster of this name has moved to another server\n"
        "  --management-kubeconfig FILE, --management-context NAME\n"
        "                           the management cluster (default: as kubectl finds it);\n"
        "                           also --kubeconfig in front of 'cluster'\n"
        "  --skip-checks            register without contacting the cluster\n\n"
        "Try it:\n"
        "  export KUBECONFIG=~/.local/share/corset/kubeconfig     # of 'corset up'\n"
        "  corset cluster add prod --kubeconfig prod.kubeconfig -l env=prod\n"
        "  corset cluster add prod --kubeconfig prod.kubeconfig -l tier=1,env-\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_cluster_add,
};
