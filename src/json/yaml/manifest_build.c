/*
 * Turns the nodes of a YAML document into JSON values.
 *
 * build_tree() walks the nodes with a stack of frames: one per open sequence or mapping, per merged
 * mapping, and per alias that is being expanded. Aliases are expanded by walking their target
 * again, so the expansion is limited in three ways: by go-yaml's ratio of aliased nodes, by the
 * scope's number of nodes, and by the scope's memory.
 *
 * Some faults are found by Kubernetes only when it converts the whole document to JSON, for example
 * a map key that is null. Such a late fault is kept and reported only if no other fault follows.
 */
#include "base/base64.h"
#include "base/map.h"
#include "base/memory.h"
#include "json/json.h"
#include "json/yaml/manifest_internal.h"
#include "json/yaml/manifest_out.h"

/*
 * go-yaml's limits on aliases: up to the low count of nodes 99 % may come from expansion, from the
 * high count on 10 %, and in between the share falls evenly. Documents with few aliases or few
 * nodes are not looked at.
 */
#define ALIASES_FREE     100
#define NODES_FREE       1000
#define RATIO_NODES_LOW  400000
#define RATIO_NODES_HIGH 4000000
#define RATIO_AT_LOW     0.99
#define RATIO_AT_HIGH    0.10

/* Frames inside struct builder; deeper documents use the heap. */
#define FRAMES_FEW 24

enum frame_kind {
    FRAME_SEQUENCE,
    FRAME_MAPPING,
    FRAME_MERGED,      /* a mapping whose members go into the one around it */
    FRAME_MERGE_LATER, /* an element of a list of merges, which run from last to first */
    FRAME_ALIAS,       /* around the expansion of an alias */
};

struct frame {
    enum frame_kind kind;
    struct manifest_node *node;
    struct manifest_node *child; /* the next one to write */
};

struct builder {
    struct manifest_scope *scope;
    struct manifest_out out;
    struct frame *frames; /* few, until there are more */
    size_t frame_count, frame_capacity;
    struct frame few[FRAMES_FEW];
    size_t depth;                       /* open objects and arrays */
    size_t nodes, aliased, alias_depth; /* as go-yaml counts */
    /*
     * A fault that Kubernetes finds only after the whole document is read. Any other fault is
     * reported instead.
     */
    struct error *late;
    struct manifest_fault late_fault;
};

/* Moves the frames to the heap when the ones inside the builder are used up. */
static void push_frame(struct builder *builder, enum frame_kind kind, struct manifest_node *node,
                       struct manifest_node *child)
{
    if (builder->frame_count == builder->frame_capacity) {
        struct frame *old = builder->frames == builder->few ? NULL : builder->frames;
        builder->frame_capacity *= 2;
        builder->frames = mem_realloc_array(old, builder->frame_capacity, sizeof(struct frame));
        if (!old)
            memcpy(builder->frames, builder->few, sizeof(builder->few));
    }
    builder->frames[builder->frame_count++] = (struct frame){kind, node, child};
}

/* go-yaml's allowedAliasRatio(). */
static double allowed_ratio(size_t nodes)
{
    if (nodes <= RATIO_NODES_LOW)
        return RATIO_AT_LOW;
    if (nodes >= RATIO_NODES_HIGH)
        return RATIO_AT_HIGH;
    const double way =
        (double)(nodes - RATIO_NODES_LOW) / (double)(RATIO_NODES_HIGH - RATIO_NODES_LOW);
    return RATIO_AT_LOW - (RATIO_AT_LOW - RATIO_AT_HIGH) * way;
}

/*
 * Counts every visit of a node, keys and aliases included, as go-yaml does. Nodes that are visited
 * through an alias also count against the scope's limit of nodes.
 */
static struct error *count_visit(struct builder *builder, const struct manifest_node *node)
{
    struct manifest_scope *scope = builder->scope;
    builder->nodes++;
    if (builder->alias_depth > 0) {
        builder->aliased++;
        if (scope->nodes_left == 0)
            return manifest_fail(scope, MANIFEST_ALIASING, manifest_node_mark(node),
                                 "aliases expand to more than %zu nodes", scope->limits.nodes_max);
        scope->nodes_left--;
    }
    if (builder->aliased > ALIASES_FREE && builder->nodes > NODES_FREE &&
        (double)builder->aliased / (double)builder->nodes > allowed_ratio(builder->nodes))
        return manifest_fail(scope, MANIFEST_ALIASING, manifest_node_mark(node),
                             "document contains excessive aliasing");
    return NULL;
}

