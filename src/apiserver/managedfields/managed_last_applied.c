/*
 * The annotation in which kubectl keeps what was applied on the client's side.
 *
 * It matters in two ways. Fields that the annotation records, and that the object still has as
 * recorded, are no conflict for the manager "kubectl". And an apply by "kubectl" keeps the
 * annotation current where there is one, so that older clients can go on with it.
 */
#include "apiserver/managedfields/managed_fields_internal.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define LAST_APPLIED STR("kubectl.kubernetes.io/last-applied-configuration")

/* Of all annotations together; a record that does not fit is dropped. */
#define ANNOTATIONS_MAX (256 * KILOBYTE)

/* The text of the annotation; empty when there is none. */
static struct str record_of(const struct json_value *object)
{
    return json_to_str(json_get(json_path(object, "metadata.annotations"), LAST_APPLIED));
}

/* A record that cannot be read, is of another version or does not fit its type allows nothing. */
struct field_set managed_last_applied_fields(struct managed_write *write,
                                             const struct json_value *live)
{
    const struct field_set none = {.count = 0};
    const struct field_type type = write->request->type;
    struct arena *arena = &write->arena;
    struct json_doc *doc = NULL;
    const struct str record = record_of(live);
    error_free(record.len ? json_read(record, &doc) : NULL);
    if (!doc)
        return none;
    json_doc_hold(arena, doc);
    const struct json_value *applied = json_doc_root(doc);
    OWNED(error) misfit = field_walk_check(&write->walk, type, applied, false);
    OWNED(error) live_misfit = field_walk_check(&write->walk, type, live, false);
    if (misfit || live_misfit ||
        !str_eq(json_path_str(applied, "apiVersion"), write->request->api_version))
        return none;
    const struct field_changes changes = field_walk_compare(&write->walk, type, applied, live);
    struct field_set fields = field_walk_set(&write->walk, type, applied);
    fields = field_set_without(arena, fields, changes.modified);
    fields = field_set_without(arena, fields, changes.added);
    return field_set_without(arena, fields, changes.removed);
}

/* Sorted, with a line end, and <, > and & escaped, which stand in strings only. */
static struct error *write_record(const struct json_value *patch, struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(json_edit) edit;
    SCOPED(buf) text = {.limit = 0};
    json_edit_init(&edit, patch);
    json_edit_remove(&edit, JSON_PLACE_KEY("metadata.annotations", LAST_APPLIED));
    TRY(json_edit_finish(&edit, &doc));
    json_write_canonical(&text, json_doc_root(doc));
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '<' || c == '>' || c == '&')
            buf_print(out, "\\u%04x", (unsigned)c);
        else
            buf_add_char(out, c);
    }
    buf_add_char(out, '\n');
    return NULL;
}

/* The size that validation counts, without the record itself. */
static size_t annotations_size(const struct json_value *object)
{
    const struct json_value *value;
    size_t size = 0;
    JSON_FOREACH (key, value, json_path(object, "metadata.annotations"))
        if (!str_eq(key, LAST_APPLIED))
            size += key.len + json_to_str(value).len;
    return size;
}

struct error *managed_last_applied_refresh(struct managed_write *write,
                                           const struct json_value *patch, struct json_doc **doc)
{
    const struct json_value *object = json_doc_root(*doc);
    if (!str_eq(write->request->manager, STR("kubectl")) || !record_of(object).len)
        return NULL;
    struct json_doc *changed = NULL;
    SCOPED(buf) record = {.limit = 0};
    SCOPED(json_edit) edit;
    TRY(write_record(patch, &record));
    json_edit_init(&edit, object);
    const struct json_place place = JSON_PLACE_KEY("metadata.annotations", LAST_APPLIED);
    if (annotations_size(object) + LAST_APPLIED.len + record.len > ANNOTATIONS_MAX)
        json_edit_remove(&edit, place);
    else
        json_edit_set_str(&edit, place, buf_str(&record));
    TRY(json_edit_finish(&edit, &changed));
    json_doc_free(*doc);
    *doc = changed;
    return NULL;
}
