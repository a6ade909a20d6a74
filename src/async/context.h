/*
 * Switching between stacks: the one piece of machine code in the project.
 *
 * A context is a saved stack pointer; everything a function must preserve lies on its stack. x86-64
 * and arm64 have their own switch (context.S); other machines use ucontext (context.c), which costs
 * two system calls each time and hides stack errors from AddressSanitizer.
 */
#pragma once

#include <stddef.h>

typedef void (*context_fn)(void *data);

/* Saves where we are in *save and continues at load. Returns when somebody switches back. */
void context_switch(void **save, void *load);

/*
 * Prepares a stack so that switching to the returned context calls fn(data), which must not return.
 * With ucontext the context is allocated inside the stack as well.
 */
void *context_new(void *stack, size_t size, context_fn fn, void *data);
