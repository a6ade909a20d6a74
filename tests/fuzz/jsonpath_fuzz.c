/*
 * A path on the first line, a document on the others. The first result is the first of all, a query
 * that fails has none, and results stay below their limit.
 */
#include "apiserver/crd/jsonpath_internal.h"
#include "fuzz.h"
#include "testing/test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    SCOPED(arena) arena = {.limit = 0};
    const struct jsonpath *path = NULL;
    struct path_values results = {.count = 0};
    size_t unbounded = SIZE_MAX;
    OWNED(json_doc) doc = NULL;
    str_cut(&rest, '\n', &line);
    OWNED(error) refused = jsonpath_compile(&arena, line, &path);
    OWNED(error) unread = refused ? NULL : json_read(rest, &doc);
    if (refused || unread)
        return 0;
    const struct json_value *first = jsonpath_first(path, json_doc_root(doc));
    const bool found =
        path_steps_find(&path->steps, json_doc_root(doc), &arena, 0, &unbounded, &results);
    CHECK_EQ(first != NULL, found && results.count > 0);
    CHECK(results.count <= JSONPATH_RESULTS_MAX);
    return 0;
}
