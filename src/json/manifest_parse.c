#include <yaml.h>

#include "base/memory.h"
#include "json/json.h"
#include "json/manifest_anchor.h"
#include "json/manifest_internal.h"

/*
 * libyaml looks at every open flow collection for each token. Nesting times length is bounded, so
 * that a megabyte inside of ten thousand brackets does not take a minute; nine thousand brackets
 * alone stay below half of it.
 */
#define FLOW_WORK_MAX ((size_t)200 * 1000 * 1000)

/* libyaml compares every directive with all before it. */
#define DIRECTIVES_MAX 100

struct parser {
    struct manifest_scope *scope;
    yaml_parser_t yaml;
    struct str chunk;
    struct manifest_anchors anchors;
    struct manifest_node **open; /* collections around the next node */
    size_t depth, capacity;
    size_t flow_depth, flow_work;
    struct manifest_node *root;
    /* What occurs somewhere and asks for a look at the source. UTF-16 is not looked into. */
    bool has_tags, has_slash_escapes;
    size_t byte, position; /* the same place, in bytes and in characters */
};

static void parser_init(struct parser *parser, struct manifest_scope *scope, struct str chunk)
{
    *parser = (struct parser){.scope = scope, .chunk = chunk};
    const bool is_utf16 =
        str_starts_with(chunk, STR("\xfe\xff")) || str_starts_with(chunk, STR("\xff\xfe"));
    parser->has_tags = !is_utf16 && str_find_char(chunk, '!') != STR_NONE;
    parser->has_slash_escapes = !is_utf16 && str_contains(chunk, STR("\\/"));
    manifest_anchors_init(&parser->anchors, &scope->arena);
    if (!yaml_parser_initialize(&parser->yaml))
        mem_exhausted(sizeof(parser->yaml));
    /* An empty chunk is read as an empty line, as in Go; a NULL pointer is not allowed either. */
    const struct str input = chunk.len ? chunk : STR("\n");
    yaml_parser_set_input_string(&parser->yaml, (const unsigned char *)input.ptr, input.len);
}

static void parser_done(struct parser *parser)
{
    yaml_parser_delete(&parser->yaml);
    mem_free(parser->open);
}

static struct manifest_mark mark_of(yaml_mark_t mark)
{
    return (struct manifest_mark){mark.line, mark.column};
}

/* The reader counts bytes instead of lines. */
static struct manifest_mark mark_at_byte(struct str text, size_t byte)
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

static struct error *fail_with_problem(struct parser *parser, enum manifest_error error)
{
    const yaml_parser_t *yaml = &parser->yaml;
    if (yaml->error == YAML_MEMORY_ERROR)
        mem_exhausted(0);
    const bool in_reader = yaml->error == YAML_READER_ERROR;
    const struct manifest_mark mark =
        in_reader ? mark_at_byte(parser->chunk, yaml->problem_offset) : mark_of(yaml->problem_mark);
    return manifest_fail(parser->scope, error, mark, "%s",
                         yaml->problem ? yaml->problem : "unknown problem");
}

static struct error *next_event(struct parser *parser, yaml_event_t *ret_event)
{
    if (!yaml_parser_parse(&parser->yaml, ret_event))
        return fail_with_problem(parser, MANIFEST_SYNTAX);
    return NULL;
}

