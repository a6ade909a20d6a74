/*
 * emit() is the only function that writes bytes, and add_escaped() the only one that lets text of
 * others pass to it. Tags and attributes are names of this program, which check_name() asserts.
 */
#include "web/html.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/quote.h"

#define REPLACEMENT STR("\xef\xbf\xbd")
#define ELLIPSIS    STR("…")

void html_done(struct html *html)
{
    buf_done(&html->out);
    mem_free(html->parts);
    arena_done(&html->arena);
}

static void emit(struct html *html, struct str bytes)
{
    buf_add(&html->out, bytes);
}

static void check_name(const char *name)
{
    assert(*name);
    for (; *name; name++)
        assert(ascii_is_lower(*name) || ascii_is_digit(*name) || *name == '-');
}

/* What stands for a character in text and in attributes; empty: the character itself. */
static struct str escape(struct str character)
{
    static const struct {
        char plain;
        struct str escaped;
    } rows[] = {
        {'&',  STR_INIT("&amp;") },
        {'<',  STR_INIT("&lt;")  },
        {'>',  STR_INIT("&gt;")  },
        {'"',  STR_INIT("&quot;")},
        {'\'', STR_INIT("&#39;") },
    };
    for (size_t i = 0; character.len == 1 && i < COUNT(rows); i++)
        if (character.ptr[0] == rows[i].plain)
            return rows[i].escaped;
    if (character.len == 1 && (character.ptr[0] == '\n' || character.ptr[0] == '\t'))
        return STR("");
    return quote_is_printable(str_char_code(character)) ? STR("") : REPLACEMENT;
}

/* The length of the beginning that needs no look: letters, digits and the like. */
static size_t plain_len(struct str text)
{
    size_t len = 0;
    while (len < text.len && (ascii_is_alphanumeric(text.ptr[len]) || text.ptr[len] == ' ' ||
                              text.ptr[len] == '-' || text.ptr[len] == '/'))
        len++;
    return len;
}

static void add_escaped(struct html *html, struct str text)
{
    while (text.len) {
        size_t len = plain_len(text);
        if (len) {
            emit(html, str_slice(text, 0, len));
        } else if ((len = str_char_len(text)) == 0) {
            emit(html, REPLACEMENT);
            len = 1;
        } else {
            const struct str character = str_slice(text, 0, len), escaped = escape(character);
            emit(html, escaped.len ? escaped : character);
        }
        text = str_skip(text, len);
    }
}

/* Elements without content. */
static bool is_void(const char *tag)
{
    static const char *const tags[] = {"meta", "link", "input", "br"};
    for (size_t i = 0; i < COUNT(tags); i++)
        if (strcmp(tag, tags[i]) == 0)
            return true;
    return false;
}

static void close_tag(struct html *html)
{
    if (html->is_in_tag)
        emit(html, STR(">"));
    html->is_in_tag = false;
}

void html_doctype(struct html *html)
{
    assert(!html->depth);
    emit(html, STR("<!doctype html>\n"));
}

void html_begin(struct html *html, const char *tag)
{
    check_name(tag);
    assert(html->depth < HTML_DEPTH_MAX);
    close_tag(html);
    html->open[html->depth++] = tag;
    BUF_ADD_ALL(&html->out, STR("<"), str_from_c(tag));
    html->is_in_tag = true;
}

void html_begin_class(struct html *html, const char *tag, const char *class)
{
    html_begin(html, tag);
    if (class)
        html_attr(html, "class", str_from_c(class));
}

/* Takes what was written since the last call into the digest of the open part. */
static void digest(struct html *html)
{
    if (!html->part_depth)
        return;
    struct html_part *part = &html->parts[html->part_count - 1];
    const struct str bytes = str_slice(buf_str(&html->out), html->digested, html->out.len);
    part->digest = str_hash(bytes, part->digest);
    html->digested = html->out.len;
}

/* Ends a part, if the element that ends now is one. */
static void end_part(struct html *html)
{
    if (!html->part_depth || html->depth >= html->part_depth)
        return;
    digest(html);
    html->parts[html->part_count - 1].end = html->out.len;
    html->part_depth = 0;
}

