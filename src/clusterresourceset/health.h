/*
 * Health of a set on a cluster, for a policy with `health`: are the objects that were applied
 * ready?
 *
 * Whether one object is ready is decided by the rules of the framework (framework/readiness.h). A
 * placement with objects that are not ready settles until they are, or has failed when that takes
 * longer than the policy allows; it is ready again whenever all of them are. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/str.h"

/* In a manifest, "ignore": the object does not count for health. */
#define HEALTH_ANNOTATION "corset.dev/health"

enum health_state { HEALTH_READY, HEALTH_SETTLING, HEALTH_FAILED };

/* Whether health does not depend on the object: by its annotation, or because it is always ready.
 */
bool health_leaves_out(const struct object *manifest);

/* elapsed: the time since objects are known not to be ready, from the apply on. */
enum health_state health_decide(size_t unready, duration elapsed, duration timeout);

/*
 * The time until the next look. What settles is looked at after 1 s, then after pauses of 2, 4, …
 * 30 s, and when the timeout is over; what has failed every 30 s; what is ready every interval.
 */
duration health_next_look(enum health_state state, duration elapsed, duration timeout,
                          duration interval);

/*
 * True if the record has to say that health was not checked: the last look that succeeded is longer
 * ago than a minute and, of what is ready, than two intervals. One look that fails is not recorded.
 */
bool health_is_unchecked(enum health_state state, duration unchecked, duration interval);
