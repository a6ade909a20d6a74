/*
 * What strategic merge patches make, decoded: the "decode_error" of oracle/strategicpatch.jsonl.
 *
 * The oracle decodes with the converter of unstructured objects, whose words for a value of the
 * wrong type differ from those of the JSON decoder that kind_decode_check() mirrors. So the fact of
 * an error is compared, and the text of unknown members.
 */
#include "apiserver/registry/kind_decode_internal.h"
#include "apiserver/types/go_type_row_test.h"

#define STRICT "strict decoding error: "

static void check_row(const struct json_value *row)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) seen = {.limit = 0};
    struct json_warnings unknown = {.arena = &arena};
    const struct str expected = json_path_str(row, "decode_error");
    const bool is_strict = str_starts_with(expected, STR(STRICT));
    OWNED(error)
    err = kind_decode_check(go_type_of_row(row), json_get(row, STR("result")), &unknown);
    CHECK_EQ(err != NULL, !str_is_empty(expected) && !is_strict);
    for (size_t i = 0; i < unknown.count; i++)
        buf_print(&seen, "%s%.*s", i ? ", " : STRICT, STR_ARG(unknown.items[i]));
    if (!err)
        CHECK_EQ(buf_str(&seen), expected);
}

TEST(results_of_strategic_patches_are_decoded_as_kubernetes_does)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "oracle/strategicpatch.jsonl")
    {
        TEST_CASE("row %zu", rows++);
        if (json_get(row, STR("result")))
            check_row(row);
    }
    CHECK(rows > 0);
}
