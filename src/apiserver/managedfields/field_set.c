/*
 * Sets of fields: steps and their order, building, and the algebra.
 *
 * Nodes are immutable and shared, so that a union or difference copies only the nodes on paths
 * that change. Children are sorted by step: finding is a binary search, and the operations on two
 * sets are merges of sorted lists. Recursion is bounded by FIELD_DEPTH_MAX, which everything that
 * makes sets obeys.
 */
#include "apiserver/managedfields/field_set.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"

bool field_step_eq(struct field_step a, struct field_step b)
{
    return a.kind == b.kind && str_eq(a.text, b.text);
}

static size_t digits_end(struct str s, size_t at)
{
    while (at < s.len && ascii_is_digit(s.ptr[at]))
        at++;
    return at;
}

/*
 * Compares JSON texts of keys and values as Go compares the values. Runs of digits outside of
 * strings count as numbers: 9 comes before 10.
 */
static int json_text_cmp(struct str a, struct str b)
{
    const size_t len = a.len < b.len ? a.len : b.len;
    size_t at = 0, run = 0;
    bool quoted = false, escaped = false;
    while (at < len && a.ptr[at] == b.ptr[at]) {
        const char c = a.ptr[at++];
        if (c == '"' && !escaped)
            quoted = !quoted;
        escaped = c == '\\' && !escaped;
        if (quoted || !ascii_is_digit(c))
            run = at;
    }
    const size_t a_end = digits_end(a, run), b_end = digits_end(b, run);
    if (!quoted && a_end > run && b_end > run && a_end != b_end)
        return a_end < b_end ? -1 : 1;
    return str_cmp(str_skip(a, at), str_skip(b, at));
}

/* The order of kinds in FieldsV1: members, keys, values, indices. */
static int kind_rank(char kind)
{
    switch (kind) {
    case FIELD_STEP_MEMBER:
        return 0;
    case FIELD_STEP_KEY:
        return 1;
    case FIELD_STEP_VALUE:
        return 2;
    default:
        return 3;
    }
}

int field_step_cmp(struct field_step a, struct field_step b)
{
    if (a.kind != b.kind)
        return kind_rank(a.kind) - kind_rank(b.kind);
    return a.kind == FIELD_STEP_MEMBER ? str_cmp(a.text, b.text) : json_text_cmp(a.text, b.text);
}

/* Position of the first child that is not before the step. */
static size_t lower_bound(const struct field_set *set, size_t from, struct field_step step)
{
    size_t low = from, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (field_step_cmp(set->children[middle].step, step) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct field_set *field_set_find(const struct field_set *set, struct field_step step)
{
    const size_t at = lower_bound(set, 0, step);
    return at < set->count && field_step_eq(set->children[at].step, step) ? &set->children[at]
                                                                          : NULL;
}

void field_set_builder_done(struct field_set_builder *builder)
{
    mem_free(builder->stack);
    builder->stack = NULL;
    builder->count = builder->capacity = 0;
}

size_t field_set_open(const struct field_set_builder *builder)
{
    return builder->count;
}

static void push_node(struct field_set_builder *builder, struct field_set node)
{
    ARRAY_PUSH(builder->stack, builder->count, builder->capacity, node);
}

static int node_cmp(const void *a, const void *b)
{
    return field_step_cmp(((const struct field_set *)a)->step, ((const struct field_set *)b)->step);
}

/* Sorts nodes and joins those with one step. Returns how many are left. */
static size_t sort_nodes(struct arena *arena, struct field_set *nodes, size_t count)
{
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = node_cmp(&nodes[i - 1], &nodes[i]) < 0;
    if (sorted)
        return count;
    qsort(nodes, count, sizeof(*nodes), node_cmp);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (node_cmp(&nodes[kept - 1], &nodes[i]) == 0)
            nodes[kept - 1] = field_set_union(arena, nodes[kept - 1], nodes[i]);
        else
            nodes[kept++] = nodes[i];
    }
    return kept;
}

/* The nodes above a mark on the stack become the children of one node. */
static struct field_set take_nodes(struct field_set_builder *builder, size_t opened)
{
    struct field_set node = {.count = 0};
    const size_t count = builder->count - opened;
    if (count) {
        const size_t kept = sort_nodes(builder->arena, builder->stack + opened, count);
        node.children = arena_alloc_array(builder->arena, kept, sizeof(*node.children));
        memcpy(node.children, builder->stack + opened, kept * sizeof(*node.children));
        node.count = (uint32_t)kept;
    }
    builder->count = opened;
    return node;
}

void field_set_close(struct field_set_builder *builder, size_t opened, struct field_step step,
                     bool member)
{
    struct field_set node = take_nodes(builder, opened);
    node.step = step;
    node.member = member;
    if (!field_set_is_empty(&node))
        push_node(builder, node);
}

void field_set_add(struct field_set_builder *builder, struct field_step step)
{
    push_node(builder, (struct field_set){.step = step, .member = true});
}

struct field_set field_set_finish(struct field_set_builder *builder, size_t opened)
{
    return take_nodes(builder, opened);
}

struct field_set field_set_of_paths(struct arena *arena, const char *const *paths, size_t count)
{
    struct field_set all = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        struct field_set *node = &(struct field_set){.count = 0}, *root = node;
        struct str rest = str_from_c(paths[i]), name;
        while (rest.len) {
            str_cut(&rest, '.', &name);
            node->count = 1;
            node->children = ARENA_NEW(arena, struct field_set);
            node = node->children;
            node->step = (struct field_step){name, FIELD_STEP_MEMBER};
        }
        node->member = node != root;
        all = field_set_union(arena, all, *root);
    }
    return all;
}