void html_end(struct html *html)
{
    assert(html->depth);
    const char *tag = html->open[--html->depth];
    close_tag(html);
    if (!is_void(tag))
        BUF_ADD_ALL(&html->out, STR("</"), str_from_c(tag), STR(">"));
    end_part(html);
}

void html_attr(struct html *html, const char *name, struct str value)
{
    check_name(name);
    assert(html->is_in_tag);
    BUF_ADD_ALL(&html->out, STR(" "), str_from_c(name), STR("=\""));
    add_escaped(html, value);
    emit(html, STR("\""));
}

void html_flag(struct html *html, const char *name)
{
    check_name(name);
    assert(html->is_in_tag);
    BUF_ADD_ALL(&html->out, STR(" "), str_from_c(name));
}

/* The tag has been begun and nothing of it but its name was written. */
void html_part(struct html *html, struct str id)
{
    assert(html->is_in_tag && html->depth && !html->part_depth);
    const size_t begin = html->out.len - strlen(html->open[html->depth - 1]) - 1;
    ARRAY_PUSH(html->parts, html->part_count, html->part_capacity,
               (struct html_part){.id = arena_str(&html->arena, id), .begin = begin});
    html->part_depth = html->depth;
    html->digested = begin;
    html_attr(html, "id", id);
}

void html_text(struct html *html, struct str text)
{
    close_tag(html);
    add_escaped(html, text);
}

void html_text_cut(struct html *html, struct str text, size_t max)
{
    size_t at = 0, count = 0;
    for (; at < text.len && count < max; count++) {
        const size_t len = str_char_len(str_skip(text, at));
        at += len ? len : 1;
    }
    html_text(html, str_slice(text, 0, at));
    if (at < text.len)
        html_text(html, ELLIPSIS);
}

void html_add_number(struct buf *out, size_t number)
{
    char digits[STR_NUMBER_MAX];
    const struct str text = str_number(number, digits);
    for (size_t i = 0; i < text.len; i++) {
        if (i && (text.len - i) % 3 == 0)
            buf_add_char(out, ',');
        buf_add_char(out, text.ptr[i]);
    }
}

void html_number(struct html *html, size_t number)
{
    close_tag(html);
    html_add_number(&html->out, number);
}

/* The largest unit of which there is at least one, and minutes up to two hours. */
void html_add_age(struct buf *out, timestamp time, timestamp now)
{
    static const struct {
        duration from, unit;
        const char *name;
    } rows[] = {
        {48 * HOUR,  24 * HOUR, "d"  },
        {2 * HOUR,   HOUR,      "h"  },
        {2 * MINUTE, MINUTE,    "min"},
        {0,          SECOND,    "s"  },
    };
    const duration age = time < now ? now - time : 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (age < rows[i].from)
            continue;
        buf_print(out, "%lld %s", (long long)(age / rows[i].unit), rows[i].name);
        return;
    }
}

void html_clock_text(struct html *html, struct str text, struct str constant)
{
    close_tag(html);
    digest(html);
    add_escaped(html, text);
    html->digested = html->out.len;
    if (html->part_depth) {
        struct html_part *part = &html->parts[html->part_count - 1];
        part->digest = str_hash(constant, part->digest);
    }
}

void html_time(struct html *html, timestamp time)
{
    char text[TIMESTAMP_TEXT_MAX];
    SCOPED(buf) age = {.limit = 0};
    if (!time) {
        html_text(html, STR("–"));
        return;
    }
    const struct str iso = timestamp_write(time, text);
    html_begin(html, "time");
    html_attr(html, "datetime", iso);
    html_attr(html, "title", iso);
    html_add_age(&age, time, html->now);
    html_clock_text(html, buf_str(&age), STR(""));
    html_end(html);
}

void html_element(struct html *html, const char *tag, const char *class, struct str text)
{
    html_begin_class(html, tag, class);
    html_text(html, text);
    html_end(html);
}

void html_finish(const struct html *html)
{
    assert(!html->depth && !html->is_in_tag);
}

uint64_t html_digest(const struct html *html)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < html->part_count; i++) {
        const struct html_part *part = &html->parts[i];
        sum = str_hash(part->id, sum ^ part->digest);
    }
    return sum;
}
