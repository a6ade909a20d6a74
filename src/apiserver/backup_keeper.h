/* Makes the backups that commands ask a running server for; see folder_backup.h. */
#pragma once

#include "apiserver/credential_keeper.h"
#include "async/scope.h"

struct store;

struct backup_keeper {
    char *folder; /* NULL: everything is in memory, nothing can be asked for */
    struct store *store;
    struct credential_keeper *credentials;
    struct scope scope;
};

void backup_keeper_init(struct backup_keeper *keeper, const char *folder, struct store *store,
                        struct credential_keeper *credentials);

/* Suspends. */
void backup_keeper_done(struct backup_keeper *keeper);

/* Looks for requests from now on. What an earlier run has left over goes. */
void backup_keeper_start(struct backup_keeper *keeper);
