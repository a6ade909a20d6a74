/*
 * Turns of the CPU, for work that keeps the thread for about a millisecond, such as the arithmetic
 * of a TLS handshake.
 *
 * Each iteration of the loop has time for one turn, behind everything else that is ready and in the
 * order of asking. Timers, I/O and short work run in between, however many fibers wait for a turn.
 * While a timer is about to fire, a turn is also put off for some milliseconds.
 *
 *     TRY(cpu_turn_take());
 *     SSL_do_handshake(ssl);
 */
#pragma once

#include <stdbool.h>

#include "async/event.h"
#include "async/loop.h"
#include "base/error.h"

/* Suspends, at least until everything else that is ready has run. */
MUST_USE struct error *cpu_turn_take(void);

/*
 * The same for a later step of work whose first step had a turn. Such fibers get their turns before
 * those in cpu_turn_take(). So a TLS peer that has answered does not wait for the first steps of
 * handshakes with other peers. Suspends.
 */
MUST_USE struct error *cpu_turn_take_next(void);

/*
 * Runs work(data) in a turn: on the thread of the loop, or on a worker thread if there are some for
 * it (cpu_turn_use_threads()). It is the first step of its work, or a later one (cpu_turn_take()
 * and cpu_turn_take_next()). The thread may use what the waiting fiber alone refers to, and what
 * does not change meanwhile. Work that has begun is waited for. Suspends.
 */
MUST_USE struct error *cpu_turn_run(bool has_begun, void (*work)(void *data), void *data);

/*
 * From now on so many turns of cpu_turn_run() go on at the same time, on worker threads. 0, as in
 * the beginning: all turns are taken on the thread of the loop.
 */
void cpu_turn_use_threads(struct loop *loop, size_t count);

/*
 * A gate that one fiber passes in each iteration of the loop, behind everything that is ready, in
 * the order of asking. For the beginning of one of many pieces of work: what has begun goes on
 * before more begins, so that a busy thread has few of them at a time, and each short step of
 * others waits for few. Zero is an open gate; no fiber may be left when it is freed.
 */
struct cpu_gate {
    struct task opening;
    struct event waiters;
};

void cpu_gate_done(struct cpu_gate *gate);

/* Suspends. */
MUST_USE struct error *cpu_gate_pass(struct cpu_gate *gate);

/*
 * True when fibers wait for a turn. A timeout is then likely to be due to this process, not to the
 * peer.
 */
bool cpu_turn_is_awaited(const struct loop *loop);
