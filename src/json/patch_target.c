/*
 * Paths of JSON patch operations, with the rules and messages of evanphx/json-patch, which differ
 * from RFC 6901 in details: indices may be negative, signed or have leading zeros.
 */
#include "json/patch_target.h"

#include "base/ascii.h"

/* ~1 is "/" and ~0 is "~", in one pass. */
static struct str unescape_name(struct patch_tree *tree, struct str name)
{
    if (str_find_char(name, '~') == STR_NONE)
        return name;
    char *out = arena_alloc(&tree->arena, name.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++) {
        const char next = i + 1 < name.len ? name.ptr[i + 1] : '\0';
        const bool escape = name.ptr[i] == '~' && (next == '0' || next == '1');
        out[len++] = !escape ? name.ptr[i] : next == '0' ? '~' : '/';
        i += escape;
    }
    return str_from(out, len);
}

static struct error *atoi_error(struct str key, const char *why)
{
    SCOPED(buf) quoted = {.limit = 0};
    buf_add_json_string(&quoted, key);
    return error_new(ERROR_INVALID, "strconv.Atoi: parsing %.*s: %s", STR_ARG(buf_str(&quoted)),
                     why);
}

/* Go's strconv.Atoi() with its messages. Leading zeros and a plus sign are allowed. */
static struct error *read_index(struct str key, int64_t *ret_index)
{
    uint64_t magnitude;
    const bool negative = key.len && key.ptr[0] == '-';
    const bool sign = negative || (key.len && key.ptr[0] == '+');
    const struct str digits = str_skip(key, sign);
    for (size_t i = 0; i < digits.len; i++)
        if (!ascii_is_digit(digits.ptr[i]))
            return atoi_error(key, "invalid syntax");
    if (digits.len == 0)
        return atoi_error(key, "invalid syntax");
    if (!str_to_uint64(digits, &magnitude) || magnitude > INT64_MAX)
        return atoi_error(key, "value out of range");
    *ret_index = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return NULL;
}

/* The index into a list of so many places; negative ones count from its end. */
static struct error *read_place(struct str key, size_t places, size_t *ret_place)
{
    int64_t index = 0;
    TRY(read_index(key, &index));
    if (index >= (int64_t)places || index < -(int64_t)places)
        return error_new(ERROR_INVALID,
                         "Unable to access invalid index: %lld: invalid index referenced",
                         (long long)index);
    *ret_place = (size_t)(index < 0 ? index + (int64_t)places : index);
    return NULL;
}

struct error *patch_target_find(struct patch_tree *tree, struct patch_target target,
                                struct patch_slot **ret_slot)
{
    size_t place = 0;
    if (target.node->object) {
        *ret_slot = patch_tree_find(tree, target.node, target.key);
        return NULL;
    }
    TRY(read_place(target.key, target.node->count, &place));
    *ret_slot = &target.node->slots[place];
    return NULL;
}

/*
 * Opens every container along the path. A missing part gives a target without a node, which the
 * operation reports with its own message.
 */
struct patch_target patch_target_follow(struct patch_tree *tree, struct str path)
{
    struct str rest = path, name;
    struct patch_target target = {.node = NULL};
    if (!str_cut(&rest, '/', &name))
        return target;
    struct patch_slot *slot = &tree->root;
    for (bool more = true; more;) {
        target.node = slot ? patch_tree_open(tree, slot) : NULL;
        if (!target.node)
            return target;
        more = str_cut(&rest, '/', &name);
        target.key = unescape_name(tree, name);
        OWNED(error) err = more ? patch_target_find(tree, target, &slot) : NULL;
        if (err)
            slot = NULL;
    }
    return target;
}

/* "-" appends. The index is read twice, because the library has two messages for a bad one. */
struct error *patch_target_add(struct patch_tree *tree, struct patch_target target,
                               struct patch_slot content)
{
    struct patch_node *node = target.node;
    if (node->object) {
        patch_tree_put(tree, node, target.key, content);
        return NULL;
    }
    size_t place = node->count;
    if (!str_eq(target.key, STR("-"))) {
        int64_t index;
        TRY(read_index(target.key, &index), "value was not a proper array index: '%.*s'",
            STR_ARG(target.key));
        TRY(read_place(target.key, node->count + 1, &place));
    }
    patch_tree_insert(tree, node, place, content);
    return NULL;
}

struct error *patch_target_remove(struct patch_tree *tree, struct patch_target target)
{
    struct patch_slot *slot;
    TRY(patch_target_find(tree, target, &slot));
    if (!slot)
        return error_new(ERROR_INVALID, "Unable to remove nonexistent key: %.*s: missing value",
                         STR_ARG(target.key));
    patch_tree_remove(tree, target.node, slot);
    return NULL;
}
