#include "peers/interop/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peers/interop/children.h"
#include "testing/test.h"

#define READ_BYTES (64 * KILOBYTE)

/*
 * Nothing in this process can be relied upon to clean up, since a failed check aborts it and a
 * sanitizer may end it. A process apart waits until we let go of the pipe, as we do however we end,
 * and then removes the folder. Its own session keeps a terminal's signals away from it.
 */
static _Noreturn void remove_later(const char *path, int leash)
{
    char byte;
    setsid();
    while (read(leash, &byte, 1) < 0 && errno == EINTR)
        continue;
    execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
    _exit(127);
}

static const char *temporary_root(void)
{
    const char *root = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    return root && root[0] == '/' ? root : "/tmp";
}

void folder_init(struct folder *folder)
{
    *folder = (struct folder){0};
    char *path =
        (char *)arena_print(&folder->texts, "%s/corset-interop-XXXXXX", temporary_root()).ptr;
    int ends[2];
    if (!mkdtemp(path) || pipe2(ends, O_CLOEXEC) != 0)
        test_fail(TEST_PLACE(path), "cannot be made: %s", strerrordesc_np(errno));
    folder->path = path;
    folder->leash = ends[1];
    folder->remover = fork();
    if (folder->remover < 0)
        test_fail(TEST_PLACE("fork"), "fails: %s", strerrordesc_np(errno));
    if (folder->remover == 0) {
        close(ends[1]);
        remove_later(path, ends[0]);
    }
    close(ends[0]);
    children_add(folder->remover, folder->leash);
}

void folder_done(struct folder *folder)
{
    int status = -1;
    close(folder->leash);
    while (waitpid(folder->remover, &status, 0) < 0 && errno == EINTR)
        continue;
    children_remove(folder->remover);
    CHECK_EQ(status, 0);
    CHECK(access(folder->path, F_OK) != 0);
    arena_done(&folder->texts);
}

const char *folder_file(struct folder *folder, const char *name)
{
    return arena_print(&folder->texts, "%s/%s", folder->path, name).ptr;
}

static void make_parents(struct folder *folder, const char *path)
{
    for (const char *slash = path + strlen(folder->path) + 1; (slash = strchr(slash, '/'));
         slash++) {
        const struct str parent = str_from(path, (size_t)(slash - path));
        if (mkdir(arena_c(&folder->texts, parent), 0700) != 0 && errno != EEXIST)
            test_fail(TEST_PLACE("mkdir"), "fails: %s", strerrordesc_np(errno));
    }
}

const char *folder_write(struct folder *folder, const char *name, struct str bytes)
{
    const char *path = folder_file(folder, name);
    make_parents(folder, path);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.ptr, 1, bytes.len, file) != bytes.len || fclose(file) != 0)
        test_fail(TEST_PLACE("write"), "%s fails: %s", path, strerrordesc_np(errno));
    return path;
}

void file_read(const char *path, struct buf *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        test_fail(TEST_PLACE("open"), "%s fails: %s", path, strerrordesc_np(errno));
    for (;;) {
        char *room = buf_reserve(bytes, READ_BYTES);
        if (!room)
            test_fail(TEST_PLACE("read"), "%s: it is too large", path);
        const size_t len = fread(room, 1, READ_BYTES, file);
        if (len == 0)
            break;
        buf_grow(bytes, len);
    }
    fclose(file);
}
