/*
 * Differences between the scanners of libyaml and go-yaml v2 that only the source text shows.
 *
 * libyaml reports positions in characters. manifest_source follows them with a cursor that only
 * moves forward (seek_position()), so a document is scanned once in total, however many scalars are
 * checked.
 */
#include "json/yaml/manifest_source.h"

/* libyaml compares every directive with all earlier ones, which is quadratic. */
#define DIRECTIVES_MAX 100

void manifest_source_init(struct manifest_source *source, struct str text)
{
    const bool is_utf16 =
        str_starts_with(text, STR("\xfe\xff")) || str_starts_with(text, STR("\xff\xfe"));
    *source = (struct manifest_source){.text = text, .is_readable = !is_utf16};
    source->has_slash_escapes =
        !is_utf16 && str_find_char(text, '\\') != STR_NONE && str_contains(text, STR("\\/"));
}

struct manifest_mark manifest_mark_at(struct str text, size_t byte)
{
    struct manifest_mark mark = {0};
    for (size_t i = 0; i < byte && i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n')
            mark = (struct manifest_mark){mark.line + 1, 0};
        else if ((c & 0xc0) != 0x80)
            mark.column++;
    }
    return mark;
}

/* Moves the cursor on to a character. libyaml does not count a byte order mark at the start. */
static void seek_position(struct manifest_source *source, size_t position)
{
    const struct str text = source->text;
    if (source->byte == 0 && str_starts_with(text, STR("\xef\xbb\xbf")))
        source->byte = 3;
    while (source->position < position && source->byte < text.len) {
        source->byte++;
        while (source->byte < text.len && (text.ptr[source->byte] & 0xc0) == 0x80)
            source->byte++;
        source->position++;
    }
}

/* Behind white space and comments. */
static size_t skip_blanks(struct str text, size_t at)
{
    for (; at < text.len && strchr(" \t\r\n#", text.ptr[at]); at++)
        while (text.ptr[at] == '#' && at + 1 < text.len && text.ptr[at + 1] != '\n')
            at++;
    return at;
}

static size_t skip_word(struct str text, size_t at)
{
    while (at < text.len && !strchr(" \t\r\n", text.ptr[at]))
        at++;
    return skip_blanks(text, at);
}

/* The offset of a node in the source, behind its anchor. */
static size_t find_node(struct manifest_source *source, const yaml_event_t *event)
{
    seek_position(source, event->start_mark.index);
    const size_t at = source->byte;
    return at < source->text.len && source->text.ptr[at] == '&' ? skip_word(source->text, at) : at;
}

/* A comma ends a tag in a flow collection for libyaml, and is part of the tag for go-yaml. */
static bool has_tag_before_comma(struct manifest_source *source, const yaml_event_t *event)
{
    const struct str text = source->text;
    size_t at = find_node(source, event);
    while (at < text.len && !strchr(" \t\r\n<,", text.ptr[at]))
        at++;
    return at < text.len && text.ptr[at] == ',';
}

/* libyaml knows the escape \/ of JSON, go-yaml does not. */
static bool has_slash_escape(struct manifest_source *source, const yaml_event_t *event)
{
    const struct str text = source->text;
    size_t at = find_node(source, event);
    while (at < text.len && text.ptr[at] != '"')
        at = skip_word(text, at); /* the tag */
    for (at++; at + 1 < text.len && text.ptr[at] != '"'; at++)
        if (text.ptr[at] == '\\' && text.ptr[++at] == '/')
            return true;
    return false;
}

/* The cheap conditions come first: nearly all scalars need no look at the source. */
const char *manifest_source_objection(struct manifest_source *source, const yaml_event_t *event,
                                      bool in_flow)
{
    const struct str text =
        str_from((const char *)event->data.scalar.value, event->data.scalar.length);
    const yaml_scalar_style_t style = event->data.scalar.style;
    if (in_flow && style == YAML_PLAIN_SCALAR_STYLE) {
        if (str_find_char(text, '?') != STR_NONE)
            return "found a question mark in a plain scalar of a flow collection";
        if (event->data.scalar.tag && text.len == 0 && source->is_readable &&
            has_tag_before_comma(source, event))
            return "found a comma behind a tag";
    }
    if (style == YAML_DOUBLE_QUOTED_SCALAR_STYLE && source->has_slash_escapes &&
        has_slash_escape(source, event))
        return "found unknown escape character";
    return NULL;
}

size_t manifest_source_find_escape(struct manifest_source *source, const yaml_parser_t *yaml)
{
    if (!source->is_readable || yaml->error != YAML_SCANNER_ERROR)
        return STR_NONE;
    seek_position(source, yaml->problem_mark.index);
    const bool is_escape = str_starts_with(str_skip(source->text, source->byte), STR("\\'"));
    return is_escape ? source->byte : STR_NONE;
}

/* All line breaks of YAML 1.1 count: LF, CR, NEL, LS and PS. */
static bool starts_line(struct str text, size_t byte)
{
    const struct str before = str_slice(text, 0, byte);
    return byte == 0 || str_ends_with(before, STR("\n")) || str_ends_with(before, STR("\r")) ||
           str_ends_with(before, STR("\xc2\x85")) || str_ends_with(before, STR("\xe2\x80\xa8")) ||
           str_ends_with(before, STR("\xe2\x80\xa9"));
}

/*
 * A byte order mark is fine at the start of a chunk. At the start of a later line go-yaml reads it
 * as text and libyaml ignores it; neither is what the author meant.
 */
static struct error *check_byte_order_marks(struct manifest_scope *scope, struct str chunk)
{
    const struct str bom = STR("\xef\xbb\xbf");
    struct str rest = str_skip(chunk, 1);
    if (str_find_char(chunk, bom.ptr[0]) == STR_NONE)
        return NULL; /* searching for one byte is much faster */
    for (size_t at; (at = str_find(rest, bom)) != STR_NONE; rest = str_skip(rest, at + bom.len)) {
        const size_t byte = chunk.len - rest.len + at;
        if (starts_line(chunk, byte))
            return manifest_fail(scope, MANIFEST_SYNTAX, manifest_mark_at(chunk, byte),
                                 "found a byte order mark inside of a document");
    }
    return NULL;
}

/* Counts lines that start with "%". Such lines inside of scalars count, too. */
static struct error *check_directives(struct manifest_scope *scope, struct str chunk)
{
    size_t count = 0;
    for (size_t from = 0, at; (at = str_find_char(str_skip(chunk, from), '%')) != STR_NONE;) {
        count += starts_line(chunk, from + at);
        from += at + 1;
    }
    if (count <= DIRECTIVES_MAX)
        return NULL;
    return manifest_fail_overall(scope, MANIFEST_SYNTAX, "more than %d directives", DIRECTIVES_MAX);
}

struct error *manifest_source_check(struct manifest_scope *scope, struct str text)
{
    TRY(check_byte_order_marks(scope, text));
    return check_directives(scope, text);
}
