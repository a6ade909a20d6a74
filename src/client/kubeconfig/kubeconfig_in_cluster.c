/*
 * The in-cluster configuration, like rest.InClusterConfig() of client-go: two environment variables
 * name the server, a projected volume holds the CA, the token and the namespace of the pod.
 */
#include <stdlib.h>

#include "client/auth/token_text.h"
#include "client/kubeconfig/kubeconfig_internal.h"
#include "net/tls.h"

#define DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"

static struct str or_variable(struct str text, const char *name)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): variables are never set */
    return str_is_empty(text) ? str_from_c(getenv(name)) : text;
}

/* An IPv6 address needs brackets in a URL; the variable has none. */
static struct error *find_server(const struct kubeconfig_in_cluster_options *options,
                                 struct arena *arena, struct str *ret_url)
{
    const struct str host = or_variable(options->host, "KUBERNETES_SERVICE_HOST");
    const struct str port = or_variable(options->port, "KUBERNETES_SERVICE_PORT");
    if (str_is_empty(host) || str_is_empty(port))
        return error_new(ERROR_NOT_FOUND,
                         "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not both set");
    const bool is_ipv6 = str_find_char(host, ':') != STR_NONE;
    *ret_url = arena_print(arena, is_ipv6 ? "https://[%.*s]:%.*s" : "https://%.*s:%.*s",
                           STR_ARG(host), STR_ARG(port));
    return NULL;
}

static struct str path_of(const struct kubeconfig_in_cluster_options *options, struct arena *arena,
                          const char *name)
{
    const struct str directory =
        str_is_empty(options->directory) ? STR(DIRECTORY) : options->directory;
    return kubeconfig_resolve(arena, directory, str_from_c(name));
}

/* Inside a cluster a missing file is an error; ERROR_NOT_FOUND means "not inside a cluster". */
static struct error *as_invalid(struct error *err)
{
    if (err)
        err->code = ERROR_INVALID;
    return err;
}

static struct error *read_from(const struct kubeconfig_in_cluster_options *options,
                               struct arena *arena, const char *name, struct buf *out)
{
    return kubeconfig_read_file(options->read_file, options->read_data,
                                path_of(options, arena, name), out);
}

/* Sets the server and the authorities that verify it. */
static struct error *use_server(const struct kubeconfig_in_cluster_options *options,
                                struct rest_config *config)
{
    struct str url = {0};
    SCOPED(buf) pem = {0};
    TRY(find_server(options, &config->arena, &url));
    TRY(as_invalid(kubeconfig_set_server(config, url)),
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT");
    TRY(as_invalid(read_from(options, &config->arena, "ca.crt", &pem)));
    TRY(as_invalid(tls_trust_read(buf_str(&pem), &config->tls.trust)), "ca.crt");
    config->tls.trust_file = path_of(options, &config->arena, "ca.crt");
    if (options->keep_pem || config->auth.exec.provide_cluster_info)
        config->tls.trust_pem = arena_str(&config->arena, buf_str(&pem));
    return NULL;
}

/* token_source.h reads the file again; reading it here detects an incomplete volume. */
static struct error *use_token(const struct kubeconfig_in_cluster_options *options,
                               struct rest_config *config)
{
    SCOPED(buf) text = {.secret = true};
    TRY(as_invalid(read_from(options, &config->arena, "token", &text)));
    const struct str token = str_trim(buf_str(&text));
    if (!token_text_is_sendable(token))
        return error_new(ERROR_INVALID, "token: no token in it");
    config->auth.token = kubeconfig_keep_secret(&config->arena, token);
    config->auth.token_file = path_of(options, &config->arena, "token");
    return NULL;
}

/* Old clusters have no such file. The namespace is "default" then. */
static struct error *use_namespace(const struct kubeconfig_in_cluster_options *options,
                                   struct rest_config *config)
{
    SCOPED(buf) text = {0};
    struct error *err = read_from(options, &config->arena, "namespace", &text);
    TRY(as_invalid(error_ignore(err, ERROR_NOT_FOUND)));
    const struct str namespace = str_trim(buf_str(&text));
    config->namespace =
        str_is_empty(namespace) ? STR("default") : arena_str(&config->arena, namespace);
    return NULL;
}

struct error *kubeconfig_in_cluster(const struct kubeconfig_in_cluster_options *options,
                                    struct rest_config *ret_config)
{
    static const struct kubeconfig_in_cluster_options none = {0};
    SCOPED(rest_config) config = {0};
    options = options ? options : &none;
    TRY(use_server(options, &config), "in-cluster configuration");
    TRY(use_token(options, &config), "in-cluster configuration");
    TRY(use_namespace(options, &config), "in-cluster configuration");
    *ret_config = config;
    config = (struct rest_config){0};
    return NULL;
}

/* Works on a copy, so that the config is unchanged on failure. */
struct error *kubeconfig_use_in_cluster_server(struct rest_config *config,
                                               const struct kubeconfig_in_cluster_options *options)
{
    static const struct kubeconfig_in_cluster_options none = {0};
    if (config->tls.skip_verify)
        return error_new(ERROR_INVALID,
                         "authorities of the cluster together with insecure-skip-tls-verify");
    struct rest_config changed = *config;
    changed.tls.trust = NULL;
    changed.tls.trust_pem = STR("");
    struct error *err = use_server(options ? options : &none, &changed);
    /* The arena may have grown in either case, and the config owns it. */
    config->arena = changed.arena;
    if (err) {
        tls_trust_free(changed.tls.trust);
        return err;
    }
    tls_trust_free(config->tls.trust);
    *config = changed;
    return NULL;
}
