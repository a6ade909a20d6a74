/*
 * A file is written under a temporary name, synced, and renamed over the old one; then the folder
 * is synced. A crash leaves the old file or the new one.
 */
#include "apiserver/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keys and certificates are a few kilobytes. */
#define FILE_SIZE_MAX (1 * MEGABYTE)

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

#define OWNED_FD __attribute__((cleanup(close_fd))) int

/* To read a named pipe, or to open one without O_NONBLOCK, is to wait for its writer for good. */
static struct error *check_regular(int fd, const char *path)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_from_errno(errno, "look at %s", path);
    if (!S_ISREG(status.st_mode))
        return error_new(ERROR_IO, "%s is not a regular file; remove it, or put the file there",
                         path);
    return NULL;
}

struct error *secret_file_read(const char *folder, const char *name, struct buf *out,
                               bool *ret_is_there)
{
    SCOPED(buf) path = {.limit = 0};
    *ret_is_there = false;
    if (!folder)
        return NULL;
    buf_print(&path, "%s/%s", folder, name);
    OWNED_FD fd = open(buf_c(&path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : error_from_errno(errno, "open %s", buf_c(&path));
    TRY(check_regular(fd, buf_c(&path)));
    while (out->len < FILE_SIZE_MAX) {
        char piece[4096];
        const ssize_t got = read(fd, piece, sizeof(piece));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_from_errno(errno, "read %s", buf_c(&path));
        if (got == 0) {
            *ret_is_there = true;
            return NULL;
        }
        buf_add(out, str_from(piece, (size_t)got));
        explicit_bzero(piece, sizeof(piece));
    }
    return error_new(ERROR_IO, "%s is too large to be a key or a certificate", buf_c(&path));
}

struct secret_file_stamp secret_file_stamp(const char *folder, const char *name)
{
    SCOPED(buf) path = {.limit = 0};
    struct stat status = {0};
    if (!folder)
        return (struct secret_file_stamp){0};
    buf_print(&path, "%s/%s", folder, name);
    if (stat(buf_c(&path), &status) != 0)
        return (struct secret_file_stamp){0};
    return (struct secret_file_stamp){status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

bool secret_file_stamp_eq(const struct secret_file_stamp *a, const struct secret_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->written.tv_sec == b->written.tv_sec && a->written.tv_nsec == b->written.tv_nsec;
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

struct error *secret_file_sync(const char *folder)
{
    OWNED_FD fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        return error_from_errno(errno, "sync %s", folder);
    return NULL; /* cppcheck-suppress resourceLeak ; close_fd() */
}

/*
 * Creates the file. Whatever has the temporary name is removed first and links are not followed, so
 * the secret is never written into a file of somebody else.
 */
static struct error *write_new(const char *path, struct str content, bool sync)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return error_from_errno(errno, "remove %s", path);
    OWNED_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_from_errno(errno, "make %s", path);
    TRY(write_all(fd, content, path));
    if (sync && fsync(fd) != 0)
        return error_from_errno(errno, "sync %s", path);
    return NULL;
}

static struct error *replace_file(const char *folder, const char *name, struct str content,
                                  bool sync)
{
    SCOPED(buf) path = {.limit = 0};
    SCOPED(buf) temporary = {.limit = 0};
    buf_print(&path, "%s/%s", folder, name);
    buf_print(&temporary, "%s/.%s.new", folder, name);
    struct error *err = write_new(buf_c(&temporary), content, sync);
    if (!err && rename(buf_c(&temporary), buf_c(&path)) != 0)
        err = error_from_errno(errno, "rename %s to %s", buf_c(&temporary), buf_c(&path));
    if (!err)
        return sync ? secret_file_sync(folder) : NULL;
    /* A partly written file contains a part of the secret. */
    (void)unlink(buf_c(&temporary));
    return err;
}

struct error *secret_file_write(const char *folder, const char *name, struct str content)
{
    return folder ? replace_file(folder, name, content, true) : NULL;
}

struct error *secret_file_remake(const char *folder, const char *name, struct str content)
{
    return folder ? replace_file(folder, name, content, false) : NULL;
}
