#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "async/event.h"
#include "async/io.h"
#include "async/loop.h"
#include "base/memory.h"

#define PIECE (4 * KILOBYTE)

struct input {
    struct io *io;
    struct event readable;
    struct buf pending;
};

static void on_readable(void *data, unsigned events)
{
    struct input *input = data;
    (void)events;
    io_want(input->io, 0);
    event_wake_all(&input->readable);
}

struct error *input_new(struct input **ret_input)
{
    OWNED(input) input = NEW(struct input);
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK) < 0)
        return error_from_errno(errno, "standard input");
    TRY(io_new(loop_current(), STDIN_FILENO, on_readable, input, &input->io));
    *ret_input = TAKE(input);
    return NULL;
}

void input_free(struct input *input)
{
    if (!input)
        return;
    io_free(input->io);
    buf_done(&input->pending);
    mem_free(input);
}

/* What has come, or the end. Suspends until there is either. */
static struct error *read_more(struct input *input, bool *ret_is_end)
{
    for (;;) {
        char *room = buf_reserve(&input->pending, PIECE);
        if (!room)
            return error_new(ERROR_TOO_LARGE, "a line of standard input is too long");
        const ssize_t got = read(STDIN_FILENO, room, PIECE);
        if (got >= 0) {
            *ret_is_end = got == 0;
            buf_grow(&input->pending, (size_t)got);
            return NULL;
        }
        if (errno != EAGAIN && errno != EINTR)
            return error_from_errno(errno, "standard input");
        io_want(input->io, IO_READABLE);
        TRY(event_wait(&input->readable, "standard input"));
    }
}

struct error *input_next(struct input *input, struct buf *line, bool *ret_is_end)
{
    *ret_is_end = false;
    buf_clear(line);
    for (;;) {
        const size_t end = str_find_char(buf_str(&input->pending), '\n');
        if (end != STR_NONE) {
            buf_add(line, str_slice(buf_str(&input->pending), 0, end));
            buf_consume(&input->pending, end + 1);
            return NULL;
        }
        TRY(read_more(input, ret_is_end));
        if (*ret_is_end)
            return NULL;
    }
}
