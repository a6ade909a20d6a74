#include "cmd/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/terminal.h"

#define BAR_WIDTH   24
#define PLAIN_LINES 5 /* for one count, at most */

void progress_init(struct progress *progress)
{
    *progress = (struct progress){.is_live = terminal_is_live(STDERR_FILENO)};
}

/* One write per line, so that nothing flickers. */
static void put(const struct buf *line)
{
    fwrite(line->ptr, 1, line->len, stderr);
    fflush(stderr);
}

/* The next text starts on a new line. */
void progress_end(struct progress *progress)
{
    if (progress->is_open)
        fputc('\n', stderr);
    progress->is_open = false;
    progress->shown = 0;
}

void progress_say(struct progress *progress, const char *format, ...)
{
    va_list args;
    progress_end(progress);
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is */
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Overwrites the line in place: carriage return, bar, and "clear to the end of the line". */
static void draw(struct progress *progress, size_t done, size_t all, const char *what)
{
    SCOPED(buf) line = {.limit = 0};
    const size_t filled = all ? done * BAR_WIDTH / all : BAR_WIDTH;
    buf_add(&line, STR("\r["));
    for (size_t i = 0; i < BAR_WIDTH; i++)
        buf_add_char(&line, i < filled ? '#' : '.');
    buf_print(&line, "] %zu of %zu %s\x1b[K", done, all, what);
    put(&line);
    progress->is_open = true;
}

/* Without a terminal at most PLAIN_LINES lines appear per count. */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what)
{
    const size_t step = all > PLAIN_LINES ? all / PLAIN_LINES : 1;
    if (progress->is_live) {
        draw(progress, done, all, what);
        return;
    }
    if (done == progress->shown || (done < all && done - progress->shown < step))
        return;
    progress->shown = done;
    fprintf(stderr, "  %zu of %zu %s\n", done, all, what);
}
