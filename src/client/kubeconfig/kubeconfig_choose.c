/*
 * Two steps of reading a kubeconfig: kubeconfig_choose() finds the cluster and the user of a
 * context, kubeconfig_collect() decodes their data fields and reads their files.
 *
 * Overrides of the options come before the context, the --context option before current-context.
 * Files are read only where their content will be used: for https servers of trusted kubeconfigs.
 */
#include "base/base64.h"
#include "client/auth/token_text.h"
#include "client/kubeconfig/kubeconfig_internal.h"

static struct str or_else(struct str text, struct str other)
{
    return str_is_empty(text) ? other : text;
}

static struct error *find_context(const struct kubeconfig *kubeconfig,
                                  const struct kubeconfig_options *options,
                                  const struct kubeconfig_context **ret_context)
{
    static const struct kubeconfig_context nothing = {0};
    const struct str name = or_else(options->context, kubeconfig->current_context);
    if (!str_is_empty(name))
        *ret_context = map_find(&kubeconfig->contexts, name);
    else if (!str_is_empty(options->cluster))
        *ret_context = &nothing; /* an explicit cluster needs no context */
    else
        return error_new(ERROR_INVALID, "no context chosen");
    if (*ret_context)
        return NULL;
    return error_new(ERROR_INVALID, "%scontext \"%.*s\" not found",
                     str_is_empty(options->context) ? "current-context: " : "", STR_ARG(name));
}

/* The name of an entry: the override if it is not empty, else the name in the context. */
struct wanted {
    const char *kind;
    struct str override, name;
};

/* The message names the field of the context unless the name was an override. */
static struct error *find_entry(const struct map *entries, const struct kubeconfig_context *context,
                                struct wanted wanted, const void **ret_entry)
{
    *ret_entry = map_find(entries, or_else(wanted.override, wanted.name));
    if (*ret_entry)
        return NULL;
    if (!str_is_empty(wanted.override))
        return error_new(ERROR_INVALID, "%s \"%.*s\" not found", wanted.kind,
                         STR_ARG(wanted.override));
    if (str_is_empty(wanted.name))
        return error_new(ERROR_INVALID, "%.*s.%s: required, but absent",
                         STR_ARG(context->entry.place), wanted.kind);
    return error_new(ERROR_INVALID, "%.*s.%s: %s \"%.*s\" not found", STR_ARG(context->entry.place),
                     wanted.kind, wanted.kind, STR_ARG(wanted.name));
}

/* Without a scheme, a server with TLS settings is https and any other is http, as for kubectl. */
static bool is_https(const struct kubeconfig_cluster *cluster)
{
    const size_t end = str_find(cluster->server, STR("://"));
    if (end != STR_NONE)
        return str_eq_nocase(str_slice(cluster->server, 0, end), STR("https"));
    return cluster->skip_verify || !str_is_empty(cluster->ca_file) ||
           !str_is_empty(cluster->ca_data);
}

void kubeconfig_choose(const struct kubeconfig *kubeconfig,
                       const struct kubeconfig_options *options, struct problems *problems,
                       struct kubeconfig_choice *choice)
{
    const struct kubeconfig_context *context = NULL;
    const void *cluster = NULL, *user = NULL;
    problems_add(problems, find_context(kubeconfig, options, &context));
    if (!context)
        return;
    const struct wanted wanted_cluster = {"cluster", options->cluster, context->cluster};
    const struct wanted wanted_user = {"user", options->user, context->user};
    problems_add(problems, find_entry(&kubeconfig->clusters, context, wanted_cluster, &cluster));
    struct error *err = find_entry(&kubeconfig->users, context, wanted_user, &user);
    /* A context without a user is valid and means anonymous: many tools write an empty name. */
    if (str_is_empty(wanted_user.override) && str_is_empty(wanted_user.name))
        error_free(err);
    else
        problems_add(problems, err);
    choice->cluster = cluster;
    choice->user = user;
    choice->namespace = or_else(options->namespace, context->namespace);
    choice->is_https = cluster && is_https(cluster);
}

struct str kubeconfig_resolve(struct arena *arena, struct str directory, struct str path)
{
    if (str_is_empty(path) || str_is_empty(directory) || str_starts_with(path, STR("/")))
        return arena_str(arena, path);
    const char *slash = str_ends_with(directory, STR("/")) ? "" : "/";
    return arena_print(arena, "%.*s%s%.*s", STR_ARG(directory), slash, STR_ARG(path));
}

/* One entry, and how its files and data are read. */
struct entry_source {
    const struct kubeconfig_entry *entry;
    const struct kubeconfig_options *options;
    bool reads_files;
    struct problems *problems;
};

static void collect_file(const struct entry_source *source, struct str path, const char *field,
                         struct buf *out)
{
    SCOPED(arena) arena = {0};
    if (str_is_empty(path) || !source->reads_files)
        return;
    const struct str file = kubeconfig_resolve(&arena, source->entry->directory, path);
    problems_add_at(
        source->problems, source->entry->place, field,
        kubeconfig_read_file(source->options->read_file, source->options->read_data, file, out));
}

static void collect_data(const struct entry_source *source, struct str data, const char *field,
                         struct buf *out)
{
    problems_add_at(source->problems, source->entry->place, field, base64_decode(out, data));
}

/* The content of a token file is the first token only; token_source.h reads the file again. */
static void collect_token(const struct entry_source *source, const struct kubeconfig_user *user,
                          struct buf *token)
{
    const size_t before = source->problems->count;
    buf_add(token, user->token);
    if (token->len || str_is_empty(user->token_file) || !source->reads_files)
        return;
    collect_file(source, user->token_file, "tokenFile", token);
    if (source->problems->count == before && !token_text_is_sendable(str_trim(buf_str(token))))
        problems_add_at(source->problems, user->entry.place, "tokenFile",
                        error_new(ERROR_INVALID, "no token in it"));
}

/* Data and file of the same field are both read: kubeconfig_check() has reported that conflict. */
void kubeconfig_collect(struct kubeconfig_choice *choice, const struct kubeconfig_options *options,
                        struct problems *problems)
{
    const struct kubeconfig_cluster *cluster = choice->cluster;
    const struct kubeconfig_user *user = choice->user;
    const bool reads_files = choice->is_https && !options->untrusted;
    struct entry_source source = {&cluster->entry, options, reads_files, problems};
    choice->key.secret = choice->token.secret = true;
    collect_file(&source, cluster->ca_file, "certificate-authority", &choice->ca);
    collect_data(&source, cluster->ca_data, "certificate-authority-data", &choice->ca);
    if (!user)
        return;
    source.entry = &user->entry;
    collect_file(&source, user->certificate_file, "client-certificate", &choice->certificate);
    collect_data(&source, user->certificate_data, "client-certificate-data", &choice->certificate);
    collect_file(&source, user->key_file, "client-key", &choice->key);
    collect_data(&source, user->key_data, "client-key-data", &choice->key);
    collect_token(&source, user, &choice->token);
}

void kubeconfig_choice_done(struct kubeconfig_choice *choice)
{
    buf_done(&choice->ca);
    buf_done(&choice->certificate);
    buf_done(&choice->key);
    buf_done(&choice->token);
}
