/*
 * Makes the rest_config of a context that was chosen and checked.
 *
 * Everything is copied into the arena of the config, so that the kubeconfig and its documents can
 * be released. Secrets are copied with kubeconfig_keep_secret(), which wipes them with the arena.
 * For a server without https the config gets no credentials and no TLS settings.
 */
#include "base/memory.h"
#include "client/auth/exec_credential.h"
#include "client/kubeconfig/kubeconfig_internal.h"
#include "json/path.h"
#include "net/tls.h"

/* A secret text in an arena. */
struct secret {
    char *ptr;
    size_t len;
};

static void wipe_secret(void *data)
{
    const struct secret *secret = data;
    mem_wipe(secret->ptr, secret->len);
}

struct str kubeconfig_keep_secret(struct arena *arena, struct str secret)
{
    if (str_is_empty(secret))
        return STR("");
    struct secret *kept = ARENA_NEW(arena, struct secret);
    *kept = (struct secret){arena_alloc(arena, secret.len + 1), secret.len};
    memcpy(kept->ptr, secret.ptr, secret.len);
    arena_hold(arena, wipe_secret, kept);
    return str_from(kept->ptr, kept->len);
}

/* Credentials belong into the user entry: a URL with a user in it would show them in messages. */
struct error *kubeconfig_set_server(struct rest_config *config, struct str text)
{
    struct url url;
    TRY(url_read(text, &url));
    if (url.has_user)
        return error_new(ERROR_PARSE, "URL has a user in it");
    url.has_query = url.has_fragment = false;
    while (str_ends_with(url.path, STR("/")))
        url.path.len--;
    SCOPED(buf) host = {0};
    url_write(&url, &host);
    config->host = arena_str(&config->arena, buf_str(&host));
    return url_read(config->host, &config->server); /* the parts must point into the copy */
}

/* A server without a scheme gets http or https; see is_https() in kubeconfig_choose.c. */
static struct error *fill_server(const struct kubeconfig_choice *choice, struct rest_config *config)
{
    const struct str server = choice->cluster->server;
    if (str_is_empty(server))
        return NULL; /* kubeconfig_check() has reported it */
    if (str_contains(server, STR("://")))
        return kubeconfig_set_server(config, server);
    const char *scheme = choice->is_https ? "https" : "http";
    return kubeconfig_set_server(config,
                                 arena_print(&config->arena, "%s://%.*s", scheme, STR_ARG(server)));
}

static struct error *fill_proxy(const struct kubeconfig_choice *choice, struct rest_config *config)
{
    const struct str proxy = choice->cluster->proxy_url;
    if (str_is_empty(proxy))
        return NULL;
    config->has_proxy = true;
    /* The URL of a proxy may hold a password. */
    return url_read_proxy(kubeconfig_keep_secret(&config->arena, proxy), &config->proxy);
}

/* Without authorities the system's are used. A file is remembered, so that it is read again. */
static void fill_trust(const struct kubeconfig_choice *choice, struct problems *problems,
                       struct rest_config *config)
{
    const struct kubeconfig_cluster *cluster = choice->cluster;
    config->tls.server_name = arena_str(&config->arena, cluster->tls_server_name);
    config->tls.skip_verify = cluster->skip_verify;
    if (!choice->ca.len)
        return;
    const char *field =
        str_is_empty(cluster->ca_data) ? "certificate-authority" : "certificate-authority-data";
    problems_add_at(problems, cluster->entry.place, field,
                    tls_trust_read(buf_str(&choice->ca), &config->tls.trust));
    config->tls.trust_file =
        kubeconfig_resolve(&config->arena, cluster->entry.directory, cluster->ca_file);
}

/* A certificate without a key, or a key without a certificate, was reported before. */
static void fill_identity(const struct kubeconfig_choice *choice, struct problems *problems,
                          struct rest_config *config)
{
    if (!choice->certificate.len || !choice->key.len)
        return;
    const char *field = str_is_empty(choice->user->certificate_data) ? "client-certificate"
                                                                     : "client-certificate-data";
    problems_add_at(problems, choice->user->entry.place, field,
                    tls_identity_read(buf_str(&choice->certificate), buf_str(&choice->key),
                                      &config->tls.identity));
}

static const struct str *copy_strings(struct arena *arena, const struct str *strings, size_t count)
{
    struct str *copies = arena_alloc_array(arena, count, sizeof(*copies));
    for (size_t i = 0; i < count; i++)
        copies[i] = arena_str(arena, strings[i]);
    return copies;
}

/* The extension of the cluster entry that plugins get as spec.cluster.config. */
static struct str find_cluster_config(struct arena *arena, const struct json_value *extensions)
{
    const struct json_value *extension;
    JSON_FOREACH (key, extension, extensions) {
        (void)key;
        if (str_eq(json_path_str(extension, "name"), STR("client.authentication.k8s.io/exec")))
            return json_write_arena(arena, json_path(extension, "extension"));
    }
    return STR("");
}

