/*
 * A whole replay: the chosen exchanges against one server, reported as they go.
 */
#pragma once

#include "base/error.h"
#include "peers/conformance/choice.h"
#include "peers/conformance/replay.h"
#include "peers/conformance/report.h"

struct loop;

/* Suspends. A server that fails is reported, not an error. */
MUST_USE struct error *session_run(struct loop *loop, const struct replay_options *options,
                                   const struct choices *choices, struct report *report);
