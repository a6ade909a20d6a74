/*
 * Lines: a schema (or a text that is none, for a config map), the live object, a patch, another
 * one. Whatever they are, the results are documents; an apply that went well changes nothing when
 * it is repeated; and fields that are written are read again as the same.
 */
#include "apiserver/managedfields/field_set.h"
#include "apiserver/managedfields/managed_fields.h"
#include "fuzz.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

static struct json_doc *read_line(struct str *rest)
{
    struct str line;
    struct json_doc *doc = NULL;
    str_cut(rest, '\n', &line);
    error_free(json_read(line, &doc));
    return doc;
}

static struct schema *compile(const struct json_doc *doc)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    return doc ? schema_compile(json_doc_root(doc), STR("s"), &errors) : NULL;
}

static bool find_type(void *data, struct str api_version, struct field_type *ret_type)
{
    *ret_type = *(struct field_type *)data;
    return str_eq(api_version, STR("v2"));
}

static void check_text(const struct json_doc *doc)
{
    OWNED(json_doc) again = NULL;
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, json_doc_root(doc));
    CHECK_OK(json_read(buf_str(&text), &again));
    CHECK(json_equal(json_doc_root(again), json_doc_root(doc)));
}

static void check_sets(const struct json_doc *doc)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(json_doc_root(doc), "metadata.managedFields")) {
        (void)key;
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(json_builder) builder = {.limit = 0};
        OWNED(json_doc) written = NULL;
        struct field_set set;
        CHECK_OK(field_set_read(&arena, json_get(entry, STR("fieldsV1")), &set));
        field_set_write(&builder, &set);
        CHECK_OK(json_builder_finish(&builder, &written));
        CHECK(json_equal(json_doc_root(written), json_get(entry, STR("fieldsV1"))));
    }
}

/* The live object after an apply, or NULL when it was refused. */
static struct json_doc *apply(const struct managed_fields_write *write, bool force,
                              const struct json_doc *live, const struct json_doc *patch)
{
    struct json_doc *once = NULL;
    OWNED(json_doc) twice = NULL;
    const struct json_value *before = live ? json_doc_root(live) : NULL;
    const struct json_value *body = json_doc_root(patch);
    OWNED(error) err = managed_fields_apply(write, force, before, body, &once);
    if (err)
        return NULL;
    check_text(once);
    check_sets(once);
    if (!json_path(json_doc_root(once), "metadata.managedFields"))
        return once; /* the next apply finds an object that is not tracked */
    OWNED(error) again = managed_fields_apply(write, force, json_doc_root(once), body, &twice);
    if (again) {
        json_doc_free(once); /* it does not fit any more: a null, or a type of two forms */
        return NULL;
    }
    CHECK(json_equal(json_doc_root(once), json_doc_root(twice)));
    return once;
}

static void update(const struct managed_fields_write *write, const struct json_doc *live,
                   const struct json_doc *object)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *before = live ? json_doc_root(live) : NULL;
    OWNED(error) err = managed_fields_update(write, before, json_doc_root(object), &doc);
    if (err)
        return;
    check_text(doc);
    check_sets(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    OWNED(json_doc) openapi = read_line(&rest);
    OWNED(json_doc) live = read_line(&rest);
    OWNED(json_doc) patch = read_line(&rest);
    OWNED(json_doc) other = read_line(&rest);
    OWNED(schema) schema = compile(openapi);
    if (!patch || json_type(json_doc_root(patch)) != JSON_OBJECT ||
        (live && json_type(json_doc_root(live)) != JSON_OBJECT))
        return 0;
    struct field_type type = field_type_of_schema(schema);
    if (!schema)
        field_type_of_builtin(GVK("apps", "v1", "Deployment"), &type);
    struct managed_fields_write write = {
        .type = type,
        .api_version = json_path_str(json_doc_root(patch), "apiVersion"),
        .manager = STR("kubectl"),
        .now = 1,
        .find_type = find_type,
        .data = &type,
    };
    OWNED(json_doc) applied = apply(&write, false, live, patch);
    OWNED(json_doc) forced = apply(&write, true, live, patch);
    update(&write, live, patch);
    if (other && json_type(json_doc_root(other)) == JSON_OBJECT) {
        write.manager = STR("other");
        json_doc_free(apply(&write, true, applied ? applied : forced, other));
        update(&write, applied, other);
    }
    return 0;
}
