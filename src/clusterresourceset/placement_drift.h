/*
 * What is known of drift of one placement: what was applied, what the last check of the cluster
 * found, and what is told of it.
 *
 * A check (drift_check.h) compares and leaves a finding. The placement takes the finding when it is
 * reconciled next, reports or repairs (drift_mend.h), and records the outcome in the binding. What
 * the set tells goes by that record. All of it may be lost; after a restart the record tells
 * whether anything moved.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"
#include "clusterresourceset/apply/apply_ledger.h"
#include "clusterresourceset/drift.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/types/delivery.h"

enum drift_finding_type {
    DRIFT_FINDING_NONE,
    DRIFT_FINDING_UNCHECKED,  /* no check succeeded: the record stays and says since when */
    DRIFT_FINDING_CLEAN,      /* nothing has drifted, and the record does not say so */
    DRIFT_FINDING_DRIFTED,    /* the objects in ids have */
    DRIFT_FINDING_UNVERIFIED, /* something has moved since the record was written, and it is not
                               * known what: every object has to be looked at */
};

struct drift_finding {
    enum drift_finding_type type;
    struct map ids;                       /* "group/kind ns/name" -> NULL */
    uint64_t hash;                        /* of DRIFTED: another one for something else */
    uint64_t versions;                    /* the same of any change of the objects; 0: not known */
    char digest[DELIVERY_DIGEST_LEN + 1]; /* of CLEAN: what the record shall have */
    struct map seen;                      /* of DRIFTED: all objects as a check saw them, as in
                                           * apply_ledger.h; empty: only some were seen. Owned */
    timestamp since;                      /* of UNCHECKED: when the last check was */
};

void drift_finding_done(struct drift_finding *finding);

/* An object has drifted; this is what the cluster has of it. */
void drift_finding_add(struct drift_finding *finding, struct str id, struct str uid,
                       struct str ownership);

/* These are all objects of the placement, as the cluster has them. */
void drift_finding_note_seen(struct drift_finding *finding, const struct apply_ledger *ledger);

struct placement_drift {
    bool is_followed;           /* a check of the cluster is due */
    int64_t checked_at;         /* when it was checked last, or is to be checked since */
    int64_t check_due;          /* with watches: when another check is due; 0: none is */
    uint64_t watched_basis;     /* with watches: of the plan that was checked last; 0: none */
    struct drift_memory memory; /* of the objects */
    uint64_t basis;             /* of the plan by which they were applied; 0: not known */
    uint64_t stamp;             /* another number whenever the memory has changed */
    struct map versions;        /* "group/kind" -> newest resourceVersion of an answer; owned */
    struct drift_finding finding;
    uint64_t reported;          /* the hash of the last finding that was recorded; 0: none */
    uint64_t reported_versions; /* the same of its versions */
    enum delivery_drift drift;  /* as the binding records it */
    bool is_unchecked;          /* the same */
    bool awaits_repair;         /* it has been recorded, and nobody has tried to repair it since */
    char *text;                 /* what has drifted, or "drift not checked since …", for people;
                                 * NULL: nothing to tell */
    struct map contests;        /* id -> struct contest, of objects that were repaired; owned */
};

struct placement_drift *placement_drift_new(void);
void placement_drift_free(struct placement_drift *drift); /* may be NULL */

/*
 * What the digests of objects depend on: the round of the plan, and the fields that its policy
 * ignores. After another basis nothing that is remembered can be compared.
 */
uint64_t placement_drift_basis(const struct plan *plan);

/* A check is due at this time, or at the one that was noted before if that is earlier. */
void placement_drift_note_due(struct placement_drift *drift, int64_t due);

/* Everything was applied, on this basis. */
void placement_drift_note_applied(struct placement_drift *drift, const struct apply_ledger *ledger,
                                  uint64_t basis);

/* An answer of the cluster had this version of an object of the kind, "group/kind". */
void placement_drift_note_version(struct placement_drift *drift, struct str kind,
                                  struct str version);

/*
 * Reads what the record of the set in the binding says. Returns whether that is something else than
 * before, also if it is only that nobody could look.
 */
bool placement_drift_note_record(struct placement_drift *drift, const struct object *binding,
                                 struct str set);

/* "apps/v1 Deployment ns/x: spec.replicas changed by kubectl; …", the first of many. */
void placement_drift_write_why(const struct failures *why, struct buf *out);
