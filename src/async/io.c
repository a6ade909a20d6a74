/*
 * Readiness of a file descriptor, by libuv's uv_poll.
 */
#include "async/io.h"

#include <uv.h>

#include "async/io_internal.h"
#include "base/memory.h"

struct io {
    uv_poll_t poll;
    unsigned wanted;
    io_fn fn;
    void *data;
};

struct error *io_new(struct loop *loop, int fd, io_fn fn, void *data, struct io **ret_io)
{
    struct io *io = NEW(struct io);
    io->fn = fn;
    io->data = data;
    const int status = uv_poll_init(io_uv_loop(loop), &io->poll, fd);
    if (status < 0) {
        mem_free(io);
        return error_from_errno(-status, "watch file descriptor %d", fd);
    }
    *ret_io = io;
    return NULL;
}

/* libuv may use the handle until the next iteration of its loop, so the memory is freed there. */
static void on_closed(uv_handle_t *handle)
{
    mem_free(CONTAINER_OF(handle, struct io, poll));
}

void io_free(struct io *io)
{
    if (io)
        uv_close((uv_handle_t *)&io->poll, on_closed);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct io *io = CONTAINER_OF(poll, struct io, poll);
    /* An error counts as readiness: the next read or write reports it. */
    unsigned ready = status < 0 ? io->wanted : 0;
    if (events & (UV_READABLE | UV_DISCONNECT))
        ready |= IO_READABLE;
    if (events & UV_WRITABLE)
        ready |= IO_WRITABLE;
    io->fn(io->data, ready & io->wanted);
}

void io_want(struct io *io, unsigned events)
{
    if (events == io->wanted)
        return;
    io->wanted = events;
    const int wanted =
        (events & IO_READABLE ? UV_READABLE : 0) | (events & IO_WRITABLE ? UV_WRITABLE : 0);
    if (wanted)
        uv_poll_start(&io->poll, wanted, on_ready);
    else
        uv_poll_stop(&io->poll);
}
