#include "peers/interop/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/event.h"
#include "async/io.h"
#include "async/loop.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/memory.h"
#include "peers/interop/children.h"

#define OUTPUT_LIMIT_DEFAULT MEGABYTE
#define ARGUMENTS_MAX        64
#define READ_BYTES           (16 * KILOBYTE)
/* Of what a failed program said, in the error. */
#define SHOWN_BYTES (4 * KILOBYTE)

/* Servers live where an ordinary user's path does not look. */
#define SEARCH_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

/* One of the program's two outputs. */
struct stream {
    struct process *process;
    int fd;
    struct io *io; /* NULL once it has ended */
    struct buf text;
};

struct process {
    char *name;
    pid_t pid;
    int pidfd;
    struct io *end; /* NULL once it has ended and was reaped */
    int status;
    struct stream output, messages;
    struct event changed;
};

static const char *const environment[] = {"LC_ALL=C", NULL};

/* What the new process needs between fork and exec, where nothing may be allocated. */
struct launch {
    const char *path;
    const char *arguments[ARGUMENTS_MAX];
    const char *directory;
    int input, output, messages;
    pid_t parent;
};

static struct error *find_program(struct arena *arena, const char *name, const char **ret_path)
{
    struct str rest = STR(SEARCH_PATH), folder;
    while (rest.len) {
        str_cut(&rest, ':', &folder);
        const char *path = arena_print(arena, "%.*s/%s", STR_ARG(folder), name).ptr;
        if (access(path, X_OK) == 0) {
            *ret_path = path;
            return NULL;
        }
    }
    return error_new(ERROR_NOT_FOUND, "the program %s is not installed; see tools/bootstrap", name);
}

static struct error *add_arguments(struct launch *launch, size_t *count, const char *const *list)
{
    for (; list && *list; list++) {
        if (*count + 1 == ARGUMENTS_MAX)
            return error_new(ERROR_TOO_LARGE, "too many arguments");
        launch->arguments[(*count)++] = *list;
    }
    return NULL;
}

/* The child's side; only what is safe in a copy of a process with threads. */
static _Noreturn void become(const struct launch *launch)
{
    /* The parent may have died before its death could be a signal. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launch->parent)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    dup2(launch->input, STDIN_FILENO);
    dup2(launch->output, STDOUT_FILENO);
    dup2(launch->messages, STDERR_FILENO);
    if (!launch->directory || chdir(launch->directory) == 0)
        execve(launch->path, (char *const *)launch->arguments, (char *const *)environment);
    _exit(127);
}

static void notice(struct process *process)
{
    event_wake_all(&process->changed);
}

static void stream_close(struct stream *stream)
{
    if (!stream->io)
        return;
    io_free(TAKE(stream->io));
    close(stream->fd);
}

static void on_output(void *data, unsigned events)
{
    (void)events;
    struct stream *stream = data;
    char bytes[READ_BYTES];
    const ssize_t len = read(stream->fd, bytes, sizeof(bytes));
    if (len > 0)
        buf_add(&stream->text, str_from(bytes, (size_t)len)); /* past the limit it is dropped */
    else if (len == 0 || (errno != EAGAIN && errno != EINTR))
        stream_close(stream);
    notice(stream->process);
}

static void reap(struct process *process)
{
    if (!process->end)
        return;
    io_free(TAKE(process->end));
    close(process->pidfd);
    while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
        continue;
    children_remove(process->pid);
    notice(process);
}

static void on_end(void *data, unsigned events)
{
    (void)events;
    reap(data);
}

static struct error *watch(int fd, io_fn fn, void *data, struct io **ret_io)
{
    TRY(io_new(loop_current(), fd, fn, data, ret_io));
    io_want(*ret_io, IO_READABLE);
    return NULL;
}

/* A pipe whose reading end is the stream's; the other end is for the program. */
static struct error *stream_open(struct process *process, struct stream *stream, size_t limit,
                                 int *ret_write)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return error_from_errno(errno, "make a pipe");
    /* The program expects its end to block. */
    fcntl(ends[1], F_SETFL, 0);
    *stream = (struct stream){.process = process, .fd = ends[0]};
    stream->text.limit = limit ? limit : OUTPUT_LIMIT_DEFAULT;
    *ret_write = ends[1];
    struct error *err = watch(stream->fd, on_output, stream, &stream->io);
    if (err)
        close(ends[0]);
    return err;
}

