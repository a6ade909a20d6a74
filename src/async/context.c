#include "async/context.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)

void context_begin(void); /* context.S */

#if defined(__x86_64__)
/* The order in which context_switch pops, the address it returns to, and room to stay aligned. */
enum { SLOT_R15, SLOT_R14, SLOT_R13, SLOT_R12, SLOT_RBX, SLOT_RBP, SLOT_RETURN, SLOTS = 9 };
enum { SLOT_FN = SLOT_R12, SLOT_DATA = SLOT_R13 };
#else
enum { SLOT_X19, SLOT_X20, SLOT_RETURN = 11, SLOTS = 20 };
enum { SLOT_FN = SLOT_X19, SLOT_DATA = SLOT_X20 };
#endif

void *context_new(void *stack, size_t size, context_fn fn, void *data)
{
    const uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    uintptr_t *slots = (uintptr_t *)top - SLOTS; /* NOLINT(performance-no-int-to-ptr) */
    memset(slots, 0, SLOTS * sizeof(*slots));
    slots[SLOT_FN] = (uintptr_t)fn;
    slots[SLOT_DATA] = (uintptr_t)data;
    slots[SLOT_RETURN] = (uintptr_t)context_begin;
    return slots;
}

#else

#include <stdlib.h>
#include <ucontext.h>

struct portable {
    ucontext_t context;
    context_fn fn;
    void *data;
};

void context_switch(void **save, void *load)
{
    ucontext_t here;
    *save = &here;
    swapcontext(&here, load);
}

/* makecontext passes ints only, so the pointer travels in two halves. */
static void begin_portable(unsigned high, unsigned low)
{
    struct portable *self = (struct portable *)(((uintptr_t)high << 16 << 16) | low);
    self->fn(self->data);
    abort();
}

void *context_new(void *stack, size_t size, context_fn fn, void *data)
{
    const uintptr_t top = ((uintptr_t)stack + size - sizeof(struct portable)) & ~(uintptr_t)15;
    struct portable *self = (struct portable *)top;
    self->fn = fn;
    self->data = data;
    getcontext(&self->context);
    self->context.uc_stack.ss_sp = stack;
    self->context.uc_stack.ss_size = top - (uintptr_t)stack;
    makecontext(&self->context, (void (*)(void))begin_portable, 2, (unsigned)(top >> 16 >> 16),
                (unsigned)top);
    return &self->context;
}

#endif
