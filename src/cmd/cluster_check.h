/*
 * Whether a workload cluster can be used: its kubeconfig, its answer, its version, our permissions.
 *
 * What is wrong is said in one sentence that says what to do.
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
 * From a file, or from standard input for "-". What the kubeconfig takes from files is read now, so
 * that the config stands alone; what cannot be taken along is refused: programs and token files.
 * Blocks.
 */
MUST_USE struct error *cluster_check_read(const char *file, struct str context,
                                          struct rest_config *ret_config);

/* A kubeconfig of the name for the Secret, one that the ClusterCache takes. Secret. */
MUST_USE struct error *cluster_check_write(const struct rest_config *config, struct str name,
                                           struct buf *out);

/* Asks the cluster. Its version lives in the arena. Suspends. */
MUST_USE struct error *cluster_check_reach(struct client *client, struct arena *arena,
                                           struct str *ret_version);
MUST_USE struct error *cluster_check_version(struct str version);
MUST_USE struct error *cluster_check_permissions(struct client *client);
