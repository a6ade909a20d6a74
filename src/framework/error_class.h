/*
 * Errors with a class. The class says whether trying again helps, and what the owner's status
 * reports.
 *
 * The class is part of the error and survives error_wrap(). Of nested classes the outermost
 * counts.
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

/* These take the cause, which may be NULL. The text of the new error is "message: cause". */
MUST_USE struct error *error_class_retry_later(struct error *cause, struct str reason,
                                               struct str message, duration after);
MUST_USE struct error *error_class_unrecoverable(struct error *cause, struct str reason,
                                                 struct str message);
MUST_USE struct error *error_class_stale(struct error *cause);

/*
 * ERROR_CLASS_CANCELED for ERROR_CANCELED, ERROR_CLASS_UNCLASSIFIED for any other error without a
 * class.
 */
enum error_class error_class_of(const struct error *err);

/*
 * The reason is empty for an error without a class. The message is that of the class; for an
 * unrecoverable error it is the text of the cause, and without either the text of the error.
 */
struct str error_class_reason(const struct error *err, struct arena *arena);
struct str error_class_message(const struct error *err, struct arena *arena);
duration error_class_delay(const struct error *err); /* 0: the back-off */
