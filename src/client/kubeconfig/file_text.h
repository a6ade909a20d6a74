/* What a file holds, read by a worker, so that a slow disk keeps nobody waiting but the caller. */
#pragma once

#include "client/kubeconfig/kubeconfig.h"

struct file_text_options {
    struct str path;
    size_t limit; /* bytes */
    bool secret;

    kubeconfig_read_fn *read_file; /* called on a worker thread; NULL: the file system */
    void *read_data;
};

/* Suspends. Appends. */
MUST_USE struct error *file_text_read(const struct file_text_options *options, struct buf *text);
