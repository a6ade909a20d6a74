/*
 * Writes YAML in block style. The walk keeps a stack of open containers with their iterators.
 *
 * Strings are written in one of three forms: plain, if no reader of YAML 1.1 or 1.2 could take the
 * text for anything else; as a literal block, for printable text of several lines; quoted, for all
 * others. An array in an object has the indentation of its key, as kubectl writes it.
 */
#include "json/yaml/yaml_write.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/quote.h"

/* Readers accept a simple key of up to 1024 characters; longer keys are written with "? ". */
#define SIMPLE_KEY_MAX 1000

struct yaml_open {
    struct json_iter iter;
    size_t indent;
    bool array, on_line; /* the first entry follows a dash on its line */
};

struct yaml_writer {
    struct buf *buf;
    struct yaml_open *open;
    size_t depth, capacity;
};

static bool is_plain_char(char c)
{
    return ascii_is_alphanumeric(c) || (c && strchr(" _./:=+@%,();$-", c));
}

/* Words that YAML 1.1 reads as a boolean or as null. */
static bool is_reserved(struct str s)
{
    static const struct str words[] = {
        STR_INIT("y"),   STR_INIT("n"),    STR_INIT("yes"),   STR_INIT("no"),   STR_INIT("on"),
        STR_INIT("off"), STR_INIT("true"), STR_INIT("false"), STR_INIT("null"),
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq_nocase(s, words[i]))
            return true;
    return false;
}

/*
 * True for text that starts like a word, unlike numbers, dates and indicators, and stays harmless.
 */
static bool is_plain(struct str s)
{
    if (s.len == 0 || !(ascii_is_letter(s.ptr[0]) || strchr("/_", s.ptr[0])) || !s.ptr[0])
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_plain_char(s.ptr[i]))
            return false;
    const char last = s.ptr[s.len - 1];
    return last != ' ' && last != ':' && !str_contains(s, STR(": ")) && !is_reserved(s);
}

/* Takes a character off the front; strings of documents are valid UTF-8. */
static uint32_t next_code(struct str *rest, struct str *ret_char)
{
    const size_t len = str_char_len(*rest);
    *ret_char = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return str_char_code(*ret_char);
}

static void write_escape(struct buf *buf, uint32_t code)
{
    static const char named[] = "\"\"\\\\\nn\rr\tt"; /* character, letter behind the backslash */
    for (size_t i = 0; i + 1 < sizeof(named); i += 2)
        if (code == (unsigned char)named[i]) {
            buf_add(buf, str_from((const char[]){'\\', named[i + 1]}, 2));
            return;
        }
    if (code <= 0xff)
        buf_print(buf, "\\x%02x", (unsigned)code);
    else if (code <= 0xffff)
        buf_print(buf, "\\u%04x", (unsigned)code);
    else
        buf_print(buf, "\\U%08x", (unsigned)code);
}

/* Not JSON's form: YAML readers do not combine surrogates, so \U is used beyond 16 bits. */
static void write_quoted(struct buf *buf, struct str s)
{
    struct str character;
    buf_add_char(buf, '"');
    while (s.len) {
        const uint32_t code = next_code(&s, &character);
        if (code == '"' || code == '\\' || !quote_is_printable(code))
            write_escape(buf, code);
        else
            buf_add(buf, character);
    }
    buf_add_char(buf, '"');
}

/* Several printable lines, of which the first is not indented: it defines the indentation. */
static bool is_literal(struct str s)
{
    struct str character;
    if (str_find_char(s, '\n') == STR_NONE || strchr(" \t\n", s.ptr[0]))
        return false;
    while (s.len) {
        const uint32_t code = next_code(&s, &character);
        if (code != '\n' && code != '\t' && !quote_is_printable(code))
            return false;
    }
    return true;
}

static void write_spaces(struct buf *buf, size_t count)
{
    char *room = count ? buf_reserve(buf, count) : NULL;
    if (!room)
        return;
    memset(room, ' ', count);
    buf_grow(buf, count);
}

