/*
 * The kubeconfigs that a server leaves on disk: the admin's, and one for each virtual cluster.
 */
#pragma once

#include "base/error.h"

struct standalone;

struct server_files {
    const char *data_dir;   /* kubeconfig and clusters/ below it; NULL: none */
    const char *kubeconfig; /* the admin's, once more; NULL: none */
    const char *clusters;   /* a folder for those of virtual clusters, once more; NULL: none */
};

/* Each of them whole or not at all. Blocks: for a start. */
MUST_USE struct error *server_files_write(const struct server_files *files,
                                          const struct standalone *standalone);
