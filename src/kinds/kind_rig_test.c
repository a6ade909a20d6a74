#include "kinds/kind_rig_test.h"

#include "base/duration.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/test.h"

/* Noon, 14 November 2023. */
#define NOW ((timestamp)1699963200 * SECOND)

struct kind recorded_kind(struct gvk gvk, bool namespaced)
{
    return (struct kind){
        .gvk = gvk,
        .namespaced = namespaced,
        .type = strategic_type_find(gvk),
    };
}

static void run(recorded_fn *fn, struct str line)
{
    SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) body = NULL;
    bool namespaced = false;
    CHECK_OK(json_read(line, &doc));
    const struct json_value *row = json_doc_root(doc);
    (void)json_to_bool(json_path(row, "namespaced"), &namespaced);
    body = json_doc_copy(json_path(row, "body"));
    const struct gvk gvk = {json_path_str(row, "group"), json_path_str(row, "version"),
                            json_path_str(row, "kind")};
    const struct recorded recorded = {
        .id = json_path_str(row, "id"),
        .is_again = str_ends_with(json_path_str(row, "id"), STR("-again")),
        .kind = recorded_kind(gvk, namespaced),
        .write = {.old = json_path(row, "old"),
                  .subresource = json_path_str(row, "subresource"),
                  .namespace = json_path_str(row, "namespace"),
                  .now = NOW,
                  .arena = &arena},
        .body = body,
        .row = row,
    };
    TEST_CASE("%.*s", STR_ARG(recorded.id));
    CHECK(recorded.kind.type != NULL);
    fn(&recorded);
}

void recorded_foreach(const char *file, recorded_fn *fn)
{
    struct str rest = test_data(file), line;
    while (rest.len > 0) {
        (void)str_cut(&rest, '\n', &line);
        run(fn, line);
    }
}

void recorded_compare(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) a = {.limit = 0};
    SCOPED(buf) b = {.limit = 0};
    json_write_canonical(&a, seen);
    json_write_canonical(&b, expected);
    CHECK_EQ(buf_str(&a), buf_str(&b));
}

struct json_doc *recorded_stored(const struct recorded *recorded)
{
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    struct json_doc *doc = NULL;
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, NULL, &decoded));
    CHECK_OK(kind_builtin_default(&recorded->kind, decoded, &filled));
    CHECK_OK(kind_builtin_prepare(&recorded->kind, &recorded->write, filled, &doc));
    return doc;
}
