/*
 * Reading files on a worker thread, so that a slow disk suspends the calling fiber only and not the
 * event loop.
 */
#pragma once

#include "client/kubeconfig/kubeconfig.h"

struct file_text_options {
    struct str path;
    size_t limit; /* bytes */
    bool secret;

    kubeconfig_read_fn *read_file; /* called on a worker thread; NULL: the file system */
    void *read_data;
};

/* Appends the content of the file. Suspends. */
MUST_USE struct error *file_text_read(const struct file_text_options *options, struct buf *text);

/* True if the read ended because the fiber was cancelled or out of time, whatever the file holds.
 */
bool file_text_was_interrupted(const struct error *err);
