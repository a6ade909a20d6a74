/*
 * Checks whether a workload cluster can be used: its kubeconfig, its answer, its version,
 * permissions.
 *
 * Errors are one sentence that names the problem and says what to do.
 */
#pragma once

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
 * now, so that the config stands alone. Programs and token files are refused, since they cannot be
 * copied. Blocks.
 */
MUST_USE struct error *cluster_check_read(const char *file, struct str context,
                                          struct rest_config *ret_config);

/* Writes a kubeconfig for the Secret, and checks that the ClusterCache would accept it. Secret. */
MUST_USE struct error *cluster_check_write(const struct rest_config *config, struct str name,
                                           struct buf *out);

/* Send requests to the cluster. The version lives in the arena. Suspend. */
MUST_USE struct error *cluster_check_reach(struct client *client, struct arena *arena,
                                           struct str *ret_version);
MUST_USE struct error *cluster_check_version(struct str version);
MUST_USE struct error *cluster_check_permissions(struct client *client);
