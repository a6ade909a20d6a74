/*
 * Errors: a message for people, and a class that decides how the owner is treated.
 *
 *     class           used when                            status of the owner   tried again
 *     unclassified    anything else: the network, a bug    Failed, InProgress    with back-off
 *     retry later     another object is not ready yet      Failed, InProgress    with back-off or
 *                                                                                after a delay
 *     unrecoverable   only a change of the spec can help   Failed                no
 *
 * Reason and message appear in the condition Failed. The class survives corset_error_wrap(); of
 * nested classes the outermost counts. Messages are lower case without a full stop, and contain no
 * secrets.
 *
 * Reasons in use are "dependencyStatus" (waits for another object), "dependencySpec"
 * (another object was refused), "invalidSpec" (the spec of the owner is wrong), "operatorError" (a
 * mistake of the controller) and "apiTemporaryError". Controllers may use others.
 */
#ifndef CORSET_ERROR_H
#define CORSET_ERROR_H

#include <corset/export.h>
#include <stdbool.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_error;

enum corset_error_class {
    CORSET_UNCLASSIFIED,
    CORSET_RETRY_LATER,
    CORSET_UNRECOVERABLE,
    CORSET_STALE,    /* a write met a newer version: the owner is reconciled again soon */
    CORSET_CANCELED, /* the process stops; nothing is written any more */
};

/* Makes an unclassified error. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_error_new(const char *format, ...)
    CORSET_PRINTF_LIKE(1, 2);

/*
 * Both take the cause, which may be NULL; it is put behind the message. An empty or NULL reason is
 * "operatorError". after_ms: when to try again, in milliseconds; 0 leaves it to the back-off.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_retry_later(struct corset_error *cause, const char *reason, int64_t after_ms,
                   const char *format, ...) CORSET_PRINTF_LIKE(4, 5);
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_unrecoverable(struct corset_error *cause, const char *reason, const char *format, ...)
    CORSET_PRINTF_LIKE(3, 4);

/* Puts "context: " in front of the message and returns the same error. NULL stays NULL. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_error_wrap(struct corset_error *err,
                                                                     const char *format, ...)
    CORSET_PRINTF_LIKE(2, 3);

/* One of two, both taken; either may be NULL. The first one's class counts. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *corset_error_join(struct corset_error *first,
                                                                     struct corset_error *second);

CORSET_EXPORT void corset_error_free(struct corset_error *err); /* NULL is fine */

CORSET_EXPORT enum corset_error_class corset_error_class(const struct corset_error *err);

/* Lives as long as the error. */
CORSET_EXPORT const char *corset_error_message(const struct corset_error *err);

/*
 * The code of the error, whatever its class: the reason of an API server's answer ("NotFound",
 * "Conflict", "AlreadyExists", "Forbidden", "Invalid" …), or a word for a failure on this side. A
 * constant.
 */
CORSET_EXPORT const char *corset_error_code(const struct corset_error *err);

/* True if err is an error with this code. */
CORSET_EXPORT bool corset_error_is(const struct corset_error *err, const char *code);

/* Returns from the calling function if there is an error: CORSET_TRY(corset_apply(…)); */
#define CORSET_TRY(call)                                   \
    do {                                                   \
        struct corset_error *corset_error_found_ = (call); \
        if (corset_error_found_)                           \
            return corset_error_found_;                    \
    } while (0)

CORSET_END

#endif
