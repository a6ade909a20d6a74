#include "apiserver/folder_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"

/* Keys and certificates are a few kilobytes. */
#define FILE_SIZE_MAX (1 * MEGABYTE)

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

void folder_files_done(struct folder_files *files)
{
    if (files->is_open)
        close(files->fd);
    mem_free(files->path);
    *files = (struct folder_files){.path = NULL};
}

/* Errors are ERROR_IO: other codes mean something of the API. */
static struct error *file_error(const struct folder_files *files, const char *what,
                                const char *name)
{
    struct error *err = error_from_errno(errno, "%s %s/%s", what, files->path, name);
    err->code = ERROR_IO;
    return err;
}

/* Whoever runs this is not the owner. */
static bool is_foreign(const struct folder_files *files)
{
    return files->uid != geteuid();
}

struct error *folder_files_open(const char *path, struct folder_files *ret_files)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(errno, "open %s", path);
    if (fstat(fd, &status) != 0) {
        struct error *err = error_from_errno(errno, "look at %s", path);
        close(fd);
        return err;
    }
    *ret_files =
        (struct folder_files){mem_dup(path, strlen(path)), fd, status.st_uid, status.st_gid, true};
    return NULL; /* cppcheck-suppress resourceLeak ; folder_files_done() */
}

static struct error *give_fd(const struct folder_files *files, int fd, const char *name)
{
    if (geteuid() == 0 && files->uid != 0 && fchown(fd, files->uid, files->gid) != 0)
        return file_error(files, "give to its user", name);
    return NULL;
}