/* Moves on to a character. libyaml does not count a byte order mark at the start. */
static void seek(struct parser *parser, size_t position)
{
    const struct str text = parser->chunk;
    if (parser->byte == 0 && str_starts_with(text, STR("\xef\xbb\xbf")))
        parser->byte = 3;
    while (parser->position < position && parser->byte < text.len) {
        parser->byte++;
        while (parser->byte < text.len && (text.ptr[parser->byte] & 0xc0) == 0x80)
            parser->byte++;
        parser->position++;
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

/* Where the text of a scalar starts in the source, behind its anchor and its tag. */
static size_t find_content(struct parser *parser, const yaml_event_t *event, bool *ret_has_tag)
{
    const struct str text = parser->chunk;
    seek(parser, event->start_mark.index);
    size_t at = parser->byte;
    *ret_has_tag = false;
    while (at < text.len && (text.ptr[at] == '&' || text.ptr[at] == '!')) {
        *ret_has_tag |= text.ptr[at] == '!';
        while (at < text.len && !strchr(" \t\r\n", text.ptr[at]))
            at++;
        at = skip_blanks(text, at);
    }
    return at;
}

/*
 * libyaml forgets the tag "!" of a plain scalar, which makes text of it in go-yaml. Hence the look
 * at the source, in documents that have an exclamation mark at all.
 */
static bool has_bare_tag(struct parser *parser, const yaml_event_t *event)
{
    bool has_tag = false;
    if (parser->has_tags)
        find_content(parser, event, &has_tag);
    return has_tag;
}

/* libyaml knows the escape \/ of JSON, go-yaml does not. */
static bool has_slash_escape(struct parser *parser, const yaml_event_t *event)
{
    bool has_tag;
    const struct str text = parser->chunk;
    if (!parser->has_slash_escapes)
        return false;
    for (size_t at = find_content(parser, event, &has_tag) + 1;
         at + 1 < text.len && text.ptr[at] != '"'; at++) {
        if (text.ptr[at] == '\\' && text.ptr[++at] == '/')
            return true;
    }
    return false;
}

static struct error *new_node(struct parser *parser, enum manifest_node_kind kind,
                              const yaml_event_t *event, struct manifest_node **ret_node)
{
    struct manifest_scope *scope = parser->scope;
    const struct manifest_mark mark = mark_of(event->start_mark);
    if (scope->nodes_left == 0)
        return manifest_fail(scope, MANIFEST_TOO_LARGE, mark, "more than %zu nodes",
                             scope->limits.nodes_max);
    scope->nodes_left--;
    parser->flow_work += parser->flow_depth;
    if (parser->flow_work > FLOW_WORK_MAX)
        return manifest_fail(scope, MANIFEST_DEPTH, mark, "too much inside of deep nesting");
    struct manifest_node *node = ARENA_NEW(&scope->arena, struct manifest_node);
    node->kind = kind;
    node->line = (uint32_t)mark.line;
    node->column = (uint32_t)mark.column;
    *ret_node = node;
    return NULL;
}

/* Appends the node to the innermost open collection. */
static void add_node(struct parser *parser, struct manifest_node *node, const yaml_char_t *anchor)
{
    if (anchor)
        manifest_anchors_set(&parser->anchors, str_from_c((const char *)anchor), node);
    if (parser->depth == 0) {
        parser->root = node;
        return;
    }
    struct manifest_node *parent = parser->open[parser->depth - 1];
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
}

/* What libyaml accepts and the older scanner of go-yaml does not. */
static struct error *check_scalar(struct parser *parser, const yaml_event_t *event)
{
    const struct manifest_mark mark = mark_of(event->start_mark);
    const struct str text =
        str_from((const char *)event->data.scalar.value, event->data.scalar.length);
    switch (event->data.scalar.style) {
    case YAML_PLAIN_SCALAR_STYLE:
        if (parser->flow_depth && str_find_char(text, '?') != STR_NONE)
            return manifest_fail(parser->scope, MANIFEST_SYNTAX, mark,
                                 "found a question mark in a plain scalar of a flow collection");
        return NULL;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        if (has_slash_escape(parser, event))
            return manifest_fail(parser->scope, MANIFEST_SYNTAX, mark,
                                 "found unknown escape character");
        return NULL;
    default:
        return NULL;
    }
}

static struct error *add_scalar(struct parser *parser, const yaml_event_t *event)
{
    struct manifest_node *node;
    const struct str text =
        str_from((const char *)event->data.scalar.value, event->data.scalar.length);
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    TRY(new_node(parser, NODE_SCALAR, event, &node));
    TRY(check_scalar(parser, event));
    if (event->data.scalar.tag)
        node->tag = scalar_tag_from(str_from_c((const char *)event->data.scalar.tag));
    else if (plain && text.len && has_bare_tag(parser, event))
        node->tag = SCALAR_TAG_OTHER;
    node->plain = plain && node->tag == SCALAR_TAG_NONE;
    node->text = arena_str(&parser->scope->arena, text);
    add_node(parser, node, event->data.scalar.anchor);
    return NULL;
}

static struct error *add_alias(struct parser *parser, const yaml_event_t *event)
{
    struct manifest_node *node;
    const struct str name = str_from_c((const char *)event->data.alias.anchor);
    TRY(new_node(parser, NODE_ALIAS, event, &node));
    node->target = manifest_anchors_find(&parser->anchors, name);
    if (!node->target)
        return manifest_fail(parser->scope, MANIFEST_ANCHOR, manifest_node_mark(node),
                             "unknown anchor '%.*s' referenced", STR_ARG(name));
    add_node(parser, node, NULL);
    return NULL;
}

static struct error *open_collection(struct parser *parser, const yaml_event_t *event)
{
    struct manifest_node *node;
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    TRY(new_node(parser, is_mapping ? NODE_MAPPING : NODE_SEQUENCE, event, &node));
    if (parser->depth >= JSON_DEPTH_MAX)
        return manifest_fail(parser->scope, MANIFEST_DEPTH, manifest_node_mark(node),
                             "exceeded max depth of %d", JSON_DEPTH_MAX);
    node->flow = is_mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                            : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    parser->flow_depth += node->flow;
    add_node(parser, node,
             is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor);
    if (parser->depth == parser->capacity) {
        parser->capacity = parser->capacity ? parser->capacity * 2 : 16;
        parser->open = mem_realloc_array(parser->open, parser->capacity, sizeof(*parser->open));
    }
    parser->open[parser->depth++] = node;
    return NULL;
}

static struct error *handle_event(struct parser *parser, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(parser, event);
    case YAML_ALIAS_EVENT:
        return add_alias(parser, event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return open_collection(parser, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        parser->depth--;
        parser->flow_depth -= parser->open[parser->depth]->flow;
        return NULL;
    default:
        return NULL;
    }
}

/* libyaml knows version 1.2, too. */
static struct error *check_version(struct parser *parser, const yaml_event_t *event)
{
    const yaml_version_directive_t *version = event->data.document_start.version_directive;
    if (event->type != YAML_DOCUMENT_START_EVENT || !version || version->minor == 1)
        return NULL;
    return manifest_fail(parser->scope, MANIFEST_SYNTAX, mark_of(event->start_mark),
                         "found incompatible YAML document");
}

/* Reads up to an event of this type and handles all before it. */
static struct error *read_until(struct parser *parser, yaml_event_type_t type,
                                yaml_event_type_t or_type)
{
    for (;;) {
        yaml_event_t event;
        TRY(next_event(parser, &event));
        struct error *err = check_version(parser, &event);
        if (!err)
            err = handle_event(parser, &event);
        const bool is_last = event.type == type || event.type == or_type;
        yaml_event_delete(&event);
        if (err || is_last)
            return err;
    }
}

/* Nothing may follow the root but the end of the document. */
static struct error *check_end(struct parser *parser)
{
    yaml_event_t event;
    if (!yaml_parser_parse(&parser->yaml, &event))
        return fail_with_problem(parser, MANIFEST_TRAILING_CONTENT);
    const bool is_end = event.type == YAML_STREAM_END_EVENT;
    const struct manifest_mark mark = mark_of(event.start_mark);
    yaml_event_delete(&event);
    if (is_end)
        return NULL;
    return manifest_fail(parser->scope, MANIFEST_TRAILING_CONTENT, mark,
                         "content after the end of the document");
}

static struct error *check_directives(struct manifest_scope *scope, struct str chunk)
{
    size_t count = 0;
    struct str rest = chunk, line;
    if (str_find_char(chunk, '%') == STR_NONE)
        return NULL;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        count += str_starts_with(line, STR("%"));
    }
    if (count <= DIRECTIVES_MAX)
        return NULL;
    return manifest_fail_at_all(scope, MANIFEST_SYNTAX, "more than %d directives", DIRECTIVES_MAX);
}

static struct error *read_document(struct parser *parser)
{
    TRY(read_until(parser, YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT));
    return parser->root ? check_end(parser) : NULL;
}

struct error *manifest_parse(struct manifest_scope *scope, struct str chunk,
                             struct manifest_node **ret_root)
{
    TRY(check_directives(scope, chunk));
    struct parser parser;
    parser_init(&parser, scope, chunk);
    struct error *err = read_document(&parser);
    parser_done(&parser);
    if (!err)
        *ret_root = parser.root;
    return err;
}
