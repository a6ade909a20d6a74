/*
 * Files are prepared in pki/.next, which is renamed to pki/next when all of them are on disk. To
 * apply is to rename each of them to its place, which can be repeated after an interruption: what
 * was moved is no longer in pki/next. A pki/next from which everything was moved belongs to a
 * rotation whose credentials are in use and may have leaked; the next rotation takes its place by
 * the same rename, which replaces an empty folder. An authority and its key are never seen apart,
 * because credentials_open() applies before it reads.
 */
#include "apiserver/credential_rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/auth/auth.h"
#include "apiserver/credentials.h"
#include "apiserver/secret_file.h"
#include "base/buf.h"
#include "net/pki.h"

static const char *const files[] = {"ca.key", "ca.crt", "tokens.key"};

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* "pki/next" and the like. */
static const char *place(struct buf *path, const char *pki, const char *name)
{
    buf_clear(path);
    buf_print(path, "%s/%s", pki, name);
    return buf_c(path);
}

static bool exists(const char *pki, const char *name)
{
    SCOPED(buf) path = {.limit = 0};
    return access(place(&path, pki, name), F_OK) == 0;
}

bool credential_rotation_is_prepared(const char *pki)
{
    return exists(pki, "next");
}

/* tokens.key is the last file that is moved. */
bool credential_rotation_waits(const char *pki)
{
    return exists(pki, "next/tokens.key");
}

bool credential_rotation_has_authority(const char *pki)
{
    return exists(pki, "next/ca.crt");
}

/*
 * When root runs the command, the file at path would belong to root. It is given to the owner of
 * the folder pki, because the server runs as that user and has to read the file.
 */
static struct error *give_to_owner(const char *pki, const char *path)
{
    struct stat status;
    if (stat(pki, &status) != 0)
        return error_from_errno(errno, "look at %s", pki);
    if (geteuid() == 0 && status.st_uid != 0 && lchown(path, status.st_uid, status.st_gid) != 0)
        return error_from_errno(errno, "give %s to user %u", path, (unsigned)status.st_uid);
    return NULL;
}

/* What an interrupted preparation has left. */
static void remove_folder(const char *folder)
{
    SCOPED(buf) path = {.limit = 0};
    for (size_t i = 0; i < COUNT(files); i++)
        (void)unlink(place(&path, folder, files[i]));
    (void)rmdir(folder);
}

static struct error *write_next(const char *pki, const char *folder, const char *name,
                                struct str content)
{
    SCOPED(buf) path = {.limit = 0};
    TRY(secret_file_write(folder, name, content));
    return give_to_owner(pki, place(&path, folder, name));
}

/*
 * The newest generation of which a credential is known. It is above that of tokens.key when
 * tokens.key was put back from before a rotation. An authority that cannot be read is no reason to
 * keep credentials that are to be refused.
 */
static struct error *read_newest_generation(const char *pki, const struct token_keys *keys,
                                            uint64_t *ret_generation)
{
    const struct credential_files old = {.folder = pki};
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    OWNED(pki_authority) authority = NULL;
    uint64_t of_admin = 0;
    bool has_certificate = false, has_key = false;
    TRY(secret_file_read(pki, "ca.crt", &certificate, &has_certificate));
    TRY(secret_file_read(pki, "ca.key", &key, &has_key));
    OWNED(error) err = pki_authority_read(buf_str(&certificate), buf_str(&key), &authority);
    if (!err)
        TRY(credentials_admin_generation(&old, authority, &of_admin));
    *ret_generation = token_keys_generation(keys);
    if (*ret_generation < of_admin)
        *ret_generation = of_admin;
    return NULL;
}

/* The keys of the generation after all that are known. */
static struct error *make_keys(const char *pki, const struct token_keys *old,
                               struct token_keys **ret_keys)
{
    OWNED(token_keys) keys = NULL;
    uint64_t newest;
    TRY(read_newest_generation(pki, old, &newest));
    TRY(token_keys_next(old, &keys));
    while (token_keys_generation(keys) <= newest) {
        OWNED(token_keys) passed = TAKE(keys);
        TRY(token_keys_next(passed, &keys));
    }
    *ret_keys = TAKE(keys);
    return NULL;
}

