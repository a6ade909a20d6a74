/* Temporary folders for tests, and files in them. */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/test.h"

struct folder_fixture {
    char path[40];
};

static inline void folder_fixture_init(struct folder_fixture *folder)
{
    snprintf(folder->path, sizeof(folder->path), "/tmp/corset-folder-XXXXXX");
    CHECK(mkdtemp(folder->path) != NULL);
}

static inline int folder_fixture_remove(const char *path, const struct stat *status, int type,
                                        struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void folder_fixture_done(struct folder_fixture *folder)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): a test has one thread */
    nftw(folder->path, folder_fixture_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* "folder/name", until the next call but three. */
static inline const char *folder_fixture_file(const struct folder_fixture *folder, const char *name)
{
    static char paths[4][128];
    static size_t turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder->path, name);
    return path;
}

/* Permissions, or -1 when there is none. */
static inline int folder_fixture_mode(const struct folder_fixture *folder, const char *name)
{
    struct stat status;
    return stat(folder_fixture_file(folder, name), &status) == 0 ? (int)(status.st_mode & 0777)
                                                                 : -1;
}

static inline void folder_fixture_write(const struct folder_fixture *folder, const char *name,
                                        const char *text, mode_t mode)
{
    FILE *file = fopen(folder_fixture_file(folder, name), "w");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK_EQ(fclose(file), 0);
    CHECK_EQ(chmod(folder_fixture_file(folder, name), mode), 0);
}

/* Copies a file by paths. A file that does not exist is not copied. */
static inline void folder_fixture_copy(const char *from, const char *to)
{
    char piece[4096];
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return;
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(out >= 0);
    ssize_t got;
    while ((got = read(in, piece, sizeof(piece))) > 0)
        CHECK_EQ(write(out, piece, (size_t)got), got);
    close(in);
    close(out);
}
