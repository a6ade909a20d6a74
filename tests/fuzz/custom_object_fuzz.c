/*
 * Lines: an object of one of the definitions of tests/support/data/fuzz, and another one to take
 * its place. The kind is the one the first line names. Whatever they are: the steps of a write are
 * done once and for all, what may be stored is valid when it is read again, every version shows it
 * the same way twice, and what a schema does not know is gone for good.
 */
#include "apiserver/crd/crd_internal.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/scale.h"
#include "base/duration.h"
#include "fuzz.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

#define CRDS_MAX 8
#define NOW      ((timestamp)1700000000 * SECOND)

static struct crd *crds[CRDS_MAX];
static size_t custom_count;

static struct crd *compile(struct str line)
{
    OWNED(json_doc) row = NULL;
    OWNED(json_doc) definition = NULL;
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    struct crd *crd = NULL;
    CHECK_OK(json_read(line, &row));
    OWNED(json_doc) body = json_doc_copy(json_get(json_doc_root(row), STR("body")));
    CHECK_OK(definition_default(body, &definition));
    definition_validate(json_doc_root(definition), NULL, &errors);
    CHECK_EQ(errors.count, (size_t)0);
    CHECK_OK(crd_compile(json_doc_root(definition), NULL, &crd));
    return crd;
}

/* Once in a process; they stay. */
static void compile_all(void)
{
    struct str text = test_data("fuzz/definitions.jsonl"), line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        CHECK(custom_count < CRDS_MAX);
        crds[custom_count++] = compile(line);
    }
}

static const struct kind *kind_of(const struct json_value *object)
{
    struct gvk gvk;
    OWNED(error)
    err = gvk_from_api_version(json_path_str(object, "apiVersion"), json_path_str(object, "kind"),
                               &gvk);
    if (err)
        return crd_kind(crds[0], 0);
    for (size_t i = 0; i < custom_count; i++)
        for (size_t j = 0; j < crd_kind_count(crds[i]); j++)
            if (gvk_eq(crd_kind(crds[i], j)->gvk, gvk))
                return crd_kind(crds[i], j);
    return crd_kind(crds[0], 0);
}

static void check_equal(const struct json_doc *a, const struct json_doc *b)
{
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    if (json_equal(json_doc_root(a), json_doc_root(b)))
        return;
    json_write_canonical(&left, json_doc_root(a));
    json_write_canonical(&right, json_doc_root(b));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

static void check_text(const struct json_doc *doc)
{
    OWNED(json_doc) again = NULL;
    SCOPED(buf) text = {.limit = 0};
    json_write_with(&text, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    CHECK_OK(json_read(buf_str(&text), &again));
    check_equal(doc, again);
}

/* Nothing a reader of this version is told will be dropped when it is sent back. */
static void check_settled(const struct kind *kind, struct json_doc *doc)
{
    SCOPED(arena) arena = {.limit = 0};
    struct json_warnings unknown = {.arena = &arena};
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    CHECK_OK(kind->ops->decode(kind, doc, &unknown, &decoded));
    CHECK_EQ(unknown.count, (size_t)0);
    check_equal(doc, decoded);
    CHECK_OK(kind->ops->default_(kind, decoded, &filled));
    if (crd_version_of(kind)->is_storage)
        check_equal(decoded, filled); /* defaults are those of the version it was stored in */
}

static void check_cells(const struct kind *kind, const struct json_value *object)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) cells = NULL;
    OWNED(json_doc) scale = NULL;
    OWNED(json_doc) scaled = NULL;
    json_builder_array(&builder);
    kind->ops->cells(kind, object, NOW, &builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &cells));
    CHECK_EQ(json_count(json_doc_root(cells)), kind->column_count);
    check_text(cells);
    struct crd_scale_paths paths;
    if (!crd_scale_paths(kind, &paths))
        return;
    OWNED(error) err = scale_read(kind, object, &scale);
    if (!err)
        err = scale_write(kind, object, json_doc_root(scale), &scaled);
    if (!err)
        check_text(scaled);
}

