/*
 * Switching between stacks: the only machine code in the project.
 *
 * A context is a saved stack pointer. Everything that a function must preserve lies on its stack.
 * x86-64 and arm64 have their own switch (context.S). Other machines use ucontext (context.c),
 * which costs two system calls for each switch and hides stack errors from AddressSanitizer.
 */
#pragma once

#include <stddef.h>

typedef void (*context_fn)(void *data);

/*
 * Saves the present context in *save and continues at load. Returns when another switch loads
 * *save.
 */
void context_switch(void **save, void *load);

/*
 * Prepares a stack so that switching to the returned context calls fn(data), which must not return.
 * With ucontext the context is allocated inside the stack as well.
 */
void *context_new(void *stack, size_t size, context_fn fn, void *data);
