/*
 * Plays a sequence on two servers at once, each time in a new namespace, and holds each answer of
 * the second against that of the first. At the end everything that was touched is read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "peers/conformance/caller.h"
#include "peers/conformance/difference.h"
#include "peers/conformance/exchange.h"
#include "peers/conformance/launch.h"
#include "peers/differential/declared.h"
#include "peers/differential/sequence.h"

struct play {
    struct caller *real, *corset;
    struct launch *launch;     /* of corset's program, which must not end */
    struct exchange_list list; /* nothing but the run's id */
    struct declared *declared;
    size_t number; /* of playings, for the names of namespaces */
    size_t requests, sequences;
    size_t cut_short; /* sequences whose rest was not played after a declared difference */
    size_t panics;    /* requests that kube-apiserver has not answered, though it is there */
};

/* Where the two went apart for the first time. */
struct outcome {
    struct arena arena;
    bool differs, crashed;
    size_t step; /* number of steps when it is one of the last reads */
    struct json_doc *request;
    struct differences differences; /* those that are not declared */
};

void outcome_done(struct outcome *outcome);

/* Suspends. An error means that the real server is not there any more, or an interruption. */
MUST_USE struct error *play_sequence(struct play *play, const struct sequence *sequence,
                                     struct outcome *ret_outcome);
