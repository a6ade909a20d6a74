/*
 * Reading objects: corset_object_*() without the functions that change, which are in
 * corset_edit.c.
 *
 * A corset_object wraps a struct object. It lives in the arena of a run, or on the heap if it was
 * made without a run. Reading ends an open edit first (library_settle()). Texts that are handed
 * out are copied with a NUL at the end and kept until the object is released, so they stay valid
 * when the object is changed.
 */
#include "base/memory.h"
#include "json/builder.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "libcorset/library_internal.h"

/*
 * A text that was handed out. The object keeps one copy of each text under its hash. The text
 * itself is no key, because a map does not wipe its keys and the text may be a secret.
 */
struct library_text {
    struct library_text *next; /* of the same hash */
    size_t length;
    char bytes[];
};

static void release_texts(void *ptr)
{
    for (struct library_text *text = ptr, *next; text; text = next) {
        next = text->next;
        mem_wipe(text->bytes, text->length);
        mem_free(text);
    }
}

static void release_object(void *ptr)
{
    struct corset_object *object = ptr;
    if (object->is_editing)
        json_edit_done(&object->edit);
    object_free(object->object);
    map_done(&object->texts);
    error_free(object->problem);
    if (object->is_heap)
        mem_free(object);
}

/* In the arena, which releases it; on the heap if arena is NULL. */
static struct corset_object *new_object(struct arena *arena)
{
    struct corset_object *object;
    if (arena) {
        object = ARENA_NEW(arena, struct corset_object);
        arena_hold(arena, release_object, object);
    } else {
        object = mem_alloc_zero(sizeof(*object));
        object->is_heap = true;
    }
    object->texts.release = release_texts;
    return object;
}

static struct arena *arena_of(struct corset_run *run)
{
    return run ? framework_arena(library_run(run)) : NULL;
}

struct corset_object *library_wrap(struct arena *arena, struct object *object)
{
    struct corset_object *wrapped = new_object(arena);
    wrapped->object = object_ref(object);
    return wrapped;
}

static struct error *read_text(struct str text, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    TRY(manifest_read_one(text, NULL, &doc, NULL), "read an object");
    return object_from_doc(doc, ret_object);
}

/*
 * Text that cannot be read leaves an empty object with a problem, so that callers need no NULL
 * checks.
 */
struct corset_object *corset_object_from_yaml(struct corset_run *run, const char *text)
{
    struct corset_object *object = new_object(arena_of(run));
    object->problem = read_text(str_from_c(text), &object->object);
    if (object->problem) {
        OWNED(error) never = object_read(STR("{}"), &object->object);
    }
    return object;
}

struct corset_object *corset_object_clone(struct corset_run *run,
                                          const struct corset_object *object)
{
    struct corset_object *clone = library_wrap(arena_of(run), library_settle(object));
    if (object->problem)
        clone->problem = error_copy(object->problem);
    return clone;
}

void corset_object_free(struct corset_object *object)
{
    if (object && object->is_heap)
        release_object(object);
}

const struct corset_error *corset_object_problem(const struct corset_object *object)
{
    library_settle(object);
    return (const struct corset_error *)object->problem;
}

/* Cuts the next name off the path and removes the backslashes in front of dots. */
static bool next_name(const char **path, struct buf *name)
{
    const char *at = *path;
    if (*at == '\0')
        return false;
    buf_clear(name);
    for (; *at && *at != '.'; at++) {
        if (at[0] == '\\' && (at[1] == '.' || at[1] == '\\'))
            at++;
        buf_add_char(name, *at);
    }
    *path = *at ? at + 1 : at;
    return true;
}

/* Paths without escapes go to json_path(); a path with escapes is walked name by name. */
const struct json_value *library_path(const struct json_value *value, const char *path)
{
    SCOPED(buf) name = {.limit = 0};
    size_t index;
    if (!strchr(path, '\\'))
        return json_path(value, path);
    while (value && next_name(&path, &name)) {
        if (json_type(value) != JSON_ARRAY)
            value = json_get(value, buf_str(&name));
        else
            value = json_path_index(buf_str(&name), &index) ? json_at(value, index) : NULL;
    }
    return value;
}

static const struct json_value *find_value(const struct corset_object *object, const char *path)
{
    return library_path(object_root(library_settle(object)), path);
}

