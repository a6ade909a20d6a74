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

/* Nodes are many and small: the arena is asked for a slab of them at a time. */
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

/* With room for text behind it. */
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

/* Appends the node to the innermost open collection. */
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

/* Nothing may follow the root but the end of the document; be it wrong or right. */
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
    return parser->tree.root ? check_end(parser) : NULL;
}

/*
 * go-yaml knows the escape \' in double quotes, libyaml does not: then the backslash is taken out
 * and the document read once more. A text with many of them is not worth the time.
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
