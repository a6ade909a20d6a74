/*
 * The management cluster as a command of a person uses it: one client, for as long as it runs.
 *
 *     SCOPED(management_client) management = {0};
 *     TRY(management_client_open(&management, globals));
 *     TRY(client_get(management.client, ...));
 */
#pragma once

#include "base/error.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "cmd/global_flags.h"

struct management_client {
    struct network *network;
    struct tls_context *tls;
    struct rest_config config; /* its namespace is the one to use */
    struct client *client;
};

/* Nothing is asked yet. On the loop; blocks on files. */
MUST_USE struct error *management_client_open(struct management_client *management,
                                              const struct global_flags *globals);
void management_client_done(struct management_client *management); /* suspends */

/* Says in words of ours what a server without our kinds, or one that is not there, answers. */
MUST_USE struct error *management_client_explain(struct error *err);
