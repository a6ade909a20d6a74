#include "apiserver/crd/jsonpath.h"

#include "apiserver/crd/crd_fixture_test.h"
#include "apiserver/crd/jsonpath_internal.h"
#include "json/builder.h"

/* All results as an array, or NULL; the error tells why. */
static struct json_doc *query(const struct json_value *object, struct str path, struct buf *problem)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    const struct jsonpath *compiled = NULL;
    struct path_values results;
    struct json_doc *doc = NULL;
    OWNED(error) err = jsonpath_compile(&arena, path, &compiled);
    if (err) {
        buf_add(problem, str_from_c(err->message));
        return NULL;
    }
    const struct json_value *first = jsonpath_first(compiled, object);
    if (!path_steps_find(&compiled->steps, object, &arena, 0, &results)) {
        CHECK(!first);
        buf_add(problem, STR("failed"));
        return NULL;
    }
    CHECK_EQ(first != NULL, results.count > 0);
    json_builder_array(&builder);
    for (size_t i = 0; i < results.count; i++)
        json_builder_value(&builder, results.items[i]);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    return doc;
}

TEST(jsonpath_answers_as_kubectl)
{
    OWNED(json_doc) object = fixture_read(test_data("custom/jsonpath.json"));
    ROWS_FOREACH(row, "custom/jsonpath.jsonl")
    {
        SCOPED(buf) problem = {.limit = 0};
        OWNED(json_doc) found = query(json_doc_root(object), json_path_str(row, "path"), &problem);
        CHECK_EQ(buf_str(&problem), json_path_str(row, "error"));
        fixture_check_json(found ? json_doc_root(found) : NULL, json_get(row, STR("results")));
    }
}

TEST(jsonpath_has_an_end)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) problem = {.limit = 0};
    buf_add(&text, STR("{\"l\":["));
    for (int i = 0; i < 200; i++)
        buf_print(&text, "%s{\"x\":[1,2,3]}", i ? "," : "");
    buf_add(&text, STR("]}"));
    OWNED(json_doc) object = fixture_read(buf_str(&text));
    CHECK(!query(json_doc_root(object), STR(".l[*,*,*,*].x[*,*,*,*]"), &problem));
    CHECK_EQ(buf_str(&problem), STR("failed"));
}
