/*
 * Stacks for fibers: mapping, the pool, and the fault handler.
 *
 * A stack is one mapping with STACK_GUARD bytes at its bottom that cannot be accessed. Stacks grow
 * downwards, so running over the end hits the guard. The handler of SIGSEGV runs on an alternate
 * stack, asks for the name of the fiber and ends the process with a message.
 */
#include "async/stack.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sanitizer.h"

#if SANITIZE_ADDRESS
#include <sanitizer/asan_interface.h>
#endif

#define STACK_PLAIN   (64 * KILOBYTE)
#define STACK_CHECKED (256 * KILOBYTE)
/* The pool keeps up to POOL_MAX stacks while there is work and POOL_QUIET when there is none. */
#define POOL_MAX       1024 /* many fibers may end and start within a second */
#define POOL_QUIET     64   /* kept by stack_pool_shrink() */
#define SHRINK_STEP    32
#define FRAME_ROOM     512 /* below a frame that may be in use: a call and the red zone */
#define ALT_STACK_SIZE (64 * KILOBYTE)

/* Stacks are taken and given on the thread of the loop alone. */
static _Thread_local struct stack pool[POOL_MAX];
static _Thread_local size_t pool_count;

size_t stack_size(void)
{
    return SANITIZE_ADDRESS || SANITIZE_THREAD ? STACK_CHECKED : STACK_PLAIN;
}

static struct stack map_stack(void)
{
    const size_t size = stack_size();
    char *base = mmap(NULL, size + STACK_GUARD, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED || mprotect(base, STACK_GUARD, PROT_NONE) != 0) {
        fprintf(stderr,
                "corset: cannot map a fiber stack: %s (every fiber takes two of the mappings that "
                "sysctl vm.max_map_count allows)\n",
                strerrordesc_np(errno));
        abort();
    }
    return (struct stack){.bottom = base + STACK_GUARD, .size = size};
}

static void unmap_stack(struct stack stack)
{
    munmap(stack.bottom - STACK_GUARD, stack.size + STACK_GUARD);
}

struct stack stack_take(void)
{
    return pool_count ? pool[--pool_count] : map_stack();
}

void stack_give(struct stack stack)
{
#if SANITIZE_ADDRESS
    /* Frames that never returned, such as the last one, leave their red zones poisoned. */
    __asan_unpoison_memory_region(stack.bottom, stack.size);
#endif
    if (pool_count < POOL_MAX)
        pool[pool_count++] = stack;
    else
        unmap_stack(stack);
}

/*
 * A fiber that waits for long would keep the pages that its first functions touched. Signal
 * handlers run on their own stack.
 */
void stack_trim(struct stack stack)
{
#if !SANITIZE_ADDRESS && !SANITIZE_THREAD
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0) - FRAME_ROOM;
    const uintptr_t bottom = (uintptr_t)stack.bottom, end = frame / page * page;
    if (end > bottom)
        madvise(stack.bottom, end - bottom, MADV_DONTNEED); /* it costs nothing if it fails */
#else
    (void)stack;
#endif
}

/* A few at a time: munmap() is slow, and the loop must not pause. */
void stack_pool_shrink(void)
{
    for (size_t i = 0; i < SHRINK_STEP && pool_count > POOL_QUIET; i++)
        unmap_stack(pool[--pool_count]);
}

void stack_pool_trim(void)
{
    while (pool_count)
        unmap_stack(pool[--pool_count]);
}

/* The fault handler: the function that names a fiber, the handler before ours, and its stack. */
static const char *(*overflow_name)(const void *address);
static struct sigaction previous;
static char alt_stack[ALT_STACK_SIZE];

/* write(2) is safe in a signal handler, printf() is not. */
static void write_text(const char *text)
{
    const size_t len = strlen(text);
    if (write(STDERR_FILENO, text, len) < 0)
        return; /* nothing is left to be done about it */
}

/*
 * Runs on the alternate stack: the stack of the fiber has no room left. Faults elsewhere go to the
 * former handler.
 */
static void on_fault(int signo, siginfo_t *info, void *context)
{
    const char *name = overflow_name(info->si_addr);
    if (name) {
        write_text("corset: stack overflow in fiber \"");
        write_text(name);
        write_text("\"\n");
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signo, info, context);
        return;
    }
    /* The instruction faults again, and the default action ends the process. */
    sigaction(signo, &previous, NULL);
}

void stack_watch_overflow(const char *(*name_of)(const void *address))
{
    if (overflow_name)
        return;
    overflow_name = name_of;
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE))
        sigaltstack(&(stack_t){.ss_sp = alt_stack, .ss_size = sizeof(alt_stack)}, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous);
}