/* Values of variables may be secrets and are wiped like them. */
static void fill_exec(const struct kubeconfig_choice *choice, struct arena *arena,
                      struct rest_exec *exec)
{
    const struct kubeconfig_user *user = choice->user;
    const struct rest_exec *plugin = &user->plugin;
    struct rest_exec_env *env = arena_alloc_array(arena, plugin->env_count, sizeof(*env));
    *exec = *plugin;
    exec->mode = REST_EXEC_IF_AVAILABLE;
    (void)exec_credential_read_mode(user->exec_mode, &exec->mode);
    /* A name without a slash is searched in PATH. A path is relative to the kubeconfig. */
    exec->command = str_find_char(plugin->command, '/') == STR_NONE
                        ? arena_str(arena, plugin->command)
                        : kubeconfig_resolve(arena, user->entry.directory, plugin->command);
    exec->args = copy_strings(arena, user->exec_args.items, user->exec_args.count);
    exec->arg_count = user->exec_args.count;
    for (size_t i = 0; i < plugin->env_count; i++)
        env[i] = (struct rest_exec_env){arena_str(arena, plugin->env[i].name),
                                        kubeconfig_keep_secret(arena, plugin->env[i].value)};
    exec->env = env;
    exec->api_version = arena_str(arena, plugin->api_version);
    exec->install_hint = arena_str(arena, plugin->install_hint);
    if (plugin->provide_cluster_info)
        exec->cluster_config = find_cluster_config(arena, choice->cluster->extensions);
}

static void fill_auth(const struct kubeconfig_choice *choice, struct arena *arena,
                      struct rest_auth *auth)
{
    const struct kubeconfig_user *user = choice->user;
    auth->token = kubeconfig_keep_secret(arena, str_trim(buf_str(&choice->token)));
    auth->token_file = kubeconfig_resolve(arena, user->entry.directory, user->token_file);
    auth->username = arena_str(arena, user->username);
    auth->password = kubeconfig_keep_secret(arena, user->password);
    /* A token or a user name wins over a plugin, as for kubectl. */
    if (user->exec && str_is_empty(auth->token) && str_is_empty(auth->username))
        fill_exec(choice, arena, &auth->exec);
}

static void fill_impersonation(const struct kubeconfig_user *user, struct arena *arena,
                               struct rest_impersonation *as)
{
    struct rest_extra *extra = arena_alloc_array(arena, user->as.extra_count, sizeof(*extra));
    for (size_t i = 0; i < user->as.extra_count; i++) {
        const struct rest_extra *from = &user->as.extra[i];
        extra[i] = (struct rest_extra){arena_str(arena, from->key),
                                       copy_strings(arena, from->values, from->value_count),
                                       from->value_count};
    }
    *as = (struct rest_impersonation){
        .user = arena_str(arena, user->as.user),
        .uid = arena_str(arena, user->as.uid),
        .groups = copy_strings(arena, user->as_groups.items, user->as_groups.count),
        .group_count = user->as_groups.count,
        .extra = extra,
        .extra_count = user->as.extra_count,
    };
}

/* Plugins with provideClusterInfo get the authorities as PEM, too. */
static void fill_pem(const struct kubeconfig_choice *choice, bool keep_pem,
                     struct rest_config *config)
{
    struct arena *arena = &config->arena;
    if (keep_pem || config->auth.exec.provide_cluster_info)
        config->tls.trust_pem = arena_str(arena, buf_str(&choice->ca));
    if (!keep_pem)
        return;
    config->tls.certificate_pem = arena_str(arena, buf_str(&choice->certificate));
    config->tls.key_pem = kubeconfig_keep_secret(arena, buf_str(&choice->key));
}

/* Impersonation is no credential and applies to servers without https as well. */
void kubeconfig_fill(const struct kubeconfig_choice *choice, bool keep_pem,
                     struct problems *problems, struct rest_config *config)
{
    const struct kubeconfig_cluster *cluster = choice->cluster;
    problems_add_at(problems, cluster->entry.place, "server", fill_server(choice, config));
    problems_add_at(problems, cluster->entry.place, "proxy-url", fill_proxy(choice, config));
    config->disable_compression = cluster->disable_compression;
    config->namespace = str_is_empty(choice->namespace)
                            ? STR("default")
                            : arena_str(&config->arena, choice->namespace);
    if (choice->user)
        fill_impersonation(choice->user, &config->arena, &config->impersonate);
    if (!choice->is_https)
        return;
    fill_trust(choice, problems, config);
    if (choice->user) {
        fill_identity(choice, problems, config);
        fill_auth(choice, &config->arena, &config->auth);
    }
    fill_pem(choice, keep_pem, config);
}
