#include "apiserver/backup_keeper.h"

#include "apiserver/folder_backup.h"
#include "async/fiber.h"
#include "base/log.h"
#include "base/memory.h"

#define LOOK_EVERY (500 * MILLISECOND)

/* Keys that are being replaced would not fit together in a backup. */
static struct error *serve_backup(struct backup_keeper *keeper)
{
    TRY(credential_keeper_hold(keeper->credentials));
    struct error *err = folder_backup_serve(keeper->store, keeper->folder);
    credential_keeper_release(keeper->credentials);
    return err;
}

static struct error *keep_backups(void *data)
{
    struct backup_keeper *keeper = data;
    for (;;) {
        TRY(fiber_sleep(LOOK_EVERY));
        if (!folder_backup_is_wanted(keeper->folder))
            continue;
        OWNED(error) err = serve_backup(keeper);
        if (error_is(err, ERROR_CANCELED))
            return TAKE(err);
        if (err)
            log_error("No backup was made", LOG_ERROR(err));
    }
}

void backup_keeper_init(struct backup_keeper *keeper, const char *folder, struct store *store,
                        struct credential_keeper *credentials)
{
    keeper->folder = mem_dup(folder, strlen(folder));
    keeper->store = store;
    keeper->credentials = credentials;
}

void backup_keeper_start(struct backup_keeper *keeper)
{
    if (!keeper->folder)
        return;
    folder_backup_clean(keeper->folder);
    scope_start(&keeper->scope, "backups", keep_backups, keeper);
}

void backup_keeper_done(struct backup_keeper *keeper)
{
    scope_done(&keeper->scope);
    mem_free(keeper->folder);
}
