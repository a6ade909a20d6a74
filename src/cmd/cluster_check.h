/*
 * Checks whether a workload cluster can be used: its kubeconfig, its answer, its version,
 * permissions.
 *
 * Errors are one sentence that names the problem and says what to do.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct client;
struct network;
struct rest_config;
struct tls_context;

/*
 * Reads a kubeconfig from a file, or from standard input for "-". Files that it names are read
 * now, so that the config stands alone. Programs and token files cannot be copied, so they are
 * refused unless may_run says that the config is only used here and now. Blocks.
 */
MUST_USE struct error *cluster_check_read(const char *file, struct str context, bool may_run,
                                          struct rest_config *ret_config);

/*
 * Appends the kubeconfig that is stored for the controllers, and reads it as they will: *ret_stored
 * is what they see, ERROR_INVALID what they would refuse.
 */
MUST_USE struct error *cluster_check_write(const struct rest_config *config, struct str name,
                                           struct buf *out, struct rest_config *ret_stored);

/* Send requests to the cluster. The version lives in the arena. Suspend. */
MUST_USE struct error *cluster_check_reach(struct client *client, struct arena *arena,
                                           struct str *ret_version);
MUST_USE struct error *cluster_check_version(struct str version);
MUST_USE struct error *cluster_check_permissions(struct client *client);
