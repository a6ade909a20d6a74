/*
 * Leader election on a Lease: of all processes that take part, one works.
 *
 * Whoever renews the lease leads. A candidate takes over when the lease has not changed for its
 * duration, by the candidate's own clock. A leader that could not renew in time has lost, even if
 * it did not run meanwhile: leader_check() says so before anything is written, by a clock that goes
 * on while a process is stopped. Time counts from before a renewal is sent, and the wall clock
 * plays no part; it is only written down for people.
 *
 *     leader_new(loop, &(struct leader_options){.client = unguarded, .lease = key}, &leader);
 *     client_new(loop, &(struct client_options){.may_write = leader_may_write,
 *                                               .may_write_data = leader, ...});
 *
 * Everything that only a leader may do goes through the second client. The leader's own client
 * must not ask: the lease is written by those that do not lead yet.
 *
 * A write that was sent in time must not arrive after another leader has begun. So the second
 * client has a network of its own with tcp_network_limit_delivery() set to the time between the
 * renew deadline and the end of the lease.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct leader;
struct loop;
struct metrics;

struct leader_options {
    struct client *client;
    struct key lease;
    struct str identity;     /* empty: the machine's name and a random part */
    duration lease_duration; /* 0 means 15 s */
    duration renew_deadline; /* 0 means 10 s */
    duration retry_period;   /* 0 means 2 s */
    bool release;            /* give the lease up when stopping */
    struct metrics *metrics;
};

/* ERROR_INVALID for durations that do not fit each other. */
MUST_USE struct error *leader_new(struct loop *loop, const struct leader_options *options,
                                  struct leader **ret_leader);
void leader_free(struct leader *leader);
DEFINE_OWNED(leader)

/* Suspends until this process leads. */
MUST_USE struct error *leader_acquire(struct leader *leader);

/*
 * Renews until it is cancelled or the lease is lost, which is an error of its own: "leader election
 * lost". When it is cancelled nobody leads any more; the lease is released, if asked for. Suspends.
 */
MUST_USE struct error *leader_hold(struct leader *leader);

/* Whether this process still leads, now. To be asked before every write. */
bool leader_check(const struct leader *leader);

/* The same for client_options.may_write; data is the leader. */
bool leader_may_write(void *data);