/* Keeps the first late fault. */
static void note_late(struct builder *builder, enum manifest_error error,
                      const struct manifest_node *node, const char *text)
{
    if (builder->late)
        return;
    builder->late = manifest_fail(builder->scope, error, manifest_node_mark(node), "%s", text);
    builder->late_fault = builder->scope->fault;
}

/* Charges the next value to the memory limit of the scope, before it is made. */
static struct error *spend_memory(struct builder *builder, const struct manifest_node *node,
                                  size_t text)
{
    struct manifest_scope *scope = builder->scope;
    const size_t size = MANIFEST_VALUE_SIZE + text;
    if (scope->memory_left < size)
        return manifest_fail(scope, builder->aliased ? MANIFEST_ALIASING : MANIFEST_TOO_LARGE,
                             manifest_node_mark(node), "the documents take more than %zu bytes",
                             scope->limits.memory_max);
    scope->memory_left -= size;
    return NULL;
}

static struct error *decode_binary(struct builder *builder, const struct manifest_node *node,
                                   struct buf *bytes)
{
    bytes->limit = node->text.len + KILOBYTE;
    OWNED(error) err = base64_decode(bytes, node->text);
    if (err)
        return manifest_fail(builder->scope, MANIFEST_TAG, manifest_node_mark(node),
                             "!!binary value contains invalid base64 data");
    return NULL;
}

/* The decoded text replaces the node's, so that aliases do not decode it again. */
static struct error *add_binary(struct builder *builder, struct manifest_node *node)
{
    SCOPED(buf) bytes = {0};
    TRY(decode_binary(builder, node, &bytes));
    node->text = manifest_out_copy_str(&builder->out, buf_str(&bytes));
    node->tag = SCALAR_TAG_STR;
    node->moved = true;
    return NULL;
}

/* Fails when an explicit tag does not fit the text. */
static struct error *resolve_scalar(struct builder *builder, const struct manifest_node *node,
                                    struct scalar *ret_scalar)
{
    if (scalar_resolve(node->tag, node->plain, node->text, ret_scalar))
        return NULL;
    return manifest_fail(builder->scope, MANIFEST_TAG, manifest_node_mark(node),
                         "cannot decode %s as a %s", scalar_type_name(ret_scalar),
                         scalar_tag_name(node->tag));
}

static struct error *add_scalar(struct builder *builder, struct manifest_node *node)
{
    struct scalar scalar;
    TRY(resolve_scalar(builder, node, &scalar));
    TRY(spend_memory(builder, node, node->text.len));
    switch (scalar.type) {
    case SCALAR_BOOL:
        manifest_out_bool(&builder->out, scalar.boolean);
        return NULL;
    case SCALAR_NUMBER:
        manifest_out_number(&builder->out, manifest_form_number(builder->scope, scalar.number));
        return NULL;
    case SCALAR_NOT_FINITE:
        note_late(builder, MANIFEST_NO_JSON_FORM, node, "unsupported value: not a finite number");
        manifest_out_null(&builder->out);
        return NULL;
    case SCALAR_NULL:
        manifest_out_null(&builder->out);
        return NULL;
    case SCALAR_BINARY:
        return add_binary(builder, node);
    default:
        manifest_out_str(&builder->out, &node->text, &node->moved);
        return NULL;
    }
}

/* The text of a key that is not a string, as sigs.k8s.io/yaml converts map keys. */
static struct error *write_key(struct builder *builder, const struct manifest_node *node,
                               const struct scalar *scalar, struct buf *text)
{
    switch (scalar->type) {
    case SCALAR_BOOL:
        buf_add(text, scalar->boolean ? STR("true") : STR("false"));
        return NULL;
    case SCALAR_NUMBER:
        if (scalar->number.type == SCALAR_FLOAT)
            scalar_number_write_key(text, scalar->number.real);
        else
            scalar_number_write(text, scalar->number);
        if (scalar->number.type == SCALAR_UINT)
            note_late(builder, MANIFEST_MAP_KEY, node, "unsupported map key: above int64");
        return NULL;
    case SCALAR_NOT_FINITE:
        scalar_number_write_key(text, scalar->real);
        return NULL;
    case SCALAR_BINARY:
        return decode_binary(builder, node, text);
    default:
        note_late(builder, MANIFEST_MAP_KEY, node, "unsupported map key: null");
        return NULL;
    }
}

