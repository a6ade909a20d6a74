/* The bodies, in the syntax of their type. */
#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"
#include "matrix.h"
#include "testing/test.h"

#define DEPTH 10001 /* more than JSON_DEPTH_MAX */
#define HUGE  (3 * MEGABYTE + 1)

static void add_deep(struct buf *out)
{
    for (int i = 0; i < DEPTH; i++)
        buf_add_char(out, '[');
    for (int i = 0; i < DEPTH; i++)
        buf_add_char(out, ']');
}

/* The object that the place and the verb expect. */
static void write_object(struct buf *out, const struct matrix_resource *resource,
                         const struct matrix_place *place, const struct matrix_cell *cell,
                         const struct json_value *current)
{
    if (cell->verb == MATRIX_DELETE)
        buf_add(out, STR("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
                         "\"propagationPolicy\":\"Background\",\"metadata\":{}}"));
    else if (place->part == MATRIX_SCALE)
        buf_print(out,
                  "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"metadata\":{"
                  "\"name\":\"%.*s\"},\"spec\":{\"replicas\":3}}",
                  STR_ARG(place->name));
    else if (place->part == MATRIX_TOKEN)
        buf_add(out, STR("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\","
                         "\"metadata\":{},\"spec\":{\"audiences\":[\"a\"]}}"));
    else if (place->part == MATRIX_BINDING)
        buf_print(out,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"%.*s\"},"
                  "\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}",
                  STR_ARG(place->name));
    else if (place->part == MATRIX_EVICTION)
        buf_print(out,
                  "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{"
                  "\"name\":\"%.*s\"}}",
                  STR_ARG(place->name));
    else if (cell->verb == MATRIX_PUT && current)
        json_write(out, current);
    else
        json_write(out, json_doc_root(resource->object));
}

/* The object with one member as JSON. */
static void write_changed(struct buf *out, struct str object, const char *path, const char *value)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) changed = NULL;
    SCOPED(json_edit) edit = {0};
    CHECK_OK(json_read(object, &doc));
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, (struct json_place){.path = path}, str_from_c(value));
    CHECK_OK(json_edit_finish(&edit, &changed));
    buf_clear(out);
    json_write(out, json_doc_root(changed));
}

static void write_plain(struct buf *out, struct str object, enum matrix_body body)
{
    switch (body) {
    case MATRIX_WRONG_KIND:
        write_changed(out, object, "kind", "Binding");
        return;
    case MATRIX_WRONG_VERSION:
        write_changed(out, object, "apiVersion", "matrix.test/v9");
        return;
    case MATRIX_ANOTHER_OBJECT:
        write_changed(out, object, "metadata.name", "another");
        return;
    case MATRIX_LIST:
        buf_print(out, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%.*s]}",
                  STR_ARG(object));
        return;
    case MATRIX_DEEP:
        buf_add(out, str_slice(object, 0, object.len - 1));
        buf_add(out, STR(",\"spec\":{\"deep\":"));
        add_deep(out);
        buf_add(out, STR("}}"));
        return;
    case MATRIX_TRUNCATED:
        buf_add(out, str_slice(object, 0, object.len / 2));
        return;
    default:
        buf_add(out, object);
    }
}

static void write_operations(struct buf *out, enum matrix_part part, enum matrix_body body)
{
    static const char *const texts[MATRIX_BODIES] = {
        [MATRIX_RIGHT] = "[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"a\":\"b\"}}]",
        [MATRIX_WRONG_KIND] = "[{\"op\":\"replace\",\"path\":\"/kind\",\"value\":\"Binding\"}]",
        [MATRIX_WRONG_VERSION] = "[{\"op\":\"replace\",\"path\":\"/apiVersion\",\"value\":\"v9\"}]",
        [MATRIX_ANOTHER_OBJECT] =
            "[{\"op\":\"replace\",\"path\":\"/metadata/name\",\"value\":\"another\"}]",
        [MATRIX_LIST] = "[[{\"op\":\"remove\",\"path\":\"\"}]]",
        [MATRIX_TRUNCATED] = "[{\"op\":\"remove\",\"pa",
    };
    if (body == MATRIX_DEEP) {
        buf_add(out, STR("[{\"op\":\"add\",\"path\":\"/spec/deep\",\"value\":"));
        add_deep(out);
        buf_add(out, STR("}]"));
    } else if (body == MATRIX_RIGHT && part == MATRIX_SCALE) {
        buf_add(out, STR("[{\"op\":\"add\",\"path\":\"/spec/replicas\",\"value\":4}]"));
    } else if (texts[body]) {
        buf_add(out, str_from_c(texts[body]));
    } else {
        buf_add(out, str_from_c(texts[MATRIX_RIGHT]));
    }
}

static void add_varint(struct buf *out, size_t number)
{
    for (; number >= 128; number >>= 7)
        buf_add_char(out, (char)(number | 128));
    buf_add_char(out, (char)number);
}

/* A field of bytes. */
static void add_field(struct buf *out, int number, struct str bytes)
{
    buf_add_char(out, (char)(number << 3 | 2));
    add_varint(out, bytes.len);
    buf_add(out, bytes);
}

/* runtime.Unknown around an object that has a name alone. */
static void write_protobuf(struct buf *out, struct str object, enum matrix_body body)
{
    SCOPED(buf) meta = {.limit = 0}, raw = {.limit = 0}, type = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(object, &doc));
    const struct json_value *root = json_doc_root(doc);
    add_field(&meta, 1,
              body == MATRIX_ANOTHER_OBJECT ? STR("another")
                                            : json_path_str(root, "metadata.name"));
    for (int i = 0; i < 3000 && body == MATRIX_DEEP; i++) {
        SCOPED(buf) inner = {.limit = 0};
        buf_add(&inner, buf_str(&meta));
        buf_clear(&meta);
        add_field(&meta, 2, buf_str(&inner));
    }
    add_field(&raw, 1, buf_str(&meta));
    add_field(&type, 1,
              body == MATRIX_WRONG_VERSION ? STR("matrix.test/v9")
                                           : json_path_str(root, "apiVersion"));
    add_field(&type, 2,
              body == MATRIX_WRONG_KIND ? STR("Binding")
              : body == MATRIX_LIST     ? STR("List")
                                        : json_path_str(root, "kind"));
    buf_add(out, STR("k8s"));
    buf_add_char(out, '\0');
    add_field(out, 1, buf_str(&type));
    add_field(out, 2, buf_str(&raw));
    if (body == MATRIX_TRUNCATED)
        out->len -= raw.len / 2 + 1;
}

void matrix_body_write(struct buf *out, const struct matrix_resource *resource,
                       const struct matrix_place *place, const struct matrix_cell *cell,
                       const struct json_value *current)
{
    SCOPED(buf) object = {.limit = 0};
    if (cell->body == MATRIX_EMPTY)
        return;
    if (cell->body == MATRIX_NULL) {
        buf_add(out, STR("null"));
        return;
    }
    write_object(&object, resource, place, cell, current);
    if (cell->type == MATRIX_JSON_PATCH)
        write_operations(out, place->part, cell->body);
    else if (cell->type == MATRIX_PROTOBUF)
        write_protobuf(out, buf_str(&object), cell->body);
    else
        write_plain(out, buf_str(&object), cell->body);
    if (cell->body != MATRIX_HUGE)
        return;
    char *room = buf_reserve(out, HUGE);
    memset(room, ' ', HUGE);
    buf_grow(out, HUGE);
}
