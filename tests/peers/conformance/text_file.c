#include "peers/conformance/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READ_SIZE (64 * KILOBYTE)

static struct error *read_descriptor(int fd, struct buf *out)
{
    for (;;) {
        char *room = buf_reserve(out, READ_SIZE);
        if (!room)
            return error_new(ERROR_TOO_LARGE, "larger than %zu bytes", out->limit);
        const ssize_t len = read(fd, room, READ_SIZE);
        if (len < 0)
            return error_from_errno(errno, "read");
        if (len == 0)
            return NULL;
        buf_grow(out, (size_t)len);
    }
}

struct error *text_file_read(const char *path, struct buf *out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(errno, "open %s", path);
    struct error *err = read_descriptor(fd, out);
    close(fd);
    return error_wrap(err, "%s", path);
}
