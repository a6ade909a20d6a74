#include "async/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/io.h"
#include "async/loop.h"

#define READ_SIZE (8 * KILOBYTE)

/* What is left in a pipe at the end is no more than this many pieces, unless others still write. */
#define DRAIN_READS 64

struct running;

/* Our end of a pipe that the program prints to. */
struct stream {
    struct running *running;
    int fd; /* -1: none */
    struct io *io;
    struct buf *out;
    bool is_cut; /* what does not fit is dropped instead of ending the program */
};

struct running {
    struct fiber *fiber;
    pid_t pid;
    int pidfd; /* -1: none */
    struct io *exit_io;
    bool exited;
    bool too_much;
    struct stream out, errors;
};

void process_result_done(struct process_result *result)
{
    buf_done(&result->out);
    buf_done(&result->errors);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void stream_done(struct stream *stream)
{
    io_free(TAKE(stream->io));
    close_fd(&stream->fd);
}

static void running_done(struct running *running)
{
    io_free(TAKE(running->exit_io));
    close_fd(&running->pidfd);
    stream_done(&running->out);
    stream_done(&running->errors);
}

/* One read; false when there is nothing more for now or at all. */
static bool stream_read(struct stream *stream)
{
    char piece[READ_SIZE];
    const ssize_t len = read(stream->fd, piece, sizeof(piece));
    if (len < 0)
        return errno == EINTR;
    if (len == 0) {
        io_want(stream->io, 0);
        return false;
    }
    const size_t room = stream->out->limit - stream->out->len;
    const size_t kept = (size_t)len < room ? (size_t)len : room;
    buf_add(stream->out, str_from(piece, kept));
    if (kept < (size_t)len && !stream->is_cut)
        stream->running->too_much = true;
    explicit_bzero(piece, (size_t)len); /* it may be a token */
    return true;
}

static void on_readable(void *data, unsigned events)
{
    struct stream *stream = data;
    (void)events;
    (void)stream_read(stream);
    if (stream->running->too_much)
        fiber_wake(stream->running->fiber);
}

static void on_exit_seen(void *data, unsigned events)
{
    struct running *running = data;
    (void)events;
    io_want(running->exit_io, 0);
    running->exited = true;
    fiber_wake(running->fiber);
}

static struct error *open_stream(struct running *running, struct stream *stream, int *ret_fd)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_from_errno(errno, "make a pipe");
    *stream = (struct stream){
        .running = running, .fd = ends[0], .out = stream->out, .is_cut = stream->is_cut};
    *ret_fd = ends[1];
    TRY(io_new(loop_current(), stream->fd, on_readable, stream, &stream->io));
    io_want(stream->io, IO_READABLE);
    return NULL;
}

/*
 * The input lies in memory with a file descriptor, complete before the program starts: there is no
 * pipe to feed, and none that breaks.
 */
static struct error *open_input(struct str input, int *ret_fd)
{
    if (str_is_empty(input)) {
        *ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *ret_fd < 0 ? error_from_errno(errno, "open /dev/null") : NULL;
    }
    *ret_fd = memfd_create("input", MFD_CLOEXEC);
    if (*ret_fd < 0)
        return error_from_errno(errno, "make a file in memory");
    for (size_t done = 0; done < input.len;) {
        const ssize_t len = pwrite(*ret_fd, input.ptr + done, input.len - done, (off_t)done);
        if (len < 0 && errno != EINTR)
            return error_from_errno(errno, "write a file in memory");
        done += len > 0 ? (size_t)len : 0;
    }
    return NULL;
}

/* The program's side of its three streams. */
struct ends {
    int in, out, errors;
};

static void ends_done(struct ends *ends)
{
    close_fd(&ends->in);
    close_fd(&ends->out);
    close_fd(&ends->errors);
}

/* A group of its own, signals as a program expects them, and only the three streams open. */
static int spawn_prepared(const struct process_options *options, const struct ends *ends,
                          posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions,
                          pid_t *ret_pid)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawn_file_actions_adddup2(actions, ends->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions, ends->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions, ends->errors, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    /* posix_spawnp() changes neither the texts nor the lists; its type is older than const. */
    char *const *argv = (char *const *)(uintptr_t)options->argv;
    char *const *env = options->env ? (char *const *)(uintptr_t)options->env : environ;
    return posix_spawnp(ret_pid, argv[0], actions, attributes, argv, env);
}

static struct error *spawn_program(const struct process_options *options, const struct ends *ends,
                                   pid_t *ret_pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    const int errnum = spawn_prepared(options, ends, &attributes, &actions, ret_pid);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return errnum ? error_from_errno(errnum, "start") : NULL;
}

static struct error *start_program(const struct process_options *options, struct running *running)
{
    SCOPED(ends) ends = {-1, -1, -1};
    TRY(open_input(options->input, &ends.in));
    TRY(open_stream(running, &running->out, &ends.out));
    TRY(open_stream(running, &running->errors, &ends.errors));
    TRY(spawn_program(options, &ends, &running->pid));
    running->pidfd = pidfd_open(running->pid, 0);
    struct error *err = running->pidfd < 0 ? error_from_errno(errno, "watch a program")
                                           : io_new(loop_current(), running->pidfd, on_exit_seen,
                                                    running, &running->exit_io);
    if (err) {
        /* Nothing will tell us of its end: it ends now. */
        kill(-running->pid, SIGKILL);
        waitpid(running->pid, NULL, 0);
        return err;
    }
    io_want(running->exit_io, IO_READABLE);
    return NULL;
}

static struct error *wait_for_exit(struct running *running)
{
    while (!running->exited && !running->too_much)
        TRY(fiber_park("a program"));
    if (running->too_much)
        return error_new(ERROR_TOO_LARGE, "printed more than %zu bytes", running->out.out->limit);
    return NULL;
}

/* A killed program ends at once, so this wait is short; it is what leaves no zombie. */
static void kill_program(struct running *running)
{
    kill(-running->pid, SIGKILL);
    while (!running->exited)
        fiber_park_uninterrupted("a killed program");
}

static void reap_program(const struct running *running, struct process_result *result)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)running->pid, &info, WEXITED) < 0 && errno == EINTR)
        continue;
    const bool by_itself = info.si_code == CLD_EXITED;
    result->exit_code = by_itself ? info.si_status : -1;
    result->signal = by_itself ? 0 : info.si_status;
}

static void drain_stream(struct stream *stream)
{
    for (int i = 0; i < DRAIN_READS && stream_read(stream); i++)
        continue;
}

struct error *process_run(const struct process_options *options, struct process_result *ret_result)
{
    const size_t most = options->output_max ? options->output_max : PROCESS_OUTPUT_MAX_DEFAULT;
    SCOPED(process_result)
    result = {
        .out = {.limit = most, .secret = true},
        .errors = {.limit = most, .secret = true},
    };
    SCOPED(running)
    running = {
        .fiber = fiber_current(),
        .pidfd = -1,
        .out = {.fd = -1,               .out = &result.out},
        .errors = { .fd = -1, .out = &result.errors,     .is_cut = true},
    };
    TRY(start_program(options, &running));
    struct error *err = wait_for_exit(&running);
    if (err)
        kill_program(&running);
    reap_program(&running, &result);
    if (err)
        return err;
    drain_stream(&running.out);
    drain_stream(&running.errors);
    if (running.too_much)
        return error_new(ERROR_TOO_LARGE, "printed more than %zu bytes", most);
    *ret_result = result;
    result = (struct process_result){0};
    return NULL;
}
