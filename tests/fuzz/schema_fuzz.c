/*
 * A schema on the first line, a document on the others. Pruning twice and defaulting twice change
 * nothing more; and a document that was pruned and defaulted, and validates, is what a server would
 * store: pruning and defaulting leave it alone, so it validates whenever it is read.
 */
#include "apiserver/crd/schema/schema.h"
#include "fuzz.h"
#include "json/compare.h"
#include "testing/test.h"

static struct json_doc *prune(const struct schema *schema, struct json_doc *doc)
{
    struct json_doc *pruned = NULL, *again = NULL;
    SCOPED(arena) arena = {.limit = 0};
    struct schema_unknown unknown = {.arena = &arena};
    CHECK_OK(schema_prune(schema, doc, &unknown, &pruned));
    CHECK_EQ(pruned == doc, unknown.count == 0);
    CHECK_OK(schema_prune(schema, pruned, NULL, &again));
    CHECK(again == pruned);
    json_doc_free(again);
    return pruned;
}

static struct json_doc *fill(const struct schema *schema, struct json_doc *doc)
{
    struct json_doc *filled = NULL, *again = NULL;
    CHECK_OK(schema_default(schema, doc, &filled));
    CHECK_OK(schema_default(schema, filled, &again));
    CHECK(again == filled);
    json_doc_free(again);
    return filled;
}

static bool validates(const struct schema *schema, const struct json_doc *doc,
                      enum schema_scope scope)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    schema_validate(schema, json_doc_root(doc), scope, &errors);
    return errors.count == 0;
}

static struct schema *compile(struct str text)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(text, &doc);
    if (err)
        return NULL;
    return schema_compile(json_doc_root(doc), STR("spec.schema"), &errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    str_cut(&rest, '\n', &line);
    OWNED(schema) schema = compile(line);
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = schema ? json_read(rest, &doc) : NULL;
    if (!schema || err)
        return 0;
    OWNED(json_doc) pruned = prune(schema, doc);
    OWNED(json_doc) stored = fill(schema, pruned);
    validates(schema, stored, SCHEMA_STATUS);
    if (!validates(schema, stored, SCHEMA_OBJECT))
        return 0;
    OWNED(json_doc) read = prune(schema, stored);
    CHECK(read == stored);
    return 0;
}
