#include "base/system_memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"

#define LINE_MAX_LEN 4096

/* The first line of a file without its end; empty when it cannot be read. */
static struct str read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    if (file && !fgets(line, (int)size, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    return str_from(line, strcspn(line, "\n"));
}

/* "max" and a file that is not there are no limit. */
static int64_t read_limit(const char *path)
{
    char line[64];
    int64_t limit;
    if (!str_to_int64(read_line(path, line, sizeof(line)), &limit) || limit <= 0)
        return INT64_MAX;
    return limit;
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* memory.max is the name of version 2, memory/memory.limit_in_bytes that of version 1. */
int64_t system_memory_of_group(const char *mount, const char *group)
{
    int64_t limit = INT64_MAX;
    struct str path = str_from_c(group);
    for (;;) {
        SCOPED(buf) newer = {.limit = 0};
        SCOPED(buf) older = {.limit = 0};
        while (path.len && path.ptr[path.len - 1] == '/')
            path.len--;
        buf_print(&newer, "%s%.*s/memory.max", mount, STR_ARG(path));
        buf_print(&older, "%s/memory%.*s/memory.limit_in_bytes", mount, STR_ARG(path));
        limit = lower(limit, lower(read_limit(buf_c(&newer)), read_limit(buf_c(&older))));
        const size_t slash = str_find_last_char(path, '/');
        if (slash == STR_NONE)
            return limit;
        path.len = slash;
    }
}

/* The line of version 2 is "0::/path". With version 1 the limit of the whole container is taken. */
int64_t system_memory(void)
{
    char line[LINE_MAX_LEN];
    const struct str own = read_line("/proc/self/cgroup", line, sizeof(line));
    const bool is_newer = str_starts_with(own, STR("0::/")) && own.len < sizeof(line) - 1;
    line[own.len] = '\0';
    const int64_t limit = system_memory_of_group("/sys/fs/cgroup", is_newer ? line + 3 : "/");
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? lower(limit, (int64_t)pages * size) : limit;
}
