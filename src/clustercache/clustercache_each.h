/*
 * One question to many clusters: the same request goes to all of them at once, and a function gets
 * their answers one by one, in the order of namespaces and names.
 *
 *     SCOPED(clustercache_each_summary) summary = {0};
 *     const struct clustercache_each_options options = {.path = STR("/api/v1/nodes")};
 *     TRY(clustercache_each(cache, &options, count_nodes, &count, &summary));
 *
 * An answer is a stream. A cluster that is ahead of its turn may hold CLUSTERCACHE_EACH_AHEAD bytes
 * of it, then it is not read further until its turn. What all questions hold together is bounded by
 * a clustercache_each_memory: while there is no room, no further cluster is asked. The cluster
 * whose turn it is needs no room, so that every question goes on.
 *
 * A cluster has a time until its answer begins, and a time without progress. The deadline of the
 * fiber bounds the whole; cancelling the fiber ends all requests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "async/event.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/list.h"
#include "base/str.h"

struct clustercache;
struct http_headers;
struct rest_impersonation;
struct selector;

#define CLUSTERCACHE_EACH_AHEAD  (256 * KILOBYTE)
#define CLUSTERCACHE_EACH_WINDOW 512
#define CLUSTERCACHE_EACH_MEMORY (64 * MEGABYTE)
#define CLUSTERCACHE_EACH_WAIT   (5 * SECOND)

/* What several questions share. Zeroed with a limit; it outlives the questions. */
struct clustercache_each_memory {
    size_t limit; /* 0: CLUSTERCACHE_EACH_MEMORY */
    size_t used;
    struct list runs; /* private */
    bool is_used;
};

/* Zero means the default, which is named first. Everything is borrowed during the call. */
struct clustercache_each_options {
    /* Which clusters: those for which all of this holds. */
    struct str namespace;            /* all */
    const struct selector *selector; /* all; over the labels of Clusters */
    const struct key *clusters;      /* all */
    size_t cluster_count;
    bool (*admits)(void *data, struct key cluster); /* all */
    void *admits_data;
    struct key from; /* the first; those before it are not asked */

    /* What is asked. add_query() adds to the query of one cluster, right before it is asked. */
    struct str path, query, accept, agent;
    void (*add_query)(void *data, struct key cluster, struct buf *query);
    void *add_query_data;
    const struct rest_impersonation *as; /* as the kubeconfig says */

    size_t window;                           /* 512: requests under way at a time */
    duration first_byte;                     /* 5 s: until the head of an answer */
    duration silence;                        /* 5 s: without progress after that */
    struct clustercache_each_memory *memory; /* 64 MiB for this question alone */
};

/* The answer of the cluster whose turn it is, whatever its status. */
struct clustercache_answer {
    struct key cluster;
    int status;
    const struct http_headers *headers;
    struct clustercache_ask *ask; /* private */
};

/* Suspends. The next bytes, inflated and valid until the next call; empty at the end. */
MUST_USE struct error *clustercache_answer_read(struct clustercache_answer *answer,
                                                struct str *ret_piece);

/* The rest of the answer, up to the limit of the buffer. Suspends. */
MUST_USE struct error *clustercache_answer_read_all(struct clustercache_answer *answer,
                                                    struct buf *body);

/*
 * For a loop over much that was read. Suspends once this turn has taken long enough, until
 * everything else that is ready has run and timers were looked at.
 */
MUST_USE struct error *clustercache_answer_pause(void);

/* Counts the cluster among those that failed, for this reason. Takes the error. */
void clustercache_answer_fail(struct clustercache_answer *answer, struct error *err);

/*
 * Replaces the answer by the one to another query of the same path. After a failure there is none.
 * Suspends.
 */
MUST_USE struct error *clustercache_answer_ask_again(struct clustercache_answer *answer,
                                                     struct str query);

/* True if the next cluster has not answered yet: what is there may be shown meanwhile. */
bool clustercache_answer_is_last_for_now(const struct clustercache_answer *answer);

/* Whether clusters follow; and ends the question with this one, the others count as not asked. */
bool clustercache_answer_has_next(const struct clustercache_answer *answer);
void clustercache_answer_stop(struct clustercache_answer *answer);

/* Called for every answer on the fiber of the caller. May suspend. An error ends the question. */
typedef struct error *clustercache_each_fn(void *data, struct clustercache_answer *answer);

/* A cluster that did not answer, or whose answer the function found to be none. */
struct clustercache_each_failure {
    struct key cluster;
    enum error_code code;
    struct str reason;
};

struct clustercache_each_summary {
    size_t asked, answered;
    struct clustercache_each_failure *failures; /* in order */
    size_t failure_count, failure_capacity;
    struct arena arena;
};
void clustercache_each_summary_done(struct clustercache_each_summary *summary);

/*
 * Returns the error of the function, or that of an interruption. Clusters that do not answer are in
 * the summary, which counts what happened until then in either case. Suspends.
 */
MUST_USE struct error *clustercache_each(struct clustercache *cache,
                                         const struct clustercache_each_options *options,
                                         clustercache_each_fn *each, void *data,
                                         struct clustercache_each_summary *summary);
