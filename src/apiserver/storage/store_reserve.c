#include "apiserver/storage/store_reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"

#define SMALLEST ((size_t)64 << 10)

struct error *store_reserve_open(struct store_reserve *reserve, const char *database)
{
    SCOPED(buf) path = {.limit = 0};
    buf_print(&path, "%s.reserve", database);
    reserve->fd = open(buf_c(&path), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (reserve->fd < 0) {
        struct error *err = error_from_errno(errno, "make %s", buf_c(&path));
        err->code = ERROR_IO; /* not ERROR_NOT_FOUND, which means a missing object */
        return err;
    }
    store_reserve_give_up(reserve);
    return NULL;
}

void store_reserve_close(struct store_reserve *reserve)
{
    if (reserve->fd >= 0)
        close(reserve->fd);
    reserve->fd = -1;
}

/* An attempt that fails may leave blocks behind the end; cutting the file there frees them. */
bool store_reserve_take(struct store_reserve *reserve)
{
    size_t size = STORE_RESERVE_SIZE;
    while (size > reserve->size && size >= SMALLEST) {
        if (posix_fallocate(reserve->fd, 0, (off_t)size) == 0) {
            reserve->size = size;
            break;
        }
        if (ftruncate(reserve->fd, (off_t)reserve->size) != 0)
            break;
        size /= 2;
    }
    return reserve->size == STORE_RESERVE_SIZE;
}

void store_reserve_give_up(struct store_reserve *reserve)
{
    if (ftruncate(reserve->fd, 0) == 0)
        reserve->size = 0;
}

int64_t store_reserve_free_space(const struct store_reserve *reserve)
{
    struct statvfs disk;
    if (fstatvfs(reserve->fd, &disk) != 0 || disk.f_blocks == 0)
        return INT64_MAX;
    const uint64_t space = (uint64_t)disk.f_bavail * disk.f_frsize;
    return space < INT64_MAX ? (int64_t)space : INT64_MAX;
}
