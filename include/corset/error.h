/*
 * Errors: a message for people, and a class that decides what happens to the owner.
 *
 *     class           when                                    the owner's status     tried again
 *     unclassified    anything: the network, a bug            Failed, InProgress     with back-off
 *     retry later     something else is not there yet         Failed, InProgress     with back-off,
 *                                                                                    or when it
 * says unrecoverable   only a change of the spec can help      Failed                 no
 *
 * The reason and the message stand in the condition Failed. The class survives corset_error_wrap();
 * of nested classes the outermost counts. Messages are lower case and have no full stop; secrets do
 * not belong into them.
 *
 * Reasons in use are "dependencyStatus" (waits for another object), "dependencySpec" (another
 * object cannot be as it should), "invalidSpec" (the owner's spec makes no sense), "operatorError"
 * (a bug) and "apiTemporaryError". Yours may be others.
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
    CORSET_STALE,    /* a write met a newer version: the loop is run again soon */
    CORSET_CANCELED, /* the process stops; nothing is written any more */
};

/* An unclassified one. */
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
 * What it was, whatever its class: the reason of an API server's answer ("NotFound", "Conflict",
 * "AlreadyExists", "Forbidden", "Invalid" …), or a word for what happened on this side. A constant.
 */
CORSET_EXPORT const char *corset_error_code(const struct corset_error *err);

/* Whether it is an error with this code. */
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
