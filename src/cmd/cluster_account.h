/*
 * The ServiceAccount of corset in a workload cluster, for clusters whose kubeconfig has no
 * credentials of its own but names a program that makes some.
 *
 * The token is that of a Secret of type kubernetes.io/service-account-token: clouds shorten the
 * tokens of the TokenRequest API to a day or two, and nobody would renew them in time.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

struct client;

struct cluster_account {
    struct buf secret_name; /* of the Secret that holds the token */
    struct buf token;       /* secret */
};

void cluster_account_done(struct cluster_account *account);

/*
 * Makes the account, its binding to cluster-admin, and a token, where they do not exist yet; with
 * is_renewed a new token in any case. account must be zero. Suspends.
 */
MUST_USE struct error *cluster_account_make(struct client *client, bool is_renewed,
                                            struct cluster_account *account);

/* Deletes all other tokens of the account, which are void from then on. Suspends. */
MUST_USE struct error *cluster_account_retire(struct client *client,
                                              const struct cluster_account *account);
