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

#include "base/error.h"

struct loop;

/* Suspends, at least until everything else that is ready has run. */
MUST_USE struct error *cpu_turn_take(void);

/*
 * True when fibers wait for a turn. A timeout is then likely to be due to this process, not to the
 * peer.
 */
bool cpu_turn_is_awaited(const struct loop *loop);
