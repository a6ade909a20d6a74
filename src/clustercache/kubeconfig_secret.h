/* The Secret "<cluster>-kubeconfig" and the kubeconfig in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/sha256.h"

struct accessor;
struct cache;
struct rest_config;

#define KUBECONFIG_SECRET_SUFFIX "-kubeconfig"

/* The cluster of a kubeconfig Secret, by its name; false for other Secrets. */
bool kubeconfig_secret_cluster(struct key secret, struct key *ret_cluster);

/* Identifies the kubeconfig that a connection or an attempt was made with. */
struct kubeconfig_secret_mark {
    char *version; /* resourceVersion of the Secret; NULL: none */
    uint8_t digest[SHA256_LEN];
};

void kubeconfig_secret_mark_done(struct kubeconfig_secret_mark *mark);

/*
 * Reads the kubeconfig into a rest_config and fills the mark, which must be empty. The kubeconfig
 * is not trusted: files and programs in it are refused. Suspends for a turn of the CPU.
 */
MUST_USE struct error *kubeconfig_secret_read(const struct accessor *accessor,
                                              struct kubeconfig_secret_mark *mark,
                                              struct rest_config *ret_config);

/* The same from a Secret that the caller has, for programs without a ClusterCache. */
MUST_USE struct error *kubeconfig_secret_parse(const struct object *secret,
                                               struct rest_config *ret_config);

/*
 * True if the Secret has another kubeconfig than the connection, or without a connection than the
 * last attempt to connect, which may have found none. A Secret that is missing or cannot
 * be read has none. Remembers versions of the Secret with the same kubeconfig.
 */
bool kubeconfig_secret_has_changed(struct accessor *accessor);
