/* Feeds every file of the directories named on the command line to the fuzz target. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "testing/test.h"

static void read_whole(FILE *file, struct buf *buf)
{
    for (;;) {
        char *room = buf_reserve(buf, 64 * KILOBYTE);
        const size_t len = room ? fread(room, 1, 64 * KILOBYTE, file) : 0;
        if (len == 0)
            return;
        buf_grow(buf, len);
    }
}

static void replay_file(const char *dir, const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        test_fail(TEST_PLACE(path), "cannot be opened: %s", strerrordesc_np(errno));
    SCOPED(buf) content = {.limit = 0};
    read_whole(file, &content);
    fclose(file);
    TEST_CASE("%s", name);
    buf_shrink(&content); /* so that reading past the end is found */
    LLVMFuzzerTestOneInput((const uint8_t *)content.ptr, content.len);
}

static size_t replay_dir(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        test_fail(TEST_PLACE(path), "cannot be opened: %s: %s", path, strerrordesc_np(errno));
    size_t count = 0;
    /* One thread, and readdir_r() is deprecated. */
    // cppcheck-suppress readdirCalled
    for (const struct dirent *entry; (entry = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
        if (entry->d_name[0] == '.')
            continue;
        replay_file(path, entry->d_name);
        count++;
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        count += replay_dir(argv[i]);
    printf("%zu files\n", count);
    return count ? 0 : 1;
}
