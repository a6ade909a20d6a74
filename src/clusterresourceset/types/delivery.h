/*
 * The delivery record: what came of a set on one cluster, beyond what a binding's entry can say.
 *
 * It is in the annotation corset.dev/delivery of the ClusterResourceSetBinding, a JSON object with
 * one member for each set that has something to tell:
 *
 *     {"cni": {"state": "Failed", "since": "2026-11-15T22:10:00Z", "objects": 52, "why": [
 *       {"count": 2, "reason": "Invalid", "message": "…", "objects": [
 *         "apps/v1 Deployment ns/x (ConfigMap cm1, key a, document 2)", …]}]}}
 *
 * A set with a policy always has one, which begins with how far it is (struct delivery_progress):
 *
 *     {"cni": {"revision": "9f2c01aa77de", "state": "Ready", "since": "…", "objects": 12,
 *       "ready": 12, "kinds": ["v1/ConfigMap", "apps/v1/DaemonSet"], "digest": "5b1e…"}}
 *
 * With values of the Cluster in its objects (values.h) the member `values` behind the revision is
 * their digest.
 *
 * The state is Ready, Failed, or Drifted or Contested if somebody changed objects since they were
 * applied: then `why` says which, what, and who.
 *
 * With health, a set that was applied in full and has objects that are not ready has the member
 * `settling`, the time since when that is so. Its state is Settling, or Failed if that is longer
 * than the policy allows, and `why` says which objects are not ready. If objects have drifted as
 * well, the state is that of drift, and `unready` says what is not ready. The first element of
 * `why` has the reason NotChecked while the cluster cannot be asked about it, and the reason
 * DriftNotChecked while it cannot be asked about drift; both may be there:
 *
 *     {"cni": {"revision": "9f2c01aa77de", "state": "Settling", "since": "…", "settling": "…",
 *       …, "why": [{"count": 0, "reason": "NotChecked", "message": "not checked since …"}, …]}}
 *
 * A set whose policy prunes has the member `prune` while something is to be told of that (struct
 * delivery_prune), and if it is well otherwise, its state is Pruning or Held:
 *
 *     {"cni": {"revision": "9f2c01aa77de", "state": "Held", "since": "…", …, "prune": {"state":
 *       "Held", "reason": "Removed", "objects": 21, "token": "prune/5b1e…", "message": "…"}}}
 *
 * With waves the record says more. Its state is Applying from before the first object is applied to
 * the end of the attempt, so that a cluster which has begun is known to have begun, whatever
 * becomes of the process. `attempts` counts those of the revision that failed, up to three, and
 * `done` says that the revision was applied in full and ready once.
 *
 * A plain set that is well has no member. `why` has one element for each cause. All objects of a
 * cause are named if there is room, else five at least; causes that do not fit are left out from
 * the end, and `omitted` counts them. A cause with the count 0 is about whole resources.
 *
 * Pure. Others may have written anything there: what cannot be read is no record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "clusterresourceset/types/failures.h"
#include "clusterresourceset/types/values.h"

#define DELIVERY_ANNOTATION "corset.dev/delivery"

/* Bytes of one record, and of all annotations of a binding: a server takes 256 KiB. */
#define DELIVERY_RECORD_MAX      ((size_t)8 * 1024)
#define DELIVERY_KINDS_MAX       ((size_t)1000)
#define DELIVERY_ANNOTATIONS_MAX ((size_t)240 * 1024)

/* Bytes of a revision and of a digest: hexadecimal digits. */
#define DELIVERY_REVISION_LEN 12
#define DELIVERY_DIGEST_LEN   32

/* What becomes of objects that are no longer wanted on a cluster. What is graver comes later. */
enum delivery_prune_state {
    DELIVERY_PRUNE_NONE,    /* nothing is to be told */
    DELIVERY_PRUNE_DONE,    /* nothing is left but what is kept */
    DELIVERY_PRUNE_DUE,     /* nobody has looked since the revision was applied */
    DELIVERY_PRUNE_PRUNING, /* it is under way, or waits for something */
    DELIVERY_PRUNE_FAILED,  /* it is tried again */
    DELIVERY_PRUNE_HELD,    /* it waits for somebody to agree */
};

/* "Held", as in the record; empty for DELIVERY_PRUNE_NONE. */
struct str delivery_prune_state_name(enum delivery_prune_state state);

struct delivery_prune {
    enum delivery_prune_state state;
    struct str reason;    /* "Removed" */
    size_t objects, kept; /* to be deleted, as far as they are known; and never deleted */
    struct str token;     /* of what is held: who agrees names it */
    struct str message;   /* for people */
};

