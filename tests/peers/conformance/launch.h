/*
 * The server's program, started for one replay: `PROGRAM apiserver --in-memory …`.
 *
 * What it prints goes to a file in a temporary folder, beside the kubeconfig it writes. The kernel
 * kills it when we end without stopping it.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct launch;

/*
 * Suspends until the program has written its kubeconfig; the fiber's deadline bounds that. The
 * history's age is what --history-age says; NULL leaves it to the program.
 */
MUST_USE struct error *launch_start(const char *program, const char *history_age,
                                    struct launch **ret_launch);

/* Kills it if it was not stopped, and removes the folder. */
void launch_free(struct launch *launch);
DEFINE_OWNED(launch)

struct str launch_kubeconfig(const struct launch *launch); /* the file's path */

/* ERROR_IO with its last words when it has ended by itself. */
MUST_USE struct error *launch_check(struct launch *launch);

/* Suspends. Tells it to end and waits; ERROR_IO when it does not, or says that it failed. */
MUST_USE struct error *launch_stop(struct launch *launch);
