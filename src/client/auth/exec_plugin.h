/*
 * A credential plugin: a program that prints a token or a client certificate.
 *
 * What it printed is used until it expires or a server rejects it. However many fibers ask, the
 * program runs once at a time and all of them get its result; a fiber that gives up does not end
 * the run for the others. The program has no terminal and a deadline.
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

    /* NULL: process_run(). Tests put something in its place. */
    struct error *(*run)(const struct process_options *options, struct process_result *ret_result);
};

/* The config names the plugin; it is borrowed and must outlive this. Options may be NULL. */
struct exec_plugin *exec_plugin_new(const struct rest_config *config,
                                    const struct exec_plugin_options *options);

/* Suspends, uninterrupted, until a program that still runs is killed. Nobody may be waiting. */
void exec_plugin_free(struct exec_plugin *plugin);
DEFINE_OWNED(exec_plugin)

/*
 * Suspends. Appends the token, if there is one, and gives a reference to the certificate, or NULL.
 * ret_identity itself may be NULL. Errors of the plugin are ERROR_IO, name the command and show
 * some of what it complained.
 */
MUST_USE struct error *exec_plugin_get(struct exec_plugin *plugin, struct buf *token,
                                       struct tls_identity **ret_identity);

/*
 * A server rejected this token: it is not given out again. Nothing happens when another one has
 * taken its place meanwhile.
 */
void exec_plugin_invalidate(struct exec_plugin *plugin, struct str token);
