/*
 * An object of a built-in kind is refused, or passes through the steps of a write: decoding and
 * filling in are done once and for all, what was stored is stored again unchanged, and validation
 * says what it says. What has a fault is not stored: a Service whose address cannot be read gets
 * none.
 */
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "fuzz.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

static void check_equal(const struct json_doc *a, const struct json_doc *b)
{
    CHECK(json_equal(json_doc_root(a), json_doc_root(b)));
}

static void check_steps(const struct kind *kind, struct json_doc *decoded)
{
    SCOPED(arena) arena = {.limit = 256 * MEGABYTE};
    struct field_errors errors = {.arena = &arena};
    struct kind_write write = {.namespace = STR("n"), .arena = &arena};
    OWNED(json_doc) again = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) refilled = NULL;
    OWNED(json_doc) stored = NULL;
    OWNED(json_doc) restored = NULL;
    CHECK_OK(kind_builtin_decode(kind, decoded, NULL, &again));
    check_equal(decoded, again);
    CHECK_OK(kind_builtin_default(kind, decoded, &filled));
    CHECK_OK(kind_builtin_default(kind, filled, &refilled));
    check_equal(filled, refilled);
    CHECK_OK(kind_builtin_prepare(kind, &write, filled, &stored));
    kind_builtin_validate(kind, &write, json_doc_root(stored), &errors);
    write.old = json_doc_root(stored);
    CHECK_OK(kind_builtin_prepare(kind, &write, stored, &restored));
    if (errors.count == 0)
        check_equal(stored, restored);
    kind_builtin_validate(kind, &write, json_doc_root(restored), &errors);
    write.subresource = STR("status");
    kind_builtin_validate(kind, &write, json_doc_root(restored), &errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) decoded = NULL;
    struct kind kind = {.namespaced = true};
    OWNED(error) err = json_read((struct str){(const char *)data, size}, &doc);
    if (err)
        return 0;
    const struct json_value *object = json_doc_root(doc);
    err = gvk_from_api_version(json_path_str(object, "apiVersion"), json_path_str(object, "kind"),
                               &kind.gvk);
    if (err)
        return 0;
    kind.type = go_type_find(kind.gvk);
    if (!kind.type)
        return 0;
    err = kind_builtin_decode(&kind, doc, NULL, &decoded);
    if (err)
        CHECK(err->code == ERROR_BAD_REQUEST && !decoded);
    else
        check_steps(&kind, decoded);
    return 0;
}
