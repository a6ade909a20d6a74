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

enum error_class {
    ERROR_CLASS_UNCLASSIFIED,
    ERROR_CLASS_RETRY_LATER,
    ERROR_CLASS_UNRECOVERABLE,
    ERROR_CLASS_STALE, /* a write met a newer version */
    ERROR_CLASS_CANCELED,
};

/* They take the cause, which may be NULL. The printed form is "message: cause". */
MUST_USE struct error *error_class_retry_later(struct error *cause, struct str reason,
                                               struct str message, duration after);
MUST_USE struct error *error_class_unrecoverable(struct error *cause, struct str reason,
                                                 struct str message);
MUST_USE struct error *error_class_stale(struct error *cause);

enum error_class error_class_of(const struct error *err);

/* Reason: empty when it has none. Message: its own, or the cause's of an unrecoverable one, or all.
 */
struct str error_class_reason(const struct error *err, struct arena *arena);
struct str error_class_message(const struct error *err, struct arena *arena);
duration error_class_delay(const struct error *err); /* 0: the back-off */
