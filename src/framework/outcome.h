/*
 * Errors with a class: whether trying again helps, and what the owner's status says of it.
 *
 * The class travels with the error however it is wrapped; the outermost one counts.
 */
#pragma once

#include "base/arena.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"

enum outcome_class {
    OUTCOME_UNCLASSIFIED,
    OUTCOME_RETRY_LATER,
    OUTCOME_UNRECOVERABLE,
    OUTCOME_STALE, /* a write met a newer version */
    OUTCOME_CANCELED,
};

/* They take the cause, which may be NULL. The printed form is "message: cause". */
MUST_USE struct error *outcome_retry_later(struct error *cause, struct str reason,
                                           struct str message, duration after);
MUST_USE struct error *outcome_unrecoverable(struct error *cause, struct str reason,
                                             struct str message);
MUST_USE struct error *outcome_stale(struct error *cause);

enum outcome_class outcome_class(const struct error *err);

/* Reason: empty when it has none. Message: its own, or the cause's of an unrecoverable one, or all.
 */
struct str outcome_reason(const struct error *err, struct arena *arena);
struct str outcome_message(const struct error *err, struct arena *arena);
duration outcome_delay(const struct error *err); /* 0: the back-off */
