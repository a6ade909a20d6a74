/* Errors of corset/error.h: struct error and framework/error_class.h under public names. */
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "framework/error_class.h"
#include "libcorset/library_internal.h"

/* Prints twice, first to learn the length, so that the text is never cut. */
void library_print(struct buf *out, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *room = length > 0 ? buf_reserve(out, (size_t)length) : NULL;
    if (room)
        buf_grow(out, (size_t)vsnprintf(room, (size_t)length + 1, format, again));
    va_end(again);
}

struct corset_error *corset_error_new(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_new_va(ERROR_UNKNOWN, format, args);
    va_end(args);
    return library_error_out(err);
}

struct corset_error *corset_retry_later(struct corset_error *cause, const char *reason,
                                        int64_t after_ms, const char *format, ...)
{
    SCOPED(buf) message = {.limit = 0};
    va_list args;
    va_start(args, format);
    library_print(&message, format, args);
    va_end(args);
    return library_error_out(error_class_retry_later(library_error(cause), str_from_c(reason),
                                                     buf_str(&message), after_ms * MILLISECOND));
}

struct corset_error *corset_unrecoverable(struct corset_error *cause, const char *reason,
                                          const char *format, ...)
{
    SCOPED(buf) message = {.limit = 0};
    va_list args;
    va_start(args, format);
    library_print(&message, format, args);
    va_end(args);
    return library_error_out(
        error_class_unrecoverable(library_error(cause), str_from_c(reason), buf_str(&message)));
}

/* The context is printed first: error_wrap() wants a format of its own. */
struct corset_error *corset_error_wrap(struct corset_error *err, const char *format, ...)
{
    SCOPED(buf) context = {.limit = 0};
    va_list args;
    va_start(args, format);
    library_print(&context, format, args);
    va_end(args);
    return library_error_out(error_wrap(library_error(err), "%s", buf_c(&context)));
}

struct corset_error *corset_error_join(struct corset_error *first, struct corset_error *second)
{
    return library_error_out(error_join(library_error(first), library_error(second)));
}

void corset_error_free(struct corset_error *err)
{
    error_free(library_error(err));
}

/* The values of both enumerations are equal; see the assertion below. */
enum corset_error_class corset_error_class(const struct corset_error *err)
{
    return (enum corset_error_class)error_class_of((const struct error *)err);
}

_Static_assert((int)CORSET_UNRECOVERABLE == (int)ERROR_CLASS_UNRECOVERABLE &&
                   (int)CORSET_RETRY_LATER == (int)ERROR_CLASS_RETRY_LATER &&
                   (int)CORSET_STALE == (int)ERROR_CLASS_STALE &&
                   (int)CORSET_CANCELED == (int)ERROR_CLASS_CANCELED,
               "the classes of both sides are the same");

const char *corset_error_message(const struct corset_error *err)
{
    return err ? ((const struct error *)err)->message : "";
}

/* The names are literals, so they are NUL-terminated and live forever. */
const char *corset_error_code(const struct corset_error *err)
{
    const struct error *inner = (const struct error *)err;
    return error_code_name(inner ? inner->code : ERROR_NONE).ptr;
}

bool corset_error_is(const struct corset_error *err, const char *code)
{
    return err && str_eq(str_from_c(corset_error_code(err)), str_from_c(code));
}
