/*
 * Defaults of built-in kinds: kind_builtin_default().
 *
 * Walks the Go type along the document, as kind_decode.c does, and copies the document with
 * defaults filled in. Whenever a type is entered, its rows of kind_default_rows.c are looked up;
 * write_member() asks for each member whether a row applies. A row for a struct (DEFAULT_STRUCT)
 * enters the type with no value, so that defaults of nested structs follow from their own rows.
 * Values that need more than a constant are computed in kind_default_compute.c.
 *
 * Labels of Namespaces, Jobs and ReplicationControllers depend on metadata and are set at the end.
 *
 * Upstream: SetDefaults_...() in k8s.io/kubernetes/pkg/apis/<group>/<version>/defaults.go and the
 * generated zz_generated.defaults.go.
 */
#include <string.h>

#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_default_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/edit.h"
#include "json/path.h"

/*
 * A container that is being copied: a struct with its fields and rows, or a list or map with its
 * items.
 */
struct level {
    const struct go_type *type;
    const struct json_value *value; /* NULL: an empty struct that is filled by defaults */
    const struct default_row *rows; /* of the type */
    size_t row_count;
    size_t next;    /* index of the next field of the type */
    bool is_inline; /* members are written to the enclosing object */
    bool host_network;
    const struct go_field *field; /* describes the items of a list or map; NULL for a struct */
    struct json_iter iter;
};

/*
 * The state of the copy. The rows that were found last are kept: elements of a list are all of one
 * type.
 */
struct fill {
    struct json_builder builder;
    struct level *levels;
    size_t depth, capacity;
    const char *root;
    const struct json_value *whole;
    const struct go_type *last_type; /* the type of last_rows */
    const struct default_row *last_rows;
    size_t last_count;
};

static void fill_done(struct fill *fill)
{
    json_builder_done(&fill->builder);
    mem_free(fill->levels);
}

/* host_network of a pod spec holds for everything inside it. */
static void push(struct fill *fill, struct level level)
{
    if (fill->depth > 0)
        level.host_network = level.host_network || fill->levels[fill->depth - 1].host_network;
    ARRAY_PUSH(fill->levels, fill->depth, fill->capacity, level);
}

/* The rows of a type; they are contiguous. */
static const struct default_row *rows_of(const struct go_type *type, size_t *ret_count)
{
    size_t count, end;
    const struct default_row *rows = default_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].type, type->name) != 0)
            continue;
        for (end = i; end < count && strcmp(rows[end].type, type->name) == 0;)
            end++;
        *ret_count = end - i;
        return &rows[i];
    }
    *ret_count = 0;
    return NULL;
}

/* Sets last_rows to the rows of a type. */
static void find_rows(struct fill *fill, const struct go_type *type)
{
    if (fill->last_type == type)
        return;
    fill->last_type = type;
    fill->last_rows = rows_of(type, &fill->last_count);
}

static void enter_type(struct fill *fill, const struct go_type *type,
                       const struct json_value *value, bool is_inline)
{
    bool host_network = false;
    find_rows(fill, type);
    if (strcmp(type->name, "PodSpec") == 0)
        (void)json_to_bool(json_path(value, "hostNetwork"), &host_network);
    push(fill, (struct level){
                   .type = type,
                   .value = value,
                   .rows = fill->last_rows,
                   .row_count = fill->last_count,
                   .is_inline = is_inline,
                   .host_network = host_network,
               });
    if (!is_inline)
        json_builder_object(&fill->builder);
}

/* The text that a member has, or gets from a row without a condition. */
static struct str text_of(const struct level *level, const char *member)
{
    const struct json_value *value = json_path(level->value, member);
    if (value)
        return json_to_str(value);
    for (size_t i = 0; i < level->row_count; i++) {
        const struct default_row *row = &level->rows[i];
        if (row->form == DEFAULT_STRING && !row->when && strcmp(row->member, member) == 0)
            return str_from_c(row->text);
    }
    return STR("");
}