static void check_presented(const struct kind *kind, struct json_doc *stored)
{
    const struct crd *crd = crd_of_kind(kind);
    for (size_t i = 0; i < crd_kind_count(crd); i++) {
        const struct kind *version = crd_kind(crd, i);
        OWNED(json_doc) shown = NULL;
        OWNED(json_doc) again = NULL;
        CHECK_OK(version->ops->present(version, stored, &shown));
        check_text(shown);
        check_settled(version, shown);
        check_cells(version, json_doc_root(shown));
        if (!crd_version_of(version)->is_storage)
            continue;
        CHECK_OK(version->ops->present(version, shown, &again));
        check_equal(shown, again);
    }
}

/* What is wrong with it; 0 for what may be stored. */
static size_t count_errors(const struct kind *kind, struct kind_write write,
                           const struct json_value *object)
{
    SCOPED(arena) arena = {.limit = 256 * MEGABYTE};
    struct field_errors errors = {.arena = &arena};
    write.arena = &arena;
    kind->ops->validate(kind, &write, object, &errors);
    return errors.count;
}

static void check_stored(const struct kind *kind, struct json_doc *doc)
{
    OWNED(json_doc) stored = NULL;
    OWNED(json_doc) read = NULL;
    const struct json_value *object = json_doc_root(doc);
    CHECK_OK(crd_to_storage(kind, doc, &stored));
    check_text(stored);
    check_presented(kind, stored);
    CHECK_OK(kind->ops->present(kind, stored, &read));
    if (!crd_version_of(kind)->is_storage)
        return; /* versions may differ in what they ask for */
    CHECK_EQ(count_errors(kind, (struct kind_write){.now = NOW}, json_doc_root(read)), (size_t)0);
    const struct kind_write same = {.old = object, .now = NOW};
    CHECK_EQ(count_errors(kind, same, json_doc_root(read)), (size_t)0);
}

/* A body on its way to the store, in place of old; NULL when it is refused. */
static struct json_doc *pass(const struct kind *kind, const struct json_value *old,
                             struct str subresource, struct json_doc *body)
{
    const struct kind_write write = {.old = old, .subresource = subresource, .now = NOW};
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) decoded_again = NULL;
    OWNED(json_doc) filled = NULL;
    OWNED(json_doc) refilled = NULL;
    OWNED(json_doc) prepared = NULL;
    OWNED(json_doc) prepared_again = NULL;
    OWNED(error) err = kind->ops->decode(kind, body, NULL, &decoded);
    if (err) {
        CHECK(err->code == ERROR_BAD_REQUEST);
        return NULL;
    }
    CHECK_OK(kind->ops->decode(kind, decoded, NULL, &decoded_again));
    check_equal(decoded, decoded_again);
    CHECK_OK(kind->ops->default_(kind, decoded, &filled));
    CHECK_OK(kind->ops->default_(kind, filled, &refilled));
    check_equal(filled, refilled);
    err = crd_check_version(kind, json_doc_root(filled));
    if (err)
        return NULL;
    CHECK_OK(kind->ops->prepare(kind, &write, filled, &prepared));
    CHECK_OK(kind->ops->prepare(kind, &write, prepared, &prepared_again));
    check_equal(prepared, prepared_again);
    check_text(prepared);
    return count_errors(kind, write, json_doc_root(prepared)) ? NULL : TAKE(prepared);
}

static struct json_doc *read_line(struct str *rest)
{
    struct str line;
    struct json_doc *doc = NULL;
    str_cut(rest, '\n', &line);
    error_free(json_read(line, &doc));
    return doc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    if (!custom_count)
        compile_all();
    OWNED(json_doc) body = read_line(&rest);
    OWNED(json_doc) other = read_line(&rest);
    if (!body)
        return 0;
    const struct kind *kind = kind_of(json_doc_root(body));
    OWNED(json_doc) created = pass(kind, NULL, STR(""), body);
    if (!created)
        return 0;
    check_stored(kind, created);
    if (!other)
        return 0;
    OWNED(json_doc) updated = pass(kind, json_doc_root(created), STR(""), other);
    OWNED(json_doc) status = pass(kind, json_doc_root(created), STR("status"), other);
    if (updated)
        check_stored(kind, updated);
    if (status)
        check_stored(kind, status);
    return 0;
}
