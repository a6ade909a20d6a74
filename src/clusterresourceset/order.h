/*
 * Order between sets: the annotation corset.dev/depends-on, and whether a placement may begin.
 *
 *     metadata:
 *       annotations:
 *         corset.dev/depends-on: cni, certificates
 *
 * A placement of the set begins on a cluster when every set that is named here and selects the
 * cluster is applied there in full, in its present content, and ready if it has health. A placement
 * that has begun is not taken back, whatever becomes of the named sets; binding_has_begun() says
 * what counts as begun.
 *
 * Pure: set_order.h collects the facts. Who depends on whom is in order_graph.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#define ORDER_ANNOTATION "corset.dev/depends-on"

/* Names that one set may depend on. */
#define ORDER_NAMES_MAX 64

/* The names in the annotation, each once, in the order of the text. */
struct order_names {
    const struct str *names;
    size_t count;
    struct str problem; /* why the annotation cannot be used; there are no names then */
};

/* Spaces around names and empty names do not count. Texts are in the arena. */
struct order_names order_read(struct str text, struct arena *arena);

/* How a set that is named stands on one cluster. */
enum order_state {
    ORDER_MET,          /* it is applied there in full */
    ORDER_NOT_SELECTED, /* it does not select the cluster: it is not waited for */
    ORDER_UNKNOWN,      /* this process has not read the newest set or its resources yet */
    ORDER_ABSENT,
    ORDER_DELETING,
    ORDER_UNWATCHED,   /* another controller works on it, by the watch filter */
    ORDER_NO_SELECTOR, /* which clusters it selects cannot be told */
    ORDER_REFUSED,     /* nothing of it is applied, for instance because of a cycle */
    ORDER_PAUSED,
    ORDER_INCOMPLETE,  /* a resource it names is missing or cannot be used */
    ORDER_FAILED,      /* the binding says that something of it failed there */
    ORDER_OLD,         /* it was applied there with other content than it has now */
    ORDER_NOT_APPLIED, /* not yet */
    ORDER_NOT_READY,   /* it is applied there, and its policy says that it has to be ready, too */
    ORDER_STATES,
};

struct order_facts {
    bool exists, is_deleting, is_watched;
    bool is_known;     /* its newest spec has been read, and no change of a resource is about */
    bool has_selector; /* one that can be used */
    bool is_selected;  /* the cluster, by the set */
    bool is_refused;   /* see ORDER_REFUSED */
    bool is_paused;    /* the set */
    bool is_read;      /* its resources have been read */
    bool is_complete;  /* all of them exist and can be used */
    bool is_applied;   /* the binding has all that the set wants there, as it is now */
    bool is_unready; /* the set has health, and does not say that it is ready there as it is now */
    bool has_failed; /* the binding has a result that says so */
    bool has_other;  /* the binding has a result of other content */
};

/* The first rule that holds decides. */
enum order_state order_decide(const struct order_facts *facts);

/* False if the set is not waited for. */
bool order_is_waited_for(enum order_state state);

/* "waits for ClusterResourceSet a, which does not exist", and behind that ", for …". */
void order_write_wait(struct buf *out, struct str set, enum order_state state);
