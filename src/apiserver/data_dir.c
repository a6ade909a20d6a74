/*
 * The lock is an flock() on the file "lock", which contains the holder's process id for the message
 * only. The kernel releases the lock when the process ends, however it ends.
 */
#include "apiserver/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"

struct data_dir {
    int fd; /* of the lock */
};

/* The process that has the lock, as it has written itself. */
static void read_holder(int fd, struct buf *holder)
{
    char text[64] = {0};
    const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
    buf_add(holder, got > 0 ? str_from_c(text) : STR("(unknown)"));
}

/*
 * Whoever owns the folder, or may write into it, can put other keys and another database there, or
 * links to files that the server then overwrites.
 */
static struct error *check_owner(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_from_errno(errno, "look at %s", path);
    if (status.st_uid != geteuid())
        return error_new(ERROR_IO,
                         "%s belongs to user %u, but this is user %u; use a folder of your own as "
                         "--data-dir, or one below it that does not exist yet",
                         path, (unsigned)status.st_uid, (unsigned)geteuid());
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return error_new(ERROR_IO,
                         "%s may be written by others (mode %04o); chmod go-w it, or use a folder "
                         "below it as --data-dir",
                         path, (unsigned)status.st_mode & 07777);
    return NULL;
}

/*
 * What decides who may do what. A kubeconfig is not among it: the server writes it and reads none.
 */
static const char *const parts[] = {
    "pki",
    "pki/ca.crt",
    "pki/ca.key",
    "pki/tokens.key",
    "pki/admin.crt",
    "pki/admin.key",
    "pki/server.crt",
    "pki/server.key",
    "pki/next",
    "pki/next/ca.crt",
    "pki/next/ca.key",
    "pki/next/tokens.key",
    "clusters",
    "corset.db",
    "corset.db-wal",
    "corset.db-journal",
    "corset.db.mark",
};

/* What belongs to root is taken, because an administrator may have put keys there. */
static struct error *check_part(const char *folder, const char *name)
{
    SCOPED(buf) path = {.limit = 0};
    struct stat status;
    buf_print(&path, "%s/%s", folder, name);
    if (stat(buf_c(&path), &status) != 0)
        return errno == ENOENT ? NULL : error_from_errno(errno, "look at %s", buf_c(&path));
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return error_new(ERROR_IO,
                         "%s belongs to user %u, but this is user %u; if what it holds is right, "
                         "chown it",
                         buf_c(&path), (unsigned)status.st_uid, (unsigned)geteuid());
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return error_new(ERROR_IO,
                         "%s may be written by others (mode %04o); if what it holds is right, "
                         "chmod go-w it",
                         buf_c(&path), (unsigned)status.st_mode & 07777);
    return NULL;
}

static struct error *check_parts(const char *folder)
{
    for (size_t i = 0; i < COUNT(parts); i++)
        TRY(check_part(folder, parts[i]));
    return NULL;
}

struct error *data_dir_try_lock(const char *path, struct data_dir **ret_dir, struct buf *ret_holder)
{
    SCOPED(buf) lock = {.limit = 0};
    buf_print(&lock, "%s/lock", path);
    OWNED(data_dir) dir = NEW(struct data_dir);
    dir->fd = open(buf_c(&lock), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (dir->fd < 0 && errno == ELOOP)
        return error_new(ERROR_IO, "%s is a link; remove it", buf_c(&lock));
    if (dir->fd < 0)
        return error_from_errno(errno, "open %s", buf_c(&lock));
    if (flock(dir->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return error_from_errno(errno, "lock %s", buf_c(&lock));
        read_holder(dir->fd, ret_holder);
        *ret_dir = NULL;
        return NULL;
    }
    char holder[32];
    const int len = snprintf(holder, sizeof(holder), "%ld", (long)getpid());
    if (ftruncate(dir->fd, 0) != 0 || pwrite(dir->fd, holder, (size_t)len, 0) != len)
        return error_from_errno(errno, "write %s", buf_c(&lock));
    *ret_dir = TAKE(dir);
    return NULL;
}

struct error *data_dir_open(const char *path, struct data_dir **ret_dir)
{
    SCOPED(buf) holder = {.limit = 0};
    TRY(folder_make(path, 0700));
    TRY(check_owner(path));
    TRY(check_parts(path));
    TRY(data_dir_try_lock(path, ret_dir, &holder));
    if (*ret_dir)
        return NULL;
    return error_new(ERROR_IO, "%s is in use by process %s; stop it, or use another --data-dir",
                     path, buf_c(&holder));
}

void data_dir_free(struct data_dir *dir)
{
    if (!dir)
        return;
    if (dir->fd >= 0)
        close(dir->fd);
    mem_free(dir);
}

void data_dir_hostname(struct buf *out)
{
    char name[256] = {0};
    if (gethostname(name, sizeof(name) - 1) == 0)
        buf_add(out, str_from_c(name));
}