struct delivery {
    struct str state, since;  /* "Failed"; RFC 3339 */
    struct str revision;      /* empty: of a plain set */
    struct failures failures; /* omitted_causes and omitted_objects are those of the record */
    struct str settling;      /* RFC 3339; empty: nothing is known of objects that are not ready */
    bool is_overdue;          /* that is longer than the policy allows */
    struct failures unready;  /* the objects that are not, as far as they are known */
    struct str unchecked;     /* since when that is not known, RFC 3339; empty: it is */
    struct str drift_unchecked; /* the same of drift */
    struct delivery_prune prune;
};

/* Whether there is a record of the set. binding may be NULL. */
bool delivery_exists(const struct object *binding, struct str set);

/* Reads the record of the set; texts are in the arena. False if there is none. */
bool delivery_read(const struct object *binding, struct str set, struct arena *arena,
                   struct delivery *ret_delivery);

/* How far a set with a policy is on a cluster. Kinds are those that were applied this time. */
struct delivery_progress {
    struct str revision;
    struct str values;  /* the digest of values that objects have in them; empty: none have any */
    bool is_incomplete; /* a resource of the revision is missing or cannot be used */
    const struct str *kinds;
    size_t kind_count;
    struct str
        digest; /* of the objects, see apply_ledger_digest(); empty: the recorded one stays */
    /* Of a set with waves. */
    bool has_waves;
    bool is_applying; /* the attempt has just begun */
    size_t attempts;  /* that have failed */
};

/* What became of objects since they were applied. */
enum delivery_drift { DELIVERY_UNDRIFTED, DELIVERY_DRIFTED, DELIVERY_CONTESTED };

/* Objects that were applied and are not ready. */
struct delivery_unready {
    const struct failures *why; /* which of them, and why; empty: nobody has looked yet */
    size_t count;
    struct str since;
    bool is_overdue; /* that is longer than the policy allows */
};

/* Bytes of a message of struct delivery_prune; what is longer is cut. */
#define DELIVERY_PRUNE_MESSAGE_MAX ((size_t)900)

/* False if the record of the set says nothing of it. Texts are in the arena. */
bool delivery_find_prune(const struct object *binding, struct str set, struct arena *arena,
                         struct delivery_prune *ret_prune);

/* Kinds as the record has them: "v1/ConfigMap", "apps/v1/DaemonSet". */
struct delivery_kinds {
    struct str *items;
    size_t count;
};

/* Every kind that the set has ever applied there and not seen gone; in the arena. */
struct delivery_kinds delivery_read_kinds(const struct object *binding, struct str set,
                                          struct arena *arena);

/*
 * The new value of the annotation, with what is known of prune in the record of the set, and
 * without these kinds in it. now is the beginning of a state that is new. A set without a record
 * gets none.
 */
void delivery_write_prune(const struct object *binding, struct str set,
                          const struct delivery_prune *prune, struct delivery_kinds gone,
                          struct str now, struct buf *out);

/* What came of a set. Without progress it is a plain one, which has no record if nothing failed. */
struct delivery_outcome {
    const struct failures *failures;
    const struct delivery_progress *progress; /* NULL: none */
    enum delivery_drift drift;                /* if there is any, the failures tell of it */
    const struct delivery_unready *unready;   /* NULL: all are ready, or the policy has no health */
    struct str unchecked;                     /* since when that is not known; empty: it is */
    struct str drift_unchecked;               /* the same of drift */
    struct str now;                           /* the beginning of a state that is new */
    bool is_prune_due; /* objects of earlier revisions may be left to delete */
    bool keeps_prune;  /* what is recorded of prune stays, as long as the revision does */
};

/*
 * The new value of the annotation, with this outcome as the record of the set; NULL: without a
 * record. Empty if no record is left. Kinds that the record has stay. Records of sets that have no
 * entry in the binding go.
 */
void delivery_write(const struct object *binding, struct str set,
                    const struct delivery_outcome *outcome, struct buf *out);

/* What a record says of the revision of a set with a policy. */
struct delivery_mark {
    char revision[DELIVERY_REVISION_LEN + 1];
    bool is_applied; /* in full, whatever became of it since */
    bool is_incomplete;
    enum delivery_drift drift;
    enum delivery_prune_state prune;
    bool is_drift_unchecked;              /* the cluster cannot be asked about it */
    bool is_unready;                      /* it is applied, and has objects that are not ready */
    bool is_overdue;                      /* for longer than the policy allows */
    timestamp unready_since;              /* 0: that cannot be read */
    char digest[DELIVERY_DIGEST_LEN + 1]; /* empty: none */
    char values[VALUES_DIGEST_LEN + 1];   /* the same */
    bool has_failed;                      /* not everything is applied, and an attempt is over */
    size_t attempts;                      /* see struct delivery_progress */
    bool was_done;                        /* the revision was applied and ready once */
};

/* False if there is no record of a set with a policy. */
bool delivery_find_mark(const struct object *binding, struct str set,
                        struct delivery_mark *ret_mark);
