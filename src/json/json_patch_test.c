#include "json/json_patch.h"

#include "json/oracle_test.h"
#include "json/path.h"
#include "testing/test.h"

static struct error *read_patch(const struct json_value *row, struct json_warnings *warnings,
                                struct json_patch **ret_patch)
{
    if (json_get(row, STR("patch_text")))
        return json_patch_read(json_path_str(row, "patch_text"), warnings, ret_patch);
    SCOPED(buf) text = {.limit = 0};
    json_write_with(&text, json_get(row, STR("patch")), JSON_WRITE_NUMBERS_AS_READ);
    return json_patch_read(buf_str(&text), warnings, ret_patch);
}

static struct error *apply_row(const struct json_value *row, struct json_warnings *warnings,
                               struct json_doc **ret_doc)
{
    OWNED(json_patch) patch = NULL;
    TRY(read_patch(row, warnings, &patch));
    return json_patch_apply(patch, json_get(row, STR("original")), ret_doc);
}

TEST(json_patch_of_oracle)
{
    size_t rows = 0;
    struct str text = test_data("oracle/jsonpatch.jsonl");
    for (OWNED(json_doc) row = oracle_next(&text); row; oracle_step(&text, &row), rows++) {
        SCOPED(arena) arena = {.limit = 0};
        struct json_warnings warnings = {.arena = &arena};
        OWNED(json_doc) doc = NULL;
        struct error *err = apply_row(json_doc_root(row), &warnings, &doc);
        oracle_check_outcome(json_doc_root(row), err, doc);
        oracle_check_strict(json_doc_root(row), &warnings);
    }
    CHECK_EQ(rows, (size_t)104);
}

static struct error *apply_text(struct str original, struct str text, struct buf *ret_text)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) result = NULL;
    OWNED(json_patch) patch = NULL;
    TRY(json_read(original, &doc));
    TRY(json_patch_read(text, NULL, &patch));
    TRY(json_patch_apply(patch, json_doc_root(doc), &result));
    json_write(ret_text, json_doc_root(result));
    return NULL;
}

static void add_json(struct buf *buf, const char *text)
{
    for (; *text; text++)
        buf_add_char(buf, *text == '\'' ? '"' : *text);
}

static void check_applied(const char *name, const char *original, const char *patch,
                          const char *result)
{
    TEST_CASE("%s", name);
    SCOPED(buf) original_text = {.limit = 0};
    SCOPED(buf) patch_text = {.limit = 0};
    SCOPED(buf) expected = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    add_json(&original_text, original);
    add_json(&patch_text, patch);
    add_json(&expected, result);
    CHECK_OK(apply_text(buf_str(&original_text), buf_str(&patch_text), &seen));
    CHECK_EQ(buf_str(&seen), buf_str(&expected));
}

/* What the recorded rows leave open. Single quotes stand for double ones. */
TEST(json_patch_apply)
{
    check_applied("a copy is not the source", "{'a':{'x':[1]}}",
                  "[{'op':'copy','from':'/a','path':'/b'},{'op':'add','path':'/a/x/-','value':2},"
                  "{'op':'remove','path':'/b/x/0'}]",
                  "{'a':{'x':[1,2]},'b':{'x':[]}}");
    check_applied("a copy of what was changed", "{'a':[]}",
                  "[{'op':'add','path':'/a/-','value':{'k':1}},"
                  "{'op':'copy','from':'/a','path':'/a/-'}]",
                  "{'a':[{'k':1},[{'k':1}]]}");
    check_applied("move within an array", "[1,2,3]", "[{'op':'move','from':'/0','path':'/-'}]",
                  "[2,3,1]");
    check_applied("move null", "{'a':null}", "[{'op':'move','from':'/a','path':'/b'}]",
                  "{'b':null}");
    check_applied("test of what was changed", "{'a':{'b':1}}",
                  "[{'op':'add','path':'/a/c','value':2},"
                  "{'op':'test','path':'/a','value':{'c':2,'b':1}},"
                  "{'op':'test','path':'','value':{'a':{'b':1,'c':2}}}]",
                  "{'a':{'b':1,'c':2}}");
    check_applied("test of an absent member without value", "{}", "[{'op':'test','path':'/a'}]",
                  "{}");
    check_applied("replace of everything", "{'a':1}",
                  "[{'op':'replace','path':'','value':[1]},{'op':'add','path':'/0','value':0}]",
                  "[0,1]");
    check_applied("text before the slash does not count", "{'a':1}",
                  "[{'op':'remove','path':'x/a'}]", "{}");
    check_applied("order of members stays", "{'b':1,'a':2}",
                  "[{'op':'replace','path':'/b','value':3}]", "{'b':3,'a':2}");
}

