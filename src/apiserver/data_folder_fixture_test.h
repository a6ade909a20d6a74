/* A data folder with a database and with keys that are only texts. */
#pragma once

#include "apiserver/storage/store.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"

static const char *const data_folder_keys[] = {"pki/ca.crt", "pki/ca.key", "pki/tokens.key",
                                               "pki/server.key"};

static inline void data_folder_init(struct folder_fixture *folder)
{
    folder_fixture_init(folder);
    CHECK_EQ(mkdir(folder_fixture_file(folder, "pki"), 0700), 0);
    for (size_t i = 0; i < COUNT(data_folder_keys); i++)
        folder_fixture_write(folder, data_folder_keys[i], data_folder_keys[i], 0600);
}

static inline struct store *data_folder_open(const struct folder_fixture *folder)
{
    struct store *store = NULL;
    CHECK_OK(store_open(loop_current(),
                        &(struct store_options){.path = folder_fixture_file(folder, "corset.db")},
                        &store));
    return store;
}

/* To another user, with what is in it. */
static inline void data_folder_give(const struct folder_fixture *folder, uid_t uid)
{
    CHECK_EQ(chown(folder->path, uid, uid), 0);
    CHECK_EQ(chown(folder_fixture_file(folder, "pki"), uid, uid), 0);
    for (size_t i = 0; i < COUNT(data_folder_keys); i++)
        CHECK_EQ(chown(folder_fixture_file(folder, data_folder_keys[i]), uid, uid), 0);
}
