#include "json/manifest_internal.h"

/*
 * The white space of Unicode in UTF-8. Go trims all of it, so text behind a separator may end in a
 * no-break space.
 */
static const struct str spaces[] = {
    STR_INIT("\t"),           STR_INIT("\n"),           STR_INIT("\v"),
    STR_INIT("\f"),           STR_INIT("\r"),           STR_INIT(" "),
    STR_INIT("\xc2\x85"),     STR_INIT("\xc2\xa0"),     STR_INIT("\xe1\x9a\x80"),
    STR_INIT("\xe2\x80\x80"), STR_INIT("\xe2\x80\x81"), STR_INIT("\xe2\x80\x82"),
    STR_INIT("\xe2\x80\x83"), STR_INIT("\xe2\x80\x84"), STR_INIT("\xe2\x80\x85"),
    STR_INIT("\xe2\x80\x86"), STR_INIT("\xe2\x80\x87"), STR_INIT("\xe2\x80\x88"),
    STR_INIT("\xe2\x80\x89"), STR_INIT("\xe2\x80\x8a"), STR_INIT("\xe2\x80\xa8"),
    STR_INIT("\xe2\x80\xa9"), STR_INIT("\xe2\x80\xaf"), STR_INIT("\xe2\x81\x9f"),
    STR_INIT("\xe3\x80\x80"),
};

static size_t space_at_start(struct str text)
{
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (str_starts_with(text, spaces[i]))
            return spaces[i].len;
    return 0;
}

static size_t space_at_end(struct str text)
{
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (str_ends_with(text, spaces[i]))
            return spaces[i].len;
    return 0;
}

struct str manifest_trim(struct str text)
{
    for (size_t len; (len = space_at_start(text)) > 0;)
        text = str_skip(text, len);
    for (size_t len; (len = space_at_end(text)) > 0;)
        text = str_slice(text, 0, text.len - len);
    return text;
}

static bool has_crlf(struct str text)
{
    for (const char *at = text.ptr, *end = at + text.len; at < end; at++) {
        at = memchr(at, '\r', (size_t)(end - at));
        if (!at)
            return false;
        if (at + 1 < end && at[1] == '\n')
            return true;
    }
    return false;
}

static void add_without_cr(struct buf *copy, struct str text)
{
    struct str line;
    while (text.len) {
        const bool has_end = str_cut(&text, '\n', &line);
        if (has_end && str_ends_with(line, STR("\r")))
            line.len--;
        buf_add(copy, line);
        if (has_end)
            buf_add_char(copy, '\n');
    }
}

struct str manifest_normalize(struct str text, struct buf *copy)
{
    const bool ends_in_lf = text.len == 0 || str_ends_with(text, STR("\n"));
    const bool crlf = text.len > 0 && has_crlf(text);
    if (ends_in_lf && !crlf)
        return text;
    copy->limit = text.len + 1;
    if (crlf)
        add_without_cr(copy, text);
    else
        buf_add(copy, text);
    if (!ends_in_lf)
        buf_add_char(copy, '\n');
    return buf_str(copy);
}

/*
 * Like the reader of Kubernetes: a separator ends the chunk before it and is left out, but one that
 * nothing stands before becomes the first line of the next chunk.
 */
enum manifest_split manifest_split_next(struct manifest_splitter *splitter, struct str *ret_chunk)
{
    const size_t start = splitter->at;
    splitter->chunk_line = splitter->line;
    for (struct str rest = str_skip(splitter->text, start), line; rest.len;) {
        str_cut(&rest, '\n', &line);
        const size_t line_start = splitter->at;
        splitter->at += line.len + 1;
        splitter->line++;
        if (!str_starts_with(line, STR("---")))
            continue;
        const struct str behind = manifest_trim(str_skip(line, 3));
        if (behind.len && behind.ptr[0] != '#') {
            *ret_chunk = behind;
            return SPLIT_BAD_SEPARATOR;
        }
        if (line_start > start) {
            *ret_chunk = str_slice(splitter->text, start, line_start);
            return SPLIT_CHUNK;
        }
    }
    *ret_chunk = str_skip(splitter->text, start);
    return ret_chunk->len ? SPLIT_CHUNK : SPLIT_END;
}
