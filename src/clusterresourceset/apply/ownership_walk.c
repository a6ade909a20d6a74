#include "clusterresourceset/apply/ownership_walk.h"

#define FIELDS_SHOWN ((size_t)8)

void ownership_walk_init(struct ownership_walk *walk, const struct json_value *fields)
{
    walk->depth = walk->level = 0;
    walk->node = NULL;
    walk->levels[0] = (struct json_iter){.container = fields};
}

void ownership_walk_skip(struct ownership_walk *walk)
{
    walk->node = NULL;
    walk->depth--;
}

/* Goes below the present node, if there is anything. */
static void enter_node(struct ownership_walk *walk)
{
    if (json_type(walk->node) != JSON_OBJECT || walk->depth == OWNERSHIP_WALK_DEPTH) {
        ownership_walk_skip(walk);
        return;
    }
    walk->levels[++walk->level] = (struct json_iter){.container = walk->node};
    walk->node = NULL;
}

/* Depth first, without recursion: a server decides how deep the tree is. */
const struct json_value *ownership_walk_next(struct ownership_walk *walk)
{
    if (walk->node)
        enter_node(walk);
    for (;;) {
        const struct json_value *node;
        struct str step;
        if (!json_next(&walk->levels[walk->level], &step, &node)) {
            if (!walk->level)
                return NULL;
            walk->level--;
            walk->depth--;
        } else if (!str_eq(step, STR("."))) {
            walk->steps[walk->depth++] = step;
            walk->node = node;
            return node;
        }
    }
}

bool ownership_walk_is_member(const struct json_value *node)
{
    return json_type(node) == JSON_OBJECT && (!json_count(node) || json_get(node, STR(".")));
}

const struct json_value *ownership_walk_find(const struct ownership_walk *walk,
                                             const struct json_value *fields)
{
    for (size_t i = 0; i < walk->depth; i++)
        fields = json_get(fields, walk->steps[i]);
    return fields;
}

/* The keys of a list item, {"port":80,"protocol":"TCP"}, become [80,TCP]. */
static void write_item_keys(struct str keys, struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(keys, &doc);
    const struct json_value *value, *root = json_doc_root(doc);
    const char *separator = "";
    if (json_type(root) != JSON_OBJECT) {
        if (json_type(root) == JSON_STRING)
            buf_add(out, json_to_str(root));
        else
            buf_add(out, keys);
        return;
    }
    JSON_FOREACH (key, value, root) {
        buf_print(out, "%s", separator);
        separator = ",";
        if (json_type(value) == JSON_STRING)
            buf_add(out, json_to_str(value));
        else
            json_write(out, value);
    }
}

/* "f:spec" "f:ports" "k:{\"port\":80}" is written spec.ports[80]. */
void ownership_walk_write_path(const struct ownership_walk *walk, bool is_secret, struct buf *out)
{
    const size_t begin = out->len;
    for (size_t i = 0; i < walk->depth; i++) {
        const struct str step = walk->steps[i];
        if (str_starts_with(step, STR("f:"))) {
            buf_add(out, out->len > begin ? STR(".") : STR(""));
            buf_add(out, str_skip(step, 2));
            continue;
        }
        buf_add_char(out, '[');
        if (is_secret)
            buf_add(out, STR("…"));
        else
            write_item_keys(str_skip(step, step.len > 2 ? 2 : step.len), out);
        buf_add_char(out, ']');
    }
}

/* A member without others below it. */
static bool is_leaf(const struct json_value *node)
{
    return ownership_walk_is_member(node) && json_count(node) <= 1;
}

void ownership_walk_write_all(const struct json_value *fields, bool is_secret, struct buf *out)
{
    struct ownership_walk walk;
    size_t count = 0;
    ownership_walk_init(&walk, fields);
    for (const struct json_value *node; (node = ownership_walk_next(&walk));) {
        if (!is_leaf(node) || count++ >= FIELDS_SHOWN)
            continue;
        buf_add(out, count > 1 ? STR(", ") : STR(""));
        ownership_walk_write_path(&walk, is_secret, out);
    }
    if (count > FIELDS_SHOWN)
        buf_print(out, " and %zu more", count - FIELDS_SHOWN);
}
