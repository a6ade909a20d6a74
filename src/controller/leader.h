/*
 * Leader election on a Lease, compatible with client-go's: of all processes that take part, one
 * leads.
 *
 * The leader renews the lease. A candidate takes over when the lease has not changed for its
 * duration, measured by the clock of the candidate. A leader that did not renew within the renew
 * deadline has lost, even if its process was stopped meanwhile: leader_check() is asked before each
 * write, and its clock continues while the process is stopped. The deadline counts from the moment
 * before a renewal is sent. Wall clocks do not matter; the times in the Lease are for people.
 *
 *     leader_new(loop, &(struct leader_options){.client = unguarded, .lease = key}, &leader);
 *     client_new(loop, &(struct client_options){.may_write = leader_may_write,
 *                                               .may_write_data = leader, ...});
 *
 * All writes that only a leader may do go through the second client. The first client must not have
 * may_write set, since a candidate writes the lease before it leads.
 *
 * A write that was sent in time must not reach the server after another leader has begun. Therefore
 * the second client has its own network, with tcp_network_limit_delivery() set to the time between
 * the renew deadline and the end of the lease.
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
    struct str identity;     /* empty: the host name and a random UUID */
    duration lease_duration; /* 0 means 15 s */
    duration renew_deadline; /* 0 means 10 s */
    duration retry_period;   /* 0 means 2 s */
    bool release;            /* release the lease when stopping, as ReleaseOnCancel */
    struct metrics *metrics;
};

/* ERROR_INVALID unless lease_duration > renew_deadline > 1.2 * retry_period. */
MUST_USE struct error *leader_new(struct loop *loop, const struct leader_options *options,
                                  struct leader **ret_leader);
void leader_free(struct leader *leader);
DEFINE_OWNED(leader)

/* Suspends until this process leads. */
MUST_USE struct error *leader_acquire(struct leader *leader);

/*
 * Renews the lease until the fiber is cancelled or the lease is lost, which is ERROR_EXPIRED,
 * "leader election lost". After it returns leader_check() is false. If the fiber was cancelled and
 * options.release is set, the lease is released. Suspends.
 */
MUST_USE struct error *leader_hold(struct leader *leader);

/* True if this process leads now. Must be asked right before every write. */
bool leader_check(const struct leader *leader);

/* leader_check() for client_options.may_write. data is the leader. */
bool leader_may_write(void *data);
