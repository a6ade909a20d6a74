/* Fixture of the tests of schemas: schemas, documents and errors as texts. */
#pragma once

#include "apimachinery/field_error.h"
#include "apiserver/crd/schema/schema.h"
#include "testing/test.h"

static inline struct json_doc *fixture_read(struct str text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(text, &doc));
    return doc;
}

/* Fails the test when the schema is refused. */
static inline struct schema *fixture_schema(struct str text)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = fixture_read(text);
    struct schema *schema = schema_compile(json_doc_root(doc), STR("s"), &errors);
    SCOPED(buf) found = {.limit = 0};
    field_errors_write(&found, &errors);
    CHECK_EQ(buf_str(&found), STR(""));
    CHECK(schema);
    return schema;
}

/* The node at a path as messages write it: "spec.ports[].name". NULL when there is none. */
static inline const struct schema_node *fixture_node_at(const struct schema *schema,
                                                        struct str path)
{
    const struct schema_node *node = schema_root(schema);
    struct str name;
    while (path.len && node) {
        str_cut(&path, '.', &name);
        struct str brackets = name;
        str_cut(&brackets, '[', &name);
        node = schema_member(node, name);
        for (struct str index; brackets.len; str_cut(&brackets, '[', &index))
            node = schema_items(node);
    }
    return node;
}

/* All errors of a document as a message has them; its reasons behind it, if asked for. */
static inline void fixture_check_errors(const struct schema *schema, struct str text,
                                        enum schema_scope scope, struct str expected)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) found = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) doc = fixture_read(text);
    schema_validate(schema, json_doc_root(doc), scope, &errors);
    field_errors_write(&found, &errors);
    CHECK_EQ(buf_str(&found), expected);
}
