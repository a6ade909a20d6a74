/*
 * Which authorities a server is believed by: those of the config, or what its file holds now.
 *
 * A file is read again about every five minutes, on a worker thread. While it is missing or broken,
 * what was read before stays in use, and that is logged.
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
 * Suspends when the file has to be read again; an error is the end of that wait. A new reference,
 * the same one for as long as nothing changes; NULL: the system's authorities.
 */
MUST_USE struct error *trust_source_get(struct trust_source *source, struct tls_trust **ret_trust);
