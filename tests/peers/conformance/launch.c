#include "peers/conformance/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/arena.h"
#include "base/memory.h"

#define LOOK_EVERY   (20 * MILLISECOND)
#define STOP_TIMEOUT (20 * SECOND)
#define WORDS_MAX    ((size_t)4096)

struct launch {
    struct arena texts;
    const char *folder, *kubeconfig, *log;
    pid_t pid; /* 0: not running */
    int status;
};

static struct error *make_folder(struct launch *launch)
{
    const char *parent = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): nobody sets it */
    const struct str template =
        arena_print(&launch->texts, "%s/conformance-XXXXXX", parent && *parent ? parent : "/tmp");
    char *folder = arena_alloc(&launch->texts, template.len + 1);
    memcpy(folder, template.ptr, template.len);
    if (!mkdtemp(folder))
        return error_from_errno(errno, "make the folder %s", folder);
    launch->folder = folder;
    launch->kubeconfig = arena_print(&launch->texts, "%s/kubeconfig", folder).ptr;
    launch->log = arena_print(&launch->texts, "%s/log", folder).ptr;
    return NULL;
}

/* In the child: between fork and exec only what a signal handler might call. */
static _Noreturn void become(const char *program, const char *kubeconfig, const char *history_age,
                             int log, pid_t parent)
{
    const char *const arguments[] = {
        program,       "apiserver",
        "--in-memory", "--listen",
        "127.0.0.1:0", "--write-kubeconfig",
        kubeconfig,    history_age ? "--history-age" : NULL,
        history_age,   NULL,
    };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execv(program, (char *const *)arguments);
    _exit(127);
}

static struct error *spawn(struct launch *launch, const char *program, const char *history_age)
{
    const pid_t parent = getpid();
    const int log = open(launch->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0)
        return error_from_errno(errno, "open %s", launch->log);
    if (access(program, X_OK) != 0) {
        close(log);
        return error_from_errno(errno, "run %s", program);
    }
    const pid_t pid = fork();
    if (pid == 0)
        become(program, launch->kubeconfig, history_age, log, parent);
    close(log);
    if (pid < 0)
        return error_from_errno(errno, "fork");
    launch->pid = pid;
    return NULL;
}

static bool has_ended(struct launch *launch)
{
    if (launch->pid && waitpid(launch->pid, &launch->status, WNOHANG) == launch->pid)
        launch->pid = 0;
    return !launch->pid;
}

/* The end of what the program printed. */
static void read_words(const struct launch *launch, struct buf *words)
{
    const int fd = open(launch->log, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    const off_t end = lseek(fd, 0, SEEK_END);
    const off_t begin = end > (off_t)WORDS_MAX ? end - (off_t)WORDS_MAX : 0;
    char *room = buf_reserve(words, WORDS_MAX);
    const ssize_t len = room ? pread(fd, room, WORDS_MAX, begin) : 0;
    if (len > 0)
        buf_grow(words, (size_t)len);
    close(fd);
}

static struct error *complaint(const struct launch *launch)
{
    SCOPED(buf) words = {0};
    read_words(launch, &words);
    const bool killed = WIFSIGNALED(launch->status);
    return error_new(ERROR_IO, "the server %s %d and said:\n%.*s",
                     killed ? "was ended by signal" : "exited with",
                     killed ? WTERMSIG(launch->status) : WEXITSTATUS(launch->status),
                     STR_ARG(buf_str(&words)));
}

struct error *launch_check(struct launch *launch)
{
    return has_ended(launch) ? complaint(launch) : NULL;
}

static struct error *wait_kubeconfig(struct launch *launch)
{
    struct stat file;
    while (stat(launch->kubeconfig, &file) != 0 || file.st_size == 0) {
        TRY(launch_check(launch));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server's kubeconfig");
    }
    return NULL;
}

struct error *launch_start(const char *program, const char *history_age, struct launch **ret_launch)
{
    OWNED(launch) launch = NEW(struct launch);
    TRY(make_folder(launch));
    TRY(spawn(launch, program, history_age));
    TRY(wait_kubeconfig(launch));
    *ret_launch = TAKE(launch);
    return NULL;
}

void launch_free(struct launch *launch)
{
    if (!launch)
        return;
    if (!has_ended(launch)) {
        kill(launch->pid, SIGKILL);
        waitpid(launch->pid, NULL, 0);
    }
    if (launch->folder) {
        unlink(launch->kubeconfig);
        unlink(launch->log);
        rmdir(launch->folder);
    }
    arena_done(&launch->texts);
    mem_free(launch);
}

struct str launch_kubeconfig(const struct launch *launch)
{
    return str_from_c(launch->kubeconfig);
}

struct error *launch_stop(struct launch *launch)
{
    TRY(launch_check(launch));
    FIBER_TIMEOUT(STOP_TIMEOUT);
    kill(launch->pid, SIGTERM);
    while (!has_ended(launch))
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server to end");
    const bool obeyed = WIFSIGNALED(launch->status) ? WTERMSIG(launch->status) == SIGTERM
                                                    : WEXITSTATUS(launch->status) == 0;
    return obeyed ? NULL : complaint(launch);
}
