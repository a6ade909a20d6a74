/*
 * What is known of the health of one placement: when it is looked at, what the last look found, and
 * what is told of it.
 *
 * A look (health_check.h) leaves a finding. The placement takes it when it is reconciled next and
 * records it in the binding. What the set tells, and how long objects are not ready, goes by that
 * record. All of this may be lost: a new process goes on from the record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clusterresourceset/health.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/failures.h"

enum health_finding_type {
    HEALTH_FINDING_NONE,
    HEALTH_FINDING_LOOKED,    /* the objects in `why` are not ready, all others are */
    HEALTH_FINDING_UNCHECKED, /* no look succeeded: the record stays and says since when */
    HEALTH_FINDING_OFF,       /* the policy has no health any more */
};

struct health_finding {
    enum health_finding_type type;
    struct arena arena;
    struct failures why;
    timestamp since; /* of LOOKED: when they were last ready, or applied; of UNCHECKED: looked at */
    bool is_overdue;
};

void health_finding_done(struct health_finding *finding);

struct placement_health {
    bool is_followed;  /* a look is due */
    int64_t look_at;   /* then, by the clock of the loop */
    uint64_t stamp;    /* another number whenever something was applied */
    timestamp checked; /* when the last look succeeded, or something was applied or recorded */
    uint32_t reported; /* the digest of what the last look recorded; 0: nothing */
    int64_t told_at;   /* when that was recorded, by the clock of the loop; 0: never */
    struct health_finding finding;
    /* As the binding records it. */
    enum health_state state;
    timestamp since;
    bool is_unchecked;
    char *text; /* for people; NULL: nothing to tell */
};

struct placement_health *placement_health_new(void);
void placement_health_free(struct placement_health *health); /* may be NULL */

/* Everything was applied: what a look has found is about what was there before. */
void placement_health_note_applied(struct placement_health *health, timestamp now);

/* Reads what the record of the set in the binding says. Returns whether that is something else. */
bool placement_health_note_record(struct placement_health *health, const struct object *binding,
                                  struct str set);

/* What a record is to say of readiness. Texts are in the arena. */
struct health_record {
    bool is_unready;
    struct delivery_unready unready;
    struct str unchecked; /* empty: it is checked */
};

/* The same as the record that was read; what is found otherwise; what holds right after an apply.
 */
struct health_record health_record_keep(const struct delivery *before);
struct health_record health_record_find(const struct delivery *before,
                                        const struct health_finding *finding, struct arena *arena);
struct health_record health_record_begin(const struct plan *plan, struct str now,
                                         struct arena *arena);
