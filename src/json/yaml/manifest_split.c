/*
 * Splits a stream into chunks at lines that start with "---", as the YAMLReader of
 * k8s.io/apimachinery/pkg/util/yaml does. It looks at the start of lines alone and does not parse
 * YAML.
 */
#include "json/yaml/manifest_internal.h"

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

/* Returns the text itself when it needs no change, the usual case. */
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

/* The start of the next line behind from that starts with dashes, or the end of the text. */
static size_t find_separator(struct str text, size_t from)
{
    const size_t at = str_find(str_skip(text, from), STR("\n---"));
    return at == STR_NONE ? text.len : from + at + 1;
}

static size_t line_end(struct str text, size_t from)
{
    const size_t at = str_find_char(str_skip(text, from), '\n');
    return at == STR_NONE ? text.len : from + at;
}

/* Text behind the dashes of a separator, unless it is a comment. */
static struct str text_behind(struct str text, size_t separator)
{
    const struct str behind = str_slice(text, separator + 3, line_end(text, separator));
    const struct str trimmed = behind.len ? manifest_trim(behind) : behind;
    return str_starts_with(trimmed, STR("#")) ? STR("") : trimmed;
}

/*
 * As the reader of Kubernetes: a separator ends the chunk before it and is left out, but a
 * separator with nothing before it becomes the first line of the next chunk. The text behind every
 * separator is checked.
 */
enum manifest_split manifest_split_next(struct manifest_splitter *splitter, struct str *ret_chunk)
{
    const struct str text = splitter->text;
    const size_t start = splitter->at;
    const bool starts = str_starts_with(str_skip(text, start), STR("---"));
    const size_t end = find_separator(text, start);
    splitter->start = start;
    if (start >= text.len)
        return SPLIT_END;
    *ret_chunk = starts ? text_behind(text, start) : STR("");
    if (ret_chunk->len)
        return SPLIT_BAD_SEPARATOR;
    splitter->start = end;
    *ret_chunk = end < text.len ? text_behind(text, end) : STR("");
    if (ret_chunk->len)
        return SPLIT_BAD_SEPARATOR;
    splitter->start = start;
    splitter->at = end < text.len ? line_end(text, end) + 1 : end;
    *ret_chunk = str_slice(text, start, end);
    return SPLIT_CHUNK;
}
