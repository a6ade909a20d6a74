#include "apiserver/served_kinds.h"

#include <stdlib.h>

#include "apimachinery/status.h"
#include "apimachinery/wellknown.h"
#include "apiserver/api.h"
#include "apiserver/crd/definition.h"
#include "apiserver/storage/store.h"
#include "base/arena.h"
#include "base/memory.h"
#include "json/path.h"

struct served_kinds {
    size_t users;
    uint64_t revision;
    struct arena arena; /* the list, and references to custom kinds */
    struct kind_list list;
    struct map custom; /* gvk_key() -> const struct kind */
};

static void release_custom(void *custom)
{
    crd_free(custom);
}

/* By group, then the preferred version first, then the plural. */
static int compare_kinds(const void *a, const void *b)
{
    const struct kind *left = *(const struct kind *const *)a;
    const struct kind *right = *(const struct kind *const *)b;
    int order = str_cmp(left->gvk.group, right->gvk.group);
    if (order == 0)
        order = version_cmp(left->gvk.version, right->gvk.version);
    return order ? order : str_cmp(left->plural, right->plural);
}

static void make_list(struct served_kinds *served, const struct map *definitions)
{
    struct arena *arena = &served->arena;
    size_t builtin, count = 0;
    const struct kind *all = kinds_all(&builtin);
    size_t capacity = builtin;
    MAP_FOREACH (entry, definitions) {
        const struct api_definition *definition = entry->value;
        capacity += definition->custom ? crd_kind_count(definition->custom) : 0;
    }
    const struct kind **items =
        arena_alloc_array(arena, capacity ? capacity : 1, sizeof(const struct kind *));
    for (size_t i = 0; i < builtin; i++)
        items[count++] = &all[i];
    MAP_FOREACH (entry, definitions) {
        const struct api_definition *definition = entry->value;
        if (!definition->custom)
            continue;
        arena_hold(arena, release_custom, crd_ref(definition->custom));
        for (size_t i = 0; i < crd_kind_count(definition->custom); i++)
            items[count++] = crd_kind(definition->custom, i);
    }
    qsort(items + builtin, count - builtin, sizeof(const struct kind *), compare_kinds);
    served->list = (struct kind_list){items, count};
}

/* Who finds a kind by its key compares the gvk, as a reference may have slashes anywhere. */
static struct str gvk_key(struct buf *out, struct gvk gvk)
{
    BUF_ADD_ALL(out, gvk.group, STR("/"), gvk.version, STR("/"), gvk.kind);
    return buf_str(out);
}

static void index_custom(struct served_kinds *served)
{
    SCOPED(buf) key = {.limit = 0};
    for (size_t i = 0; i < served->list.count; i++) {
        const struct kind *kind = served->list.items[i];
        if (!kind->is_custom)
            continue;
        buf_clear(&key);
        map_put(&served->custom, gvk_key(&key, kind->gvk), (void *)kind);
    }
}

struct served_kinds *served_kinds_new(const struct map *definitions, uint64_t revision)
{
    struct served_kinds *served = NEW(struct served_kinds);
    served->users = 1;
    served->revision = revision;
    make_list(served, definitions);
    index_custom(served);
    return served;
}

struct served_kinds *served_kinds_ref(struct served_kinds *served)
{
    served->users++;
    return served;
}

void served_kinds_free(struct served_kinds *served)
{
    if (!served || --served->users > 0)
        return;
    map_done(&served->custom);
    arena_done(&served->arena);
    mem_free(served);
}

uint64_t served_kinds_revision(const struct served_kinds *served)
{
    return served->revision;
}

struct kind_list served_kinds_list(const struct served_kinds *served)
{
    return served->list;
}

const struct kind *served_kinds_find(const struct served_kinds *served, struct gvk gvk)
{
    SCOPED(buf) key = {.limit = 0};
    const struct kind *kind = map_find(&served->custom, gvk_key(&key, gvk));
    return kind && gvk_eq(kind->gvk, gvk) ? kind : NULL;
}

static size_t count_served(const struct map *definitions)
{
    size_t count = 0;
    MAP_FOREACH (entry, definitions) {
        const struct api_definition *definition = entry->value;
        count += definition->custom ? crd_kind_count(definition->custom) : DEFINITION_VERSIONS_MAX;
    }
    return count;
}

/* The served versions of a stored definition; NULL has none. */
static size_t count_versions(const struct object_text *text)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *version;
    size_t count = 0;
    if (!text)
        return 0;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    JSON_FOREACH (key, version, json_path(json_doc_root(doc), "spec.versions")) {
        bool is_served = false;
        count += json_to_bool(json_get(version, STR("served")), &is_served) && is_served;
    }
    return count;
}

/* Definitions are read only when there is hardly any room left. */
struct error *served_kinds_check_room(const struct map *definitions, const struct store_edit *edit)
{
    const size_t served = count_served(definitions);
    if (edit->action != STORE_PUT || served + DEFINITION_VERSIONS_MAX <= SERVED_VERSIONS_MAX)
        return NULL;
    const size_t before = count_versions(edit->previous), after = count_versions(edit->text);
    if (after <= before || served + after - before <= SERVED_VERSIONS_MAX)
        return NULL;
    SCOPED(arena) arena = {0};
    struct field_errors errors = {.arena = &arena};
    field_errors_add(&errors, FIELD_FORBIDDEN, STR("spec.versions"),
                     arena_print(&arena,
                                 "this API would serve %zu versions of custom resources, and may "
                                 "serve %d: delete definitions, or serve fewer versions of them",
                                 served + after - before, SERVED_VERSIONS_MAX));
    return status_invalid(GVK_CRD, object_text_key(edit->text).name, &errors);
}
