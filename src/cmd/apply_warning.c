#include "cmd/apply_warning.h"

#include "apiserver/managedfields/field_walk.h"
#include "apiserver/registry/kind.h"
#include "base/arena.h"
#include "clusterresourceset/apply/apply_definition.h"
#include "clusterresourceset/apply/apply_server_side.h"
#include "cmd/object_name.h"
#include "json/path.h"

/* Objects that are named; the others are counted. */
#define NAMED_MAX 5

/* "deployment.apps/web (metadata.uid), …" */
struct named_objects {
    struct buf text;
    size_t count;
};

static void named_objects_done(struct named_objects *named)
{
    buf_done(&named->text);
}

static void add_named(struct named_objects *named, const struct object *object, struct str why)
{
    if (named->count++ >= NAMED_MAX)
        return;
    buf_add(&named->text, named->count > 1 ? STR(", ") : STR(""));
    object_name_add(&named->text, object);
    buf_print(&named->text, " (%.*s)", STR_ARG(why));
}

static size_t finish_named(struct buf *out, struct named_objects *named, const char *one,
                           const char *several)
{
    if (!named->count)
        return 0;
    buf_print(out, "%zu %s: %s", named->count, named->count == 1 ? one : several,
              buf_c(&named->text));
    if (named->count > NAMED_MAX)
        buf_print(out, " and %zu more", named->count - NAMED_MAX);
    return named->count;
}

static bool definition_has_status(const struct object *definition, struct str version)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, json_path(object_root(definition), "spec.versions"))
        if (str_eq(json_path_str(one, "name"), version))
            return json_path(one, "subresources.status") != NULL;
    return false;
}

/* True for a kind whose status is a subresource. */
static bool has_status(struct gvk gvk, struct object *const *objects, size_t count)
{
    const struct kind *kind = kinds_find_kind(gvk);
    if (kind)
        return kind_subresource(kind, STR("status")) != NULL;
    for (size_t i = 0; i < count; i++)
        if (apply_definition_is(objects[i]) && apply_definition_brings(objects[i], gvk))
            return definition_has_status(objects[i], gvk.version);
    return false;
}

size_t apply_warning_add_server_fields(struct buf *out, struct object *const *objects, size_t count)
{
    SCOPED(named_objects) named = {.text = {.limit = 0}};
    for (size_t i = 0; i < count; i++) {
        SCOPED(buf) fields = {.limit = 0};
        const bool status = has_status(object_gvk(objects[i]), objects, count);
        if (apply_server_side_name_server_fields(objects[i], status, &fields))
            add_named(&named, objects[i], buf_str(&fields));
    }
    return finish_named(out, &named,
                        "object has fields that only a server writes and that are left out",
                        "objects have fields that only a server writes and that are left out");
}

/* The first list with a key twice, as a server tells it; empty: there is none. */
static struct str find_duplicate(const struct object *object, struct arena *arena)
{
    struct field_type type;
    struct field_walk walk;
    struct str line;
    if (!field_type_of_builtin(object_gvk(object), &type))
        return STR("");
    field_walk_init(&walk, arena);
    OWNED(error) err = field_walk_check(&walk, type, object_root(object), false);
    struct str rest = err ? str_from_c(err->message) : STR("");
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (str_contains(line, STR("duplicate entries for key")))
            return arena_str(arena, str_trim(line));
    }
    return STR("");
}

size_t apply_warning_add_duplicates(struct buf *out, struct object *const *objects, size_t count)
{
    SCOPED(named_objects) named = {.text = {.limit = 0}};
    for (size_t i = 0; i < count; i++) {
        SCOPED(arena) arena = {0};
        const struct str duplicate = find_duplicate(objects[i], &arena);
        if (duplicate.len)
            add_named(&named, objects[i], duplicate);
    }
    return finish_named(
        out, &named,
        "object has a key twice in a list, which server-side apply does not take; with "
        "Reconcile it is merged, and what others set there is removed",
        "objects have a key twice in a list, which server-side apply does not take; with "
        "Reconcile they are merged, and what others set there is removed");
}
