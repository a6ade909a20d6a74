#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/*
 * Code, Status reason, our name where there is no reason, HTTP status when we answer with it, and
 * whether that HTTP status alone reads back as this code.
 */
static const struct {
    enum error_code code;
    const char *reason;
    const char *name;
    int http_status;
    bool from_status;
} codes[] = {
    {ERROR_NONE,                   "",                      "None",         200, false},
    {ERROR_BAD_REQUEST,            "BadRequest",            "",             400, true },
    {ERROR_UNAUTHORIZED,           "Unauthorized",          "",             401, true },
    {ERROR_FORBIDDEN,              "Forbidden",             "",             403, true },
    {ERROR_NOT_FOUND,              "NotFound",              "",             404, true },
    {ERROR_METHOD_NOT_ALLOWED,     "MethodNotAllowed",      "",             405, true },
    {ERROR_NOT_ACCEPTABLE,         "NotAcceptable",         "",             406, true },
    {ERROR_ALREADY_EXISTS,         "AlreadyExists",         "",             409, false},
    {ERROR_CONFLICT,               "Conflict",              "",             409, true },
    {ERROR_GONE,                   "Gone",                  "",             410, true },
    {ERROR_EXPIRED,                "Expired",               "",             410, false},
    {ERROR_TOO_LARGE,              "RequestEntityTooLarge", "",             413, true },
    {ERROR_UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType",  "",             415, true },
    {ERROR_INVALID,                "Invalid",               "",             422, true },
    {ERROR_TOO_MANY_REQUESTS,      "TooManyRequests",       "",             429, true },
    {ERROR_INTERNAL,               "InternalError",         "",             500, true },
    {ERROR_SERVER_TIMEOUT,         "ServerTimeout",         "",             500, false},
    {ERROR_SERVICE_UNAVAILABLE,    "ServiceUnavailable",    "",             503, true },
    {ERROR_TIMEOUT,                "Timeout",               "",             504, true },
    {ERROR_STORE_READ,             "StoreReadError",        "",             500, false},
    {ERROR_UNKNOWN,                "",                      "Unknown",      500, false},
    {ERROR_CANCELED,               "",                      "Canceled",     503, false},
    {ERROR_DEADLINE,               "",                      "Deadline",     504, false},
    {ERROR_UNREACHABLE,            "",                      "Unreachable",  502, false},
    {ERROR_CONNECTION,             "",                      "Connection",   502, false},
    {ERROR_TLS,                    "",                      "TLS",          502, false},
    {ERROR_PROTOCOL,               "",                      "Protocol",     400, false},
    {ERROR_PARSE,                  "",                      "Parse",        400, false},
    {ERROR_IO,                     "",                      "IO",           500, false},
    {ERROR_NOT_CONNECTED,          "",                      "NotConnected", 503, false},
    {ERROR_NO_SUCH_PATH,           "",                      "NoSuchPath",   404, false},
};

_Static_assert(COUNT(codes) == ERROR_CODES, "a row for every code, in the order of the enum");

/* Cuts text at the limit without splitting a character. */
static char *message_bounded(char *text, size_t len)
{
    static const char mark[] = "…";
    if (len <= ERROR_MESSAGE_MAX)
        return text;
    size_t cut = ERROR_MESSAGE_MAX - (sizeof(mark) - 1);
    while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    memcpy(text + cut, mark, sizeof(mark));
    return text;
}

static char *format_text(const char *format, va_list args) PRINTF_LIKE(1, 0);

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;
    const int len = vasprintf(&text, format, args);
    if (len < 0)
        mem_exhausted(0);
    return message_bounded(text, (size_t)len);
}

struct error *error_new_va(enum error_code code, const char *format, va_list args)
{
    struct error *err = NEW(struct error);
    err->code = code;
    err->message = format_text(format, args);
    return err;
}

struct error *error_new(enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct error *err = error_new_va(code, format, args);
    va_end(args);
    return err;
}

static enum error_code code_from_errno(int errnum)
{
    switch (errnum) {
    case ENOENT:
        return ERROR_NOT_FOUND;
    case EACCES:
    case EPERM:
        return ERROR_FORBIDDEN;
    case EEXIST:
        return ERROR_ALREADY_EXISTS;
    case ECANCELED:
        return ERROR_CANCELED;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
        return ERROR_UNREACHABLE;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case EADDRNOTAVAIL:
    case EADDRINUSE:
    case ENOTCONN:
    case ETIMEDOUT:
        return ERROR_CONNECTION;
    default:
        return ERROR_IO;
    }
}

struct error *error_from_errno(int errnum, const char *format, ...)
{
    char reason[128];
    const char *text = strerror_r(errnum, reason, sizeof(reason));
    struct error *err = error_new(code_from_errno(errnum), "%s", text);
    va_list args;
    va_start(args, format);
    OWNED_PTR char *context = format_text(format, args);
    va_end(args);
    return error_wrap(err, "%s", context);
}

void error_free(struct error *err)
{
    if (!err)
        return;
    mem_free(err->message);
    mem_free(err->details);
    mem_free(err);
}

struct error *error_copy(const struct error *err)
{
    if (!err)
        return NULL;
    struct error *copy = NEW(struct error);
    *copy = *err;
    copy->message = mem_dup(err->message, strlen(err->message));
    copy->details = err->details ? mem_dup(err->details, strlen(err->details)) : NULL;
    return copy;
}

static void message_replace(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

static void message_replace(struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    mem_free(err->message);
    err->message = text;
}

struct error *error_wrap(struct error *err, const char *format, ...)
{
    if (!err)
        return NULL;
    va_list args;
    va_start(args, format);
    OWNED_PTR char *context = format_text(format, args);
    va_end(args);
    message_replace(err, "%s: %s", context, err->message);
    return err;
}

struct error *error_join(struct error *first, struct error *second)
{
    if (!first)
        return second;
    if (!second)
        return first;
    message_replace(first, "%s; %s", first->message, second->message);
    error_free(second);
    return first;
}

struct error *error_ignore(struct error *err, enum error_code code)
{
    if (!error_is(err, code))
        return err;
    error_free(err);
    return NULL;
}

struct str error_code_reason(enum error_code code)
{
    return str_from_c(codes[code].reason);
}

int error_code_http_status(enum error_code code)
{
    return codes[code].http_status;
}

struct str error_code_name(enum error_code code)
{
    return str_from_c(codes[code].reason[0] ? codes[code].reason : codes[code].name);
}

enum error_code error_code_from_reason(struct str reason)
{
    for (size_t i = 0; i < COUNT(codes); i++)
        if (reason.len && str_eq(str_from_c(codes[i].reason), reason))
            return codes[i].code;
    return ERROR_UNKNOWN;
}

enum error_code error_code_from_http_status(int status)
{
    for (size_t i = 0; i < COUNT(codes); i++)
        if (codes[i].from_status && codes[i].http_status == status)
            return codes[i].code;
    return status >= 500 ? ERROR_INTERNAL : ERROR_UNKNOWN;
}
