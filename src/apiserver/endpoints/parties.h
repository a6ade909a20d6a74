/*
 * Who shares the CPU (async/cpu_share.h): each virtual cluster is a party, and so is each user of
 * the main API. Administrators of the main API, as whom the controllers of the process come, too,
 * are one party that never waits.
 *
 * A party is known from its first request on, as long as its use matters.
 */
#pragma once

#include "async/cpu_share.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"

struct metrics;

enum party_class { PARTY_ADMINISTRATORS, PARTY_USERS, PARTY_VIRTUAL_CLUSTERS, PARTY_CLASSES };

struct parties {
    struct loop *loop;
    struct map shares; /* key -> struct cpu_share */
    struct cpu_share *administrators;
    struct buf key; /* scratch of parties_find() */
    size_t kept;    /* how many there may be before the settled ones are forgotten */
    duration used[PARTY_CLASSES];
};

void parties_init(struct parties *parties, struct loop *loop);
void parties_done(struct parties *parties);

/* Shows apiserver_party_cpu_seconds_total by class. Names of users are no labels. */
void parties_register(struct parties *parties, struct metrics *metrics);

/* The share of a virtual cluster, or of a user when cluster is empty. Borrowed. */
struct cpu_share *parties_find(struct parties *parties, struct str cluster, struct str user,
                               bool is_administrator);
