/* The kubeconfigs that a server writes to disk: the admin's, and one for each virtual cluster. */
#pragma once

#include "base/error.h"

struct standalone;

struct server_files {
    const char *data_dir;   /* kubeconfig and clusters/ below it; NULL: none */
    const char *kubeconfig; /* another place for the admin's; NULL: none */
    const char *clusters;   /* another folder for those of virtual clusters; NULL: none */
};

/* Each file is written completely or not at all. Suspends. */
MUST_USE struct error *server_files_write(const struct server_files *files,
                                          const struct standalone *standalone);
