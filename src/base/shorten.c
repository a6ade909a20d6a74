#include "base/shorten.h"

#include "base/ascii.h"

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; /* a continuation byte of UTF-8 */
}

/* Where a beginning of at most max bytes ends: behind a word, or within one that is too long. */
static size_t find_end(struct str text, size_t max)
{
    size_t end = max;
    while (end && !ascii_is_space(text.ptr[end]) && max - end < SHORTEN_WORD_MAX)
        end--;
    if (ascii_is_space(text.ptr[end])) {
        while (end && ascii_is_space(text.ptr[end - 1]))
            end--;
        return end;
    }
    if (!end && max < SHORTEN_WORD_MAX)
        return 0;
    for (end = max; end && is_inside_character(text.ptr[end]);)
        end--;
    return end;
}

/* Where an end of at most max bytes begins: in front of a word, or within one that is too long. */
static size_t find_begin(struct str text, size_t max)
{
    const size_t least = text.len - max;
    size_t begin = least;
    while (begin < text.len && !ascii_is_space(text.ptr[begin - 1]) &&
           begin - least < SHORTEN_WORD_MAX)
        begin++;
    if (begin == text.len && max < SHORTEN_WORD_MAX)
        return text.len;
    if (begin < text.len && ascii_is_space(text.ptr[begin - 1]))
        return begin;
    for (begin = least; begin < text.len && is_inside_character(text.ptr[begin]);)
        begin++;
    return begin;
}

struct str shorten_to_beginning(struct str text, size_t max)
{
    return text.len <= max ? text : str_slice(text, 0, find_end(text, max));
}

void shorten_text(struct buf *out, struct str text, size_t max)
{
    if (text.len <= max) {
        buf_add(out, text);
        return;
    }
    const size_t tail = max / 3;
    const struct str head = shorten_to_beginning(text, max - tail);
    const struct str end = tail ? str_skip(text, find_begin(text, tail)) : (struct str){0};
    buf_add(out, head);
    if (head.len && ascii_is_space(text.ptr[head.len]))
        buf_add_char(out, ' ');
    buf_add(out, STR("…"));
    if (end.len && ascii_is_space(end.ptr[-1]))
        buf_add_char(out, ' ');
    buf_add(out, end);
}
