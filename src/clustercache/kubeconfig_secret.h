/* The kubeconfig of a cluster, out of its Secret. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "base/error.h"
#include "base/sha256.h"

struct accessor;
struct cache;
struct rest_config;

#define KUBECONFIG_SECRET_SUFFIX "-kubeconfig"

/* From the name of a Secret to that of its cluster; false for other Secrets. */
bool kubeconfig_secret_cluster(struct key secret, struct key *ret_cluster);

/* Which kubeconfig it was. */
struct kubeconfig_secret_mark {
    char *version; /* of the Secret; NULL: none yet */
    uint8_t digest[SHA256_LEN];
};

void kubeconfig_secret_mark_done(struct kubeconfig_secret_mark *mark);

/*
 * The kubeconfig as a rest_config, and which one it is; mark is empty. Text that is not ours: it
 * may name neither files nor programs.
 */
MUST_USE struct error *kubeconfig_secret_read(const struct accessor *accessor,
                                              struct kubeconfig_secret_mark *mark,
                                              struct rest_config *ret_config);

/* Is there another kubeconfig than the one in use? One that is not there is none. */
bool kubeconfig_secret_has_changed(struct accessor *accessor);
