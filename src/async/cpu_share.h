/*
 * Shares of the CPU. Fibers that work for different parties (users, virtual clusters) get the
 * thread in turns: the fiber that runs next is one of the party that has used the least, so that
 * nobody waits longer for having many neighbours who want much.
 *
 *     TRY(cpu_share_join(share));      from here on the fiber is this party's, until it ends
 *
 * The loop counts what the turns of a party's fibers take, and keeps the parties that have ready
 * fibers in the order of what they used. A party that was idle does not save up: it is treated as
 * if it had used a little less than the one that is served now, and so comes next. A party that is
 * alone has the thread for itself. Fibers of one party run in the order in which they became ready.
 *
 * Fibers without a share, such as connections and controllers, run before all parties, and so do
 * those of a share that is exempt, whose use is counted only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "async/timer.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"

struct fiber;
struct loop;

struct cpu_share {
    struct loop *loop;
    size_t refs;
    bool is_exempt;
    duration *total; /* counts the use of several shares, or NULL */
    /* private */
    struct list ready;     /* tasks of its fibers */
    struct list_link link; /* in line */
    struct timer place;    /* among those that are ahead; due is what was used */
    int64_t used;          /* since the loop began; raised to the others' when the share was idle */
};

/* total is borrowed. */
struct cpu_share *cpu_share_new(struct loop *loop, bool is_exempt, duration *total);
struct cpu_share *cpu_share_ref(struct cpu_share *share);
void cpu_share_free(struct cpu_share *share);
DEFINE_OWNED(cpu_share)

/*
 * The running fiber belongs to the share until it ends, with all that its present turn takes.
 * Suspends while parties that have used less have something to do.
 */
MUST_USE struct error *cpu_share_join(struct cpu_share *share);

/* The same for a fiber that does not run now, and without a wait. */
void cpu_share_put(struct cpu_share *share, struct fiber *fiber);

/* Counts work for the share that was done elsewhere, on a worker thread. */
void cpu_share_charge(struct cpu_share *share, duration span);

/* What the share has used, in the order in which shares are served. */
int64_t cpu_share_used(const struct cpu_share *share);

/* True when nothing but the caller holds the share, and forgetting it would forget no debt. */
bool cpu_share_is_settled(const struct cpu_share *share);
