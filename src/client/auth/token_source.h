/*
 * The source of the bearer token of a client: the text of a kubeconfig, a file whose content
 * rotates, or a credential plugin.
 *
 *     SCOPED(buf) token = {.secret = true};
 *     TRY(token_source_get(source, &token, NULL));
 *     if (status == 401)
 *         token_source_reject(source, buf_str(&token));
 *
 * A file is read again about every minute, on a worker thread. While the file is missing or empty,
 * for instance during a replacement that is not atomic, the last good token stays in use.
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

/* Suspends, uninterrupted, while a plugin is killed. No fiber may be in token_source_get(). */
void token_source_free(struct token_source *source);
DEFINE_OWNED(token_source)

/*
 * Appends the current token, or nothing if the config has no token. ERROR_IO if the file or the
 * plugin should give a token and does not. A plugin may give a client certificate as well:
 * *ret_identity becomes a new reference to it, or NULL; ret_identity itself may be NULL. Suspends
 * if a file must be read or a plugin must run.
 */
MUST_USE struct error *token_source_get(struct token_source *source, struct buf *token,
                                        struct tls_identity **ret_identity);

/* The server answered 401 to this token: the next call reads the file or runs the plugin again. */
void token_source_reject(struct token_source *source, struct str token);
