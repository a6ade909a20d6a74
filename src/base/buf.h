/*
 * A byte buffer that grows up to its limit.
 *
 * Appending never fails on the spot: past the limit nothing more is added, and the buffer remembers
 * that it has overflowed. A text that is built in many steps is checked once, with buf_check(),
 * before it is used. buf_str() of a buffer that has overflowed gives what did fit.
 *
 *     SCOPED(buf) text = {.limit = 64 * KILOBYTE};
 *     buf_add(&text, STR("a="));
 *     buf_print(&text, "%d", a);
 *     TRY(buf_check(&text), "write row");
 *
 * The zero value is an empty buffer with the default limit. The memory of a buffer marked secret is
 * wiped when it is released or moved.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

#define BUF_LIMIT_DEFAULT (64 * MEGABYTE)

struct buf {
    char *ptr;
    size_t len, capacity;
    size_t limit; /* 0 means BUF_LIMIT_DEFAULT */
    bool overflowed;
    bool secret;
};

void buf_done(struct buf *buf);

/* Empties the buffer and forgets an overflow. The memory is kept for further use. */
void buf_clear(struct buf *buf);

void buf_add(struct buf *buf, struct str s);
void buf_add_char(struct buf *buf, char c);
void buf_print(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

/* The strings one after the other. Code that runs for each request prefers it to buf_print(). */
void buf_add_all(struct buf *buf, const struct str *parts, size_t count);
#define BUF_ADD_ALL(buf, ...) buf_add_all(buf, STR_LIST(__VA_ARGS__))

/* An index in brackets, as paths of fields have them. */
void buf_add_index(struct buf *buf, size_t index);

/* Appends a JSON string, quotes included. Each byte that is not valid UTF-8 becomes U+FFFD. */
void buf_add_json_string(struct buf *buf, struct str s);

/*
 * Room for len more bytes at the end, or NULL when that would pass the limit. The caller writes
 * there and then calls buf_grow().
 */
char *buf_reserve(struct buf *buf, size_t len);

/* Counts len bytes written into reserved room. */
void buf_grow(struct buf *buf, size_t len);

/* Removes bytes from the front or from the back. */
void buf_consume(struct buf *buf, size_t len);
void buf_truncate(struct buf *buf, size_t len);

/* Returns unused memory to the allocator. */
void buf_shrink(struct buf *buf);

static inline struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->ptr, buf->len};
}

/* The content with a NUL behind it, for C libraries. */
const char *buf_c(struct buf *buf);

/* ERROR_TOO_LARGE when something that was added did not fit. */
MUST_USE struct error *buf_check(const struct buf *buf);

/* Hands the memory, which ends in a NUL, to the caller. The buffer is empty afterwards. */
char *buf_take(struct buf *buf);