/*
 * const for callers: the copies do not change what the object says. The address of the object
 * seeds the hash.
 */
const char *library_keep(const struct corset_object *object, struct str text)
{
    struct map *texts = &((struct corset_object *)object)->texts;
    const uint64_t hash = str_hash(text, (uint64_t)(uintptr_t)object);
    const struct str key = {(const char *)&hash, sizeof(hash)};
    struct library_text *first = map_find(texts, key);
    for (const struct library_text *kept = first; kept; kept = kept->next)
        if (str_eq(str_from(kept->bytes, kept->length), text))
            return kept->bytes;
    struct library_text *kept = mem_alloc_zero(sizeof(*kept) + text.len + 1);
    kept->next = first;
    kept->length = text.len;
    if (text.len)
        memcpy(kept->bytes, text.ptr, text.len);
    map_put(texts, key, kept);
    return kept->bytes;
}

/* A text with a NUL byte cannot be a C string, so it counts as absent. */
static const char *keep_string(const struct corset_object *object, const struct json_value *value,
                               const char *fallback)
{
    const struct str text = json_to_str(value);
    if (json_type(value) != JSON_STRING || str_find_char(text, '\0') != STR_NONE)
        return fallback;
    return text.len ? library_keep(object, text) : "";
}

const char *corset_object_string(const struct corset_object *object, const char *path,
                                 const char *fallback)
{
    return keep_string(object, find_value(object, path), fallback);
}

int64_t corset_object_int(const struct corset_object *object, const char *path, int64_t fallback)
{
    int64_t number;
    return json_to_int64(find_value(object, path), &number) ? number : fallback;
}

double corset_object_double(const struct corset_object *object, const char *path, double fallback)
{
    double number;
    return json_to_double(find_value(object, path), &number) ? number : fallback;
}

bool corset_object_bool(const struct corset_object *object, const char *path, bool fallback)
{
    bool truth;
    return json_to_bool(find_value(object, path), &truth) ? truth : fallback;
}

bool corset_object_has(const struct corset_object *object, const char *path)
{
    const enum json_type type = json_type(find_value(object, path));
    return type != JSON_ABSENT && type != JSON_NULL;
}

size_t corset_object_count(const struct corset_object *object, const char *path)
{
    return json_count(find_value(object, path));
}

const char *corset_object_key(const struct corset_object *object, const char *path, size_t index)
{
    const struct json_value *map = find_value(object, path), *member;
    if (json_type(map) != JSON_OBJECT)
        return NULL;
    JSON_FOREACH (key, member, map)
        if (index-- == 0)
            return library_keep(object, key);
    return NULL;
}

const char *corset_object_json(const struct corset_object *object, const char *path)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    const struct json_value *value = find_value(object, path);
    if (!value)
        return NULL;
    if (path[0])
        json_write(&text, value);
    else
        object_write(&text, library_settle(object));
    return library_keep(object, buf_str(&text));
}

/*
 * An item of a List may lack apiVersion and kind, which the List then implies; struct object knows
 * them, a path does not.
 */
const char *corset_object_api_version(const struct corset_object *object)
{
    const struct str text = object_api_version(library_settle(object));
    return text.len ? library_keep(object, text) : "";
}

const char *corset_object_kind(const struct corset_object *object)
{
    const struct str text = object_kind(library_settle(object));
    return text.len ? library_keep(object, text) : "";
}

const char *corset_object_name(const struct corset_object *object)
{
    return corset_object_string(object, "metadata.name", "");
}

const char *corset_object_namespace(const struct corset_object *object)
{
    return corset_object_string(object, "metadata.namespace", "");
}

const char *corset_object_uid(const struct corset_object *object)
{
    return corset_object_string(object, "metadata.uid", "");
}

const char *corset_object_label(const struct corset_object *object, const char *key)
{
    const struct json_value *labels = object_labels(library_settle(object));
    return keep_string(object, json_get(labels, str_from_c(key)), "");
}

const char *corset_object_annotation(const struct corset_object *object, const char *key)
{
    const struct json_value *annotations = object_annotations(library_settle(object));
    return keep_string(object, json_get(annotations, str_from_c(key)), "");
}

const char *corset_object_condition(const struct corset_object *object, const char *type)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, find_value(object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), str_from_c(type)))
            return keep_string(object, json_get(condition, STR("status")), "Unknown");
    return "Unknown";
}
