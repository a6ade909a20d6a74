#include "apiserver/credential_keeper.h"

#include "apiserver/credential_rotation.h"
#include "apiserver/data_dir.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/worker.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/timestamp.h"

/* A rotation waits for this; without a folder there are none. */
#define LOOK_EVERY        SECOND
#define LOOK_EVERY_MEMORY HOUR
#define RETRY_AFTER       MINUTE

/* The server's certificate is valid for the names under which clients reach this machine. */
static void name_server(struct credential_keeper *keeper, struct str host)
{
    static const struct str always[] = {STR_INIT("localhost"), STR_INIT("127.0.0.1"),
                                        STR_INIT("::1"), STR_INIT("kubernetes.default.svc")};
    const bool any = str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("::"));
    SCOPED(buf) hostname = {.limit = 0};
    for (size_t i = 0; i < COUNT(always); i++)
        keeper->names[keeper->name_count++] = always[i];
    if (host.len && !any)
        keeper->names[keeper->name_count++] = arena_str(&keeper->texts, host);
    data_dir_hostname(&hostname);
    if (hostname.len)
        keeper->names[keeper->name_count++] = arena_str(&keeper->texts, buf_str(&hostname));
}

static struct credentials_options current_options(struct credential_keeper *keeper, bool was_used)
{
    return (struct credentials_options){
        .files = &keeper->files,
        .names = keeper->names,
        .name_count = keeper->name_count,
        .now = loop_wall(keeper->loop),
        .was_used = was_used,
    };
}

/* Nothing is renewed any more when the authority itself ends within a year. */
static void warn_of_end(const struct credentials *credentials)
{
    char until[TIMESTAMP_TEXT_MAX];
    if (credentials->renew_at == INT64_MAX)
        log_error("The certificates of the API server end with its authority; run 'corset "
                  "credentials rotate --authority' before that",
                  LOG_STR("until", timestamp_write(credentials->admin.not_after, until)));
}

struct error *credential_keeper_open(struct credential_keeper *keeper, struct loop *loop,
                                     const char *folder, struct str host, bool was_used)
{
    keeper->loop = loop;
    keeper->turn.permits = 1;
    if (folder)
        keeper->files.folder = arena_print(&keeper->texts, "%s/pki", folder).ptr;
    name_server(keeper, host);
    const struct credentials_options options = current_options(keeper, was_used);
    TRY(credentials_open(&options, &keeper->credentials));
    warn_of_end(keeper->credentials);
    return folder ? credential_rotation_finish(keeper->files.folder) : NULL;
}

void credential_keeper_stop(struct credential_keeper *keeper)
{
    scope_done(&keeper->scope);
}

void credential_keeper_done(struct credential_keeper *keeper)
{
    credential_keeper_stop(keeper);
    credentials_free(keeper->credentials);
    credential_files_done(&keeper->files);
    arena_done(&keeper->texts);
}

/* What a worker thread opens again. */
struct reopening {
    struct credentials_options options;
    struct credentials *credentials;
    struct error *err;
};

static void run_reopening(void *data)
{
    struct reopening *reopening = data;
    reopening->err = credentials_open(&reopening->options, &reopening->credentials);
}

static bool are_rotated(const struct credentials *old, const struct credentials *newer)
{
    return token_keys_generation(old->keys) != token_keys_generation(newer->keys) ||
           !str_eq(buf_str(&old->authority), buf_str(&newer->authority));
}

struct error *credential_keeper_hold(struct credential_keeper *keeper)
{
    return semaphore_take(&keeper->turn);
}

void credential_keeper_release(struct credential_keeper *keeper)
{
    semaphore_give(&keeper->turn);
}

static struct error *read_again(struct credential_keeper *keeper, struct reopening *reopening)
{
    TRY(credential_keeper_hold(keeper));
    struct error *err = worker_run(run_reopening, reopening, NULL);
    credential_keeper_release(keeper);
    return err ? err : reopening->err;
}

/* To open the files again applies a rotation and renews what is due. */
static struct error *reopen_credentials(struct credential_keeper *keeper)
{
    char until[TIMESTAMP_TEXT_MAX];
    struct reopening reopening = {.options = current_options(keeper, true)};
    TRY(read_again(keeper, &reopening));
    keeper->is_rotated |= are_rotated(keeper->credentials, reopening.credentials);
    keeper->is_untold = true;
    credentials_become(keeper->credentials, reopening.credentials);
    log_info("Took new credentials of the API server", LOG_BOOL("rotated", keeper->is_rotated),
             LOG_INT("generation", (int64_t)token_keys_generation(keeper->credentials->keys)),
             LOG_STR("until", timestamp_write(keeper->credentials->admin.not_after, until)));
    warn_of_end(keeper->credentials);
    return NULL;
}

/*
 * tokens.key is also replaced without pki/next. `corset credentials rotate` does so when the file
 * `lock` was removed and it takes the folder for one without a server. An administrator may, too.
 */
static bool must_reopen(const struct credential_keeper *keeper)
{
    const char *folder = keeper->files.folder;
    return credentials_are_due(keeper->credentials, loop_wall(keeper->loop)) ||
           (folder && credentials_were_replaced(keeper->credentials, folder));
}

/* What has failed is repeated: a rotation waits until all of it is done. */
static struct error *check_credentials(struct credential_keeper *keeper)
{
    const char *folder = keeper->files.folder;
    const bool waits = folder && credential_rotation_is_prepared(folder);
    const struct credential_keeper_ops *ops = &keeper->ops;
    if (waits || must_reopen(keeper))
        TRY(reopen_credentials(keeper), "open credentials again");
    if (keeper->is_rotated)
        TRY(ops->rotated(ops->rotated_data), "refuse old credentials");
    keeper->is_rotated = false;
    if (keeper->is_untold && ops->changed)
        TRY(ops->changed(ops->changed_data), "hand out new credentials");
    keeper->is_untold = false;
    return waits ? credential_rotation_finish(folder) : NULL;
}

static bool rotation_waits(const struct credential_keeper *keeper)
{
    return keeper->files.folder && credential_rotation_waits(keeper->files.folder);
}

/* A rotation that is new does not wait for the repetition of what has failed before. */
static struct error *pause_until_retry(const struct credential_keeper *keeper)
{
    const bool waited = rotation_waits(keeper);
    for (duration left = RETRY_AFTER; left > 0; left -= LOOK_EVERY) {
        TRY(fiber_sleep(LOOK_EVERY));
        if (!waited && rotation_waits(keeper))
            return NULL;
    }
    return NULL;
}

static struct error *keep_credentials(void *data)
{
    struct credential_keeper *keeper = data;
    const duration pause = keeper->files.folder ? LOOK_EVERY : LOOK_EVERY_MEMORY;
    for (;;) {
        OWNED(error) err = check_credentials(keeper);
        if (error_is(err, ERROR_CANCELED))
            return TAKE(err);
        if (err)
            log_error("Credentials of the API server are not up to date", LOG_ERROR(err));
        TRY(err ? pause_until_retry(keeper) : fiber_sleep(pause));
    }
}

void credential_keeper_start(struct credential_keeper *keeper,
                             const struct credential_keeper_ops *ops)
{
    keeper->ops = *ops;
    scope_start(&keeper->scope, "credentials", keep_credentials, keeper);
}