/* Whether a row applies to a member of this object: its root and its condition hold. */
static bool row_fits(const struct fill *fill, const struct level *level,
                     const struct default_row *row, const char *member)
{
    if (strcmp(row->member, member) != 0 || (row->root && strcmp(row->root, fill->root) != 0))
        return false;
    return !row->when || str_eq(text_of(level, row->when), str_from_c(row->equals));
}

static const struct default_row *find_row(const struct fill *fill, const struct level *level,
                                          const char *member)
{
    for (size_t i = 0; i < level->row_count; i++)
        if (row_fits(fill, level, &level->rows[i], member))
            return &level->rows[i];
    return NULL;
}

/*
 * Whether a value counts as absent. Decoding writes required members even if they are zero; behind
 * a pointer zero is a value.
 */
static bool is_unset(const struct go_field *field, const struct json_value *value)
{
    int64_t number;
    if (json_type(value) == JSON_STRING && !(field->flags & GO_POINTER))
        return json_to_str(value).len == 0;
    if (json_type(value) == JSON_NUMBER && !(field->flags & GO_POINTER))
        return json_to_int64(value, &number) && number == 0;
    return !value;
}

/* Copies a value; structs are entered. ObjectMeta has no defaults. */
static void write_value(struct fill *fill, const struct go_field *field,
                        const struct json_value *value)
{
    if (field->kind == GO_MESSAGE && field->type != &type_object_meta)
        enter_type(fill, field->type, value, false);
    else
        json_builder_value(&fill->builder, value);
}

/* Copies a member that is there. Only lists and maps of structs are entered. */
static void write_present(struct fill *fill, const struct go_field *field,
                          const struct json_value *value)
{
    json_builder_key(&fill->builder, str_from_c(field->name));
    if (!(field->flags & (GO_LIST | GO_MAP)) || field->kind != GO_MESSAGE) {
        if (field->flags & (GO_LIST | GO_MAP))
            json_builder_value(&fill->builder, value);
        else
            write_value(fill, field, value);
        return;
    }
    if (field->flags & GO_MAP)
        json_builder_object(&fill->builder);
    else
        json_builder_array(&fill->builder);
    push(fill, (struct level){.field = field, .iter.container = value});
}

/* Calls the function of a row. False when it has no value for this object. */
static bool write_computed(struct fill *fill, const struct level *level,
                           const struct default_row *row, const struct go_field *field)
{
    SCOPED(json_builder) value = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    const struct default_scope scope = {
        .root = fill->root, .whole = fill->whole, .host_network = level->host_network};
    if (!row->compute(&scope, level->value, &value))
        return false;
    struct error *err = json_builder_finish(&value, &doc);
    if (err) {
        error_free(err); /* too large; the document it is copied into reports that */
        return false;
    }
    json_builder_key(&fill->builder, str_from_c(field->name));
    json_builder_value(&fill->builder, json_doc_root(doc));
    return true;
}

/* Writes the constant of a row, or enters an empty struct. */
static void write_default(struct fill *fill, const struct go_field *field,
                          const struct default_row *row)
{
    json_builder_key(&fill->builder, str_from_c(field->name));
    if (row->form == DEFAULT_STRING)
        json_builder_str(&fill->builder, str_from_c(row->text));
    else if (row->form == DEFAULT_NUMBER)
        json_builder_int(&fill->builder, row->number);
    else if (row->form == DEFAULT_BOOL)
        json_builder_bool(&fill->builder, row->number != 0);
    else
        enter_type(fill, field->type, NULL, false);
}

/*
 * Writes one member: computed, by default, or copied. A computed row that returns false leaves the
 * member as it is.
 */
static void write_member(struct fill *fill, size_t at, const struct go_field *field)
{
    const struct level *level = &fill->levels[at];
    const struct json_value *object = level->value;
    if (field->flags & GO_INLINE) {
        enter_type(fill, field->type, object, true);
        return;
    }
    const struct json_value *value = json_get(object, str_from_c(field->name));
    const struct default_row *row = find_row(fill, level, field->name);
    const bool is_absent = is_unset(field, value);
    const bool is_computed =
        row && (row->form == DEFAULT_MERGED || (row->form == DEFAULT_COMPUTED && is_absent));
    if (row && row->form == DEFAULT_NOTHING)
        return;
    if (is_computed && write_computed(fill, level, row, field))
        return;
    if (is_absent && row && row->form != DEFAULT_COMPUTED && row->form != DEFAULT_MERGED)
        write_default(fill, field, row);
    else if (value)
        write_present(fill, field, value);
}