static struct error *add_converted_key(struct builder *builder, const struct manifest_node *node,
                                       const struct scalar *scalar)
{
    SCOPED(buf) text = {0};
    TRY(write_key(builder, node, scalar, &text));
    manifest_out_copy_key(&builder->out, buf_str(&text));
    return NULL;
}

static struct error *add_scalar_key(struct builder *builder, struct manifest_node *node)
{
    struct scalar scalar;
    TRY(resolve_scalar(builder, node, &scalar));
    TRY(spend_memory(builder, node, node->text.len));
    if (scalar.type != SCALAR_STRING && scalar.type != SCALAR_TIMESTAMP)
        return add_converted_key(builder, node, &scalar);
    manifest_out_key(&builder->out, &node->text, &node->moved);
    return NULL;
}

/*
 * A mapping or sequence as key is refused. One case looks different to go-yaml: an empty flow
 * collection at the start of a document, which ends the document for go-yaml and drops the rest.
 * Here that is an error about content behind the end.
 */
static struct error *fail_with_key(struct builder *builder, const struct manifest_node *mapping,
                                   const struct manifest_node *key)
{
    const bool is_quirk = builder->depth == 1 && !mapping->flow && key == mapping->first &&
                          key->flow && !key->first && key->line == mapping->line &&
                          key->column == mapping->column;
    if (is_quirk)
        return manifest_fail(builder->scope, MANIFEST_TRAILING_CONTENT, manifest_node_mark(key),
                             "content after the end of the document");
    return manifest_fail(builder->scope, MANIFEST_MAP_KEY, manifest_node_mark(key),
                         "invalid map key: a %s",
                         key->kind == NODE_MAPPING ? "mapping" : "sequence");
}

/* A key may be an alias; its target is visited, but no frame is needed for a scalar. */
static struct error *add_key(struct builder *builder, const struct manifest_node *mapping,
                             struct manifest_node *key)
{
    struct manifest_node *node = key;
    TRY(count_visit(builder, key));
    if (key->kind == NODE_ALIAS) {
        node = key->target;
        builder->alias_depth++;
        struct error *err = count_visit(builder, node);
        builder->alias_depth--;
        if (err)
            return err;
    }
    if (node->kind != NODE_SCALAR)
        return fail_with_key(builder, mapping, node);
    return add_scalar_key(builder, node);
}

/*
 * Enters an alias and returns its target. An alias that is active already would expand itself
 * forever.
 */
static struct error *open_alias(struct builder *builder, struct manifest_node *alias,
                                struct manifest_node **ret_target)
{
    if (alias->active)
        return manifest_fail(builder->scope, MANIFEST_ANCHOR, manifest_node_mark(alias),
                             "the value of an anchor contains itself");
    alias->active = true;
    builder->alias_depth++;
    push_frame(builder, FRAME_ALIAS, alias, NULL);
    TRY(count_visit(builder, alias->target));
    *ret_target = alias->target;
    return NULL;
}

/* The words are those of go-yaml. */
static void note_duplicates(struct builder *builder, const struct manifest_node *mapping)
{
    struct json_warnings *duplicates = builder->scope->limits.duplicates;
    SCOPED(map) seen = {.release = NULL};
    if (!duplicates || builder->alias_depth > 0)
        return;
    for (const struct manifest_node *key = mapping->first; key; key = key->next->next) {
        if (key->kind != NODE_SCALAR)
            continue;
        if (map_has(&seen, key->text))
            json_warn(duplicates,
                      arena_print(duplicates->arena, "line %zu: key \"%.*s\" already set in map",
                                  manifest_line(builder->scope, manifest_node_mark(key)),
                                  STR_ARG(key->text)));
        else
            map_put(&seen, key->text, NULL);
    }
}

static struct error *open_collection(struct builder *builder, struct manifest_node *node)
{
    const bool is_mapping = node->kind == NODE_MAPPING;
    /* Aliases may nest deeper than the text does. */
    if (builder->depth >= JSON_DEPTH_MAX)
        return manifest_fail(builder->scope, MANIFEST_DEPTH, manifest_node_mark(node),
                             "exceeded max depth of %d", JSON_DEPTH_MAX);
    TRY(spend_memory(builder, node, 0));
    builder->depth++;
    if (is_mapping)
        note_duplicates(builder, node);
    manifest_out_open(&builder->out, is_mapping);
    push_frame(builder, is_mapping ? FRAME_MAPPING : FRAME_SEQUENCE, node, node->first);
    return NULL;
}

