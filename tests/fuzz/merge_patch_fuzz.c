/*
 * Two documents, one on the first line. The difference applied to the first gives the second, apart
 * from null members, which no merge patch can make. Applying a patch twice changes nothing more.
 */
#include "fuzz.h"
#include "json/compare.h"
#include "json/merge_patch.h"
#include "testing/test.h"

/* A patch applied to nothing is the patch without null members. */
static struct json_doc *without_nulls(const struct json_value *value)
{
    struct json_doc *doc = NULL;
    CHECK_OK(merge_patch_apply(NULL, value, &doc));
    return doc;
}

static void check_same(const struct json_value *a, const struct json_value *b)
{
    OWNED(json_doc) x = without_nulls(a);
    OWNED(json_doc) y = without_nulls(b);
    CHECK(json_equal_exact(json_doc_root(x), json_doc_root(y)));
}

static void check_diff(const struct json_value *from, const struct json_value *to)
{
    OWNED(json_doc) patch = NULL;
    OWNED(json_doc) result = NULL;
    CHECK_OK(merge_patch_diff(from, to, &patch));
    CHECK_OK(merge_patch_apply(from, json_doc_root(patch), &result));
    check_same(json_doc_root(result), to);
    CHECK_EQ(json_count(json_doc_root(patch)) == 0, json_equal_exact(from, to));
}

static void check_twice(const struct json_value *original, const struct json_value *patch)
{
    OWNED(json_doc) once = NULL;
    OWNED(json_doc) twice = NULL;
    CHECK_OK(merge_patch_apply(original, patch, &once));
    CHECK_OK(merge_patch_apply(json_doc_root(once), patch, &twice));
    check_same(json_doc_root(once), json_doc_root(twice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    str_cut(&rest, '\n', &line);
    OWNED(json_doc) from = NULL;
    OWNED(json_doc) to = NULL;
    OWNED(error)
    err = error_join(merge_patch_read(line, NULL, &from), merge_patch_read(rest, NULL, &to));
    if (err)
        return 0;
    check_diff(json_doc_root(from), json_doc_root(to));
    check_twice(json_doc_root(from), json_doc_root(to));
    return 0;
}
