/*
 * Kubeconfigs, and the in-cluster configuration of a pod: how to reach a cluster, and as which
 * user.
 *
 * Several files are merged as kubectl merges them: the first file that has a value or an entry of
 * some name wins, whole entries at a time. One context is chosen and becomes a rest_config, which
 * refers to nothing outside of itself. All problems are reported in one error that begins with
 * "invalid configuration", and each of them names its field:
 *
 *     invalid configuration: users["admin"].user.client-key-data: illegal base64 data at …
 *
 *     SCOPED(rest_config) config = {0};
 *     TRY(kubeconfig_load(&paths, &(struct kubeconfig_options){.context = STR("dev")}, &config));
 *
 * A kubeconfig from a Secret was written by the users of a cluster. It must be read with
 * "untrusted", so that it cannot name files or programs of this machine.
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
    struct tls_trust *trust;       /* owned; NULL: the authorities of the system */
    struct str trust_file;         /* trust_source.h reads it again; empty: no file */
    struct tls_identity *identity; /* owned; NULL: no client certificate */
    struct str server_name;        /* for SNI and verification; empty: the host */
    bool skip_verify;

    /* The same as PEM, for kubeconfig_write() and exec plugins. Empty unless keep_pem is set. */
    struct str trust_pem, certificate_pem, key_pem;
};

/* interactiveMode. Plugins never get a terminal, so running a plugin with ALWAYS is an error. */
enum rest_exec_mode {
    REST_EXEC_NEVER,
    REST_EXEC_IF_AVAILABLE,
    REST_EXEC_ALWAYS,
};

struct rest_exec_env {
    struct str name, value;
};

/* A program that prints credentials; see client/auth/exec_plugin.h. */
struct rest_exec {
    struct str command; /* empty: no plugin. With a slash it is a path, else searched in PATH */
    const struct str *args;
    size_t arg_count;
    const struct rest_exec_env *env; /* added to the environment of this process */
    size_t env_count;
    struct str api_version;  /* client.authentication.k8s.io/v1 or …/v1beta1 */
    struct str install_hint; /* part of the error if the program does not exist */
    enum rest_exec_mode mode;
    bool provide_cluster_info;
    struct str cluster_config; /* JSON from the extensions of the cluster entry; may be empty */
};

/* At most one way is in use. With a token_file, token is the content that it had when read. */
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

/* Impersonate-* headers. An empty user means no impersonation. */
struct rest_impersonation {
    struct str user, uid;
    const struct str *groups;
    size_t group_count;
    const struct rest_extra *extra;
    size_t extra_count;
};

/*
 * A public struct: the client reads it, and code without a kubeconfig fills it in. Texts of a
 * config that was read live in its arena, which wipes secrets when it is released. Never log it.
 */
struct rest_config {
    struct str host;   /* "https://127.0.0.1:6443/prefix": canonical, for messages and metrics */
    struct url server; /* the parts of host; its path is the prefix of every request path */
    struct rest_tls tls;
    bool has_proxy;
    struct url proxy; /* http, https or socks5 */
    bool disable_compression;
    struct rest_auth auth; /* empty when the server is not https */
    struct rest_impersonation impersonate;
    struct str namespace; /* "default" if the context has none */

    struct arena arena;
};

void rest_config_done(struct rest_config *config);

/*
 * The client certificate and the authorities become those of a newer config. Clients that use the
 * config take them with their next request.
 */
void rest_config_take_tls(struct rest_config *config, struct rest_config *newer);

/* Appends the content of a file. ERROR_NOT_FOUND if the file does not exist. */
typedef struct error *kubeconfig_read_fn(void *data, struct str path, struct buf *out);

/* Texts that are not empty override the kubeconfig. */
struct kubeconfig_options {
    struct str context, cluster, user, namespace;
    bool untrusted; /* files, exec and auth-provider are errors */

    /* Of an untrusted kubeconfig without other problems: exec and auth-provider are
     * ERROR_FORBIDDEN, "ExecProvider is not supported in <refused_in>". Empty: they are problems
     * like all others. */
    struct str refused_in;
    bool keep_pem; /* fill in the PEM texts of rest_tls, which take memory */

    kubeconfig_read_fn *read_file; /* NULL: the file system */
    void *read_data;
};

/*
 * Reads one text. Relative paths in it are relative to directory; empty means the working
 * directory. Options may be NULL. All problems are ERROR_INVALID, except for refused_in.
 */
MUST_USE struct error *kubeconfig_read(struct str text, struct str directory,
                                       const struct kubeconfig_options *options,
                                       struct rest_config *ret_config);

/* Places of kubeconfigs. The first one that is not empty is used. */
struct kubeconfig_paths {
    struct str file; /* --kubeconfig: one file, which must exist */
    struct str list; /* $KUBECONFIG: files separated by ":"; missing files are skipped */
    struct str home; /* $HOME: .kube/config below it */
};

/* From the environment of this process. The texts are views of it. */
struct kubeconfig_paths kubeconfig_paths_from_environment(void);

/*
 * Reads files on the calling thread, which blocks: for the start of a program. ERROR_NOT_FOUND if
 * there is no kubeconfig at all, ERROR_INVALID if it has problems.
 */
MUST_USE struct error *kubeconfig_load(const struct kubeconfig_paths *paths,
                                       const struct kubeconfig_options *options,
                                       struct rest_config *ret_config);

/*
 * Appends the names of all contexts, one per line, in no particular order. Entries that cannot be
 * used count, too. Errors as of kubeconfig_load().
 */
MUST_USE struct error *kubeconfig_contexts(const struct kubeconfig_paths *paths, struct buf *out);

/*
 * Appends a kubeconfig in YAML with one cluster, one user and one context, all called "name", which
 * must not be empty. Only the texts of the config are used (host, the PEM texts, auth, …). The
 * caller marks the buffer secret and makes the file readable by its owner only.
 */
void kubeconfig_write(struct buf *out, struct str name, const struct rest_config *config);

/* Where a pod finds its configuration. Empty texts mean the places that Kubernetes uses. */
struct kubeconfig_in_cluster_options {
    struct str host, port; /* $KUBERNETES_SERVICE_HOST, $KUBERNETES_SERVICE_PORT */
    struct str directory;  /* /var/run/secrets/kubernetes.io/serviceaccount */
    bool keep_pem;

    kubeconfig_read_fn *read_file; /* NULL: the file system */
    void *read_data;
};

/*
 * The cluster that this process runs in, with the service account of the pod. Blocks on files.
 * ERROR_NOT_FOUND outside of a cluster, ERROR_INVALID for an incomplete volume. Token and
 * authorities rotate: token_source.h and trust_source.h read their files again.
 */
MUST_USE struct error *kubeconfig_in_cluster(const struct kubeconfig_in_cluster_options *options,
                                             struct rest_config *ret_config);

/*
 * Replaces host and authorities of a config by those of the cluster that this process runs in, and
 * keeps everything else. ERROR_INVALID for a config that skips verification, since it would ignore
 * the authorities. On failure the config is unchanged.
 */
MUST_USE struct error *
kubeconfig_use_in_cluster_server(struct rest_config *config,
                                 const struct kubeconfig_in_cluster_options *options);
