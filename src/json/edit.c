/*
 * Edits of a document, on top of a patch tree: containers along a path are opened for change, the
 * rest of the document stays borrowed and is copied once, by json_edit_finish().
 *
 * An edit that failed keeps its first error and ignores further changes.
 */
#include "json/edit.h"

#include <assert.h>

#include "json/patch_tree.h"
#include "json/path.h"

static const yyjson_val empty_object = {.tag = YYJSON_TYPE_OBJ, .uni.ofs = sizeof(yyjson_val)};
static const yyjson_val empty_array = {.tag = YYJSON_TYPE_ARR, .uni.ofs = sizeof(yyjson_val)};
static const yyjson_val null_value = {.tag = YYJSON_TYPE_NULL};

void json_edit_init(struct json_edit *edit, const struct json_value *base)
{
    *edit = (struct json_edit){.tree = NEW(struct patch_tree)};
    patch_tree_init(edit->tree, base ? json_to_yyjson(base) : &empty_object);
}

void json_edit_done(struct json_edit *edit)
{
    if (edit->tree)
        patch_tree_done(edit->tree);
    mem_free(edit->tree);
    error_free(edit->err);
    *edit = (struct json_edit){.tree = NULL};
}

/* Copies a string into the tree, with invalid UTF-8 replaced. */
static struct str keep_str(struct json_edit *edit, struct str s)
{
    if (str_is_utf8(s))
        return patch_tree_str(edit->tree, s);
    struct string_pool *repaired = NULL;
    const struct str copy = patch_tree_str(edit->tree, string_pool_repair(&repaired, s));
    string_pool_free(repaired);
    return copy;
}

/* Takes the next name off a place: the dotted path first, then the key. False at the end. */
static bool next_name(struct json_edit *edit, struct json_place *place, struct str *ret_name)
{
    if (json_path_next(&place->path, ret_name))
        return true;
    if (!place->has_key)
        return false;
    *ret_name = keep_str(edit, place->key);
    place->has_key = false;
    return true;
}

static bool is_last(const struct json_place *place)
{
    return *place->path == '\0' && !place->has_key;
}

/* A member by name, or an element by its index in decimal digits. */
static struct patch_slot *find_child(struct json_edit *edit, struct patch_node *node,
                                     struct str name)
{
    size_t index;
    if (node->object)
        return patch_tree_find(edit->tree, node, name);
    return json_path_index(name, &index) && index < node->count ? &node->slots[index] : NULL;
}

static void fail_at(struct json_edit *edit, struct str name, const char *what)
{
    edit->err = error_new(ERROR_INVALID, "cannot change \"%.*s\" %s", STR_ARG(name), what);
}

/*
 * Opens the container in a slot. Null and absent containers become objects when create is set. Any
 * other value in the way is an error.
 */
static struct patch_node *enter_slot(struct json_edit *edit, struct patch_slot *slot,
                                     struct str name, bool create)
{
    if (patch_slot_is_null(slot))
        return create ? patch_tree_open_new(edit->tree, slot) : NULL;
    struct patch_node *node = patch_tree_open(edit->tree, slot);
    if (!node)
        fail_at(edit, name, "inside a value that is neither object nor array");
    return node;
}

/* Finds a child or adds a member. Elements are never added this way; see json_edit_append(). */
static struct patch_slot *make_child(struct json_edit *edit, struct patch_node *node,
                                     struct str name)
{
    struct patch_slot *child = find_child(edit, node, name);
    if (child)
        return child;
    if (node->object)
        return patch_tree_put(edit->tree, node, name, (struct patch_slot){.value = &null_value});
    fail_at(edit, name, "in an array that has no such element");
    return NULL;
}

/* Follows a place and creates what is missing. NULL once the edit has failed. */
static struct patch_slot *reach_place(struct json_edit *edit, struct json_place place)
{
    struct str name;
    struct patch_slot *slot = &edit->tree->root;
    while (slot && !edit->err && next_name(edit, &place, &name)) {
        struct patch_node *node = enter_slot(edit, slot, name, true);
        slot = node ? make_child(edit, node, name) : NULL;
    }
    return edit->err ? NULL : slot;
}

static void set_value(struct json_edit *edit, struct json_place place, const yyjson_val *value)
{
    assert(edit->tree && "the edit is finished");
    struct patch_slot *slot = edit->err ? NULL : reach_place(edit, place);
    if (!slot)
        return;
    slot->value = value;
    slot->node = NULL;
}

void json_edit_set(struct json_edit *edit, struct json_place place, const struct json_value *value)
{
    set_value(edit, place, value ? json_to_yyjson(value) : &null_value);
}

void json_edit_set_str(struct json_edit *edit, struct json_place place, struct str s)
{
    yyjson_val *value = patch_tree_value(edit->tree);
    const struct str copy = keep_str(edit, s);
    unsafe_yyjson_set_strn(value, copy.ptr, copy.len);
    set_value(edit, place, value);
}

void json_edit_set_int(struct json_edit *edit, struct json_place place, int64_t number)
{
    yyjson_val *value = patch_tree_value(edit->tree);
    unsafe_yyjson_set_sint(value, number);
    set_value(edit, place, value);
}

void json_edit_set_bool(struct json_edit *edit, struct json_place place, bool truth)
{
    yyjson_val *value = patch_tree_value(edit->tree);
    unsafe_yyjson_set_bool(value, truth);
    set_value(edit, place, value);
}

void json_edit_set_unless_empty(struct json_edit *edit, struct json_place place,
                                const struct json_value *container)
{
    if (json_count(container))
        json_edit_set(edit, place, container);
    else
        json_edit_remove(edit, place);
}

/* Stops at the first absent part of the path. */
void json_edit_remove(struct json_edit *edit, struct json_place place)
{
    struct str name;
    struct patch_slot *slot = &edit->tree->root;
    while (slot && !edit->err && next_name(edit, &place, &name)) {
        struct patch_node *node = enter_slot(edit, slot, name, false);
        struct patch_slot *child = node ? find_child(edit, node, name) : NULL;
        if (child && is_last(&place)) {
            patch_tree_remove(edit->tree, node, child);
            return;
        }
        slot = child;
    }
}

void json_edit_append(struct json_edit *edit, struct json_place place,
                      const struct json_value *value)
{
    struct patch_slot *slot = edit->err ? NULL : reach_place(edit, place);
    if (!slot)
        return;
    if (patch_slot_is_null(slot))
        slot->value = &empty_array;
    struct patch_node *node = patch_tree_open(edit->tree, slot);
    if (!node || node->object)
        fail_at(edit, str_from_c(place.path), "by appending, it is no array");
    else
        patch_tree_insert(
            edit->tree, node, node->count,
            (struct patch_slot){.value = value ? json_to_yyjson(value) : &null_value});
}

/* Members are unique by construction, so the builder need not look for repeated names. */
struct error *json_edit_finish(struct json_edit *edit, struct json_doc **ret_doc)
{
    if (edit->err)
        return TAKE(edit->err);
    TRY(patch_tree_check(edit->tree));
    SCOPED(json_builder) builder = {.limit = 0};
    patch_tree_write(&edit->tree->root, &builder);
    TRY(builder_finish_checked(&builder, ret_doc));
    json_edit_done(edit);
    return NULL;
}
