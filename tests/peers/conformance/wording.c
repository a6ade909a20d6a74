#include "peers/conformance/wording.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"

/* Forms: 'x' stands for a digit of hexadecimal, 'd' for a decimal one, others for themselves. */
#define UUID_FORM STR("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
#define TIME_FORM STR("dddd-dd-ddTdd:dd:dd")

static bool has_form(struct str text, size_t from, struct str form)
{
    if (from > text.len || text.len - from < form.len)
        return false;
    for (size_t i = 0; i < form.len; i++) {
        const char c = text.ptr[from + i], f = form.ptr[i];
        const bool fits = f == 'd'   ? ascii_is_digit(c)
                          : f == 'x' ? ascii_is_digit(c) || (c >= 'a' && c <= 'f')
                                     : c == f;
        if (!fits)
            return false;
    }
    return true;
}

size_t wording_find_uuid(struct str text, size_t from)
{
    for (; from + WORDING_UUID_LEN <= text.len; from++)
        if (has_form(text, from, UUID_FORM))
            return from;
    return STR_NONE;
}

static size_t digits_at(struct str text, size_t from)
{
    size_t count = 0;
    while (from + count < text.len && ascii_is_digit(text.ptr[from + count]))
        count++;
    return count;
}

bool wording_is_time(struct str text, struct wording_time *ret_time)
{
    if (!has_form(text, 0, TIME_FORM))
        return false;
    struct wording_time time = {0};
    size_t at = TIME_FORM.len;
    if (at < text.len && text.ptr[at] == '.') {
        time.decimals = digits_at(text, at + 1);
        if (!time.decimals)
            return false;
        at += 1 + time.decimals;
    }
    if (!str_eq(str_skip(text, at), STR("Z")))
        return false;
    if (!str_to_int64(str_slice(text, 0, 4), &time.year))
        return false;
    *ret_time = time;
    return true;
}

bool wording_is_age(struct str text)
{
    if (str_eq(text, STR("<unknown>")) || str_eq(text, STR("<invalid>")))
        return true;
    size_t at = 0;
    for (const char *unit = "ydhms"; *unit; unit++) {
        const size_t count = digits_at(text, at);
        if (count && at + count < text.len && text.ptr[at + count] == *unit)
            at += count + 1;
    }
    return at == text.len;
}

bool wording_is_decimal(struct str text)
{
    return text.len && text.ptr[0] != '0' && digits_at(text, 0) == text.len;
}

bool wording_is_generated(struct str text)
{
    const struct str letters = STR("bcdfghjklmnpqrstvwxz2456789");
    if (text.len != 5)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (str_find_char(letters, text.ptr[i]) == STR_NONE)
            return false;
    return true;
}

/* '#' is a number that may be any, '@' one that counts. */
static const struct str version_messages[] = {
    STR_INIT("too old resource version: # (#)"),
    STR_INIT("Too large resource version: @, current: #"),
    STR_INIT("ResourceVersion in precondition (#)"),
    STR_INIT("ResourceVersion in the precondition (#)"),
    STR_INIT("ResourceVersion in record (#)"),
    STR_INIT("ResourceVersion in the record (#)"),
    STR_INIT("ResourceVersion in precondition: #"),
    STR_INIT("ResourceVersion in object meta: #"),
};

/* Adds the message that begins here, masked. Returns how much of the text it was; 0: another one.
 */
static size_t add_masked(struct str text, size_t from, struct str message, struct buf *out)
{
    const size_t before = out->len;
    size_t at = from;
    for (size_t i = 0; i < message.len; i++) {
        const char m = message.ptr[i];
        const size_t digits = m == '#' || m == '@' ? digits_at(text, at) : 0;
        const bool fits = digits || (at < text.len && text.ptr[at] == m);
        if (!fits) {
            buf_truncate(out, before);
            return 0;
        }
        const size_t len = digits ? digits : 1;
        buf_add(out, m == '#' ? STR("#") : str_slice(text, at, at + len));
        at += len;
    }
    return at - from;
}

struct str wording_mask_versions(struct arena *arena, struct str text)
{
    if (!str_contains(text, STR("esource")))
        return text;
    SCOPED(buf) out = {0};
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        for (size_t i = 0; !len && i < COUNT(version_messages); i++)
            len = add_masked(text, at, version_messages[i], &out);
        if (!len)
            buf_add_char(&out, text.ptr[at]);
        at += len ? len : 1;
    }
    return arena_str(arena, buf_str(&out));
}

struct str wording_mask_moving(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {0};
    for (size_t at = 0; at < text.len;) {
        const bool uuid = has_form(text, at, UUID_FORM), time = has_form(text, at, TIME_FORM);
        buf_add_char(&out, uuid ? 'u' : time ? 't' : text.ptr[at]);
        at += uuid ? WORDING_UUID_LEN : time ? TIME_FORM.len : 1;
    }
    return arena_str(arena, buf_str(&out));
}

struct parts {
    struct str *items;
    size_t count;
};

static size_t separator_at(struct str text, size_t at)
{
    static const struct str separators[] = {
        STR_INIT(", "),
        STR_INIT(": ["),
        STR_INIT("decoding error: "),
    };
    const struct str rest = str_skip(text, at);
    for (size_t i = 0; i < COUNT(separators); i++)
        if (str_starts_with(rest, separators[i]))
            return separators[i].len;
    return str_eq(rest, STR("]")) ? 1 : 0;
}

static int compare_parts(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static struct parts split(struct arena *arena, struct str text)
{
    struct parts parts = {.items = arena_alloc_array(arena, text.len + 1, sizeof(struct str))};
    size_t begin = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t separator = separator_at(text, at);
        if (separator) {
            parts.items[parts.count++] = str_slice(text, begin, at);
            begin = at + separator;
        }
        at += separator ? separator : 1;
    }
    parts.items[parts.count++] = str_skip(text, begin);
    qsort(parts.items, parts.count, sizeof(*parts.items), compare_parts);
    return parts;
}

bool wording_is_same_list(struct arena *arena, struct str a, struct str b)
{
    if (!str_contains(a, STR("is invalid: [")) && !str_contains(a, STR("strict decoding error: ")))
        return false;
    const struct parts x = split(arena, a), y = split(arena, b);
    for (size_t i = 0; i < x.count && i < y.count; i++)
        if (!str_eq(x.items[i], y.items[i]))
            return false;
    return x.count == y.count;
}