static struct error *add_value(struct builder *builder, struct manifest_node *node)
{
    TRY(count_visit(builder, node));
    if (node->kind == NODE_ALIAS)
        TRY(open_alias(builder, node, &node));
    return node->kind == NODE_SCALAR ? add_scalar(builder, node) : open_collection(builder, node);
}

static bool is_mapping(const struct manifest_node *node)
{
    return (node->kind == NODE_ALIAS ? node->target : node)->kind == NODE_MAPPING;
}

static struct error *fail_with_merge(struct builder *builder, const struct manifest_node *node)
{
    return manifest_fail(builder->scope, MANIFEST_TAG, manifest_node_mark(node),
                         "map merge requires map or sequence of maps as the value");
}

/* Merges a mapping: its members are written into the open object as if they stood there. */
static struct error *merge_one(struct builder *builder, struct manifest_node *node)
{
    if (!is_mapping(node))
        return fail_with_merge(builder, node);
    TRY(count_visit(builder, node));
    if (node->kind == NODE_ALIAS)
        TRY(open_alias(builder, node, &node));
    push_frame(builder, FRAME_MERGED, node, node->first);
    return NULL;
}

/*
 * The value of "<<": a mapping, or a list of mappings. Members are written in the order in which
 * they take effect, and the last of one name wins, so a list is pushed to run from its last element
 * to its first.
 */
static struct error *merge_value(struct builder *builder, struct manifest_node *node)
{
    if (node->kind != NODE_SEQUENCE)
        return merge_one(builder, node);
    for (struct manifest_node *child = node->first; child; child = child->next)
        push_frame(builder, FRAME_MERGE_LATER, child, NULL);
    return NULL;
}

static bool is_merge_key(const struct manifest_node *node)
{
    return node->kind == NODE_SCALAR && (node->implicit || node->tag == SCALAR_TAG_MERGE) &&
           str_eq(node->text, STR("<<"));
}

/* Writes one member, or begins a merge. The frame is not used after a push, which may move it. */
static struct error *step_mapping(struct builder *builder, struct frame *frame)
{
    struct manifest_node *key = frame->child;
    struct manifest_node *value = key->next;
    frame->child = value->next;
    if (is_merge_key(key))
        return merge_value(builder, value);
    TRY(add_key(builder, frame->node, key));
    return add_value(builder, value);
}

static struct error *step_sequence(struct builder *builder, struct frame *frame)
{
    struct manifest_node *node = frame->child;
    frame->child = node->next;
    return add_value(builder, node);
}

/* An alias becomes inactive; a container ends in the output; a merged mapping just ends. */
static void close_frame(struct builder *builder, const struct frame *frame)
{
    if (frame->kind == FRAME_ALIAS) {
        frame->node->active = false;
        builder->alias_depth--;
    } else if (frame->kind != FRAME_MERGED) {
        manifest_out_close(&builder->out);
        builder->depth--;
    }
    builder->frame_count--;
}

static struct error *step_frame(struct builder *builder)
{
    struct frame *frame = &builder->frames[builder->frame_count - 1];
    if (frame->kind == FRAME_MERGE_LATER) {
        struct manifest_node *node = frame->node;
        builder->frame_count--;
        return merge_one(builder, node);
    }
    if (!frame->child) {
        close_frame(builder, frame);
        return NULL;
    }
    return frame->kind == FRAME_SEQUENCE ? step_sequence(builder, frame)
                                         : step_mapping(builder, frame);
}

static struct error *build_tree(struct builder *builder, struct manifest_node *root)
{
    TRY(add_value(builder, root));
    while (builder->frame_count > 0)
        TRY(step_frame(builder));
    return NULL;
}

/* Faults that Kubernetes finds while reading come first, then those it finds at the end. */
static struct error *choose_fault(struct builder *builder, struct error *err)
{
    if (err || !builder->late)
        return err;
    builder->scope->fault = builder->late_fault;
    return TAKE(builder->late);
}

struct error *manifest_build(struct manifest_scope *scope, const struct manifest_tree *tree,
                             struct json_doc **ret_doc)
{
    struct builder builder = {.scope = scope, .frame_capacity = FRAMES_FEW};
    builder.frames = builder.few;
    builder.nodes = 1; /* go-yaml counts the document, too */
    manifest_out_init(&builder.out, tree->nodes, tree->text);
    struct error *err = choose_fault(&builder, build_tree(&builder, tree->root));
    if (!err)
        *ret_doc = manifest_out_finish(&builder.out);
    manifest_out_done(&builder.out);
    error_free(builder.late);
    if (builder.frames != builder.few)
        mem_free(builder.frames);
    return err;
}
