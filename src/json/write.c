/*
 * Writes JSON text as Go's encoding/json does. json_write() is used for every request and response,
 * so strings without special characters, nearly all of them, are copied in one step.
 *
 * The walk goes over the values in the order of memory; open is a stack of the containers around
 * the current value. compare.c uses write_string() and write_scalar() for its canonical form.
 */
#include "json/write.h"

#include "json/go_number.h"

/* A container that is being written. */
struct written {
    const yyjson_val *end;
    bool object, begun;
};

struct writer {
    struct buf *buf;
    unsigned flags;
    struct written *open;
    size_t depth, capacity;
};

/* Classes of bytes: PLAIN stand for themselves, HTML are escaped on demand, SPECIAL always. */
enum { PLAIN, HTML, SPECIAL };

static const uint8_t kinds[256] = {
    [0 ... 0x1f] = SPECIAL, ['"'] = SPECIAL, ['\\'] = SPECIAL, [0xe2] = SPECIAL,
    ['<'] = HTML,           ['>'] = HTML,    ['&'] = HTML,
};

/* The number of bytes at the start that need no escape. 0xe2 may begin U+2028. */
static size_t plain_length(struct str s, bool html)
{
    const uint8_t highest = html ? PLAIN : HTML;
    size_t len = 0;
    while (len < s.len && kinds[(unsigned char)s.ptr[len]] <= highest)
        len++;
    return len;
}

static void write_escape(struct buf *buf, unsigned char c)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* byte, letter behind the backslash */
    for (size_t i = 0; i + 1 < sizeof(named); i += 2)
        if (c == (unsigned char)named[i]) {
            buf_add(buf, str_from((const char[]){'\\', named[i + 1]}, 2));
            return;
        }
    buf_print(buf, "\\u%04x", c);
}

/* Go escapes the line separators U+2028 and U+2029, which JavaScript strings may not contain. */
static size_t write_line_separator(struct buf *buf, struct str s)
{
    if (s.len >= 3 && s.ptr[1] == '\x80' && (s.ptr[2] == '\xa8' || s.ptr[2] == '\xa9')) {
        buf_add(buf, s.ptr[2] == '\xa8' ? STR("\\u2028") : STR("\\u2029"));
        return 3;
    }
    buf_add_char(buf, s.ptr[0]);
    return 1;
}

/* A string with at least one byte to escape. */
static void write_escaped(struct buf *buf, struct str s, bool html)
{
    buf_add_char(buf, '"');
    while (s.len) {
        const size_t plain = plain_length(s, html);
        buf_add(buf, str_from(s.ptr, plain));
        s = str_skip(s, plain);
        if (!s.len)
            break;
        if (s.ptr[0] == '\xe2') {
            s = str_skip(s, write_line_separator(buf, s));
        } else {
            write_escape(buf, (unsigned char)s.ptr[0]);
            s = str_skip(s, 1);
        }
    }
    buf_add_char(buf, '"');
}

/* Strings without special characters are copied in one step. */
void write_string(struct buf *buf, struct str s, unsigned flags)
{
    const bool html = flags & JSON_WRITE_ESCAPE_HTML;
    if (plain_length(s, html) < s.len) {
        write_escaped(buf, s, html);
        return;
    }
    char *room = buf_reserve(buf, s.len + 2);
    if (!room)
        return;
    room[0] = '"';
    if (s.len)
        memcpy(room + 1, s.ptr, s.len);
    room[s.len + 1] = '"';
    buf_grow(buf, s.len + 2);
}

void write_scalar(struct buf *buf, const yyjson_val *val, unsigned flags)
{
    char text[GO_NUMBER_TEXT_MAX];
    switch (val_type(val)) {
    case YYJSON_TYPE_STR:
        write_string(buf, val_str(val), flags);
        break;
    case YYJSON_TYPE_RAW:
    case YYJSON_TYPE_NUM:
        buf_add(buf, flags & JSON_WRITE_NUMBERS_AS_READ ? go_number_token(val, text)
                                                        : go_number_text(val, text));
        break;
    case YYJSON_TYPE_BOOL:
        buf_add(buf, val->tag & YYJSON_SUBTYPE_MASK ? STR("true") : STR("false"));
        break;
    case YYJSON_TYPE_ARR:
        buf_add(buf, STR("[]"));
        break;
    case YYJSON_TYPE_OBJ:
        buf_add(buf, STR("{}"));
        break;
    default:
        buf_add(buf, STR("null"));
    }
}

static void new_line(struct writer *writer)
{
    if (!(writer->flags & JSON_WRITE_PRETTY))
        return;
    buf_add_char(writer->buf, '\n');
    for (size_t i = 0; i < writer->depth; i++)
        buf_add(writer->buf, STR("  "));
}

/* Writes comma, line break and name in front of a child, and returns the child. */
static const yyjson_val *write_key(struct writer *writer, const yyjson_val *val)
{
    struct written *open = &writer->open[writer->depth - 1];
    if (open->begun)
        buf_add_char(writer->buf, ',');
    open->begun = true;
    new_line(writer);
    if (!open->object)
        return val;
    write_string(writer->buf, val_str(val), writer->flags);
    buf_add(writer->buf, writer->flags & JSON_WRITE_PRETTY ? STR(": ") : STR(":"));
    return val + 1;
}

static void write_open(struct writer *writer, const yyjson_val *val)
{
    const bool object = val_is_object(val);
    buf_add_char(writer->buf, object ? '{' : '[');
    ARRAY_PUSH(writer->open, writer->depth, writer->capacity,
               (struct written){.end = val_next(val), .object = object});
}

static void write_close(struct writer *writer)
{
    const struct written *open = &writer->open[--writer->depth];
    new_line(writer);
    buf_add_char(writer->buf, open->object ? '}' : ']');
}

/* Stops early when the buffer is full; buf_check() reports it to the caller. */
static void write_tree(struct writer *writer, const yyjson_val *val)
{
    do {
        if (writer->depth)
            val = write_key(writer, val);
        if (val_is_container(val) && val_len(val) > 0)
            write_open(writer, val);
        else
            write_scalar(writer->buf, val, writer->flags);
        val++;
        while (writer->depth && val == writer->open[writer->depth - 1].end)
            write_close(writer);
    } while (writer->depth && !writer->buf->overflowed);
}

void json_write_with(struct buf *buf, const struct json_value *value, unsigned flags)
{
    if (!value)
        return;
    struct writer writer = {.buf = buf, .flags = flags};
    write_tree(&writer, json_to_yyjson(value));
    mem_free(writer.open);
}

void json_write(struct buf *buf, const struct json_value *value)
{
    json_write_with(buf, value, 0);
}

void json_write_pretty(struct buf *buf, const struct json_value *value)
{
    json_write_with(buf, value, JSON_WRITE_PRETTY);
}

/* The copy has exactly the size of the text, unlike a buffer. */
struct str json_write_arena(struct arena *arena, const struct json_value *value)
{
    SCOPED(buf) text = {.limit = SIZE_MAX / 4};
    json_write(&text, value);
    return arena_str(arena, buf_str(&text));
}
