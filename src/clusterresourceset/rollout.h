/*
 * Rollout in waves, for a policy with `rollout`: which clusters get a revision now, and which wait.
 *
 * A cluster belongs to the first wave of the policy whose selector matches its labels, or to a last
 * wave, ROLLOUT_OTHERS. How far a rollout is stands in an annotation of the set:
 *
 *     corset.dev/rollout: '{"revision":"9f2c01aa77de","wave":"canary","state":"Soaking",
 *       "since":"2026-11-15T22:10:00Z","last":"77aa01c2e9f2"}'
 *
 * That is the only state there is, because which clusters have the revision is recorded in their
 * bindings. When the annotation is lost, the rollout looks at wave one again, and sends nothing
 * twice. `last` is the revision that was rolled out before; without it the set is on its first way
 * to its clusters, and a cluster that has nothing of the set yet waits for its wave, too.
 *
 *   state               when                                next
 *   Rolling             clusters of the wave get the        all are done or have failed: Soaking;
 *                       revision                            too many have failed: Halted
 *   Soaking             until `since` and the time to soak  the next wave
 *   WaitingForApproval  the wave needs an approval          the token "revision/wave": Rolling
 *   Halted              more failed than the policy allows  fewer have failed, or another revision
 *   RolledOut           no wave is left                     another revision
 *
 * Pure: set_rollout.h collects the facts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clusterresourceset/types/delivery.h"
#include "clusterresourceset/types/delivery_policy.h"

#define ROLLOUT_ANNOTATION "corset.dev/rollout"

/* The wave of clusters that no wave of the policy selects. */
#define ROLLOUT_OTHERS "(others)"

/* Waves that a policy may have, with ROLLOUT_OTHERS; and bytes of their names. */
#define ROLLOUT_WAVES_MAX 17
#define ROLLOUT_NAME_MAX  63

/* Attempts after which a cluster that has the revision, but not all of it, has failed. */
#define ROLLOUT_ATTEMPTS 3

enum rollout_phase {
    ROLLOUT_NONE, /* nothing is known */
    ROLLOUT_ROLLING,
    ROLLOUT_SOAKING,
    ROLLOUT_WAITING_FOR_APPROVAL, /* the wave that is named has not begun */
    ROLLOUT_HALTED,
    ROLLOUT_ROLLED_OUT,
    ROLLOUT_PHASES,
};

/* "Rolling" and so on; empty for ROLLOUT_NONE. */
struct str rollout_phase_name(enum rollout_phase phase);

/* What the annotation says. */
struct rollout_state {
    enum rollout_phase phase;
    timestamp since;
    char revision[DELIVERY_REVISION_LEN + 1], last[DELIVERY_REVISION_LEN + 1];
    char wave[ROLLOUT_NAME_MAX + 1];
};

/* What cannot be read is ROLLOUT_NONE. */
struct rollout_state rollout_read(const struct object *set);
void rollout_write(const struct rollout_state *state, struct buf *out);
bool rollout_state_eq(const struct rollout_state *a, const struct rollout_state *b);

/* How far a cluster is with the revision. */
enum rollout_stage {
    ROLLOUT_ABSENT,      /* it never had the set */
    ROLLOUT_OTHER,       /* it has another revision */
    ROLLOUT_OTHER_BEGUN, /* the same, and that revision is not finished there */
    ROLLOUT_BEGUN,       /* the revision is there, but not all of it is applied */
    ROLLOUT_SETTLING,    /* it is applied, and not ready yet */
    ROLLOUT_RELAPSED,    /* it was done, and is not ready any more */
    ROLLOUT_DONE,
    ROLLOUT_FAILED,  /* attempts have failed, or the time to become ready is over */
    ROLLOUT_OVERDUE, /* the same; everything is applied, only that it is not ready in time */
};

/* Why a cluster does not get the revision now. */
enum rollout_hold {
    ROLLOUT_FREE, /* it may get the revision, or has it */
    ROLLOUT_HOLD_WAVE,
    ROLLOUT_HOLD_TURN, /* as many clusters of its wave as the policy allows are unfinished */
    ROLLOUT_HOLD_APPROVAL,
    ROLLOUT_HOLD_HALTED,
    ROLLOUT_HOLD_INCOMPLETE, /* a resource of the set is missing or cannot be used */
    ROLLOUT_HOLD_FLIGHT,     /* clusters still get another revision at this moment */
};

struct rollout_cluster {
    struct str name;
    size_t wave; /* rollout_wave_of() */
    enum rollout_stage stage;
    bool is_new;         /* the Cluster is younger than the set */
    bool is_unreachable; /* for some time, or it waits for other sets: nothing can begin there */
    bool is_paused;
    bool runs;              /* the revision is being applied at this moment */
    bool runs_other;        /* another revision is */
    enum rollout_hold hold; /* written by rollout_decide() */
};

/* The first wave that selects these labels. */
size_t rollout_wave_of(const struct delivery_policy *policy, const struct json_value *labels);

/* Waves of the policy and ROLLOUT_OTHERS; their names. */
size_t rollout_wave_count(const struct delivery_policy *policy);
struct str rollout_wave_name(const struct delivery_policy *policy, size_t wave);

/* The wave of this name; rollout_wave_count() if the policy has none. */
size_t rollout_wave_find(const struct delivery_policy *policy, struct str name);

/* The text of the annotation has "revision/wave". */
bool rollout_is_approved(struct str tokens, struct str revision, struct str wave);

struct rollout_facts {
    const struct delivery_policy *policy;
    struct str revision;
    bool is_incomplete;
    struct str tokens; /* the annotation corset.dev/approve */
    timestamp now;
    struct rollout_cluster *clusters; /* in an order that stays: the first come first */
    size_t count;
};

enum rollout_news_type {
    ROLLOUT_NEWS_STARTED,
    ROLLOUT_NEWS_FINISHED,
    ROLLOUT_NEWS_HALTED,
    ROLLOUT_NEWS_ROLLED_OUT,
};

struct rollout_news {
    enum rollout_news_type type;
    size_t wave;
};

/* Clusters, for people. */
struct rollout_counts {
    size_t clusters;        /* that count: those that are not paused */
    size_t done, failed;    /* of them, with the revision */
    size_t in_wave, behind; /* those of the wave, and those of them that are not finished */
    size_t tolerated;       /* failures */
};

struct rollout_decision {
    struct rollout_state state;
    duration look_after;   /* when time alone changes something; 0: it does not */
    timestamp soaks_until; /* of ROLLOUT_SOAKING */
    struct rollout_counts counts;
    struct rollout_news news[2 * ROLLOUT_WAVES_MAX + 2];
    size_t news_count;
};

/*
 * The state that follows, in as many steps as follow at once, and in `hold` of every cluster
 * whether it may get the revision. Clusters that may be unfinished at the same time are never more
 * than the policy allows, except for those that join: they get the revision at once, unless their
 * own wave is just rolling.
 */
struct rollout_decision rollout_decide(const struct rollout_state *before,
                                       const struct rollout_facts *facts);

/* "waits for wave early; the rollout is in wave canary (Soaking)" */
void rollout_write_hold(const struct rollout_state *state, struct str wave, enum rollout_hold hold,
                        struct buf *out);
