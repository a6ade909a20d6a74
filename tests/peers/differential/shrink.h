/*
 * Makes a failing sequence small: steps, then parameters, headers and members of bodies are left
 * out one by one, as long as the last request still differs in the same place.
 */
#pragma once

#include "base/error.h"
#include "peers/differential/play.h"

/* Suspends. Replaces both; plays at most a few hundred times. */
MUST_USE struct error *shrink_sequence(struct play *play, struct sequence *sequence,
                                       struct outcome *outcome);