/* "|-" without a final line feed, "|" with one, "|+" with more. */
static void write_literal(struct buf *buf, struct str s, size_t indent)
{
    struct str line;
    const bool ends = str_ends_with(s, STR("\n"));
    buf_add(buf, !ends ? STR("|-") : str_ends_with(s, STR("\n\n")) ? STR("|+") : STR("|"));
    while (s.len) {
        str_cut(&s, '\n', &line);
        buf_add_char(buf, '\n');
        if (line.len)
            write_spaces(buf, indent);
        buf_add(buf, line);
    }
    buf_add_char(buf, '\n');
}

static void write_word(struct buf *buf, struct str s)
{
    if (is_plain(s))
        buf_add(buf, s);
    else
        write_quoted(buf, s);
}

/* A negative zero gets a fraction, since "-0" is an integer without a sign. */
static void write_number(struct buf *buf, const struct json_value *value)
{
    const size_t start = buf->len;
    json_write(buf, value);
    if (str_eq(str_skip(buf_str(buf), start), STR("-0")))
        buf_add(buf, STR(".0"));
}

/* A scalar or empty container on the rest of the line, or a literal block below it. */
static void write_leaf(struct buf *buf, const struct json_value *value, size_t indent)
{
    const struct str text = json_to_str(value);
    if (json_type(value) == JSON_STRING && indent > 0 && text.len && is_literal(text)) {
        write_literal(buf, text, indent);
        return;
    }
    if (json_type(value) == JSON_STRING)
        write_word(buf, text);
    else
        write_number(buf, value);
    buf_add_char(buf, '\n');
}

static void push_container(struct yaml_writer *writer, struct yaml_open open)
{
    ARRAY_PUSH(writer->open, writer->depth, writer->capacity, open);
}

static bool is_filled(const struct json_value *value)
{
    return json_count(value) > 0;
}

/* A key that is too long for a simple key becomes an explicit one: "? key", then ":". */
static void write_key(struct buf *buf, struct str key, size_t indent)
{
    const size_t start = buf->len;
    write_word(buf, key);
    if (buf->len - start > SIMPLE_KEY_MAX) {
        buf_truncate(buf, start);
        buf_add(buf, STR("? "));
        write_word(buf, key);
        buf_add_char(buf, '\n');
        write_spaces(buf, indent);
    }
    buf_add_char(buf, ':');
}

/* Behind "key:". An array keeps the column of its key. */
static void write_member(struct yaml_writer *writer, const struct json_value *value, size_t indent)
{
    const bool array = json_type(value) == JSON_ARRAY;
    if (!is_filled(value)) {
        buf_add_char(writer->buf, ' ');
        write_leaf(writer->buf, value, indent + 2);
        return;
    }
    buf_add_char(writer->buf, '\n');
    push_container(writer, (struct yaml_open){.iter = {.container = value},
                                              .indent = array ? indent : indent + 2,
                                              .array = array});
}

/* Behind "- ". The first entry of a container stays on the line of the dash. */
static void write_element(struct yaml_writer *writer, const struct json_value *value, size_t indent)
{
    if (!is_filled(value))
        write_leaf(writer->buf, value, indent + 2);
    else
        push_container(writer, (struct yaml_open){.iter = {.container = value},
                                                  .indent = indent + 2,
                                                  .array = json_type(value) == JSON_ARRAY,
                                                  .on_line = true});
}

/* Writes the next entry of the innermost container, or closes the container. */
static void write_entry(struct yaml_writer *writer)
{
    struct yaml_open *open = &writer->open[writer->depth - 1];
    const struct json_value *value;
    struct str key;
    if (!json_next(&open->iter, &key, &value)) {
        writer->depth--;
        return;
    }
    const size_t indent = open->indent;
    write_spaces(writer->buf, open->on_line ? 0 : indent);
    open->on_line = false;
    if (open->array) {
        buf_add(writer->buf, STR("- "));
        write_element(writer, value, indent);
    } else {
        write_key(writer->buf, key, indent);
        write_member(writer, value, indent);
    }
}

void yaml_write(struct buf *buf, const struct json_value *value)
{
    if (!is_filled(value)) {
        write_leaf(buf, value, 0);
        return;
    }
    struct yaml_writer writer = {.buf = buf};
    push_container(&writer, (struct yaml_open){.iter = {.container = value},
                                               .array = json_type(value) == JSON_ARRAY});
    while (writer.depth && !buf->overflowed)
        write_entry(&writer);
    mem_free(writer.open);
}
