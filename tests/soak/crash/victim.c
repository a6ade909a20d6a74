#include "soak/crash/victim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/memory.h"

#define ARGUMENTS_MAX 16
#define LOOK_EVERY    (5 * MILLISECOND)
#define STOP_TIMEOUT  (20 * SECOND)
#define WORDS_MAX     ((size_t)8192)

struct victim {
    struct arena texts;
    const char *program, *folder, *kubeconfig, *log;
    const char *more[ARGUMENTS_MAX];
    uint16_t port;
    size_t descriptors;
    pid_t pid; /* 0: not running */
    int status;
};

struct victim *victim_new(const struct victim_options *options)
{
    struct victim *victim = NEW(struct victim);
    struct arena *texts = &victim->texts;
    victim->program = arena_c(texts, str_from_c(options->program));
    victim->folder = arena_c(texts, str_from_c(options->folder));
    victim->kubeconfig = arena_print(texts, "%s/kubeconfig", options->folder).ptr;
    victim->log = arena_print(texts, "%s/log", options->folder).ptr;
    victim->port = options->port;
    victim->descriptors = options->descriptors;
    for (size_t i = 0; options->more && options->more[i] && i + 1 < ARGUMENTS_MAX; i++)
        victim->more[i] = arena_c(texts, str_from_c(options->more[i]));
    return victim;
}

void victim_free(struct victim *victim)
{
    if (!victim)
        return;
    victim_kill(victim);
    arena_done(&victim->texts);
    mem_free(victim);
}

/* In the child: between fork and exec only what a signal handler might call. */
static _Noreturn void become(const struct victim *victim, const char *const *arguments, int log,
                             pid_t parent)
{
    const struct rlimit files = {victim->descriptors, victim->descriptors};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (victim->descriptors && setrlimit(RLIMIT_NOFILE, &files) != 0)
        _exit(127);
    if (getppid() == parent && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execv(arguments[0], (char *const *)arguments);
    _exit(127);
}

static struct error *spawn(struct victim *victim, const char *const *arguments)
{
    const pid_t parent = getpid();
    const int log = open(victim->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0)
        return error_from_errno(errno, "open %s", victim->log);
    victim->pid = fork();
    if (victim->pid == 0)
        become(victim, arguments, log, parent);
    close(log);
    if (victim->pid < 0) {
        victim->pid = 0;
        return error_from_errno(errno, "fork");
    }
    return NULL;
}

struct error *victim_start(struct victim *victim)
{
    SCOPED(arena) arena = {0};
    const char *arguments[6 + ARGUMENTS_MAX] = {
        victim->program, "apiserver",
        "--data-dir",    victim->folder,
        "--listen",      arena_print(&arena, "127.0.0.1:%u", (unsigned)victim->port).ptr,
    };
    for (size_t i = 0; victim->more[i]; i++)
        arguments[6 + i] = victim->more[i];
    if (access(victim->program, X_OK) != 0)
        return error_from_errno(errno, "run %s", victim->program);
    return spawn(victim, arguments);
}

static bool has_ended(struct victim *victim)
{
    if (victim->pid && waitpid(victim->pid, &victim->status, WNOHANG) == victim->pid)
        victim->pid = 0;
    return !victim->pid;
}

void victim_kill(struct victim *victim)
{
    if (has_ended(victim))
        return;
    kill(victim->pid, SIGKILL);
    while (waitpid(victim->pid, &victim->status, 0) < 0 && errno == EINTR)
        continue;
    victim->pid = 0;
}

static void read_words(const struct victim *victim, struct buf *words)
{
    const int fd = open(victim->log, O_RDONLY | O_CLOEXEC);
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

static struct error *complaint(const struct victim *victim)
{
    SCOPED(buf) words = {0};
    read_words(victim, &words);
    const bool killed = WIFSIGNALED(victim->status);
    return error_new(ERROR_IO, "the server %s %d and said:\n%.*s",
                     killed ? "was ended by signal" : "exited with",
                     killed ? WTERMSIG(victim->status) : WEXITSTATUS(victim->status),
                     STR_ARG(buf_str(&words)));
}

struct error *victim_check(struct victim *victim)
{
    return has_ended(victim) ? complaint(victim) : NULL;
}

struct error *victim_stop(struct victim *victim)
{
    TRY(victim_check(victim));
    FIBER_TIMEOUT(STOP_TIMEOUT);
    kill(victim->pid, SIGTERM);
    while (!has_ended(victim))
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server to end");
    const bool obeyed = !WIFSIGNALED(victim->status) && WEXITSTATUS(victim->status) == 0;
    return obeyed ? NULL : complaint(victim);
}

void victim_set_port(struct victim *victim, uint16_t port)
{
    victim->port = port;
}

struct str victim_kubeconfig(const struct victim *victim)
{
    return str_from_c(victim->kubeconfig);
}

struct error *victim_wait_kubeconfig(struct victim *victim)
{
    struct stat file;
    while (stat(victim->kubeconfig, &file) != 0) {
        TRY(victim_check(victim));
        TRY(fiber_sleep(LOOK_EVERY), "wait for the server's kubeconfig");
    }
    return NULL;
}

pid_t victim_pid(const struct victim *victim)
{
    return victim->pid;
}

/* From a line of /proc/PID/status: "VmRSS:	  1234 kB". */
size_t victim_memory_of(pid_t pid)
{
    char path[64], line[256];
    uint64_t kilobytes = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = pid ? fopen(path, "re") : NULL;
    if (!file)
        return 0;
    while (fgets(line, (int)sizeof(line), file)) {
        struct str value = str_from_c(line), head;
        if (!str_cut(&value, ':', &head) || !str_eq(head, STR("VmRSS")))
            continue;
        value = str_trim(value);
        str_cut(&value, ' ', &head);
        if (str_to_uint64(head, &kilobytes))
            break;
    }
    fclose(file);
    return (size_t)kilobytes * KILOBYTE;
}
