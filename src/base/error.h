/*
 * Errors as values: a code for programs, a message for people, context put in front on the way up.
 *
 * A fallible function returns struct error *, NULL for success. Whoever receives an error owns it:
 * handles it by code, passes it up with TRY(), or frees it. Messages are lower case, have no full
 * stop, and never contain secrets.
 *
 * The codes are the reasons of a Kubernetes Status plus the few that exist only on our side. One
 * table (error.c) holds each code's reason and HTTP status; client and server both read it.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/owned.h"
#include "base/str.h"

enum error_code {
    ERROR_NONE,
    /* Reasons of a Kubernetes Status. */
    ERROR_BAD_REQUEST,
    ERROR_UNAUTHORIZED,
    ERROR_FORBIDDEN,
    ERROR_NOT_FOUND,
    ERROR_METHOD_NOT_ALLOWED,
    ERROR_NOT_ACCEPTABLE,
    ERROR_ALREADY_EXISTS,
    ERROR_CONFLICT,
    ERROR_GONE,
    ERROR_EXPIRED,
    ERROR_TOO_LARGE, /* RequestEntityTooLarge; also a limit of our own that was reached */
    ERROR_UNSUPPORTED_MEDIA_TYPE,
    ERROR_INVALID,
    ERROR_TOO_MANY_REQUESTS,
    ERROR_INTERNAL,
    ERROR_SERVER_TIMEOUT,
    ERROR_SERVICE_UNAVAILABLE,
    ERROR_TIMEOUT,
    ERROR_STORE_READ, /* StoreReadError */
    ERROR_UNKNOWN,    /* a Status without a reason we know */
    /* Ours alone; no Status carries them. */
    ERROR_CANCELED,      /* the waiting fiber was told to stop */
    ERROR_DEADLINE,      /* the waiting fiber's own deadline passed */
    ERROR_UNREACHABLE,   /* no connection: refused, no route, no such host */
    ERROR_CONNECTION,    /* lost: reset, closed early */
    ERROR_TLS,           /* handshake or certificate */
    ERROR_PROTOCOL,      /* the peer's bytes break the protocol */
    ERROR_PARSE,         /* text of ours or a user's that does not parse */
    ERROR_IO,            /* files, disks */
    ERROR_NOT_CONNECTED, /* a workload cluster that has no connection now */
    ERROR_NO_SUCH_PATH,  /* a server: a URL path that is not served, answered as plain text */
    ERROR_CODES,         /* their number */
};

struct error {
    enum error_code code;
    int http_status;     /* as received; 0 when the error did not come over HTTP */
    int64_t retry_after; /* nanoseconds the peer asked to wait; 0 for none */
    char *message;
    char *details; /* JSON text of a Status's details, or NULL */
};

/* The message is cut at ERROR_MESSAGE_MAX bytes, on a character boundary, and ends in "…" then. */
#define ERROR_MESSAGE_MAX ((size_t)32 * 1024)

MUST_USE struct error *error_new(enum error_code code, const char *format, ...) PRINTF_LIKE(2, 3);
MUST_USE struct error *error_new_va(enum error_code code, const char *format, va_list args)
    PRINTF_LIKE(2, 0);

/* From errno: the code fits the cause, the message ends in strerror's text. */
MUST_USE struct error *error_from_errno(int errnum, const char *format, ...) PRINTF_LIKE(2, 3);

void error_free(struct error *err);
DEFINE_OWNED(error)

MUST_USE struct error *error_copy(const struct error *err);

/* Puts "context: " in front of the message and returns the same error. NULL stays NULL. */
MUST_USE struct error *error_wrap(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* One error from two: the first one's code, both messages joined by "; ". Either may be NULL. */
MUST_USE struct error *error_join(struct error *first, struct error *second);

/* Frees an error of this code and returns NULL; passes any other on. */
MUST_USE struct error *error_ignore(struct error *err, enum error_code code);

static inline bool error_is(const struct error *err, enum error_code code)
{
    return err && err->code == code;
}

/* The table: reason as in a Status ("" for codes of our own), HTTP status a server answers with. */
struct str error_code_reason(enum error_code code);
int error_code_http_status(enum error_code code);

/* A name for logs and tests: the reason, or our own word for codes without one. */
struct str error_code_name(enum error_code code);

/* From a Status's reason; ERROR_UNKNOWN when it is none we know. */
enum error_code error_code_from_reason(struct str reason);

/* From an HTTP status alone, for answers without a Status body. */
enum error_code error_code_from_http_status(int status);
