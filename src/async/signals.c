/*
 * SIGINT and SIGTERM through a signalfd, so that they arrive like any other I/O and interrupt no
 * code.
 */
#include "async/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "async/event.h"
#include "async/io.h"
#include "base/memory.h"

struct signals {
    int fd;
    struct io *io;
    struct event event;
    size_t pending;
};

static void on_readable(void *data, unsigned events)
{
    struct signals *signals = data;
    struct signalfd_siginfo info;
    (void)events;
    while (read(signals->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        signals->pending++;
    event_wake_all(&signals->event);
}

/*
 * The signals are blocked for this thread and for all threads it starts. Without that, a worker
 * thread would receive them and end the process.
 */
struct error *signals_new(struct loop *loop, struct signals **ret_signals)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit of the size of files fails instead */
    const int failure = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (failure)
        return error_from_errno(failure, "block signals");
    OWNED(signals) signals = NEW(struct signals);
    signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals->fd < 0)
        return error_from_errno(errno, "watch for signals");
    TRY(io_new(loop, signals->fd, on_readable, signals, &signals->io));
    io_want(signals->io, IO_READABLE);
    *ret_signals = TAKE(signals);
    return NULL;
}

void signals_free(struct signals *signals)
{
    if (!signals)
        return;
    io_free(signals->io);
    if (signals->fd >= 0)
        close(signals->fd);
    mem_free(signals);
}

/* Signals that arrive while no fiber waits are counted and not lost. */
struct error *signals_wait(struct signals *signals)
{
    while (signals->pending == 0)
        TRY(event_wait(&signals->event, "a signal"));
    signals->pending--;
    return NULL;
}
