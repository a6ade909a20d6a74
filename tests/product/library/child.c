#include "product/library/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/buf.h"

#define POLL_PERIOD  (20 * MILLISECOND)
#define STOP_TIMEOUT (20 * SECOND)
#define WORDS_MAX    (4 * KILOBYTE)

/* In the new process: nothing but calls that may follow a fork. */
_Noreturn static void become(const char *const *arguments, const char *log)
{
    const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    execv(arguments[0], (char *const *)arguments);
    _exit(127);
}

struct error *child_start(struct child *child, const char *const *arguments, const char *log)
{
    *child = (struct child){.pid = fork(), .log = log};
    if (child->pid == 0)
        become(arguments, log);
    return child->pid < 0 ? error_from_errno(errno, "fork") : NULL;
}

static struct error *complain(const struct child *child, int status)
{
    char words[WORDS_MAX];
    const int fd = open(child->log, O_RDONLY | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END);
    lseek(fd, size > (off_t)sizeof(words) ? size - (off_t)sizeof(words) : 0, SEEK_SET);
    const ssize_t count = read(fd, words, sizeof(words));
    close(fd);
    return error_new(ERROR_IO, "%s %d; it said: %.*s",
                     WIFSIGNALED(status) ? "ended by signal" : "ended with code",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                     count > 0 ? (int)count : 0, words);
}

struct error *child_stop(struct child *child)
{
    int status = 0;
    FIBER_TIMEOUT(STOP_TIMEOUT);
    kill(child->pid, SIGTERM);
    while (waitpid(child->pid, &status, WNOHANG) == 0)
        TRY(fiber_sleep(POLL_PERIOD), "%s does not end", child->log);
    child->pid = 0;
    return status == 0 ? NULL : complain(child, status);
}

void child_done(struct child *child)
{
    if (child->pid <= 0)
        return;
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
}