static void check_refused(const char *patch, const char *message)
{
    TEST_CASE("%s", patch);
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    add_json(&text, patch);
    OWNED(error) err = apply_text(STR("{\"l\":[1],\"n\":1}"), buf_str(&text), &seen);
    CHECK(err);
    CHECK_EQ((const char *)err->message, message);
    CHECK_EQ((int)err->code, ERROR_INVALID);
}

TEST(json_patch_refuses)
{
    check_refused("[{'op':'replace','path':'','value':1}]",
                  "replace operation value must be object or array");
    check_refused("[{'op':'replace','value':1}]",
                  "replace operation failed to decode path: operation missing path field: "
                  "missing value");
    check_refused("[{'op':'test','value':1}]",
                  "test operation failed to decode path: operation missing path field: "
                  "missing value");
    check_refused("[{'op':'remove'}]", "remove operation failed to decode path: missing value");
    check_refused("[{'op':'remove','path':'/l/99999999999999999999'}]",
                  "error in remove for path: '/l/99999999999999999999': strconv.Atoi: parsing "
                  "\"99999999999999999999\": value out of range");
    check_refused("[{'op':'copy','from':'/l/7','path':'/b'}]",
                  "error in copy for from: '/l/7': Unable to access invalid index: 7: "
                  "invalid index referenced");
    check_refused("[{'op':'copy','from':'/l','path':'/x/y'}]",
                  "copy operation does not apply: doc is missing destination path: /x/y: "
                  "missing value");
    check_refused("[{'op':'copy','from':'/x/y','path':'/b'}]",
                  "copy operation does not apply: doc is missing from path: /x/y: missing value");
    check_refused("[{'op':'move','from':'/x/y','path':'/b'}]",
                  "move operation does not apply: doc is missing from path: /x/y: missing value");
    check_refused("[{'op':'test','path':'/x/y','value':1}]",
                  "test operation does not apply: is missing path: /x/y: missing value");
    check_refused("[{'op':'test','path':'/n','value':1.0}]",
                  "testing value /n failed: test failed");
}

static void repeat(struct buf *buf, const char *operation, int times)
{
    buf_add_char(buf, '[');
    for (int i = 0; i < times; i++)
        buf_print(buf, "%s%s", i ? "," : "", operation);
    buf_add_char(buf, ']');
}

TEST(json_patch_limits)
{
    SCOPED(buf) seen = {.limit = 0};
    SCOPED(buf) many = {.limit = 0};
    repeat(&many, "{\"op\":\"add\",\"path\":\"/a\"}", JSON_PATCH_OPERATIONS_MAX + 1);
    CHECK_FAILS(apply_text(STR("{}"), buf_str(&many), &seen), ERROR_TOO_LARGE,
                "The allowed maximum operations in a JSON patch is 10000, got 10001");

    /* Doubles with every operation. */
    SCOPED(buf) bomb = {.limit = 0};
    repeat(&bomb, "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}", 100);
    CHECK_FAILS(apply_text(STR("{\"a\":[\"xxxxxxxx\"]}"), buf_str(&bomb), &seen), ERROR_INVALID,
                "accumulated size increase of copy");
}

static void nest(struct buf *buf, int depth)
{
    for (int i = 0; i < depth; i++)
        buf_add_char(buf, '[');
    for (int i = 0; i < depth; i++)
        buf_add_char(buf, ']');
}

/* Three operations put one more array around what is there. */
TEST(json_patch_depth_is_limited)
{
    SCOPED(buf) original = {.limit = 0};
    SCOPED(buf) patch = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    buf_add(&original, STR("{\"a\":"));
    nest(&original, 9000);
    buf_add_char(&original, '}');
    repeat(&patch,
           "{\"op\":\"add\",\"path\":\"/b\",\"value\":[]},"
           "{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b/0\"},"
           "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a\"}",
           1500);
    CHECK_FAILS(apply_text(buf_str(&original), buf_str(&patch), &seen), ERROR_TOO_LARGE,
                "nests deeper");
}

TEST(json_patch_work_is_limited)
{
    SCOPED(buf) list = {.limit = 0};
    repeat(&list, "1", 300000);
    SCOPED(buf) patch = {.limit = 0};
    repeat(&patch, "{\"op\":\"add\",\"path\":\"/0\",\"value\":1}", JSON_PATCH_OPERATIONS_MAX);
    SCOPED(buf) seen = {.limit = 0};
    CHECK_FAILS(apply_text(buf_str(&list), buf_str(&patch), &seen), ERROR_TOO_LARGE, "work");
}
