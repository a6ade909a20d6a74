/* Fixture of the tests of custom resources: definitions of tests/support/data/custom, by the names
 * of their resources, and calls that fail the test when they fail. */
#pragma once

#include "apimachinery/rows_test.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/definition.h"
#include "base/duration.h"
#include "json/compare.h"

#define FIXTURE_NOW ((timestamp)1700000000 * SECOND)

static inline struct json_doc *fixture_read(struct str text)
{
    struct json_doc *doc = NULL;
    CHECK_OK(json_read(text, &doc));
    return doc;
}

/* A definition of definitions.jsonl with its defaults. */
static inline struct json_doc *fixture_definition(struct str resource)
{
    static struct str text; /* a test may read few files */
    if (text.len == 0)
        text = test_data("custom/definitions.jsonl");
    struct str rest = text, line;
    while (rest.len > 0) {
        struct json_doc *definition = NULL;
        str_cut(&rest, '\n', &line);
        OWNED(json_doc) row = fixture_read(line);
        const struct json_value *body = json_get(json_doc_root(row), STR("body"));
        if (!str_eq(json_path_str(body, "metadata.name"), resource))
            continue;
        OWNED(json_doc) copy = json_doc_copy(body);
        CHECK_OK(definition_default(copy, &definition));
        return definition;
    }
    test_fail(TEST_PLACE("resource"), "there is no %.*s", STR_ARG(resource));
}

static inline struct crd *fixture_crd(struct str resource)
{
    struct crd *crd = NULL;
    OWNED(json_doc) definition = fixture_definition(resource);
    CHECK_OK(crd_compile(json_doc_root(definition), NULL, &crd));
    return crd;
}

static inline const struct kind *fixture_kind(const struct crd *crd, struct str version)
{
    for (size_t i = 0; i < crd_kind_count(crd); i++)
        if (str_eq(crd_kind(crd, i)->gvk.version, version))
            return crd_kind(crd, i);
    test_fail(TEST_PLACE("version"), "%.*s is not served", STR_ARG(version));
}

static inline void fixture_check_json(const struct json_value *seen,
                                      const struct json_value *expected)
{
    SCOPED(buf) a = {.limit = 0};
    SCOPED(buf) b = {.limit = 0};
    json_write_canonical(&a, seen);
    json_write_canonical(&b, expected);
    CHECK_EQ(buf_str(&a), buf_str(&b));
}
