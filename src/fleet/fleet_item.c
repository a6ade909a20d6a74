#include "fleet/fleet_item.h"

#include "json/path.h"

#define FLAGS (JSON_WRITE_ESCAPE_HTML | JSON_WRITE_NUMBERS_AS_READ)

/* At most what a table of an API server could have. */
#define COLUMNS_MAX 200

static struct error *not_an_item(const char *why)
{
    return error_new(ERROR_PARSE, "the answer has an item that %s", why);
}

static void add_key(struct buf *out, struct str key, bool *is_first)
{
    if (!*is_first)
        buf_add_char(out, ',');
    *is_first = false;
    buf_add_json_string(out, key);
    buf_add_char(out, ':');
}

/* Annotations that are no object are dropped. */
static void write_annotations(struct buf *out, const struct json_value *annotations,
                              struct str cluster)
{
    const struct str own = STR(FLEET_CLUSTER_ANNOTATION);
    const struct json_value *value;
    bool is_first = true;
    buf_add_char(out, '{');
    add_key(out, own, &is_first);
    buf_add_json_string(out, cluster);
    JSON_FOREACH (key, value, json_type(annotations) == JSON_OBJECT ? annotations : NULL) {
        if (str_eq(key, own))
            continue;
        add_key(out, key, &is_first);
        json_write_with(out, value, FLAGS);
    }
    buf_add_char(out, '}');
}

static void write_metadata(struct buf *out, const struct json_value *metadata, struct str cluster)
{
    const struct str annotations = STR("annotations");
    const struct json_value *value;
    bool is_first = true;
    buf_add_char(out, '{');
    JSON_FOREACH (key, value, metadata) {
        if (str_eq(key, annotations))
            continue;
        add_key(out, key, &is_first);
        json_write_with(out, value, FLAGS);
    }
    add_key(out, annotations, &is_first);
    write_annotations(out, json_get(metadata, annotations), cluster);
    buf_add_char(out, '}');
}

static struct error *check_item(const struct json_value *object,
                                const struct fleet_item_rules *rules)
{
    const struct json_value *metadata = json_get(object, STR("metadata"));
    const struct str kind = json_to_str(json_get(object, STR("kind")));
    if (json_type(metadata) != JSON_OBJECT)
        return not_an_item("has no metadata");
    if (rules->kind.len && kind.len && !str_eq(kind, rules->kind))
        return not_an_item("is of another kind");
    if (rules->namespace.len &&
        !str_eq(json_to_str(json_get(metadata, STR("namespace"))), rules->namespace))
        return not_an_item("is in another namespace");
    return NULL;
}

struct error *fleet_item_write(struct buf *out, const struct json_value *object,
                               const struct fleet_item_rules *rules, struct str cluster)
{
    const struct json_value *value;
    bool is_first = true;
    TRY(check_item(object, rules));
    buf_add_char(out, '{');
    JSON_FOREACH (key, value, object) {
        add_key(out, key, &is_first);
        if (str_eq(key, STR("metadata")))
            write_metadata(out, value, cluster);
        else
            json_write_with(out, value, FLAGS);
    }
    buf_add_char(out, '}');
    return NULL;
}

struct error *fleet_columns_read(struct arena *arena, const struct json_value *definitions,
                                 struct fleet_columns *ret_columns)
{
    const struct json_value *definition;
    const size_t count = json_count(definitions);
    if (json_type(definitions) != JSON_ARRAY || count == 0 || count > COLUMNS_MAX)
        return error_new(ERROR_PARSE, "the answer is a table without columns");
    ret_columns->names = arena_alloc_array(arena, count, sizeof(struct str));
    ret_columns->count = 0;
    JSON_FOREACH (key, definition, definitions) {
        (void)key;
        const struct str name = json_to_str(json_get(definition, STR("name")));
        ret_columns->names[ret_columns->count++] = arena_str(arena, name);
    }
    return NULL;
}

void fleet_columns_write(struct buf *out, const struct json_value *definitions)
{
    const struct json_value *definition;
    buf_add(out, STR("[{\"name\":\"Cluster\",\"type\":\"string\",\"format\":\"\",\"description\":"
                     "\"Namespace and name of the Cluster.\",\"priority\":0}"));
    JSON_FOREACH (key, definition, definitions) {
        (void)key;
        buf_add_char(out, ',');
        json_write_with(out, definition, FLAGS);
    }
    buf_add_char(out, ']');
}

static size_t find_column(const struct fleet_columns *columns, struct str name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (str_eq(columns->names[i], name))
            return i;
    return SIZE_MAX;
}

/* Cells by their position; nearly always the columns are the same. */
static void write_cells(struct buf *out, const struct json_value *cells,
                        const struct fleet_columns *had, const struct fleet_columns *wanted,
                        struct str cluster)
{
    const struct json_value *by_column[COLUMNS_MAX] = {NULL};
    const struct json_value *cell;
    size_t count = 0;
    JSON_FOREACH (key, cell, cells) {
        (void)key;
        if (count < COLUMNS_MAX)
            by_column[count++] = cell;
    }
    buf_add_char(out, '[');
    buf_add_json_string(out, cluster);
    for (size_t i = 0; i < wanted->count; i++) {
        const bool is_same = i < had->count && str_eq(had->names[i], wanted->names[i]);
        const size_t from = is_same ? i : find_column(had, wanted->names[i]);
        buf_add_char(out, ',');
        if (from < count)
            json_write_with(out, by_column[from], FLAGS);
        else
            buf_add(out, STR("\"\""));
    }
    buf_add_char(out, ']');
}

struct error *fleet_row_write(struct buf *out, const struct json_value *row,
                              const struct fleet_columns *had, const struct fleet_columns *wanted,
                              const struct fleet_item_rules *rules, struct str cluster)
{
    const struct json_value *cells = json_get(row, STR("cells"));
    const struct json_value *object = json_get(row, STR("object"));
    if (json_type(cells) != JSON_ARRAY || json_count(cells) != had->count)
        return not_an_item("has not the cells of its columns");
    buf_add(out, STR("{\"cells\":"));
    write_cells(out, cells, had, wanted, cluster);
    if (json_type(object) == JSON_OBJECT) {
        buf_add(out, STR(",\"object\":"));
        TRY(fleet_item_write(out, object, rules, cluster));
    }
    buf_add_char(out, '}');
    return NULL;
}
