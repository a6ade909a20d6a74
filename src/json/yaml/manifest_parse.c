/*
 * Parses one YAML document with libyaml into a tree of nodes.
 *
 * libyaml gives events; handle_event() adds a node for each. The innermost open collection is
 * parser->open, and open collections are linked to each other by next, which they need for siblings
 * only after they are closed. So no stack is needed.
 *
 * Two differences to go-yaml are handled here: the escape \' (take_out_escape()) and content behind
 * the root (check_end()). manifest_source.c has those that need the source text.
 */
#include <yaml.h>

#include "base/memory.h"
#include "json/json.h"
#include "json/yaml/manifest_anchor.h"
#include "json/yaml/manifest_internal.h"
#include "json/yaml/manifest_source.h"

#define SLAB_SIZE      (4 * KILOBYTE)
#define NODE_ALIGNMENT _Alignof(struct manifest_node)

struct parser {
    struct manifest_scope *scope;
    yaml_parser_t yaml;
    struct str chunk;
    struct manifest_anchors anchors;
    struct manifest_node *open; /* the innermost collection around the next node, or NULL */
    size_t depth;
    size_t flow_depth;
    struct manifest_tree tree;
    struct manifest_source source;
    char *slab;
    size_t slab_left;
};

static void parser_init(struct parser *parser, struct manifest_scope *scope, struct str chunk)
{
    *parser = (struct parser){.scope = scope, .chunk = chunk};
    manifest_source_init(&parser->source, chunk);
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
}

static struct manifest_mark mark_of(yaml_mark_t mark)
{
    return (struct manifest_mark){mark.line, mark.column};
}

/* Errors of libyaml's reader have a byte offset, all others line and column. */
static struct manifest_mark problem_mark(const struct parser *parser)
{
    const yaml_parser_t *yaml = &parser->yaml;
    if (yaml->error == YAML_MEMORY_ERROR)
        mem_exhausted(0);
    return yaml->error == YAML_READER_ERROR ? manifest_mark_at(parser->chunk, yaml->problem_offset)
                                            : mark_of(yaml->problem_mark);
}

static struct error *next_event(struct parser *parser, yaml_event_t *ret_event)
{
    const yaml_parser_t *yaml = &parser->yaml;
    if (yaml_parser_parse(&parser->yaml, ret_event))
        return NULL;
    return manifest_fail(parser->scope, MANIFEST_SYNTAX, problem_mark(parser), "%s",
                         yaml->problem ? yaml->problem : "unknown problem");
}

/* Nodes are many and small: the arena is asked for a slab at a time. Memory is zeroed. */
static void *take_memory(struct parser *parser, size_t size)
{
    const size_t padded = (size + NODE_ALIGNMENT - 1) & ~(NODE_ALIGNMENT - 1);
    if (parser->slab_left < padded) {
        parser->slab_left = padded > SLAB_SIZE ? padded : SLAB_SIZE;
        parser->slab = arena_alloc(&parser->scope->arena, parser->slab_left);
    }
    void *taken = parser->slab;
    parser->slab += padded;
    parser->slab_left -= padded;
    return taken;
}

/* Allocates a node with room for text behind it, and charges the limits. */
static struct error *new_node(struct parser *parser, enum manifest_node_kind kind,
                              const yaml_event_t *event, size_t text_len,
                              struct manifest_node **ret_node)
{
    struct manifest_scope *scope = parser->scope;
    const struct manifest_mark mark = mark_of(event->start_mark);
    if (scope->nodes_left == 0)
        return manifest_fail(scope, MANIFEST_TOO_LARGE, mark, "more than %zu nodes",
                             scope->limits.nodes_max);
    scope->nodes_left--;
    parser->tree.nodes++;
    parser->tree.text += text_len;
    if (scope->flow_work_left < parser->flow_depth)
        return manifest_fail(scope, MANIFEST_DEPTH, mark, "too much inside of deep nesting");
    scope->flow_work_left -= parser->flow_depth;
    struct manifest_node *node = take_memory(parser, sizeof(*node) + text_len);
    node->kind = kind;
    node->line = (uint32_t)mark.line;
    node->column = (uint32_t)mark.column;
    *ret_node = node;
    return NULL;
}

/* Appends the node to the innermost open collection, or makes it the root. */
static void add_node(struct parser *parser, struct manifest_node *node, const yaml_char_t *anchor)
{
    if (anchor)
        manifest_anchors_set(&parser->anchors, str_from_c((const char *)anchor), node);
    struct manifest_node *parent = parser->open;
    if (!parent) {
        parser->tree.root = node;
        return;
    }
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
}

static struct error *add_scalar(struct parser *parser, const yaml_event_t *event)
{
    struct manifest_node *node;
    const struct str text =
        str_from((const char *)event->data.scalar.value, event->data.scalar.length);
    TRY(new_node(parser, NODE_SCALAR, event, text.len, &node));
    const char *objection =
        manifest_source_objection(&parser->source, event, parser->flow_depth > 0);
    if (objection)
        return manifest_fail(parser->scope, MANIFEST_SYNTAX, manifest_node_mark(node), "%s",
                             objection);
    if (event->data.scalar.tag)
        node->tag = scalar_tag_from(str_from_c((const char *)event->data.scalar.tag));
    node->implicit = event->data.scalar.plain_implicit;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = str_from((char *)(node + 1), text.len);
    memcpy(node + 1, text.ptr, text.len);
    add_node(parser, node, event->data.scalar.anchor);
    return NULL;
}

