/*
 * The client of commands for people: one connection to the management cluster, while the command
 * runs.
 *
 *     SCOPED(management_client) management = {0};
 *     TRY(management_client_open(&management, globals));
 *     TRY(client_get(management.client, ...));
 */
#pragma once

#include "base/error.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "cmd/global_flags.h"

struct management_client {
    struct network *network;
    struct tls_context *tls;
    struct proxy_environment proxies;
    struct rest_config config; /* config.namespace is the default namespace */
    struct client *client;
};

/*
 * Reads the kubeconfig and makes the client; sends nothing. Must run on the loop. Blocks on files.
 */
MUST_USE struct error *management_client_open(struct management_client *management,
                                              const struct global_flags *globals);
void management_client_done(struct management_client *management); /* suspends */

/* Replaces the 404 of a server without corset's kinds by a message that says what to do. */
MUST_USE struct error *management_client_explain(struct error *err);