static struct field_set *alloc_nodes(struct arena *arena, size_t count)
{
    return arena_alloc_array(arena, count, sizeof(struct field_set));
}

struct field_set field_set_union(struct arena *arena, struct field_set a, struct field_set b)
{
    struct field_set out = {.step = a.step, .member = a.member || b.member};
    if (a.count == 0 || b.count == 0) {
        const struct field_set *more = a.count ? &a : &b;
        out.children = more->children;
        out.count = more->count;
        return out;
    }
    out.children = alloc_nodes(arena, (size_t)a.count + b.count);
    size_t i = 0, j = 0;
    while (i < a.count || j < b.count) {
        const int order = i == a.count   ? 1
                          : j == b.count ? -1
                                         : node_cmp(&a.children[i], &b.children[j]);
        struct field_set *next = &out.children[out.count++];
        if (order == 0)
            *next = field_set_union(arena, a.children[i++], b.children[j++]);
        else
            *next = order < 0 ? a.children[i++] : b.children[j++];
    }
    return out;
}

/* By halves, so that no set is copied more than log(count) times. */
struct field_set field_set_union_all(struct arena *arena, const struct field_set *sets,
                                     size_t count)
{
    if (count <= 1)
        return count ? sets[0] : (struct field_set){.count = 0};
    const size_t half = count / 2;
    return field_set_union(arena, field_set_union_all(arena, sets, half),
                           field_set_union_all(arena, sets + half, count - half));
}

enum part { PART_WITHOUT, PART_WITHOUT_BELOW, PART_COMMON };

/* One child of a against its counterpart of b, or NULL. */
static struct field_set part_of(struct arena *arena, struct field_set a, const struct field_set *b,
                                enum part part);

/* Finds each child of a in b; the smaller a is, the fewer children of b are looked at. */
static struct field_set part_of_children(struct arena *arena, struct field_set a,
                                         const struct field_set *b, enum part part)
{
    struct field_set out = {.step = a.step, .member = a.member};
    out.children = alloc_nodes(arena, a.count);
    size_t j = 0;
    for (size_t i = 0; i < a.count; i++) {
        const struct field_step step = a.children[i].step;
        const bool near = j < b->count && field_step_cmp(b->children[j].step, step) >= 0;
        if (!near)
            j = lower_bound(b, j, step);
        const struct field_set *other =
            j < b->count && field_step_eq(b->children[j].step, step) ? &b->children[j] : NULL;
        const struct field_set kept = part_of(arena, a.children[i], other, part);
        if (!field_set_is_empty(&kept))
            out.children[out.count++] = kept;
    }
    return out;
}

static struct field_set part_of(struct arena *arena, struct field_set a, const struct field_set *b,
                                enum part part)
{
    const bool common = part == PART_COMMON;
    struct field_set out = a;
    if (!b || (part == PART_WITHOUT_BELOW && b->member)) {
        if (common || b)
            out = (struct field_set){.step = a.step};
        return out;
    }
    if (a.count && b->count)
        out = part_of_children(arena, a, b, part);
    else if (common)
        out = (struct field_set){.step = a.step};
    out.member = common ? a.member && b->member : a.member && !b->member;
    return out;
}

struct field_set field_set_without(struct arena *arena, struct field_set a, struct field_set b)
{
    return part_of(arena, a, &b, PART_WITHOUT);
}

struct field_set field_set_without_below(struct arena *arena, struct field_set a,
                                         struct field_set b)
{
    return part_of(arena, a, &b, PART_WITHOUT_BELOW);
}

struct field_set field_set_common(struct arena *arena, struct field_set a, struct field_set b)
{
    return part_of(arena, a, &b, PART_COMMON);
}

/* Members of a node come before those below it, as messages list them. */
static void visit_below(const struct field_set *set, struct buf *path, field_set_visit_fn *visit,
                        void *data)
{
    const size_t len = path->len;
    for (size_t i = 0; i < set->count; i++) {
        if (!set->children[i].member)
            continue;
        field_step_write(path, set->children[i].step);
        visit(data, buf_str(path));
        buf_truncate(path, len);
    }
    for (size_t i = 0; i < set->count; i++) {
        if (set->children[i].count == 0)
            continue;
        field_step_write(path, set->children[i].step);
        visit_below(&set->children[i], path, visit, data);
        buf_truncate(path, len);
    }
}

void field_set_visit(const struct field_set *set, field_set_visit_fn *visit, void *data)
{
    SCOPED(buf) path = {.limit = 0};
    visit_below(set, &path, visit, data);
}
