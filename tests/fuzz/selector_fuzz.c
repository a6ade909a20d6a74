/*
 * A selector on the first line, labels as JSON behind it. Any text may be refused; what is accepted
 * is written as a text that reads as the same selector: same text again, same objects selected. So
 * do field selectors; and the object form, where it is accepted, selects what its text selects.
 */
#include "apimachinery/field_selector.h"
#include "apimachinery/selector.h"
#include "fuzz.h"
#include "json/json.h"
#include "testing/test.h"

static const struct field_label fields[] = {
    {STR_INIT("metadata.name"), "metadata.name"},
    {STR_INIT("a"),             "a"            },
};

/* Only the object form can repeat a value, which reading the text drops; exact rules that out. */
static void check_same(struct arena *arena, const struct selector *selector,
                       const struct json_value *labels, bool exact)
{
    struct selector again;
    SCOPED(buf) first = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    selector_write(&first, selector);
    CHECK_OK(selector_read(arena, buf_str(&first), &again));
    selector_write(&second, &again);
    CHECK_EQ(selector_matches(&again, labels), selector_matches(selector, labels));
    CHECK_EQ(selector_is_empty(&again), selector_is_empty(selector));
    CHECK_EQ(again.count, selector->count);
    if (exact)
        CHECK_EQ(buf_str(&second), buf_str(&first));
}

static void check_text(struct arena *arena, struct str text, const struct json_value *labels)
{
    struct selector selector;
    OWNED(error) err = selector_read(arena, text, &selector);
    if (!err)
        check_same(arena, &selector, labels, true);
}

static void check_object(struct arena *arena, const struct json_value *value,
                         const struct json_value *labels)
{
    struct selector selector;
    OWNED(error) err = selector_from_value(arena, value, &selector);
    if (!err && !selector.nothing)
        check_same(arena, &selector, labels, false);
}

static void check_fields(struct arena *arena, struct str text, const struct json_value *object)
{
    struct field_selector selector, again;
    OWNED(error) err = field_selector_read(arena, text, &selector);
    if (err)
        return;
    SCOPED(buf) first = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    field_selector_write(&first, &selector);
    CHECK_OK(field_selector_read(arena, buf_str(&first), &again));
    field_selector_write(&second, &again);
    CHECK_EQ(buf_str(&second), buf_str(&first));
    CHECK_EQ(field_selector_matches(&again, fields, COUNT(fields), object),
             field_selector_matches(&selector, fields, COUNT(fields), object));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    str_cut(&rest, '\n', &line);
    error_free(json_read(rest, &doc));
    const struct json_value *labels = json_doc_root(doc);
    check_text(&arena, line, labels);
    check_fields(&arena, line, labels);
    check_object(&arena, labels, json_get(labels, STR("labels")));
    return 0;
}
