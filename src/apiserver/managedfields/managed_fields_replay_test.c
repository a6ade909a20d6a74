/*
 * Writes that a kube-apiserver was asked for and what it made of them, one per line of
 * tests/support/data/fields/replay.jsonl: live is the object before, body what was applied, or for
 * other writes the object as it was stored, without the managedFields.
 */
#include <stdlib.h>

#include "apiserver/managedfields/managed_fields.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"
#include "testing/test.h"

struct row {
    const struct json_value *json;
    struct schema *schema;
};

static bool find_type(void *data, struct str api_version, struct field_type *ret_type)
{
    const struct row *row = data;
    (void)api_version; /* the versions of a kind share their schema here */
    *ret_type = field_type_of_schema(row->schema);
    return row->schema != NULL;
}

static struct schema *read_schema(const struct json_value *json)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    struct schema *schema = json ? schema_compile(json, STR("s"), &errors) : NULL;
    CHECK_EQ(errors.count, 0);
    return schema;
}

#define RESETS_MAX 4

static struct error *write_row(struct row *row, struct json_doc **ret_doc)
{
    const struct json_value *json = row->json, *reset;
    SCOPED(arena) arena = {.limit = 0};
    const char *resets[RESETS_MAX];
    struct managed_fields_write write = {
        .type = field_type_of_schema(row->schema),
        .api_version = json_path_str(json, "apiVersion"),
        .kind = json_path_str(json, "kind"),
        .manager = json_path_str(json, "manager"),
        .subresource = json_path_str(json, "subresource"),
        .now = INT64_C(1800000000000000000),
        .find_type = find_type,
        .data = row,
        .reset = resets,
    };
    JSON_FOREACH (key, reset, json_get(json, STR("reset"))) {
        (void)key;
        CHECK(write.reset_count < RESETS_MAX);
        resets[write.reset_count++] = arena_c(&arena, json_to_str(reset));
    }
    struct gvk gvk;
    CHECK_OK(gvk_from_api_version(write.api_version, write.kind, &gvk));
    if (!row->schema)
        CHECK(field_type_of_builtin(gvk, &write.type));
    const struct json_value *live = json_get(json, STR("live")),
                            *body = json_get(json, STR("body"));
    live = json_type(live) == JSON_OBJECT ? live : NULL;
    bool force = false;
    json_to_bool(json_get(json, STR("force")), &force);
    if (str_eq(json_path_str(json, "op"), STR("apply")))
        return managed_fields_apply(&write, force, live, body, ret_doc);
    return managed_fields_update(&write, live, body, ret_doc);
}

/* A line for each entry; of its time only whether there is one. */
static void write_entry(struct buf *out, const struct json_value *entry)
{
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, entry);
    if (json_get(entry, STR("time")))
        json_edit_set_str(&edit, JSON_PLACE("time"), STR("some"));
    CHECK_OK(json_edit_finish(&edit, &doc));
    json_write_canonical(out, json_doc_root(doc));
    buf_add_char(out, '\n');
    json_doc_free(doc);
}

static void write_entries(struct buf *out, const struct json_value *object)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(object, "metadata.managedFields")) {
        (void)key;
        write_entry(out, entry);
    }
}

static int compare_lines(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static struct str sorted_lines(struct arena *arena, struct str text)
{
    struct str lines[512], line;
    size_t count = 0;
    while (text.len && count < COUNT(lines)) {
        str_cut(&text, '\n', &line);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof(lines[0]), compare_lines);
    SCOPED(buf) out = {.limit = 0};
    for (size_t i = 0; i < count; i++) {
        buf_add(&out, lines[i]);
        buf_add_char(&out, '\n');
    }
    return arena_str(arena, buf_str(&out));
}

static void check_entries(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) a = {.limit = 0};
    SCOPED(buf) b = {.limit = 0};
    write_entries(&a, seen);
    write_entries(&b, expected);
    CHECK_EQ(sorted_lines(&arena, buf_str(&a)), sorted_lines(&arena, buf_str(&b)));
}

static struct json_doc *content(const struct json_value *object)
{
    static const char *const server_set[] = {
        "metadata.managedFields", "metadata.resourceVersion", "metadata.uid",
        "metadata.generation",    "metadata.namespace",       "metadata.creationTimestamp",
    };
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    for (size_t i = 0; i < COUNT(server_set); i++)
        json_edit_remove(&edit, (struct json_place){.path = server_set[i]});
    if (json_type(json_get(object, STR("data"))) == JSON_NULL)
        json_edit_remove(&edit, JSON_PLACE("data"));
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

static void check_content(const struct row *row, struct json_doc *seen,
                          const struct json_value *expected)
{
    OWNED(json_doc) filled = NULL;
    const struct json_value *reset;
    JSON_FOREACH (key, reset, json_get(row->json, STR("reset"))) {
        (void)key;
        if (json_get(json_doc_root(seen), json_to_str(reset)))
            return; /* what the server sets back is not our concern */
    }
    if (row->schema)
        CHECK_OK(schema_default(row->schema, seen, &filled));
    else
        filled = json_doc_ref(seen);
    OWNED(json_doc) a = content(json_doc_root(filled));
    OWNED(json_doc) b = content(expected);
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    json_write_canonical(&left, json_doc_root(a));
    json_write_canonical(&right, json_doc_root(b));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

static void check_error(struct error *err, const struct json_value *status)
{
    OWNED(error) seen = err;
    CHECK(seen);
    CHECK_EQ(str_from_c(seen->message), json_path_str(status, "message"));
    CHECK_EQ(error_code_reason(seen->code), json_path_str(status, "reason"));
    const struct json_value *details = json_get(status, STR("details"));
    if (!details)
        return;
    OWNED(json_doc) doc = NULL;
    CHECK(seen->details);
    CHECK_OK(json_read(str_from_c(seen->details), &doc));
    CHECK(json_equal(json_doc_root(doc), details));
}

static void check_row(const struct json_value *json)
{
    struct row row = {.json = json, .schema = read_schema(json_get(json, STR("schema")))};
    OWNED(json_doc) doc = NULL;
    const struct json_value *expected = json_get(json, STR("result"));
    struct error *err = write_row(&row, &doc);
    if (str_eq(json_path_str(expected, "kind"), STR("Status"))) {
        check_error(err, expected);
    } else {
        CHECK_OK(err);
        check_entries(json_doc_root(doc), expected);
        const bool is_defaulted =
            !row.schema && json_type(json_get(json, STR("live"))) == JSON_NULL;
        if (!is_defaulted)
            check_content(&row, doc, expected);
    }
    schema_free(row.schema);
}

TEST(managed_fields_replay)
{
    struct str rest = test_data("fields/replay.jsonl"), line;
    while (rest.len) {
        OWNED(json_doc) doc = NULL;
        str_cut(&rest, '\n', &line);
        CHECK_OK(json_read(line, &doc));
        const struct str id = json_path_str(json_doc_root(doc), "id");
        TEST_CASE("%.*s", STR_ARG(id));
        check_row(json_doc_root(doc));
    }
}
