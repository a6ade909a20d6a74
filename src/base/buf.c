/*
 * A byte buffer that grows up to its limit.
 *
 * buf_reserve() is the only place where memory grows and where the limit is checked; every function
 * that appends goes through it. It always keeps one byte more than the content, so that buf_c() can
 * put a NUL there without growing the buffer. Memory of a secret buffer is never passed to
 * realloc(), which would leave a copy behind (resize_memory()).
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"

static size_t limit_of(const struct buf *buf)
{
    return buf->limit ? buf->limit : BUF_LIMIT_DEFAULT;
}

/* The whole capacity is wiped, not only the content: what was removed lies behind it. */
static void release_memory(struct buf *buf)
{
    if (buf->secret)
        mem_wipe(buf->ptr, buf->capacity);
    mem_free(buf->ptr);
}

void buf_done(struct buf *buf)
{
    release_memory(buf);
    *buf = (struct buf){.limit = buf->limit, .secret = buf->secret};
}

void buf_clear(struct buf *buf)
{
    if (buf->secret)
        mem_wipe(buf->ptr, buf->len);
    buf->len = 0;
    buf->overflowed = false;
}

/*
 * Moves the content to memory of this capacity. The content of a secret buffer is copied and its
 * old memory wiped.
 */
static void resize_memory(struct buf *buf, size_t capacity)
{
    if (!buf->secret) {
        buf->ptr = mem_realloc(buf->ptr, capacity);
    } else {
        char *moved = mem_alloc(capacity);
        if (buf->len)
            memcpy(moved, buf->ptr, buf->len);
        release_memory(buf);
        buf->ptr = moved;
    }
    buf->capacity = capacity;
}

/*
 * The capacity doubles, but stops at the limit and the byte for a NUL. Once a buffer has overflowed
 * it takes nothing more, even if that would fit: a text with a hole in it is worse than one that is
 * cut.
 */
static char *reserve_more(struct buf *buf, size_t len)
{
    if (buf->overflowed || len > limit_of(buf) - buf->len) {
        buf->overflowed = true;
        return NULL;
    }
    const size_t need = buf->len + len + 1; /* one more for a NUL */
    if (need > buf->capacity) {
        size_t capacity = buf->capacity < 32 ? 64 : buf->capacity * 2;
        while (capacity < need)
            capacity *= 2;
        if (capacity > limit_of(buf) + 1)
            capacity = limit_of(buf) + 1;
        resize_memory(buf, capacity);
    }
    return buf->ptr + buf->len;
}

/* Memory that is there is within the limit: the capacity never passes it by more than the NUL. */
char *buf_reserve(struct buf *buf, size_t len)
{
    if (len < buf->capacity - buf->len && !buf->overflowed)
        return buf->ptr + buf->len;
    return reserve_more(buf, len);
}

void buf_grow(struct buf *buf, size_t len)
{
    buf->len += len;
}

void buf_add(struct buf *buf, struct str s)
{
    char *room = buf_reserve(buf, s.len);
    if (room && s.len) {
        memcpy(room, s.ptr, s.len);
        buf->len += s.len;
    }
}

void buf_add_char(struct buf *buf, char c)
{
    char *room = buf_reserve(buf, 1);
    if (room) {
        *room = c;
        buf->len++;
    }
}

void buf_add_all(struct buf *buf, const struct str *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add(buf, parts[i]);
}

void buf_add_index(struct buf *buf, size_t index)
{
    char digits[STR_NUMBER_MAX];
    BUF_ADD_ALL(buf, STR("["), str_number(index, digits), STR("]"));
}

/*
 * Short texts are formatted on the stack and copied; longer ones are formatted a second time, in
 * place.
 */
void buf_print(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char small[256];
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (len < 0)
        mem_exhausted(0);
    if ((size_t)len < sizeof(small)) {
        buf_add(buf, str_from(small, (size_t)len));
    } else {
        char *room = buf_reserve(buf, (size_t)len);
        if (room)
            buf->len += (size_t)vsnprintf(room, (size_t)len + 1, format, again);
    }
    va_end(again);
}

/* The character has no place in a JSON string as it is: a quote, a backslash, a control or DEL. */
static void add_escaped(struct buf *buf, unsigned char c)
{
    switch (c) {
    case '"':
        buf_add(buf, STR("\\\""));
        break;
    case '\\':
        buf_add(buf, STR("\\\\"));
        break;
    case '\n':
        buf_add(buf, STR("\\n"));
        break;
    case '\r':
        buf_add(buf, STR("\\r"));
        break;
    case '\t':
        buf_add(buf, STR("\\t"));
        break;
    default:
        buf_print(buf, "\\u%04x", c);
    }
}

/*
 * Runs of plain ASCII are copied as a whole. Everything else is looked at one character at a time.
 */
void buf_add_json_string(struct buf *buf, struct str s)
{
    buf_add_char(buf, '"');
    while (s.len) {
        size_t plain = 0;
        while (plain < s.len && (unsigned char)s.ptr[plain] >= 0x20 && s.ptr[plain] != '"' &&
               s.ptr[plain] != '\\' && (unsigned char)s.ptr[plain] < 0x7f)
            plain++;
        buf_add(buf, str_slice(s, 0, plain));
        s = str_skip(s, plain);
        if (!s.len)
            break;
        const unsigned char c = (unsigned char)s.ptr[0];
        const size_t len = str_char_len(s);
        if (c < 0x80)
            add_escaped(buf, c);
        else
            buf_add(buf, len ? str_slice(s, 0, len) : STR("\xef\xbf\xbd"));
        s = str_skip(s, len ? len : 1);
    }
    buf_add_char(buf, '"');
}

/* Moves the rest to the front. Of a secret buffer, the bytes behind the rest are wiped. */
void buf_consume(struct buf *buf, size_t len)
{
    if (len >= buf->len) {
        len = buf->len;
    } else {
        memmove(buf->ptr, buf->ptr + len, buf->len - len);
    }
    if (buf->secret && len)
        mem_wipe(buf->ptr + (buf->len - len), len);
    buf->len -= len;
}

void buf_truncate(struct buf *buf, size_t len)
{
    if (len >= buf->len)
        return;
    if (buf->secret)
        mem_wipe(buf->ptr + len, buf->len - len);
    buf->len = len;
}

void buf_shrink(struct buf *buf)
{
    if (buf->len == 0) {
        release_memory(buf);
        buf->ptr = NULL;
        buf->capacity = 0;
    } else if (buf->capacity > buf->len + 1) {
        resize_memory(buf, buf->len + 1);
    }
}

const char *buf_c(struct buf *buf)
{
    if (buf->capacity == 0)
        resize_memory(buf, limit_of(buf) < 15 ? limit_of(buf) + 1 : 16);
    buf->ptr[buf->len] = '\0'; /* buf_reserve() keeps a byte for it */
    return buf->ptr;
}

struct error *buf_check(const struct buf *buf)
{
    if (!buf->overflowed)
        return NULL;
    return error_new(ERROR_TOO_LARGE, "larger than the limit of %zu bytes", limit_of(buf));
}

char *buf_take(struct buf *buf)
{
    (void)buf_c(buf);
    char *ptr = buf->ptr;
    *buf = (struct buf){.limit = buf->limit, .secret = buf->secret};
    return ptr;
}
