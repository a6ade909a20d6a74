/*
 * Owner references: reading, comparing and writing entries of metadata.ownerReferences.
 */
#include "apimachinery/owner_reference.h"

#include "json/path.h"

static bool read_flag(const struct json_value *value, struct str name)
{
    bool flag = false;
    (void)json_to_bool(json_get(value, name), &flag);
    return flag;
}

struct owner_reference owner_reference_from_value(const struct json_value *value)
{
    return (struct owner_reference){
        .api_version = json_path_str(value, "apiVersion"),
        .kind = json_path_str(value, "kind"),
        .name = json_path_str(value, "name"),
        .uid = json_path_str(value, "uid"),
        .controller = read_flag(value, STR("controller")),
        .block_owner_deletion = read_flag(value, STR("blockOwnerDeletion")),
    };
}

struct owner_reference owner_reference_copy(struct arena *arena, struct owner_reference reference)
{
    reference.api_version = arena_str(arena, reference.api_version);
    reference.kind = arena_str(arena, reference.kind);
    reference.name = arena_str(arena, reference.name);
    reference.uid = arena_str(arena, reference.uid);
    return reference;
}

/* blockOwnerDeletion is left out on purpose, see the header. */
bool owner_reference_eq(struct owner_reference a, struct owner_reference b)
{
    return str_eq(a.uid, b.uid) && str_eq(a.name, b.name) && str_eq(a.kind, b.kind) &&
           str_eq(a.api_version, b.api_version) && a.controller == b.controller;
}

static struct str group_of(struct str api_version)
{
    struct str group;
    return str_cut(&api_version, '/', &group) ? group : STR("");
}

/*
 * controllerutil compares the group, not the version, so that an upgrade of the API is not a new
 * owner.
 */
bool owner_reference_same_owner(struct owner_reference a, struct owner_reference b)
{
    return str_eq(a.name, b.name) && str_eq(a.kind, b.kind) &&
           str_eq(group_of(a.api_version), group_of(b.api_version));
}

/* Flags that are false are not written, as with Go's omitempty. */
void owner_reference_build(struct owner_reference reference, struct json_builder *builder)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "apiVersion", reference.api_version);
    json_builder_add_str(builder, "kind", reference.kind);
    json_builder_add_str(builder, "name", reference.name);
    json_builder_add_str(builder, "uid", reference.uid);
    if (reference.controller)
        json_builder_add_bool(builder, "controller", true);
    if (reference.block_owner_deletion)
        json_builder_add_bool(builder, "blockOwnerDeletion", true);
    json_builder_end(builder);
}
