/*
 * Header fields in one block of memory; see headers.h. Iteration walks from field to field by their
 * lengths. Removing moves the following fields forward. Numbers of fields are small, so every
 * search is linear.
 */
#include "http/headers.h"

#include <stdint.h>

#include "base/ascii.h"
#include "base/memory.h"

/*
 * A field in the block: two lengths, then the bytes of name and value. The lengths are copied in
 * and out with memcpy(), so fields need no alignment.
 */
struct field_size {
    uint32_t name, value;
};

/* tchar of RFC 9110, 5.6.2. */
static bool is_token_char(char c)
{
    if (ascii_is_alphanumeric(c))
        return true;
    return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

bool http_is_token(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_token_char(text.ptr[i]))
            return false;
    return text.len > 0;
}

bool http_is_field_value(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

bool http_header_is_secret(struct str name)
{
    static const struct str names[] = {
        STR_INIT("authorization"), STR_INIT("proxy-authorization"),    STR_INIT("cookie"),
        STR_INIT("set-cookie"),    STR_INIT("sec-websocket-protocol"), /* of Kubernetes: may hold a
                                                                          bearer token */
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}

/* The block is wiped, since any field may be a credential. */
void http_headers_done(struct http_headers *headers)
{
    headers->block.secret = true;
    buf_done(&headers->block);
    headers->size = headers->count = 0;
}

static size_t limit_of(const struct http_headers *headers)
{
    return headers->limit ? headers->limit : HTTP_HEADERS_LIMIT_DEFAULT;
}

static size_t count_limit_of(const struct http_headers *headers)
{
    return headers->count_limit ? headers->count_limit : HTTP_HEADERS_COUNT_LIMIT_DEFAULT;
}

/* Optional white space around a value (RFC 9110, 5.6.3) is not part of it: blanks and tabs. */
static struct str trim_value(struct str value)
{
    while (value.len && (value.ptr[0] == ' ' || value.ptr[0] == '\t'))
        value = str_skip(value, 1);
    while (value.len && (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t'))
        value.len--;
    return value;
}

/* Checks the limits without overflow: headers->size never exceeds the limit. */
static struct error *check_room(const struct http_headers *headers, struct str name,
                                struct str value)
{
    const size_t limit = limit_of(headers);
    const size_t room = limit - headers->size;
    if (name.len > room || value.len > room || name.len + value.len + HTTP_HEADER_OVERHEAD > room)
        return error_new(ERROR_TOO_LARGE, "headers are larger than %zu bytes", limit);
    if (headers->count >= count_limit_of(headers))
        return error_new(ERROR_TOO_LARGE, "more than %zu headers", count_limit_of(headers));
    return NULL;
}

/* Most messages fit into this room. A block that grows is copied and wiped each time. */
#define FIRST_ROOM ((size_t)500)

static void append_field(struct http_headers *headers, struct str name, struct str value)
{
    const struct field_size size = {(uint32_t)name.len, (uint32_t)value.len};
    headers->block.secret = true;
    headers->block.limit = SIZE_MAX / 2; /* check_room() is the limit */
    const size_t len = sizeof(size) + name.len + value.len;
    if (headers->block.capacity == 0 && len < FIRST_ROOM)
        (void)buf_reserve(&headers->block, FIRST_ROOM);
    char *room = buf_reserve(&headers->block, len);
    memcpy(room, &size, sizeof(size));
    room += sizeof(size);
    for (size_t i = 0; i < name.len; i++)
        *room++ = ascii_to_lower(name.ptr[i]);
    if (value.len)
        memcpy(room, value.ptr, value.len);
    buf_grow(&headers->block, len);
    headers->size += name.len + value.len + HTTP_HEADER_OVERHEAD;
    headers->count++;
}

struct error *http_headers_add(struct http_headers *headers, struct str name, struct str value)
{
    /* The error shows neither value nor bad name: they may be secret, and they may be hostile. */
    if (!http_is_token(name))
        return error_new(ERROR_INVALID, "header name is not a token");
    if (!http_is_field_value(value))
        return error_new(ERROR_INVALID, "value of header %.*s has control characters",
                         (int)(name.len < 64 ? name.len : 64), name.ptr);
    value = trim_value(value);
    TRY(check_room(headers, name, value));
    append_field(headers, name, value);
    return NULL;
}

static bool field_at(const struct http_headers *headers, size_t at, struct http_header *ret_header)
{
    struct field_size size;
    if (at >= headers->block.len)
        return false;
    memcpy(&size, headers->block.ptr + at, sizeof(size));
    const char *text = headers->block.ptr + at + sizeof(size);
    ret_header->name = str_from(text, size.name);
    ret_header->value = str_from(text + size.name, size.value);
    return true;
}

bool http_headers_next(const struct http_headers *headers, struct http_header *header)
{
    size_t at = 0;
    if (header->name.ptr)
        at = (size_t)(header->value.ptr + header->value.len - headers->block.ptr);
    return field_at(headers, at, header);
}

/* Removes the fields of this name among the first len bytes of the block. */
static size_t remove_before(struct http_headers *headers, struct str name, size_t len)
{
    size_t removed = 0, at = 0;
    struct http_header header;
    while (at < len && field_at(headers, at, &header)) {
        const size_t size = sizeof(struct field_size) + header.name.len + header.value.len;
        if (!str_eq_nocase(header.name, name)) {
            at += size;
            continue;
        }
        headers->size -= header.name.len + header.value.len + HTTP_HEADER_OVERHEAD;
        memmove(headers->block.ptr + at, headers->block.ptr + at + size,
                headers->block.len - at - size);
        buf_truncate(&headers->block, headers->block.len - size);
        len -= size;
        removed++;
    }
    headers->count -= removed;
    return removed;
}

size_t http_headers_remove(struct http_headers *headers, struct str name)
{
    return remove_before(headers, name, headers->block.len);
}

/* Adds first and removes the older fields afterwards, so that a failure changes nothing. */
struct error *http_headers_set(struct http_headers *headers, struct str name, struct str value)
{
    const size_t len = headers->block.len;
    TRY(http_headers_add(headers, name, value));
    remove_before(headers, name, len);
    return NULL;
}

struct error *http_headers_add_all(struct http_headers *headers, const struct http_headers *other)
{
    HTTP_HEADERS_FOREACH (header, other)
        TRY(http_headers_add(headers, header.name, header.value));
    return NULL;
}

struct str http_headers_find(const struct http_headers *headers, struct str name)
{
    HTTP_HEADERS_FOREACH (header, headers)
        if (str_eq_nocase(header.name, name))
            return header.value;
    return (struct str){0};
}

size_t http_headers_count(const struct http_headers *headers, struct str name)
{
    size_t count = 0;
    HTTP_HEADERS_FOREACH (header, headers)
        count += str_eq_nocase(header.name, name);
    return count;
}

static bool list_has_token(struct str list, struct str token)
{
    struct str item;
    bool more = true;
    while (more) {
        more = str_cut(&list, ',', &item);
        if (str_eq_nocase(trim_value(item), token))
            return true;
    }
    return false;
}

bool http_headers_has_token(const struct http_headers *headers, struct str name, struct str token)
{
    HTTP_HEADERS_FOREACH (header, headers)
        if (str_eq_nocase(header.name, name) && list_has_token(header.value, token))
            return true;
    return false;
}
