/*
 * The child processes that exist now, so that none is left when a failed check aborts the test.
 *
 * The kernel kills them with their parent in any case (see process.c), but where the first process
 * of a machine or container does not reap orphans, they would stay as zombies.
 */
#pragma once

#include <sys/types.h>

/* Killed if we abort; or, given a leash, let end by itself when that is closed. -1 for none. */
void children_add(pid_t child, int leash);

/* It was reaped. */
void children_remove(pid_t child);
