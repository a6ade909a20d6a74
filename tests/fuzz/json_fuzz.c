/*
 * Any bytes may be refused; what is accepted survives a round trip, whichever way it is written.
 * The reader and the search for syntax errors agree on what is JSON.
 */
#include "fuzz.h"
#include "json/compare.h"
#include "json/json.h"
#include "json/syntax.h"
#include "testing/test.h"

static struct json_doc *write_and_read(const struct json_value *value, unsigned flags)
{
    struct json_doc *doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    json_write_with(&text, value, flags);
    CHECK_OK(json_read(buf_str(&text), &doc));
    return doc;
}

static void check_canonical(const struct json_value *a, const struct json_value *b)
{
    SCOPED(buf) a_text = {.limit = 0};
    SCOPED(buf) b_text = {.limit = 0};
    json_write_canonical_exact(&a_text, a);
    json_write_canonical_exact(&b_text, b);
    CHECK_EQ(buf_str(&a_text), buf_str(&b_text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    struct syntax_error syntax;
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(text, &doc);
    const bool wrong = syntax_find_error(text, &syntax);
    if (err) {
        CHECK(wrong || strstr(err->message, "into Go value of type float64"));
        return 0;
    }
    CHECK(!wrong);
    const struct json_value *root = json_doc_root(doc);
    OWNED(json_doc) exact = write_and_read(root, JSON_WRITE_NUMBERS_AS_READ | JSON_WRITE_PRETTY);
    CHECK(json_equal_exact(root, json_doc_root(exact)));
    check_canonical(root, json_doc_root(exact));
    OWNED(json_doc) go = write_and_read(root, JSON_WRITE_ESCAPE_HTML);
    CHECK(json_equal(root, json_doc_root(go)));
    OWNED(json_doc) copy = json_doc_copy(root);
    CHECK(json_equal_exact(root, json_doc_root(copy)));
    return 0;
}
