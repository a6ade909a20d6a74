#include "base/folder.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/buf.h"

static struct error *make_one(const char *path, mode_t mode)
{
    if (mkdir(path, mode) != 0 && errno != EEXIST)
        return error_from_errno(errno, "make %s", path);
    return NULL;
}

struct error *folder_make(const char *path, mode_t mode)
{
    SCOPED(buf) above = {.limit = 0};
    for (const char *end = path; *end; end++) {
        if (*end != '/' || end == path)
            continue;
        buf_clear(&above);
        buf_add(&above, str_from(path, (size_t)(end - path)));
        TRY(make_one(buf_c(&above), mode));
    }
    return make_one(path, mode);
}
