/*
 * From the texts of kubeconfigs to a rest_config. Private to this folder.
 *
 * The steps, in order: kubeconfig_add() for each text merges its entries into a struct kubeconfig;
 * kubeconfig_choose() finds the cluster and the user of one context; kubeconfig_check() looks for
 * contradictions; kubeconfig_collect() decodes data fields and reads files; kubeconfig_fill() makes
 * the rest_config. Every step adds its problems to a struct problems.
 */
#pragma once

#include "base/map.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/kubeconfig/problems.h"
#include "json/fields.h"

/* The first member of every kind of entry. */
struct kubeconfig_entry {
    struct str name;
    struct str place;     /* such as users["admin"].user, the prefix of its fields in messages */
    struct str directory; /* of its file, for relative paths */
    size_t file;          /* the number of its file, from 1 */
};

/* Texts are borrowed from the documents. An absent field is empty. */
struct kubeconfig_cluster {
    struct kubeconfig_entry entry;
    struct str server, tls_server_name, proxy_url;
    struct str ca_file, ca_data;
    bool skip_verify, disable_compression;
    const struct json_value *extensions;
};

struct kubeconfig_user {
    struct kubeconfig_entry entry;
    struct str token, token_file, username, password;
    struct str certificate_file, certificate_data, key_file, key_data;
    struct rest_impersonation as;
    struct json_strings as_groups;
    const struct json_value *auth_provider, *exec; /* NULL when absent */
    struct rest_exec plugin;                       /* exec without args and interactiveMode */
    struct json_strings exec_args;
    struct str exec_mode;
};

struct kubeconfig_context {
    struct kubeconfig_entry entry;
    struct str cluster, user, namespace;
};

struct kubeconfig {
    struct arena arena;                   /* holds the entries and their documents */
    struct map clusters, users, contexts; /* name -> entry */
    struct str current_context;
    size_t files;
    struct problems problems;
};

void kubeconfig_done(struct kubeconfig *kubeconfig);

/* Merges the entries of a text. Problems are added with the label in front. */
void kubeconfig_add(struct kubeconfig *kubeconfig, struct str text, struct str directory,
                    struct str label);

/* One context, with the contents of its data fields and files. Zero is empty. */
struct kubeconfig_choice {
    const struct kubeconfig_cluster *cluster;
    const struct kubeconfig_user *user; /* NULL: anonymous */
    struct str namespace;
    bool is_https; /* credentials are sent over https only */
    struct buf ca, certificate, key, token;
};

void kubeconfig_choice_done(struct kubeconfig_choice *choice);

/* Finds the entries that the options and the current context name. */
void kubeconfig_choose(const struct kubeconfig *kubeconfig,
                       const struct kubeconfig_options *options, struct problems *problems,
                       struct kubeconfig_choice *choice);

/* Adds problems for fields that contradict each other or are missing. */
void kubeconfig_check(const struct kubeconfig_choice *choice,
                      const struct kubeconfig_options *options, struct problems *problems);

/* For untrusted kubeconfigs: ERROR_FORBIDDEN if the user has exec or auth-provider. */
MUST_USE struct error *kubeconfig_refuse_programs(const struct kubeconfig_choice *choice,
                                                  struct str where);

/* Decodes data fields and reads files. */
void kubeconfig_collect(struct kubeconfig_choice *choice, const struct kubeconfig_options *options,
                        struct problems *problems);

/* Makes the rest_config. */
void kubeconfig_fill(const struct kubeconfig_choice *choice, bool keep_pem,
                     struct problems *problems, struct rest_config *config);

/* Joins "dir" and "a" to "dir/a". Absolute and empty paths stay as they are. */
struct str kubeconfig_resolve(struct arena *arena, struct str directory, struct str path);

/* A copy in the arena that is wiped when the arena is released. */
struct str kubeconfig_keep_secret(struct arena *arena, struct str secret);

/* Sets host and server from a URL, without query, fragment and trailing slashes. ERROR_PARSE. */
MUST_USE struct error *kubeconfig_set_server(struct rest_config *config, struct str text);

/* Reads with read_file or, if it is NULL, from the file system, up to a size limit. */
MUST_USE struct error *kubeconfig_read_file(kubeconfig_read_fn *read_file, void *data,
                                            struct str path, struct buf *out);
