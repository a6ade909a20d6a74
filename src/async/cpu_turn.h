/*
 * Turns, for work that keeps the thread for about a millisecond, as the arithmetic of a TLS
 * handshake does. Each round of the loop has time for one such piece, in the order of asking and
 * behind everything else; timers, I/O and everybody with little to do come in between, however many
 * pieces wait. A few pieces are also put off for some milliseconds while a timer is about to fire.
 *
 *     TRY(cpu_turn_take());
 *     SSL_do_handshake(ssl);
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct loop;

/* Suspends, at least until all else that is ready has run. */
MUST_USE struct error *cpu_turn_take(void);

/* Do fibers wait for a turn? Then it is we who are slow, not others. */
bool cpu_turn_is_awaited(const struct loop *loop);
