#include "apiserver/storage/store_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

/* One place is not written together with the other: disks write blocks of at most this size. */
#define PLACE_SIZE 4096
#define PLACES     2
#define MAGIC      UINT64_C(0x6b72616d74737263) /* "crstmark" */

struct slot {
    uint64_t magic, epoch, revision, sum;
};

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

#define OWNED_FD __attribute__((cleanup(close_fd))) int

static int take_fd(int *fd)
{
    const int taken = *fd;
    *fd = -1;
    return taken;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ (sum >> 29);
}

static uint64_t slot_sum(const struct slot *slot)
{
    return mix(mix(mix(0, slot->magic), slot->epoch), slot->revision);
}

/* Errors are ERROR_IO: ERROR_NOT_FOUND means a missing object. */
static struct error *mark_error(const char *what, const char *path)
{
    struct error *err = error_from_errno(errno, "%s %s", what, path);
    err->code = ERROR_IO;
    return err;
}

struct error *store_mark_read(const char *path, struct store_mark *ret_mark,
                              enum store_mark_state *ret_state)
{
    *ret_mark = (struct store_mark){0};
    *ret_state = STORE_MARK_ABSENT;
    OWNED_FD fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : mark_error("open", path);
    *ret_state = STORE_MARK_DAMAGED;
    for (unsigned i = 0; i < PLACES; i++) {
        struct slot slot;
        const ssize_t got = pread(fd, &slot, sizeof(slot), (off_t)i * PLACE_SIZE);
        if (got < 0)
            return mark_error("read", path);
        if (got != (ssize_t)sizeof(slot) || slot.magic != MAGIC || slot.sum != slot_sum(&slot))
            continue;
        if (*ret_state == STORE_MARK_READ && (int64_t)slot.revision < ret_mark->revision)
            continue;
        *ret_mark = (struct store_mark){slot.epoch, (int64_t)slot.revision};
        *ret_state = STORE_MARK_READ;
    }
    return NULL;
}

bool store_mark_write(int fd, struct store_mark mark, unsigned *place)
{
    struct slot slot = {MAGIC, mark.epoch, (uint64_t)mark.revision, 0};
    slot.sum = slot_sum(&slot);
    *place = (*place + 1) % PLACES;
    return pwrite(fd, &slot, sizeof(slot), (off_t)*place * PLACE_SIZE) == (ssize_t)sizeof(slot);
}

bool store_mark_sync(int fd)
{
    return fdatasync(fd) == 0;
}

/* The name of a new file is durable when its folder is. */
static struct error *sync_folder_of(const char *path)
{
    SCOPED(buf) folder = {.limit = 0};
    const size_t slash = str_find_last_char(str_from_c(path), '/');
    if (slash == STR_NONE)
        buf_add_char(&folder, '.');
    else
        buf_add(&folder, str_from(path, slash ? slash : 1));
    OWNED_FD fd = open(buf_c(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        return mark_error("sync", buf_c(&folder));
    return NULL; /* cppcheck-suppress resourceLeak ; close_fd() */
}

/* The file appears with both places written, or not at all. */
struct error *store_mark_open(const char *path, struct store_mark mark, int *ret_fd)
{
    SCOPED(buf) temporary = {.limit = 0};
    buf_print(&temporary, "%s.new", path);
    if (unlink(buf_c(&temporary)) != 0 && errno != ENOENT)
        return mark_error("remove", buf_c(&temporary));
    OWNED_FD fd = open(buf_c(&temporary), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return mark_error("make", buf_c(&temporary));
    unsigned place = 0;
    for (unsigned i = 0; i < PLACES; i++)
        if (!store_mark_write(fd, mark, &place))
            return mark_error("write", buf_c(&temporary));
    if (fsync(fd) != 0)
        return mark_error("sync", buf_c(&temporary));
    if (rename(buf_c(&temporary), path) != 0)
        return mark_error("rename to", path);
    TRY(sync_folder_of(path));
    *ret_fd = take_fd(&fd);
    return NULL;
}
