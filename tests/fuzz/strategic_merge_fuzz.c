/*
 * Kind, original and patch, a line each. A patch is refused or gives valid JSON. A patch without
 * directives and nulls that was applied changes nothing when it is applied once more; only elements
 * that a patch names twice take one more time to settle.
 */
#include "apiserver/strategicpatch/strategic_merge.h"
#include "fuzz.h"
#include "json/compare.h"
#include "testing/test.h"

static const struct go_type *read_type(struct str line)
{
    struct gvk gvk;
    struct str api_version;
    str_cut(&line, ' ', &api_version);
    OWNED(error) err = gvk_from_api_version(api_version, line, &gvk);
    return err ? NULL : go_type_find(gvk);
}

/* The result, or NULL when the patch is refused. */
static struct json_doc *apply(const struct go_type *type, const struct json_doc *original,
                              const struct json_doc *patch)
{
    struct json_doc *doc = NULL;
    OWNED(error)
    err = strategic_merge_apply(type, json_doc_root(original), json_doc_root(patch), &doc);
    CHECK((err == NULL) == (doc != NULL));
    return doc;
}

static void check_valid(const struct json_doc *doc)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) again = NULL;
    json_write(&text, json_doc_root(doc));
    CHECK_OK(json_read(buf_str(&text), &again));
    CHECK(json_equal(json_doc_root(doc), json_doc_root(again)));
}

static void check_settles(const struct go_type *type, const struct json_doc *once,
                          const struct json_doc *patch)
{
    OWNED(json_doc) twice = apply(type, once, patch);
    if (!twice)
        return;
    OWNED(json_doc) thrice = apply(type, twice, patch);
    CHECK(thrice && json_equal(json_doc_root(twice), json_doc_root(thrice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, kind, first;
    OWNED(json_doc) original = NULL;
    OWNED(json_doc) patch = NULL;
    str_cut(&rest, '\n', &kind);
    str_cut(&rest, '\n', &first);
    const struct go_type *type = read_type(kind);
    OWNED(error) err = error_join(json_read(first, &original), json_read(rest, &patch));
    if (err || !type)
        return 0;
    OWNED(json_doc) once = apply(type, original, patch);
    if (!once)
        return 0;
    check_valid(once);
    if (!str_contains(rest, STR("$")) && !str_contains(rest, STR("\\u")) &&
        !str_contains(rest, STR("null")))
        check_settles(type, once, patch);
    return 0;
}
