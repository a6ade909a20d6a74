/*
 * Where the bearer token of a request comes from: a text, a file that is written anew now and then,
 * or a credential plugin.
 *
 *     SCOPED(buf) token = {.secret = true};
 *     TRY(token_source_get(source, &token, NULL));
 *     if (status == 401)
 *         token_source_reject(source, buf_str(&token));
 *
 * A file is read again about every minute, on a worker thread. While it is missing or empty, as
 * happens when it is replaced carelessly, the last good token stays in use.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "client/auth/exec_plugin.h"
#include "client/kubeconfig/kubeconfig.h"

struct token_source;

struct token_source_options {
    duration reread; /* of a file; 0 means 1 minute */
    struct exec_plugin_options exec;

    kubeconfig_read_fn *read_file; /* called on a worker thread; NULL: the file system */
    void *read_data;
};

/* The config is borrowed and must outlive the source. Options may be NULL. */
struct token_source *token_source_new(const struct rest_config *config,
                                      const struct token_source_options *options);

/* Suspends, uninterrupted, while a plugin is killed. Nobody may be waiting. */
void token_source_free(struct token_source *source);
DEFINE_OWNED(token_source)

/*
 * Suspends when something has to be read or run. Appends the token to use now; none when the config
 * has no such credentials. ERROR_IO when there should be one and is not. A plugin may give a client
 * certificate as well: ret_identity, unless it is NULL, gets a reference to it, or NULL.
 */
MUST_USE struct error *token_source_get(struct token_source *source, struct buf *token,
                                        struct tls_identity **ret_identity);

/* The server answered 401 to this token: the next one is read or asked for anew. */
void token_source_reject(struct token_source *source, struct str token);
