/*
 * A Cluster on the first line, as JSON, and behind it any text as the value of a ConfigMap. What
 * values of the Cluster do to its objects: as many objects, of the same form. Members, elements and
 * types are the same everywhere, but for a whole text that is one token "as int" or "as bool"; a
 * text without a token is the same text. What cannot be filled is told in few words.
 */
#include "base/array.h"
#include "clusterresourceset/types/values_fill.h"
#include "fuzz.h"
#include "json/builder.h"
#include "json/compare.h"
#include "testing/test.h"

#define TEXT_MAX (64 * KILOBYTE)

/* A value as it is written and as it is filled. */
struct pair {
    const struct json_value *written, *filled;
};

struct pairs {
    struct pair *items;
    size_t count, capacity;
};

static void pairs_done(struct pairs *pairs)
{
    mem_free(pairs->items);
}

static struct object *make_resource(struct str value)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    struct object *object = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("ConfigMap"));
    json_builder_add_object(&builder, "data");
    json_builder_add_str(&builder, "key", value);
    json_builder_end(&builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    CHECK_OK(object_from_doc(doc, &object));
    return object;
}

/* Both have the same members, or as many elements; these are compared next. */
static void check_container(struct pairs *pairs, struct pair pair)
{
    struct json_iter filled = {.container = pair.filled};
    const struct json_value *value;
    CHECK_EQ((int)json_type(pair.written), (int)json_type(pair.filled));
    CHECK_EQ(json_count(pair.written), json_count(pair.filled));
    JSON_FOREACH (key, value, pair.written) {
        struct pair next = {.written = value};
        struct str name;
        CHECK(json_next(&filled, &name, &next.filled));
        CHECK_EQ(name, key);
        ARRAY_PUSH(pairs->items, pairs->count, pairs->capacity, next);
    }
}

static void check_text(struct pair pair)
{
    const struct str text = json_to_str(pair.written);
    struct value_token token;
    size_t at = 0;
    enum json_type expected = JSON_STRING;
    if (!value_token_find(text, &token, &at)) {
        CHECK_EQ(json_to_str(pair.filled), text);
    } else if (token.text.len == text.len && token.type != VALUE_TEXT) {
        expected = token.type == VALUE_INT ? JSON_NUMBER : JSON_BOOL;
    }
    CHECK_EQ((int)json_type(pair.filled), (int)expected);
}

static void check_form(const struct object *written, const struct object *filled)
{
    SCOPED(pairs) pairs = {0};
    const struct pair whole = {object_root(written), object_root(filled)};
    ARRAY_PUSH(pairs.items, pairs.count, pairs.capacity, whole);
    while (pairs.count) {
        const struct pair pair = pairs.items[--pairs.count];
        const enum json_type type = json_type(pair.written);
        if (type == JSON_OBJECT || type == JSON_ARRAY)
            check_container(&pairs, pair);
        else if (type == JSON_STRING)
            check_text(pair);
        else
            CHECK(json_equal_exact(pair.written, pair.filled));
    }
}

static void check_fill(const struct content *content, const struct object *cluster)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    SCOPED(values_use) use = {.has_tokens = NULL};
    SCOPED(values) values = {0};
    values_use_find(content, &use);
    values_sort(&use.names);
    values_read(&use.names, cluster, &values);
    struct values_fill fill = {
        .values = &values,
        .cluster = object_key(cluster),
        .resource = STR("ConfigMap cm1"),
        .failures = &failures,
    };
    OWNED(content) filled = values_fill_content(&fill, content, &use);
    CHECK_EQ(filled == NULL, !failures_is_empty(&failures));
    for (const struct failure_cause *cause = failures.first; cause; cause = cause->next)
        CHECK(str_is_utf8(cause->message) && cause->message.len <= FAILURES_MESSAGE_MAX + 8);
    if (!filled)
        return;
    CHECK_EQ(content_count(filled), content_count(content));
    CHECK_EQ(content_hash(filled), content_hash(content));
    for (size_t i = 0; i < content_count(content); i++)
        check_form(content_object(content, i), content_object(filled, i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, line;
    OWNED(object) cluster = NULL;
    str_cut(&rest, '\n', &line);
    OWNED(error) err = object_read(line, &cluster);
    if (err || size > TEXT_MAX)
        return 0;
    OWNED(object) resource = make_resource(rest);
    OWNED(content) content = content_read(resource);
    if (!content_error(content))
        check_fill(content, cluster);
    return 0;
}
