/*
 * Every row of the recorded answers of Kubernetes for YAML: values with exact number tokens, the
 * class of each error, and the exact start of its message. Where a row names our own answer, that
 * one counts.
 */
#include <stdlib.h>
#include <yyjson.h>

#include "base/base64.h"
#include "json/json.h"
#include "json/yaml/manifest.h"
#include "testing/test.h"

static struct str to_str(yyjson_val *val)
{
    return str_from(yyjson_get_str(val), yyjson_get_len(val));
}

/* By value; members in any order, numbers by token. Rows nest at most some hundred levels. */
static bool is_same(yyjson_val *a, yyjson_val *b)
{
    if (yyjson_get_type(a) != yyjson_get_type(b) || yyjson_get_len(a) != yyjson_get_len(b))
        return false;
    if (yyjson_is_raw(a))
        return memcmp(yyjson_get_raw(a), yyjson_get_raw(b), yyjson_get_len(a)) == 0;
    if (yyjson_is_bool(a))
        return yyjson_get_bool(a) == yyjson_get_bool(b);
    if (yyjson_is_str(a))
        return str_eq(to_str(a), to_str(b));
    size_t i, max;
    yyjson_val *key, *val;
    yyjson_arr_foreach(a, i, max, val) if (!is_same(val, yyjson_arr_get(b, i))) return false;
    yyjson_obj_foreach(a, i, max, key,
                       val) if (!is_same(val, yyjson_obj_getn(b, yyjson_get_str(key),
                                                              yyjson_get_len(key)))) return false;
    return true;
}

static yyjson_doc *read_raw(struct str text)
{
    yyjson_doc *doc = yyjson_read(text.ptr, text.len, YYJSON_READ_NUMBER_AS_RAW);
    CHECK(doc);
    return doc;
}

static void check_doc(struct json_doc *doc, yyjson_val *expected)
{
    SCOPED(buf) text = {0};
    json_write(&text, json_doc_root(doc));
    yyjson_doc *seen = read_raw(buf_str(&text));
    if (!is_same(yyjson_doc_get_root(seen), expected)) {
        char *wanted = yyjson_val_write(expected, 0, NULL);
        CHECK_EQ(buf_str(&text), str_from_c(wanted)); /* shows both */
        free(wanted);
        CHECK(false);
    }
    yyjson_doc_free(seen);
}

static void check_fault(struct error *err, const struct manifest_fault *fault, yyjson_val *expected)
{
    CHECK_EQ(manifest_error_name(fault->error), to_str(expected));
    test_check_error(TEST_PLACE("error"), err, ERROR_PARSE, "");
}

static yyjson_val *or_else(yyjson_val *first, yyjson_val *second)
{
    return first ? first : second;
}

/* A row of yaml-scalars.jsonl, with 64-bit integers kept. */
static void check_scalar(yyjson_val *row, struct str yaml)
{
    struct manifest_fault fault = {0};
    OWNED(json_doc) doc = NULL;
    yyjson_val *error = or_else(yyjson_obj_get(row, "corset_error"), yyjson_obj_get(row, "error"));
    struct error *err = manifest_read_one(yaml, NULL, &doc, &fault);
    if (error) {
        check_fault(err, &fault, error);
        return;
    }
    CHECK_OK(err);
    check_doc(doc, yyjson_obj_get(row, "json"));
}

/* The same row on the way to a workload cluster. */
static void check_wire(yyjson_val *row, struct str yaml)
{
    struct manifest_fault fault = {0};
    SCOPED(manifest_list) list = {0};
    yyjson_val *error =
        or_else(or_else(yyjson_obj_get(row, "corset_error"), yyjson_obj_get(row, "wire_error")),
                yyjson_obj_get(row, "error"));
    struct error *err = manifest_read_stream(yaml, NULL, &list, &fault);
    if (error) {
        check_fault(err, &fault, error);
        return;
    }
    CHECK_OK(err);
    yyjson_val *expected = or_else(yyjson_obj_get(row, "wire"), yyjson_obj_get(row, "json"));
    if (yyjson_is_null(expected)) {
        CHECK_EQ(list.count, 0);
        return;
    }
    CHECK_EQ(list.count, 1);
    check_doc(list.docs[0], expected);
}

static void check_stream(yyjson_val *row, struct str yaml)
{
    struct manifest_fault fault = {0};
    SCOPED(manifest_list) list = {0};
    yyjson_val *answer = or_else(yyjson_obj_get(row, "corset"), row);
    struct error *err = manifest_read_stream(yaml, NULL, &list, &fault);
    if (yyjson_obj_get(answer, "error")) {
        const struct str prefix = to_str(yyjson_obj_get(answer, "message_prefix"));
        CHECK(err && prefix.len);
        CHECK_EQ(str_slice(str_from_c(err->message), 0, prefix.len), prefix);
        check_fault(err, &fault, yyjson_obj_get(answer, "error"));
        return;
    }
    CHECK_OK(err);
    yyjson_val *docs = yyjson_obj_get(answer, "docs");
    if (!docs) {
        CHECK_EQ(list.count, strtoul(yyjson_get_raw(yyjson_obj_get(row, "count")), NULL, 10));
        return;
    }
    CHECK_EQ(list.count, yyjson_arr_size(docs));
    for (size_t i = 0; i < list.count; i++)
        check_doc(list.docs[i], yyjson_arr_get(docs, i));
}

typedef void check_fn(yyjson_val *row, struct str yaml);

static void check_row(struct str line, check_fn *check)
{
    SCOPED(buf) bytes = {0};
    yyjson_doc *doc = read_raw(line);
    yyjson_val *row = yyjson_doc_get_root(doc);
    const struct str id = to_str(yyjson_obj_get(row, "id"));
    if (!id.ptr)
        test_fail(TEST_PLACE("id"), "is missing");
    TEST_CASE("%.*s", STR_ARG(id));
    yyjson_val *encoded = yyjson_obj_get(row, "yaml_b64");
    if (encoded)
        CHECK_OK(base64_decode(&bytes, to_str(encoded)));
    check(row, encoded ? buf_str(&bytes) : to_str(yyjson_obj_get(row, "yaml")));
    yyjson_doc_free(doc);
}

static void check_rows(const char *file, size_t count, check_fn *check)
{
    struct str rest = test_data(file), line;
    size_t rows = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        check_row(line, check);
        rows++;
    }
    CHECK_EQ(rows, count);
}

TEST(manifest_oracle_scalars)
{
    check_rows("oracle/yaml-scalars.jsonl", 546, check_scalar);
}

TEST(manifest_oracle_scalars_on_the_wire)
{
    check_rows("oracle/yaml-scalars.jsonl", 546, check_wire);
}

TEST(manifest_oracle_streams)
{
    check_rows("oracle/yaml-docs.jsonl", 303, check_stream);
}
