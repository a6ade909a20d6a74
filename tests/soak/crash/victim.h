/*
 * The server's program as another process, to be mistreated: started on a folder, killed without a
 * warning, started again on what it left.
 *
 * What it prints goes to a file beside its data. The kernel kills it when we end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct victim;

struct victim_options {
    const char *program;
    const char *folder;      /* exists; the server keeps its data in it */
    uint16_t port;           /* 0: any */
    size_t descriptors;      /* that it may have open; 0: as many as we */
    const char *const *more; /* arguments put behind ours, NULL behind the last; NULL for none */
};

/* Everything is copied. Nothing runs yet. */
struct victim *victim_new(const struct victim_options *options);

/* Kills it if it runs. The folder stays. */
void victim_free(struct victim *victim);
DEFINE_OWNED(victim)

/* Starts the program and returns at once. It does not run yet, or no more. */
MUST_USE struct error *victim_start(struct victim *victim);

/* SIGKILL, and waits until it is gone. */
void victim_kill(struct victim *victim);

/* Suspends. Tells it to end and waits; ERROR_IO when it does not, or says that it failed. */
MUST_USE struct error *victim_stop(struct victim *victim);

/* ERROR_IO with its last words when it has ended by itself. */
MUST_USE struct error *victim_check(struct victim *victim);

/* From now on it is to listen here. */
void victim_set_port(struct victim *victim, uint16_t port);

/* Where it writes its administrator's kubeconfig. */
struct str victim_kubeconfig(const struct victim *victim);

/* Suspends until there is a kubeconfig: the first start is over. */
MUST_USE struct error *victim_wait_kubeconfig(struct victim *victim);

/* Its process; 0 when it does not run. */
pid_t victim_pid(const struct victim *victim);

/* Bytes of memory a process has in use; 0 when there is none. */
size_t victim_memory_of(pid_t pid);
