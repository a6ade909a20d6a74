#include "apimachinery/object_edit.h"

#include "base/array.h"
#include "json/builder.h"

static void push_finalizer(struct object_edit *edit, struct str finalizer)
{
    ARENA_ARRAY_PUSH(&edit->arena, edit->finalizers, edit->finalizer_count,
                     edit->finalizer_capacity, finalizer);
}

static void push_owner(struct object_edit *edit, struct object_edit_owner owner)
{
    ARENA_ARRAY_PUSH(&edit->arena, edit->owners, edit->owner_count, edit->owner_capacity, owner);
}

static void read_lists(struct object_edit *edit, const struct object *base)
{
    const struct json_value *value, *finalizers = object_finalizers(base);
    const struct json_value *owners = object_owner_references(base);
    JSON_FOREACH (key, value, finalizers)
        push_finalizer(edit, json_to_str(value));
    JSON_FOREACH (key, value, owners)
        push_owner(edit, (struct object_edit_owner){owner_reference_from_value(value), value});
}

void object_edit_init(struct object_edit *edit, const struct object *base)
{
    *edit = (struct object_edit){.key = object_key(base)};
    const struct json_value *root = object_root(base);
    json_edit_init(&edit->json, root);
    read_lists(edit, base);
    if (!json_get(root, STR("apiVersion")) && object_api_version(base).len)
        json_edit_set_str(&edit->json, JSON_PLACE("apiVersion"), object_api_version(base));
    if (!json_get(root, STR("kind")) && object_kind(base).len)
        json_edit_set_str(&edit->json, JSON_PLACE("kind"), object_kind(base));
}

void object_edit_done(struct object_edit *edit)
{
    json_edit_done(&edit->json);
    arena_done(&edit->arena);
    *edit = (struct object_edit){.finalizer_count = 0};
}

static size_t find_finalizer(const struct object_edit *edit, struct str finalizer)
{
    size_t i = 0;
    while (i < edit->finalizer_count && !str_eq(edit->finalizers[i], finalizer))
        i++;
    return i;
}

bool object_edit_add_finalizer(struct object_edit *edit, struct str finalizer)
{
    if (find_finalizer(edit, finalizer) < edit->finalizer_count)
        return false;
    push_finalizer(edit, arena_str(&edit->arena, finalizer));
    edit->finalizers_changed = true;
    return true;
}

bool object_edit_remove_finalizer(struct object_edit *edit, struct str finalizer)
{
    size_t kept = 0;
    for (size_t i = 0; i < edit->finalizer_count; i++)
        if (!str_eq(edit->finalizers[i], finalizer))
            edit->finalizers[kept++] = edit->finalizers[i];
    const bool removed = kept < edit->finalizer_count;
    edit->finalizer_count = kept;
    edit->finalizers_changed |= removed;
    return removed;
}

static bool is_same(const struct object_edit *edit, size_t i, struct owner_reference owner)
{
    return owner_reference_same_owner(edit->owners[i].reference, owner);
}

/* Another owner that controls the object. Two that differ in uid alone are one, recreated. */
static const struct owner_reference *find_rival(const struct object_edit *edit,
                                                struct owner_reference owner)
{
    for (size_t i = 0; owner.controller && i < edit->owner_count; i++)
        if (edit->owners[i].reference.controller && !is_same(edit, i, owner))
            return &edit->owners[i].reference;
    return NULL;
}

static struct object_edit_owner *find_owner(const struct object_edit *edit,
                                            struct owner_reference owner)
{
    for (size_t i = 0; i < edit->owner_count; i++)
        if (is_same(edit, i, owner))
            return &edit->owners[i];
    return NULL;
}

static void refuse_second_controller(struct object_edit *edit, const struct owner_reference *rival)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct str key = key_text(&arena, edit->key);
    struct error *err =
        error_new(ERROR_INVALID, "object %.*s is already controlled by %.*s \"%.*s\"", STR_ARG(key),
                  STR_ARG(rival->kind), STR_ARG(rival->name));
    if (edit->json.err)
        error_free(err);
    else
        edit->json.err = err;
}

bool object_edit_set_owner(struct object_edit *edit, struct owner_reference owner)
{
    const struct owner_reference *rival = find_rival(edit, owner);
    struct object_edit_owner *same = find_owner(edit, owner);
    if (rival) {
        refuse_second_controller(edit, rival);
        return false;
    }
    if (same && owner_reference_eq(same->reference, owner))
        return false;
    const struct object_edit_owner changed = {owner_reference_copy(&edit->arena, owner), NULL};
    if (same)
        *same = changed;
    else
        push_owner(edit, changed);
    edit->owners_changed = true;
    return true;
}

bool object_edit_remove_owner(struct object_edit *edit, struct owner_reference owner)
{
    size_t kept = 0;
    for (size_t i = 0; i < edit->owner_count; i++)
        if (!is_same(edit, i, owner))
            edit->owners[kept++] = edit->owners[i];
    const bool removed = kept < edit->owner_count;
    edit->owner_count = kept;
    edit->owners_changed |= removed;
    return removed;
}

void object_edit_drop_managed_fields(struct object_edit *edit)
{
    json_edit_remove(&edit->json, JSON_PLACE("metadata.managedFields"));
}

static struct error *build_finalizers(const struct object_edit *edit, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    for (size_t i = 0; i < edit->finalizer_count; i++)
        json_builder_str(&builder, edit->finalizers[i]);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

static struct error *build_owners(const struct object_edit *edit, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_array(&builder);
    for (size_t i = 0; i < edit->owner_count; i++) {
        const struct object_edit_owner *owner = &edit->owners[i];
        if (owner->value)
            json_builder_value(&builder, owner->value);
        else
            owner_reference_build(owner->reference, &builder);
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* A list that is empty is not written at all, as Go's omitempty has it. */
static void set_list(struct object_edit *edit, struct json_place place, const struct json_doc *list)
{
    const struct json_value *value = json_doc_root(list);
    if (json_count(value) > 0)
        json_edit_set(&edit->json, place, value);
    else
        json_edit_remove(&edit->json, place);
}

struct error *object_edit_finish(struct object_edit *edit, struct object **ret_object)
{
    OWNED(json_doc) finalizers = NULL;
    OWNED(json_doc) owners = NULL;
    OWNED(json_doc) doc = NULL;
    if (edit->json.err)
        return TAKE(edit->json.err);
    if (edit->finalizers_changed) {
        TRY(build_finalizers(edit, &finalizers));
        set_list(edit, JSON_PLACE("metadata.finalizers"), finalizers);
    }
    if (edit->owners_changed) {
        TRY(build_owners(edit, &owners));
        set_list(edit, JSON_PLACE("metadata.ownerReferences"), owners);
    }
    TRY(json_edit_finish(&edit->json, &doc));
    return object_from_doc(doc, ret_object);
}