static void write_item(struct fill *fill, struct level *level)
{
    const struct go_field *field = level->field;
    const struct json_value *value;
    struct str key;
    if (!json_next(&level->iter, &key, &value)) {
        fill->depth--;
        json_builder_end(&fill->builder);
        return;
    }
    if (field->flags & GO_MAP)
        json_builder_key(&fill->builder, key);
    write_value(fill, field, value);
}

static void fill_step(struct fill *fill)
{
    struct level *level = &fill->levels[fill->depth - 1];
    if (level->field) {
        write_item(fill, level);
        return;
    }
    if (level->next == level->type->count) {
        const bool is_inline = level->is_inline;
        fill->depth--;
        if (!is_inline)
            json_builder_end(&fill->builder);
        return;
    }
    const struct go_field *field = &level->type->fields[level->next++];
    write_member(fill, fill->depth - 1, field);
}

/*
 * Whether a type has neither rows nor structs besides its metadata, so that nothing can have a
 * default.
 */
static bool is_plain(const struct go_type *type)
{
    size_t count;
    (void)rows_of(type, &count);
    for (size_t i = 0; i < type->count && count == 0; i++)
        if (type->fields[i].kind == GO_MESSAGE && type->fields[i].type != &type_object_meta)
            return false;
    return count == 0;
}

static struct error *fill_members(const struct kind *kind, struct json_doc *doc,
                                  struct json_doc **ret_doc)
{
    SCOPED(fill) fill = {.root = kind->type->name, .whole = json_doc_root(doc)};
    if (is_plain(kind->type)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    enter_type(&fill, kind->type, json_doc_root(doc), false);
    while (fill.depth > 0)
        fill_step(&fill);
    return json_builder_finish(&fill.builder, ret_doc);
}

/*
 * A Namespace has its name as the label kubernetes.io/metadata.name, which clients cannot change.
 */
static struct error *label_namespace(struct json_doc *doc, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    const struct json_value *object = json_doc_root(doc);
    const struct str name = json_path_str(object, "metadata.name");
    json_edit_init(&edit, object);
    if (name.len > 0)
        json_edit_set_str(
            &edit, JSON_PLACE_KEY("metadata.labels", STR("kubernetes.io/metadata.name")), name);
    return json_edit_finish(&edit, ret_doc);
}

/* A Job or ReplicationController without labels gets those of its pod template. */
static struct error *label_controller(struct json_doc *doc, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    const struct json_value *object = json_doc_root(doc);
    const struct json_value *labels = json_path(object, "spec.template.metadata.labels");
    json_edit_init(&edit, object);
    if (json_count(labels) > 0 && json_count(json_path(object, "metadata.labels")) == 0)
        json_edit_set(&edit, JSON_PLACE("metadata.labels"), labels);
    return json_edit_finish(&edit, ret_doc);
}

/* What the conversion to the stored version fills in. */
static struct error *default_autoscaler(const struct json_doc *doc, struct json_doc **ret_doc)
{
    OWNED(json_doc) stored = NULL;
    TRY(kind_autoscaler_to_v2(json_doc_root(doc), &stored));
    return kind_autoscaler_to_v1(json_doc_root(stored), ret_doc);
}

struct error *kind_builtin_default(const struct kind *kind, struct json_doc *doc,
                                   struct json_doc **ret_doc)
{
    OWNED(json_doc) filled = NULL;
    TRY(fill_members(kind, doc, &filled));
    if (kind->type == &type_namespace)
        return label_namespace(filled, ret_doc);
    if (kind->type == &type_job || kind->type == &type_replication_controller)
        return label_controller(filled, ret_doc);
    if (kind_autoscaler_is_v1(kind))
        return default_autoscaler(filled, ret_doc);
    *ret_doc = TAKE(filled);
    return NULL;
}
