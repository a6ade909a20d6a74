#include "cmd/manifest_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

/* Larger files are refused; the readers have the same limit. */
#define FILE_MAX (16 * MEGABYTE)

/* Reads to the end. ERROR_TOO_LARGE at the limit of the buffer. */
static struct error *read_all(int file, struct buf *out)
{
    for (;;) {
        char *room = buf_reserve(out, 64 * KILOBYTE);
        if (!room)
            return error_new(ERROR_TOO_LARGE, "more than %zu bytes", FILE_MAX);
        const ssize_t got = read(file, room, 64 * KILOBYTE);
        if (got < 0 && errno != EINTR)
            return error_from_errno(errno, "read");
        if (got == 0)
            return NULL;
        buf_grow(out, got > 0 ? (size_t)got : 0);
    }
}

static struct error *read_open(int file, const char *name, const struct manifest_reader *reader)
{
    SCOPED(buf) text = {.limit = FILE_MAX + 64 * KILOBYTE, .secret = true};
    TRY(read_all(file, &text));
    return reader->read(reader->data, buf_str(&text), name);
}

static struct error *read_file(const char *name, const struct manifest_reader *reader)
{
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_from_errno(errno, "open");
    struct error *err = read_open(file, name, reader);
    close(file);
    return err;
}

/* The filter of scandir(): files that kubectl apply -f would read from a folder. */
static int is_manifest(const struct dirent *entry)
{
    const struct str name = str_from_c(entry->d_name);
    return str_ends_with(name, STR(".yaml")) || str_ends_with(name, STR(".yml")) ||
           str_ends_with(name, STR(".json"));
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Not recursive. All entries are freed even if a file cannot be read. */
static struct error *read_folder(const char *name, const struct manifest_reader *reader)
{
    struct dirent **entries = NULL;
    struct error *err = NULL;
    const int count = scandir(name, &entries, is_manifest, compare_names);
    if (count < 0)
        return error_from_errno(errno, "open");
    for (int i = 0; i < count; i++) {
        SCOPED(buf) path = {.limit = 0};
        buf_print(&path, "%s/%s", name, entries[i]->d_name);
        if (!err)
            err = error_wrap(read_file(buf_c(&path), reader), "%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (!err && count == 0)
        err = error_new(ERROR_INVALID, "no .yaml, .yml or .json file in it");
    return err;
}

static struct error *read_any(const char *name, const struct manifest_reader *reader)
{
    struct stat about;
    if (strcmp(name, "-") == 0)
        return read_open(STDIN_FILENO, "standard input", reader);
    if (stat(name, &about) != 0)
        return error_from_errno(errno, "open");
    return S_ISDIR(about.st_mode) ? read_folder(name, reader) : read_file(name, reader);
}

struct error *manifest_files_read(const char *name, const struct manifest_reader *reader)
{
    return error_wrap(read_any(name, reader), "%s",
                      strcmp(name, "-") == 0 ? "standard input" : name);
}
