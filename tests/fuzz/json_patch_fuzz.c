/*
 * A document on the first line, a patch behind it. Patches may be refused; one that applies leaves
 * the original alone, gives the same result each time, and that result can be read again.
 */
#include "fuzz.h"
#include "json/compare.h"
#include "json/json_patch.h"
#include "testing/test.h"

static void check_readable(const struct json_value *value)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) again = NULL;
    json_write_with(&text, value, JSON_WRITE_NUMBERS_AS_READ);
    CHECK_OK(json_read(buf_str(&text), &again));
    CHECK(json_equal_exact(value, json_doc_root(again)));
}

static void check_patch(const struct json_patch *patch, const struct json_value *original)
{
    OWNED(json_doc) before = json_doc_copy(original);
    OWNED(json_doc) first = NULL;
    OWNED(json_doc) second = NULL;
    OWNED(error) err = json_patch_apply(patch, original, &first);
    OWNED(error) same = json_patch_apply(patch, original, &second);
    CHECK_EQ(err != NULL, same != NULL);
    CHECK(json_equal_exact(json_doc_root(before), original));
    CHECK(json_equal_exact(json_doc_root(first), json_doc_root(second)));
    if (!err)
        check_readable(json_doc_root(first));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    str_cut(&rest, '\n', &line);
    OWNED(json_doc) original = NULL;
    OWNED(json_patch) patch = NULL;
    OWNED(error) err = error_join(json_read(line, &original), json_patch_read(rest, NULL, &patch));
    if (!err)
        check_patch(patch, json_doc_root(original));
    return 0;
}
