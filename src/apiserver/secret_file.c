#include "apiserver/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Keys and certificates are a few kilobytes. */
#define FILE_SIZE_MAX (1 * MEGABYTE)

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

#define OWNED_FD __attribute__((cleanup(close_fd))) int

struct error *secret_file_read(const char *folder, const char *name, struct buf *out,
                               bool *ret_is_there)
{
    SCOPED(buf) path = {.limit = 0};
    *ret_is_there = false;
    if (!folder)
        return NULL;
    buf_print(&path, "%s/%s", folder, name);
    OWNED_FD fd = open(buf_c(&path), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : error_from_errno(errno, "open %s", buf_c(&path));
    while (out->len < FILE_SIZE_MAX) {
        char piece[4096];
        const ssize_t got = read(fd, piece, sizeof(piece));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_from_errno(errno, "read %s", buf_c(&path));
        if (got == 0)
            break;
        buf_add(out, str_from(piece, (size_t)got));
        explicit_bzero(piece, sizeof(piece));
    }
    *ret_is_there = true;
    return NULL;
}

static struct error *write_all(int fd, struct str content, const char *path)
{
    while (content.len) {
        const ssize_t put = write(fd, content.ptr, content.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_from_errno(errno, "write %s", path);
        content = str_skip(content, (size_t)put);
    }
    return NULL;
}

static struct error *sync_folder(const char *folder)
{
    OWNED_FD fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        return error_from_errno(errno, "sync %s", folder);
    return NULL;
}

static struct error *put_in_place(const char *folder, const char *name, struct str content,
                                  bool is_synced)
{
    SCOPED(buf) path = {.limit = 0};
    SCOPED(buf) temporary = {.limit = 0};
    buf_print(&path, "%s/%s", folder, name);
    buf_print(&temporary, "%s/.%s.new", folder, name);
    OWNED_FD fd = open(buf_c(&temporary), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_from_errno(errno, "make %s", buf_c(&temporary));
    TRY(write_all(fd, content, buf_c(&temporary)));
    if (is_synced && fsync(fd) != 0)
        return error_from_errno(errno, "sync %s", buf_c(&temporary));
    if (rename(buf_c(&temporary), buf_c(&path)) != 0)
        return error_from_errno(errno, "rename %s to %s", buf_c(&temporary), buf_c(&path));
    return NULL;
}

struct error *secret_file_write(const char *folder, const char *name, struct str content)
{
    if (!folder)
        return NULL;
    TRY(put_in_place(folder, name, content, true));
    return sync_folder(folder);
}

struct error *secret_file_write_unsynced(const char *folder, const char *name, struct str content)
{
    return folder ? put_in_place(folder, name, content, false) : NULL;
}
