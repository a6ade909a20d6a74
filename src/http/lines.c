/* Lines from pieces of a stream; see lines.h. partial collects a line that spans pieces. */
#include "http/lines.h"

#include <assert.h>

void lines_done(struct lines *lines)
{
    buf_done(&lines->partial);
    *lines = (struct lines){.limit = lines->limit};
}

void lines_feed(struct lines *lines, struct str bytes)
{
    assert(lines->input.len == 0);
    lines->input = bytes;
}

/*
 * A line can have megabytes and the pause after it can last an hour, so the memory of a returned
 * line is freed at the next call instead of being kept.
 */
static void forget_delivered(struct lines *lines)
{
    if (!lines->delivered)
        return;
    lines->delivered = false;
    buf_done(&lines->partial);
}

/* One byte more than the limit is allowed, since a "\r" at the end does not count. */
static struct error *collect_piece(struct lines *lines, struct str bytes)
{
    const size_t limit = lines->limit ? lines->limit : LINES_LIMIT_DEFAULT;
    lines->partial.limit = limit + 1; /* a "\r" is not counted */
    if (bytes.len > limit + 1 - lines->partial.len)
        return error_new(ERROR_TOO_LARGE, "line is longer than %zu bytes", limit);
    buf_add(&lines->partial, bytes);
    return NULL;
}

/* Removes "\r". An empty line has a non-NULL pointer, since NULL means that there is no line. */
static struct error *finish_line(const struct lines *lines, struct str line, struct str *ret_line)
{
    const size_t limit = lines->limit ? lines->limit : LINES_LIMIT_DEFAULT;
    if (str_ends_with(line, STR("\r")))
        line.len--;
    if (line.len > limit)
        return error_new(ERROR_TOO_LARGE, "line is longer than %zu bytes", limit);
    *ret_line = line.len ? line : STR("");
    return NULL;
}

struct error *lines_next(struct lines *lines, struct str *ret_line)
{
    forget_delivered(lines);
    const size_t end = str_find_char(lines->input, '\n');
    const struct str piece = str_slice(lines->input, 0, end);
    lines->input = end == STR_NONE ? (struct str){0} : str_skip(lines->input, end + 1);
    if (end == STR_NONE) {
        *ret_line = (struct str){0};
        return piece.len ? collect_piece(lines, piece) : NULL;
    }
    if (!lines->partial.len)
        return finish_line(lines, piece, ret_line);
    TRY(collect_piece(lines, piece));
    lines->delivered = true;
    return finish_line(lines, buf_str(&lines->partial), ret_line);
}

struct str lines_rest(const struct lines *lines)
{
    return lines->delivered ? STR("") : buf_str(&lines->partial);
}
