/*
 * The certificate authorities that a client trusts: those that the config has now, or those of a
 * file that rotates.
 *
 * A file is read again about every five minutes, on a worker thread. While the file is missing or
 * invalid, the authorities that were read before stay in use, and an error is logged.
 */
#pragma once

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "client/kubeconfig/kubeconfig.h"

struct loop;
struct trust_source;

struct trust_source_options {
    duration reread; /* of a file; 0 means 5 minutes */

    kubeconfig_read_fn *read_file; /* called on a worker thread; NULL: the file system */
    void *read_data;
};

/* The config is borrowed and must outlive the source. Options may be NULL. */
struct trust_source *trust_source_new(struct loop *loop, const struct rest_config *config,
                                      const struct trust_source_options *options);
void trust_source_free(struct trust_source *source);
DEFINE_OWNED(trust_source)

/*
 * *ret_trust is a new reference, to the same object as long as the authorities do not change; NULL
 * means the authorities of the system. Suspends if the file must be read again. Fails only if the
 * fiber is cancelled or out of time meanwhile.
 */
MUST_USE struct error *trust_source_get(struct trust_source *source, struct tls_trust **ret_trust);
