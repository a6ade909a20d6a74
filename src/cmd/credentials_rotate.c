/*
 * corset credentials rotate: makes every credential useless that a server has handed out.
 *
 * The new keys are prepared in the folder. A server that runs finds them there; when none does, the
 * command has the lock of the folder and puts them into place itself.
 */
#include <stdio.h>

#include "apiserver/credential_rotation.h"
#include "apiserver/data_dir.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/arena.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "cmd/global_flags.h"
#include "cmd/server_flags.h"

#define SERVER_TIMEOUT (30 * SECOND)
#define LOOK_EVERY     (100 * MILLISECOND)

struct settings {
    const char *data_dir;
    bool authority;
    struct global_flags globals;
    struct arena arena; /* of the names of folders */
};

/* The server removes what was prepared when all of it is in use. */
static struct error *complete_rotation(const char *data_dir, const char *pki, bool *ret_by_server)
{
    const int64_t deadline = loop_now(loop_current()) + SERVER_TIMEOUT;
    for (;;) {
        OWNED(data_dir) dir = NULL;
        SCOPED(buf) holder = {.limit = 0};
        *ret_by_server = !credential_rotation_is_prepared(pki);
        if (*ret_by_server)
            return NULL;
        TRY(data_dir_try_lock(data_dir, &dir, &holder));
        if (dir) {
            TRY(credential_rotation_apply(pki));
            return credential_rotation_finish(pki);
        }
        if (loop_now(loop_current()) >= deadline)
            return error_new(
                ERROR_DEADLINE,
                "the server, process %s, has not taken the new credentials after 30 s; "
                "its log says why. They wait in %s/next for its next start",
                buf_c(&holder), pki);
        TRY(fiber_sleep(LOOK_EVERY));
    }
}

static struct error *rotate_credentials(void *data)
{
    struct settings *settings = data;
    const char *folder = settings->data_dir;
    const char *pki = arena_print(&settings->arena, "%s/pki", folder).ptr;
    bool by_server;
    TRY(credential_rotation_prepare(pki, settings->authority, loop_wall(loop_current())),
        "rotate the credentials of %s", folder);
    if (settings->authority && !credential_rotation_has_authority(pki))
        return error_new(ERROR_CONFLICT,
                         "a rotation without a new authority waits in %s/next already; run 'corset "
                         "credentials rotate' to complete it, then this again",
                         pki);
    TRY(complete_rotation(folder, pki, &by_server), "rotate the credentials of %s", folder);
    if (by_server)
        printf("rotated: the server refuses every credential that was handed out before\n"
               "new: %s/kubeconfig\n",
               folder);
    else
        printf("rotated: no server runs; the next one refuses every credential that was handed out "
               "before\nnew with its start: %s/kubeconfig\n",
               folder);
    return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"data-dir",  FLAG_TEXT, AT(data_dir),  FLAG_FOLDER},
    {"authority", FLAG_BOOL, AT(authority), FLAG_ANY   },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_credentials_rotate, argc, argv, settings))
        return COMMAND_USAGE;
    if (!settings->data_dir)
        settings->data_dir = server_flags_default_folder(&settings->arena);
    if (!settings->data_dir)
        return command_misused(&command_credentials_rotate,
                               "give --data-dir, since HOME is not set");
    const int misused = global_flags_use(&settings->globals, &command_credentials_rotate);
    return misused ? misused : command_run(rotate_credentials, settings);
}

static int run_credentials_rotate(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    arena_done(&settings.arena);
    return code;
}

const struct command command_credentials_rotate = {
    .name = "credentials rotate",
    .summary = "make old credentials of the embedded API server useless",
    .help =
        "Makes new keys in the folder of 'corset up' or 'corset apiserver'. Whatever was handed\n"
        "out before is refused from then on: client certificates, tokens of ServiceAccounts, and\n"
        "tokens of virtual clusters. Watches that were begun with them end. A server that runs\n"
        "takes the new keys without a restart and writes its kubeconfigs anew; otherwise the\n"
        "next start does. Objects stay, and so do kubeconfigs of workload clusters.\n\n"
        "Usage: corset credentials rotate [FLAGS]\n\n"
        "  --data-dir DIR  the folder of the server\n"
        "                  (default: corset below $XDG_DATA_HOME or ~/.local/share)\n"
        "  --authority     make a new certificate authority, too: for a key that was lost or\n"
        "                  stolen, or an authority that ends. Clients need the new kubeconfig to\n"
        "                  know the server\n\n"
        "Try it:\n"
        "  corset credentials rotate --data-dir ~/.local/share/corset\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_credentials_rotate,
};
