/*
 * What a set's status says: the worst of what happened on any cluster, and where and why.
 *
 * Pure. A pass that is over has an account of all its clusters and resources; from it come the
 * conditions ResourcesApplied (in both forms), InProgress and Failed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* What went wrong, from what matters least to what matters most to a reader. */
enum fault_type {
    FAULT_NONE,
    FAULT_BOOKKEEPING, /* an owner reference or a binding could not be written */
    FAULT_MISSING,     /* a resource is not there; not an error of its own */
    FAULT_UNREADABLE,  /* a resource could not be read */
    FAULT_NO_SERVICE,  /* a server before v1.25 lacks its Service */
    FAULT_NO_CLIENT,   /* no connection */
    FAULT_NO_SELECTOR, /* clusters could not be selected */
    FAULT_NOT_APPLIED, /* an object failed, or a resource cannot be used */
    FAULT_WRONG_TYPE,  /* of a Secret */
};

/* One thing that is wrong: with a cluster, a resource, or one on the other. Texts may be empty. */
struct conditions_problem {
    enum fault_type type;
    struct str cluster;
    struct str resource; /* "ConfigMap cm1", "ConfigMap cm1, key a, document 2" */
    struct str name;     /* of the resource */
    struct str text;
};

struct conditions_summary {
    size_t clusters; /* that are selected */
    size_t pending;  /* of them, that are still being worked on */
    size_t failed;   /* of them */
    const struct conditions_problem *items;
    size_t count;
};

/* Characters of a message; clients show it in a column or a line. */
#define CONDITIONS_MESSAGE_MAX 2048

struct conditions {
    bool says_applied;        /* otherwise ResourcesApplied is left as it is */
    struct condition applied; /* v1beta2 */
    struct condition v1beta1; /* the deprecated one */
    struct condition progress, failed;
    bool is_success; /* no error: the generation has been observed */
};

/* Texts live in the arena: whoever writes them suspends, and what they tell of goes on. */
struct conditions conditions_make(const struct conditions_summary *account, int64_t generation,
                                  struct arena *arena);

/*
 * The text; of a longer one its beginning and its end, because one says where and the other why.
 * About so many bytes, between characters.
 */
void conditions_shorten_text(struct buf *out, struct str text, size_t most);

/* Work on a generation has begun. */
struct condition conditions_new_generation(int64_t generation);

struct condition conditions_paused(bool paused, int64_t generation);
