#include "peers/interop/children.h"

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/owned.h"

#define CHILDREN_MAX 16

static struct {
    volatile pid_t pid; /* 0: free */
    volatile int leash;
} children[CHILDREN_MAX];

/*
 * Runs in abort(), which goes on when this returns. Last come, first gone, so that the folder of a
 * test is removed when nobody uses it any more. Calls only what is safe in a signal handler.
 */
static void end_children(int signal_number)
{
    (void)signal_number;
    for (size_t i = COUNT(children); i-- > 0;) {
        const pid_t pid = children[i].pid;
        if (!pid)
            continue;
        if (children[i].leash < 0)
            kill(pid, SIGKILL);
        else
            close(children[i].leash);
        waitpid(pid, NULL, 0);
    }
}

void children_add(pid_t child, int leash)
{
    static bool watching;
    if (!watching)
        sigaction(SIGABRT, &(struct sigaction){.sa_handler = end_children}, NULL);
    watching = true;
    size_t i = 0;
    while (i < COUNT(children) && children[i].pid)
        i++;
    assert(i < COUNT(children));
    children[i].leash = leash;
    children[i].pid = child;
}

void children_remove(pid_t child)
{
    for (size_t i = 0; i < COUNT(children); i++)
        if (children[i].pid == child)
            children[i].pid = 0;
}