static struct error *add_alias(struct parser *parser, const yaml_event_t *event)
{
    struct manifest_node *node;
    const struct str name = str_from_c((const char *)event->data.alias.anchor);
    TRY(new_node(parser, NODE_ALIAS, event, 0, &node));
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
    TRY(new_node(parser, is_mapping ? NODE_MAPPING : NODE_SEQUENCE, event, 0, &node));
    if (parser->depth >= JSON_DEPTH_MAX)
        return manifest_fail(parser->scope, MANIFEST_DEPTH, manifest_node_mark(node),
                             "exceeded max depth of %d", JSON_DEPTH_MAX);
    node->flow = is_mapping ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                            : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    parser->flow_depth += node->flow;
    /* libyaml is a kilobyte ahead at most, so that this comes in time. */
    if (parser->flow_depth > MANIFEST_FLOW_DEPTH_MAX)
        return manifest_fail(parser->scope, MANIFEST_DEPTH, manifest_node_mark(node),
                             "braces nest deeper than %d levels", MANIFEST_FLOW_DEPTH_MAX);
    add_node(parser, node,
             is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor);
    /* An open collection has no next sibling yet; meanwhile it leads to the one around it. */
    node->next = parser->open;
    parser->open = node;
    parser->depth++;
    return NULL;
}

static void close_collection(struct parser *parser)
{
    struct manifest_node *node = parser->open;
    parser->open = node->next;
    parser->depth--;
    parser->flow_depth -= node->flow;
    node->next = NULL;
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
        close_collection(parser);
        return NULL;
    default:
        return NULL;
    }
}

/* go-yaml accepts %YAML 1.1 only, libyaml also 1.2. */
static struct error *check_version(struct parser *parser, const yaml_event_t *event)
{
    const yaml_version_directive_t *version = event->data.document_start.version_directive;
    if (event->type != YAML_DOCUMENT_START_EVENT || !version || version->minor == 1)
        return NULL;
    return manifest_fail(parser->scope, MANIFEST_SYNTAX, mark_of(event->start_mark),
                         "found incompatible YAML document");
}

/* Handles events up to and including one of the two types. */
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

/*
 * Only the end of the stream may follow the root. go-yaml reads no further and drops the rest,
 * well-formed or not; here the rest is an error unless the scope drops it, too.
 */
static struct error *check_end(struct parser *parser)
{
    yaml_event_t event;
    struct manifest_mark mark;
    if (yaml_parser_parse(&parser->yaml, &event)) {
        const bool is_end = event.type == YAML_STREAM_END_EVENT;
        mark = mark_of(event.start_mark);
        yaml_event_delete(&event);
        if (is_end)
            return NULL;
    } else {
        mark = problem_mark(parser);
    }
    return manifest_fail(parser->scope, MANIFEST_TRAILING_CONTENT, mark,
                         "content after the end of the document");
}

static struct error *read_document(struct parser *parser)
{
    TRY(read_until(parser, YAML_DOCUMENT_END_EVENT, YAML_STREAM_END_EVENT));
    return parser->tree.root && !parser->scope->drops_rest ? check_end(parser) : NULL;
}

/*
 * go-yaml knows the escape \' in double quotes, libyaml does not. The backslash is removed and the
 * document is parsed again. Parsing again is limited, so a text with many such escapes is refused.
 */
static bool take_out_escape(struct parser *parser, struct buf *copy, struct str *chunk)
{
    struct manifest_scope *scope = parser->scope;
    const size_t at = manifest_source_find_escape(&parser->source, &parser->yaml);
    if (at == STR_NONE || scope->reread_left < chunk->len)
        return false;
    scope->reread_left -= chunk->len;
    if (copy->len == 0) {
        copy->limit = chunk->len;
        buf_add(copy, *chunk);
    }
    memmove(copy->ptr + at, copy->ptr + at + 1, copy->len - at - 1);
    buf_truncate(copy, copy->len - 1);
    *chunk = buf_str(copy);
    return true;
}

struct error *manifest_parse(struct manifest_scope *scope, struct str chunk,
                             struct manifest_tree *ret_tree)
{
    SCOPED(buf) copy = {0};
    TRY(manifest_source_check(scope, chunk));
    const size_t nodes_left = scope->nodes_left;
    for (;;) {
        struct parser parser;
        parser_init(&parser, scope, chunk);
        struct error *err = read_document(&parser);
        const bool again = err && take_out_escape(&parser, &copy, &chunk);
        parser_done(&parser);
        if (!again) {
            *ret_tree = parser.tree;
            return err;
        }
        error_free(err);
        arena_clear(&scope->arena);
        scope->nodes_left = nodes_left;
    }
}
