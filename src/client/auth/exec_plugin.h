/*
 * A credential plugin: a program that prints a token or a client certificate as ExecCredential.
 *
 * A credential is used until it expires or a server rejects it. At most one run of the program is
 * in progress; every fiber that needs a credential meanwhile gets the result of this run. A fiber
 * that stops waiting does not end the run. The program has no terminal, and its run time is
 * limited.
 */
#pragma once

#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct exec_plugin;
struct process_options;
struct process_result;
struct rest_config;
struct tls_identity;

struct exec_plugin_options {
    duration timeout; /* of a run; 0 means 1 minute */

    /* NULL: process_run(). Tests replace it. */
    struct error *(*run)(const struct process_options *options, struct process_result *ret_result);
};

/* config->auth.exec describes the plugin. The config must outlive it. Options may be NULL. */
struct exec_plugin *exec_plugin_new(const struct rest_config *config,
                                    const struct exec_plugin_options *options);

/* Kills a running program. Suspends, uninterrupted. No fiber may be in exec_plugin_get(). */
void exec_plugin_free(struct exec_plugin *plugin);
DEFINE_OWNED(exec_plugin)

/*
 * Appends the token, if there is one. *ret_identity is a new reference to the client certificate,
 * or NULL; ret_identity itself may be NULL. Errors of the plugin are ERROR_IO, name the command and
 * quote the beginning of its standard error. Suspends.
 */
MUST_USE struct error *exec_plugin_get(struct exec_plugin *plugin, struct buf *token,
                                       struct tls_identity **ret_identity);

/*
 * A server rejected this token: the next exec_plugin_get() runs the program again. Does nothing if
 * the plugin has another token by now.
 */
void exec_plugin_invalidate(struct exec_plugin *plugin, struct str token);
