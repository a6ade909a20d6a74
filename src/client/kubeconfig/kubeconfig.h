/*
 * How to reach a cluster and as whom: kubeconfigs, and what a pod knows about its own cluster.
 *
 * Several files are merged as kubectl merges them: the first file that sets a value or has an entry
 * of a name wins, whole entries at a time. One context is then chosen and becomes a rest_config,
 * which stands alone. Everything that is wrong is reported at once, behind "invalid configuration",
 * and each problem names its field:
 *
 *     invalid configuration: users["admin"].user.client-key-data: illegal base64 data at …
 *
 *     SCOPED(rest_config) config = {0};
 *     TRY(kubeconfig_load(&paths, &(struct kubeconfig_options){.context = STR("dev")}, &config));
 *
 * A kubeconfig that came out of a Secret is somebody else's text: read with "untrusted" it can name
 * neither files nor programs of this machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "http/url.h"

struct tls_identity;
struct tls_trust;

struct rest_tls {
    struct tls_trust *trust;       /* owned; NULL: the system's authorities */
    struct str trust_file;         /* where it is from and read again; empty: it stays */
    struct tls_identity *identity; /* owned; NULL: no client certificate */
    struct str server_name;        /* checked and sent instead of the host; empty: the host */
    bool skip_verify;

    /* The texts of the above, for writing and for exec plugins; empty unless asked for. */
    struct str trust_pem, certificate_pem, key_pem;
};

/* A terminal is never handed to a plugin, so one that must have it is refused when it is run. */
enum rest_exec_mode {
    REST_EXEC_NEVER,
    REST_EXEC_IF_AVAILABLE,
    REST_EXEC_ALWAYS,
};

struct rest_exec_env {
    struct str name, value;
};

/* A program that prints credentials; see client/exec_plugin.h. */
struct rest_exec {
    struct str command; /* empty: no plugin. With a slash it is a path, else searched in PATH */
    const struct str *args;
    size_t arg_count;
    const struct rest_exec_env *env; /* on top of this process's environment */
    size_t env_count;
    struct str api_version;  /* client.authentication.k8s.io/v1 or …/v1beta1 */
    struct str install_hint; /* shown when there is no such program */
    enum rest_exec_mode mode;
    bool provide_cluster_info;
    struct str cluster_config; /* JSON the cluster entry holds for plugins; may be empty */
};

/* At most one of these ways is in use; a token with a token file is the file's first content. */
struct rest_auth {
    struct str token;
    struct str token_file;         /* absolute, or relative to the working directory */
    struct str username, password; /* basic */
    struct rest_exec exec;
};

struct rest_extra {
    struct str key;
    const struct str *values;
    size_t value_count;
};

/* Whom to act as; empty user: oneself. */
struct rest_impersonation {
    struct str user, uid;
    const struct str *groups;
    size_t group_count;
    const struct rest_extra *extra;
    size_t extra_count;
};

/*
 * Open, to be read by the client and filled in by hand where there is no kubeconfig. What a reader
 * made lives in the arena; secrets are wiped with it. Never printed.
 */
struct rest_config {
    struct str host;   /* "https://127.0.0.1:6443/prefix": canonical, for messages and metrics */
    struct url server; /* the same in parts; path is the prefix of every request, "" for none */
    struct rest_tls tls;
    bool has_proxy;
    struct url proxy; /* http, https or socks5 */
    bool disable_compression;
    struct rest_auth auth; /* empty when the server is not https */
    struct rest_impersonation impersonate;
    struct str namespace; /* "default" when nothing says otherwise */

    struct arena arena;
};

void rest_config_done(struct rest_config *config);

/* Appends what a file holds. ERROR_NOT_FOUND when there is none. */
typedef struct error *kubeconfig_read_fn(void *data, struct str path, struct buf *out);

/* Empty texts leave things as the kubeconfig has them. */
struct kubeconfig_options {
    struct str context, cluster, user, namespace;
    bool untrusted; /* files, exec and auth-provider are errors, whatever the server */

    /* Of an untrusted one that is fine otherwise: exec and auth-provider are ERROR_FORBIDDEN and
     * "ExecProvider is not supported in <this>". Empty: they are problems like others. */
    struct str refused_in;
    bool keep_pem; /* fill in the texts of rest_tls, at the price of their memory */

    kubeconfig_read_fn *read_file; /* NULL: the file system */
    void *read_data;
};

/*
 * From one text. Relative paths in it belong to directory; empty is the working directory. Options
 * may be NULL. ERROR_INVALID, whatever is wrong with it; see also refused_in.
 */
MUST_USE struct error *kubeconfig_read(struct str text, struct str directory,
                                       const struct kubeconfig_options *options,
                                       struct rest_config *ret_config);

/* Where kubeconfigs are looked for: the first of these that is not empty counts. */
struct kubeconfig_paths {
    struct str file; /* --kubeconfig: this one, and it must exist */
    struct str list; /* $KUBECONFIG: several with ":" between; those that are missing are skipped */
    struct str home; /* $HOME: .kube/config below it */
};

/* From this process's environment; views of it. */
struct kubeconfig_paths kubeconfig_paths_from_environment(void);

/*
 * Reads files and blocks meanwhile: for the start of a program. ERROR_NOT_FOUND when there is no
 * kubeconfig at all, ERROR_INVALID when there is something wrong with it.
 */
MUST_USE struct error *kubeconfig_load(const struct kubeconfig_paths *paths,
                                       const struct kubeconfig_options *options,
                                       struct rest_config *ret_config);

/*
 * Appends a kubeconfig in YAML with one cluster, one user and one context, all of that name, which
 * is not empty. Of the config only texts are used (host, the PEM texts, auth, …), so one filled in
 * by hand will do. A file it goes to should be readable by its owner alone, and the buffer be
 * marked secret.
 */
void kubeconfig_write(struct buf *out, struct str name, const struct rest_config *config);

/* What a pod finds about its cluster; empty texts come from where Kubernetes puts them. */
struct kubeconfig_in_cluster_options {
    struct str host, port; /* $KUBERNETES_SERVICE_HOST, $KUBERNETES_SERVICE_PORT */
    struct str directory;  /* /var/run/secrets/kubernetes.io/serviceaccount */
    bool keep_pem;

    kubeconfig_read_fn *read_file; /* NULL: the file system */
    void *read_data;
};

/*
 * The cluster this process runs in, as the pod's service account. Blocks on files. ERROR_NOT_FOUND
 * outside of a cluster, ERROR_INVALID for an incomplete volume. The token rotates: it is the
 * token_file, read again by token_source.h; so do authorities, see trust_source.h.
 */
MUST_USE struct error *kubeconfig_in_cluster(const struct kubeconfig_in_cluster_options *options,
                                             struct rest_config *ret_config);

/*
 * Points a config at the cluster this process runs in, keeping its credentials and all else: host
 * and authorities are replaced. A config that skips verification is refused, since authorities
 * would mean nothing. On failure the config is unchanged.
 */
MUST_USE struct error *
kubeconfig_use_in_cluster_server(struct rest_config *config,
                                 const struct kubeconfig_in_cluster_options *options);
