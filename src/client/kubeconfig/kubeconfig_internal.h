/*
 * Kubeconfigs on their way from texts to a rest_config: merged entries, then one choice. Private to
 * this folder.
 */
#pragma once

#include "base/map.h"
#include "client/kubeconfig/kubeconfig.h"
#include "json/struct_fields.h"

/* What is wrong, up to a bound: hostile text could be wrong without end. */
struct problems {
    struct error *err;
    size_t count;
};

void problems_done(struct problems *problems);

/* Takes the error; NULL is no problem. */
void problems_add(struct problems *problems, struct error *err);

/* The same, for the field of an entry: "place.field: message". */
void problems_add_at(struct problems *problems, struct str place, const char *field,
                     struct error *err);

/* ERROR_INVALID, "invalid configuration: …", with all of them, or NULL. */
MUST_USE struct error *problems_take(struct problems *problems);

/* What entries have in common; their first member. */
struct kubeconfig_entry {
    struct str name;
    struct str place;     /* users["admin"].user, in front of its fields in messages */
    struct str directory; /* of the file, for relative paths */
    size_t file;          /* which one, from 1 */
};

/* Texts are borrowed from the documents, empty when absent. */
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
    struct rest_exec plugin;                       /* what exec says, but for the next two */
    struct json_strings exec_args;
    struct str exec_mode;
};

struct kubeconfig_context {
    struct kubeconfig_entry entry;
    struct str cluster, user, namespace;
};

struct kubeconfig {
    struct arena arena; /* entries, and references to their documents */
    struct map clusters, users, contexts;
    struct str current_context;
    size_t files;
    struct problems problems;
};

void kubeconfig_done(struct kubeconfig *kubeconfig);

/* Adds what a text holds, behind what is there. Problems are noted, with the label in front. */
void kubeconfig_add(struct kubeconfig *kubeconfig, struct str text, struct str directory,
                    struct str label);

/* One context, with what its data fields and files hold. Zeroed before use. */
struct kubeconfig_choice {
    const struct kubeconfig_cluster *cluster;
    const struct kubeconfig_user *user; /* NULL: nobody */
    struct str namespace;
    bool is_https; /* the only servers that are shown credentials */
    struct buf ca, certificate, key, token;
};

void kubeconfig_choice_done(struct kubeconfig_choice *choice);

/* Finds the entries that the options and the current context name. */
void kubeconfig_choose(const struct kubeconfig *kubeconfig,
                       const struct kubeconfig_options *options, struct problems *problems,
                       struct kubeconfig_choice *choice);

/* Notes conflicts and gaps. */
void kubeconfig_check(const struct kubeconfig_choice *choice,
                      const struct kubeconfig_options *options, struct problems *problems);

/* Of an untrusted one: ERROR_FORBIDDEN when the user is to be had from a program. */
MUST_USE struct error *kubeconfig_refuse_programs(const struct kubeconfig_choice *choice,
                                                  struct str where);

/* Decodes data fields and reads the files that are referred to. */
void kubeconfig_collect(struct kubeconfig_choice *choice, const struct kubeconfig_options *options,
                        struct problems *problems);

/* Makes the config of it. */
void kubeconfig_fill(const struct kubeconfig_choice *choice, bool keep_pem,
                     struct problems *problems, struct rest_config *config);

/* "dir" and "a" make "dir/a"; absolute and empty paths stay. */
struct str kubeconfig_resolve(struct arena *arena, struct str directory, struct str path);

/* A copy in the arena that is wiped when the arena goes. */
struct str kubeconfig_keep_secret(struct arena *arena, struct str secret);

/* Sets host and server from a URL: query, fragment and slashes at the end go. ERROR_PARSE. */
MUST_USE struct error *kubeconfig_set_server(struct rest_config *config, struct str text);

/* Reads with the function given or, when that is NULL, from the file system. Bounded. */
MUST_USE struct error *kubeconfig_read_file(kubeconfig_read_fn *read_file, void *data,
                                            struct str path, struct buf *out);
