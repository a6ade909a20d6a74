/* A store's file in a folder of its own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apiserver/storage/store_fixture_test.h"

/* A directory of its own, gone at the end. */
struct place {
    char dir[64], path[80];
};

static inline void place_init(struct place *place)
{
    snprintf(place->dir, sizeof(place->dir), "/tmp/store_test.XXXXXX");
    CHECK(mkdtemp(place->dir) != NULL);
    snprintf(place->path, sizeof(place->path), "%s/store.db", place->dir);
}

static inline void place_done(struct place *place)
{
    const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".mark", ".reserve"};
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s%s", place->path, suffixes[i]);
        unlink(path);
    }
    CHECK_EQ(rmdir(place->dir), 0);
}

MUST_USE static inline struct error *open_at(const struct place *place, struct store **ret_store)
{
    return store_open(loop_current(), &(struct store_options){.path = place->path}, ret_store);
}

static inline struct store *reopen(const struct place *place)
{
    struct store *store = NULL;
    CHECK_OK(open_at(place, &store));
    return store;
}
