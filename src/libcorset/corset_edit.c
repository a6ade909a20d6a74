/*
 * Changing objects: corset_object_set_*() and its relatives.
 *
 * Changes are collected in a json_edit and become a document when the object is read or used. So
 * an object with many fields is copied once, not once per field. The first problem stays with the
 * object and makes every use of the object fail; later problems are dropped.
 */
#include <stdarg.h>

#include "base/memory.h"
#include "json/yaml/manifest.h"
#include "libcorset/library_internal.h"

/* Keeps the first problem. Takes err. */
static void note_problem(struct corset_object *object, struct error *err)
{
    if (object->problem)
        error_free(err);
    else
        object->problem = err;
}

/* Makes a new object of the old one and the changes. */
static struct error *finish_edit(struct corset_object *object, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_edit_finish(&object->edit, &doc), "change an object");
    return object_from_doc(doc, ret_object);
}

/* Ends the edit. After a failure the object keeps its state from before the edit. */
static void end_edit(struct corset_object *object)
{
    struct object *changed = NULL;
    struct error *err = finish_edit(object, &changed);
    json_edit_done(&object->edit);
    object->is_editing = false;
    if (err) {
        note_problem(object, err);
        return;
    }
    object_free(object->object);
    object->object = changed;
}

/* const, because ending an edit does not change what the object says. */
struct object *library_settle(const struct corset_object *object)
{
    if (object->is_editing)
        end_edit((struct corset_object *)object);
    return object->object;
}

struct error *library_use(const struct corset_object *object, struct object **ret_object)
{
    struct object *settled = library_settle(object);
    if (object->problem)
        return error_copy(object->problem);
    *ret_object = settled;
    return NULL;
}

/* The open edit of the object; a new one if there is none. */
static struct json_edit *begin_edit(struct corset_object *object)
{
    if (!object->is_editing)
        json_edit_init(&object->edit, object_root(object->object));
    object->is_editing = true;
    return &object->edit;
}

/*
 * Translates a path into a place of json/edit.h. Only the last name of a path may contain escaped
 * dots, since a json_place has one separate key. Returns false and notes the problem for any other
 * path. Texts live in the arena.
 */
static bool find_place(struct corset_object *object, struct arena *arena, const char *path,
                       struct json_place *ret_place)
{
    const struct str whole = str_from_c(path);
    size_t dot = STR_NONE, length = 0;
    bool is_escaped = false;
    char *name = arena_alloc(arena, whole.len + 1);
    for (size_t i = 0; i < whole.len; i++) {
        if (whole.ptr[i] == '.') {
            dot = i;
            length = 0;
            if (is_escaped)
                break;
            continue;
        }
        if (whole.ptr[i] == '\\' && i + 1 < whole.len) {
            is_escaped = true;
            i++;
        }
        name[length++] = whole.ptr[i];
    }
    if (whole.len == 0 || (is_escaped && length == 0)) {
        note_problem(object, error_new(ERROR_INVALID,
                                       "path '%s': only its last name may be escaped, and "
                                       "the whole object cannot be set",
                                       path));
        return false;
    }
    *ret_place = (struct json_place){.path = path};
    if (is_escaped)
        *ret_place = (struct json_place){
            .path = arena_c(arena, dot == STR_NONE ? STR("") : str_slice(whole, 0, dot)),
            .key = str_from(name, length),
            .has_key = true,
        };
    return true;
}

void corset_object_set_string(struct corset_object *object, const char *path, const char *value)
{
    SCOPED(arena) arena = {0};
    struct json_place place;
    if (value && find_place(object, &arena, path, &place))
        json_edit_set_str(begin_edit(object), place, str_from_c(value));
}

void corset_object_set_int(struct corset_object *object, const char *path, int64_t value)
{
    SCOPED(arena) arena = {0};
    struct json_place place;
    if (find_place(object, &arena, path, &place))
        json_edit_set_int(begin_edit(object), place, value);
}

void corset_object_set_bool(struct corset_object *object, const char *path, bool value)
{
    SCOPED(arena) arena = {0};
    struct json_place place;
    if (find_place(object, &arena, path, &place))
        json_edit_set_bool(begin_edit(object), place, value);
}

void corset_object_set_format(struct corset_object *object, const char *path, const char *format,
                              ...)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    va_list args;
    va_start(args, format);
    library_print(&text, format, args);
    va_end(args);
    corset_object_set_string(object, path, buf_c(&text));
}

/* The value is borrowed for this call only, so the edit ends before the function returns. */
static void put_value(struct corset_object *object, const char *path,
                      const struct json_value *value, bool append)
{
    SCOPED(arena) arena = {0};
    struct json_place place;
    if (!find_place(object, &arena, path, &place))
        return;
    if (append)
        json_edit_append(begin_edit(object), place, value);
    else
        json_edit_set(begin_edit(object), place, value);
    library_settle(object);
}

/* Sets or appends a value given as YAML or JSON text. */
static void put_text(struct corset_object *object, const char *path, const char *text, bool append)
{
    OWNED(json_doc) doc = NULL;
    if (!text)
        return;
    struct error *err = manifest_read_one(str_from_c(text), NULL, &doc, NULL);
    if (err)
        note_problem(object, error_wrap(err, "read a value for %s", path));
    else
        put_value(object, path, json_doc_root(doc), append);
}

void corset_object_set_yaml(struct corset_object *object, const char *path, const char *text)
{
    put_text(object, path, text, false);
}

void corset_object_append_yaml(struct corset_object *object, const char *path, const char *text)
{
    put_text(object, path, text, true);
}

/*
 * Settling `from` may replace its document, and `from` may be the object itself: hence the
 * reference.
 */
void corset_object_copy(struct corset_object *object, const char *path,
                        const struct corset_object *from, const char *from_path)
{
    OWNED(object) source = object_ref(library_settle(from));
    const struct json_value *value = library_path(object_root(source), from_path);
    if (value)
        put_value(object, path, value, false);
}

void corset_object_remove(struct corset_object *object, const char *path)
{
    SCOPED(arena) arena = {0};
    struct json_place place;
    if (find_place(object, &arena, path, &place))
        json_edit_remove(begin_edit(object), place);
}

void corset_object_set_label(struct corset_object *object, const char *key, const char *value)
{
    if (value)
        json_edit_set_str(begin_edit(object), JSON_PLACE_KEY("metadata.labels", str_from_c(key)),
                          str_from_c(value));
}

void corset_object_set_annotation(struct corset_object *object, const char *key, const char *value)
{
    if (value)
        json_edit_set_str(begin_edit(object),
                          JSON_PLACE_KEY("metadata.annotations", str_from_c(key)),
                          str_from_c(value));
}