struct error *folder_files_open_below(const struct folder_files *parent, const char *name,
                                      bool is_made, struct folder_files *ret_files)
{
    SCOPED(buf) path = {.limit = 0};
    const int follow = is_foreign(parent) ? O_NOFOLLOW : 0;
    if (is_made && mkdirat(parent->fd, name, 0700) != 0 && errno != EEXIST)
        return file_error(parent, "make", name);
    const int fd = openat(parent->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    if (fd < 0 && errno == ENOENT)
        return error_from_errno(errno, "open %s/%s", parent->path, name);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return error_new(ERROR_IO, "%s/%s is no folder, or a link; put the folder in its place",
                         parent->path, name);
    if (fd < 0)
        return file_error(parent, "open", name);
    buf_print(&path, "%s/%s", parent->path, name);
    *ret_files =
        (struct folder_files){mem_dup(path.ptr, path.len), fd, parent->uid, parent->gid, true};
    return is_made ? give_fd(parent, fd, name) : NULL;
}

static struct error *check_file(const struct folder_files *files, const char *name,
                                const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return error_new(ERROR_IO, "%s/%s is not a file; remove it", files->path, name);
    if (is_foreign(files) && status->st_uid != files->uid)
        return error_new(ERROR_IO,
                         "%s/%s belongs to user %u, but the folder to user %u; chown the file if "
                         "it is right",
                         files->path, name, (unsigned)status->st_uid, (unsigned)files->uid);
    return NULL;
}

/* A pipe would block without O_NONBLOCK; for a regular file it means nothing. */
struct error *folder_files_open_file(const struct folder_files *files, const char *name,
                                     int *ret_fd, struct stat *ret_status)
{
    const int follow = is_foreign(files) ? O_NOFOLLOW : 0;
    *ret_fd = -1;
    OWNED_FD fd = openat(files->fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | follow);
    if (fd < 0 && errno == ENOENT)
        return NULL;
    if (fd < 0 && errno == ELOOP)
        return error_new(ERROR_IO, "%s/%s is a link; put the file in its place", files->path, name);
    if (fd < 0)
        return file_error(files, "open", name);
    if (fstat(fd, ret_status) != 0)
        return file_error(files, "look at", name); /* cppcheck-suppress resourceLeak ; close_fd() */
    TRY(check_file(files, name, ret_status));
    *ret_fd = take_fd(&fd);
    return NULL;
}

struct error *folder_files_read(const struct folder_files *files, const char *name, struct buf *out,
                                bool *ret_is_there)
{
    struct stat status;
    OWNED_FD fd = -1;
    TRY(folder_files_open_file(files, name, &fd, &status));
    *ret_is_there = fd >= 0;
    while (fd >= 0) {
        char piece[4096];
        const ssize_t got = read(fd, piece, sizeof(piece));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_error(files, "read", name);
        if (got == 0)
            break;
        buf_add(out, str_from(piece, (size_t)got));
        explicit_bzero(piece, sizeof(piece));
        if (out->len > FILE_SIZE_MAX)
            return error_new(ERROR_IO, "%s/%s is too large to be a key or a certificate",
                             files->path, name);
    }
    return NULL;
}

struct error *folder_files_put(int fd, struct str content, const char *path)
{
    while (content.len) {
        const ssize_t put = write(fd, content.ptr, content.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            struct error *err = error_from_errno(errno, "write %s", path);
            err->code = ERROR_IO;
            return err;
        }
        content = str_skip(content, (size_t)put);
    }
    return NULL;
}

static struct error *write_new(const struct folder_files *files, const char *name,
                               struct str content)
{
    SCOPED(buf) path = {.limit = 0};
    buf_print(&path, "%s/%s", files->path, name);
    if (unlinkat(files->fd, name, 0) != 0 && errno != ENOENT)
        return file_error(files, "remove", name);
    OWNED_FD fd =
        openat(files->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return file_error(files, "make", name);
    TRY(folder_files_put(fd, content, buf_c(&path)));
    TRY(give_fd(files, fd, name));
    return fsync(fd) == 0 ? NULL : file_error(files, "sync", name);
}

struct error *folder_files_write(const struct folder_files *files, const char *name,
                                 struct str content)
{
    SCOPED(buf) temporary = {.limit = 0};
    buf_print(&temporary, ".%s.new", name);
    struct error *err = write_new(files, buf_c(&temporary), content);
    if (!err && renameat(files->fd, buf_c(&temporary), files->fd, name) != 0)
        err = file_error(files, "rename to", name);
    if (!err)
        return folder_files_sync(files);
    folder_files_remove(files, buf_c(&temporary));
    return err;
}

struct error *folder_files_make(const struct folder_files *files, const char *name)
{
    OWNED_FD fd =
        openat(files->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return error_new(ERROR_CONFLICT, "%s/%s exists already", files->path, name);
    if (fd < 0)
        return file_error(files, "make", name);
    TRY(give_fd(files, fd, name));
    if (fsync(fd) != 0)
        return file_error(files, "sync", name);
    return folder_files_sync(files);
}

struct error *folder_files_sync(const struct folder_files *files)
{
    return fsync(files->fd) == 0 ? NULL : file_error(files, "sync", ".");
}

/*
 * The owner of the folder can make a hard link to a file of root in it. A file with two names is
 * therefore not given to the owner.
 */
struct error *folder_files_give(const struct folder_files *files, const char *name)
{
    struct stat status;
    if (geteuid() != 0 || files->uid == 0)
        return NULL;
    OWNED_FD fd = openat(files->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? NULL : file_error(files, "open", name);
    struct error *err = NULL;
    if (fstat(fd, &status) != 0)
        err = file_error(files, "look at", name);
    else if (status.st_uid == files->uid && status.st_gid == files->gid)
        err = NULL;
    else if (!S_ISDIR(status.st_mode) && (!S_ISREG(status.st_mode) || status.st_nlink != 1))
        err = error_new(ERROR_IO, "%s/%s is not a file of its own; remove it", files->path, name);
    else
        err = give_fd(files, fd, name);
    return err; /* cppcheck-suppress resourceLeak ; close_fd() */
}

bool folder_files_has(const struct folder_files *files, const char *name)
{
    struct stat status;
    return fstatat(files->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

void folder_files_remove(const struct folder_files *files, const char *name)
{
    (void)unlinkat(files->fd, name, 0);
}