static struct error *write_keys(const char *pki, const char *folder)
{
    SCOPED(buf) old_pem = {.secret = true};
    SCOPED(buf) new_pem = {.secret = true};
    OWNED(token_keys) old = NULL;
    OWNED(token_keys) newer = NULL;
    bool is_there = false;
    TRY(secret_file_read(pki, "tokens.key", &old_pem, &is_there));
    TRY(token_keys_read(buf_str(&old_pem), &old), "read tokens.key in %s", pki);
    TRY(make_keys(pki, old, &newer));
    TRY(token_keys_write(newer, &new_pem));
    return write_next(pki, folder, "tokens.key", buf_str(&new_pem));
}

static struct error *write_authority(const char *pki, const char *folder, int64_t now)
{
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    OWNED(pki_authority) authority = NULL;
    TRY(credentials_new_authority(now, &authority));
    TRY(pki_authority_write(authority, &certificate, &key));
    TRY(write_next(pki, folder, "ca.key", buf_str(&key)));
    return write_next(pki, folder, "ca.crt", buf_str(&certificate));
}

static struct error *write_all_next(const char *pki, bool new_authority, int64_t now)
{
    SCOPED(buf) draft = {.limit = 0};
    SCOPED(buf) next = {.limit = 0};
    const char *folder = place(&draft, pki, ".next");
    remove_folder(folder);
    if (mkdir(folder, 0700) != 0)
        return error_from_errno(errno, "make %s", folder);
    TRY(give_to_owner(pki, folder));
    if (new_authority)
        TRY(write_authority(pki, folder, now));
    TRY(write_keys(pki, folder));
    if (rename(folder, place(&next, pki, "next")) != 0)
        return error_from_errno(errno, "rename %s to %s", folder, buf_c(&next));
    return secret_file_sync(pki);
}

/* The lock keeps a second command out; the server does not take it. */
struct error *credential_rotation_prepare(const char *pki, bool new_authority, int64_t now)
{
    if (!credentials_exist(pki))
        return error_new(ERROR_NOT_FOUND,
                         "%s has no keys: name the --data-dir of a server that has been started "
                         "before",
                         pki);
    __attribute__((cleanup(close_fd))) const int fd = open(pki, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_from_errno(errno, "open %s", pki);
    const bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    struct error *err = NULL;
    if (!is_locked)
        err = error_new(ERROR_CONFLICT, "another rotation is being prepared in %s", pki);
    else if (!credential_rotation_waits(pki))
        err = write_all_next(pki, new_authority, now);
    return err; /* cppcheck-suppress resourceLeak ; close_fd() */
}

struct error *credential_rotation_apply(const char *pki)
{
    SCOPED(buf) from = {.limit = 0};
    SCOPED(buf) to = {.limit = 0};
    SCOPED(buf) next = {.limit = 0};
    if (!credential_rotation_is_prepared(pki))
        return NULL;
    place(&next, pki, "next");
    for (size_t i = 0; i < COUNT(files); i++)
        if (rename(place(&from, buf_c(&next), files[i]), place(&to, pki, files[i])) != 0 &&
            errno != ENOENT)
            return error_from_errno(errno, "rename %s to %s", buf_c(&from), buf_c(&to));
    return secret_file_sync(pki);
}

struct error *credential_rotation_finish(const char *pki)
{
    SCOPED(buf) next = {.limit = 0};
    if (rmdir(place(&next, pki, "next")) == 0 || errno == ENOENT)
        return NULL;
    struct error *err = error_from_errno(errno, "remove %s", buf_c(&next));
    if (!credential_rotation_waits(pki))
        return err;
    error_free(err);
    return NULL;
}