static struct error *launch_prepare(const struct process_options *options, struct arena *arena,
                                    struct launch *launch)
{
    *launch = (struct launch){
        .directory = options->directory,
        .parent = getpid(),
    };
    size_t count = 0;
    TRY(find_program(arena, options->arguments[0], &launch->path));
    TRY(add_arguments(launch, &count, options->arguments));
    return add_arguments(launch, &count, options->more);
}

static struct error *spawn(struct process *process, const struct launch *launch)
{
    process->pid = fork();
    if (process->pid == 0)
        become(launch);
    if (process->pid < 0)
        return error_from_errno(errno, "fork");
    process->pidfd = pidfd_open(process->pid, 0);
    struct error *err = process->pidfd < 0 ? error_from_errno(errno, "open a process")
                                           : watch(process->pidfd, on_end, process, &process->end);
    if (err) {
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
        return err;
    }
    children_add(process->pid, -1);
    return NULL;
}

static void close_all(const struct launch *launch)
{
    const int ends[] = {launch->input, launch->output, launch->messages};
    for (size_t i = 0; i < COUNT(ends); i++)
        if (ends[i] > 0)
            close(ends[i]);
}

static struct error *connect_and_spawn(struct process *process,
                                       const struct process_options *options, struct launch *launch)
{
    const char *input = options->input ? options->input : "/dev/null";
    launch->input = open(input, O_RDONLY | O_CLOEXEC);
    if (launch->input < 0)
        return error_from_errno(errno, "open %s", input);
    TRY(stream_open(process, &process->output, options->output_limit, &launch->output));
    TRY(stream_open(process, &process->messages, options->output_limit, &launch->messages));
    return spawn(process, launch);
}

struct error *process_start(const struct process_options *options, struct process **ret_process)
{
    SCOPED(arena) arena = {0};
    struct launch launch;
    TRY(launch_prepare(options, &arena, &launch));
    OWNED(process) process = NEW(struct process);
    process->name = mem_dup(options->arguments[0], strlen(options->arguments[0]));
    struct error *err = connect_and_spawn(process, options, &launch);
    close_all(&launch);
    TRY(err, "start %s", process->name);
    *ret_process = TAKE(process);
    return NULL;
}

void process_free(struct process *process)
{
    if (!process)
        return;
    if (process->end) {
        kill(process->pid, SIGKILL);
        reap(process);
    }
    stream_close(&process->output);
    stream_close(&process->messages);
    buf_done(&process->output.text);
    buf_done(&process->messages.text);
    mem_free(process->name);
    mem_free(process);
}

static bool has_ended(const struct process *process)
{
    return !process->end && !process->output.io && !process->messages.io;
}

static struct str last_words(const struct process *process)
{
    struct str said = process_messages(process);
    if (!said.len)
        said = process_output(process);
    return str_skip(said, said.len > SHOWN_BYTES ? said.len - SHOWN_BYTES : 0);
}

static struct error *complaint(const struct process *process, const char *what, int number)
{
    return error_new(ERROR_IO, "%s %s %d: %.*s", process->name, what, number,
                     STR_ARG(last_words(process)));
}

static struct error *check_limits(const struct process *process)
{
    TRY(buf_check(&process->output.text), "%s: output", process->name);
    TRY(buf_check(&process->messages.text), "%s: messages", process->name);
    return NULL;
}

/* Suspends until something is new. A program that says too much may never end. */
static struct error *wait_changed(struct process *process)
{
    TRY(check_limits(process));
    TRY(event_wait(&process->changed, "a program"), "%s: %.*s", process->name,
        STR_ARG(last_words(process)));
    return NULL;
}

struct error *process_wait(struct process *process)
{
    while (!has_ended(process))
        TRY(wait_changed(process));
    if (WIFSIGNALED(process->status))
        return complaint(process, "was ended by signal", WTERMSIG(process->status));
    if (WEXITSTATUS(process->status) != 0)
        return complaint(process, "exited with", WEXITSTATUS(process->status));
    return check_limits(process);
}

struct error *process_wait_output(struct process *process, struct str text)
{
    while (!str_contains(process_output(process), text)) {
        if (has_ended(process))
            return complaint(process, "ended early, status", process->status);
        TRY(wait_changed(process));
    }
    return NULL;
}

struct error *process_run(const struct process_options *options, struct process **ret_process)
{
    OWNED(process) process = NULL;
    TRY(process_start(options, &process));
    TRY(process_wait(process));
    *ret_process = TAKE(process);
    return NULL;
}

struct str process_output(const struct process *process)
{
    return buf_str(&process->output.text);
}

struct str process_messages(const struct process *process)
{
    return buf_str(&process->messages.text);
}
