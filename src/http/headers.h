/*
 * Header fields in the order they came: names in lower case, values trimmed, several of one name
 * allowed.
 *
 * All fields live in one block that grows up to a limit and is wiped on release, since it may hold
 * tokens and cookies. Added fields are checked: a name is a token and a value has no control
 * characters, so that no field can inject a line into a message.
 *
 *     SCOPED(http_headers) headers = {0};
 *     TRY(http_headers_add(&headers, STR("Accept"), STR("application/json")));
 *     HTTP_HEADERS_FOREACH(header, &headers)
 *         use(header.name, header.value);
 *
 * The zero value is empty, with the default limits. Views are valid until the next change.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

#define HTTP_HEADERS_LIMIT_DEFAULT       (64 * KILOBYTE)
#define HTTP_HEADERS_COUNT_LIMIT_DEFAULT ((size_t)256)

/* What a field costs on top of its name and value (RFC 9113, 6.5.2). */
#define HTTP_HEADER_OVERHEAD ((size_t)32)

struct http_headers {
    size_t limit;       /* of the sum of names, values and overheads; 0 means the default */
    size_t count_limit; /* 0 means the default */
    size_t size, count;
    struct buf block;
};

struct http_header {
    struct str name, value;
};

/* Empties the list and gives its memory back; the limits stay. */
void http_headers_done(struct http_headers *headers);

/* ERROR_INVALID for a name or value that may not stand in a message, ERROR_TOO_LARGE at a limit. */
MUST_USE struct error *http_headers_add(struct http_headers *headers, struct str name,
                                        struct str value);

/* The same, replacing all fields of this name. On failure nothing has changed. */
MUST_USE struct error *http_headers_set(struct http_headers *headers, struct str name,
                                        struct str value);

/* Adds copies of all fields of other. */
MUST_USE struct error *http_headers_add_all(struct http_headers *headers,
                                            const struct http_headers *other);

/* Removes all fields of this name and returns their number. */
size_t http_headers_remove(struct http_headers *headers, struct str name);

/* The first value, with a NULL pointer when there is none. Names are compared without case. */
struct str http_headers_find(const struct http_headers *headers, struct str name);
size_t http_headers_count(const struct http_headers *headers, struct str name);

/* True when one of the comma-separated lists in fields of this name contains the token. */
bool http_headers_has_token(const struct http_headers *headers, struct str name, struct str token);

/* Advances *header to the next field; a zeroed *header starts. False at the end. */
bool http_headers_next(const struct http_headers *headers, struct http_header *header);

#define HTTP_HEADERS_FOREACH(var, headers) \
    for (struct http_header var = {0}; http_headers_next(headers, &var);)

/* A token as RFC 9110 has it: names of fields, methods. */
bool http_is_token(struct str text);

/* Printable text, tabs included: no CR, LF, NUL or other control characters. */
bool http_is_field_value(struct str text);

/* Fields whose values are credentials: never logged, never put into a compression table. */
bool http_header_is_secret(struct str name);
