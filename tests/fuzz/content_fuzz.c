/*
 * Any bytes as the value of a ConfigMap and of a Secret: both have the same hash and the same
 * objects or the same class of error, and what is said about the Secret quotes nothing. The objects
 * written as YAML and read again are the same objects in the same order. The bytes as a file for
 * "corset render" may be refused; what is not can be read.
 */
#include "base/base64.h"
#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/content_resources.h"
#include "fuzz.h"
#include "json/builder.h"
#include "json/yaml/yaml_write.h"
#include "testing/test.h"

/* A ConfigMap cannot hold more. */
#define VALUE_MAX (256 * KILOBYTE)
#define YAML_MAX  (4 * MEGABYTE)

static struct object *make_resource(const char *kind, struct str value)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    struct object *object = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", str_from_c(kind));
    json_builder_add_str(&builder, "type", STR(CONTENT_SECRET_TYPE));
    json_builder_add_object(&builder, "data");
    json_builder_add_str(&builder, "key", value);
    json_builder_end(&builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    CHECK_OK(object_from_doc(doc, &object));
    return object;
}

static void check_content(const struct content *content)
{
    const struct error *err = content_error(content), *whole = content_error_whole(content);
    CHECK_EQ(err != NULL, whole != NULL);
    CHECK_EQ(content_error_class(content).len > 0, err != NULL);
    CHECK(!err || content_count(content) == 0);
    CHECK(!err || (str_is_utf8(str_from_c(err->message)) && strlen(err->message) < 2000));
}

static void check_same(const struct content *a, const struct content *b)
{
    CHECK_EQ(content_count(a), content_count(b));
    for (size_t i = 0; i < content_count(a); i++) {
        SCOPED(buf) first = {0};
        SCOPED(buf) second = {0};
        json_write(&first, object_root(content_object(a, i)));
        json_write(&second, object_root(content_object(b, i)));
        CHECK_EQ(buf_str(&first), buf_str(&second));
    }
}

/* Unless that takes too much indentation. */
static void check_yaml(const struct content *content)
{
    SCOPED(buf) yaml = {.limit = YAML_MAX};
    for (size_t i = 0; i < content_count(content); i++) {
        buf_add(&yaml, STR("---\n"));
        yaml_write(&yaml, object_root(content_object(content, i)));
    }
    if (yaml.overflowed)
        return;
    OWNED(object) object = make_resource("ConfigMap", buf_str(&yaml));
    OWNED(content) again = content_read_as_written(object);
    CHECK_EQ(str_from_c(content_error(again) ? content_error(again)->message : ""), STR(""));
    check_same(content, again);
}

/* In a ConfigMap, text that is not UTF-8 becomes something else; only a Secret holds any bytes. */
static void check_value(struct str value)
{
    SCOPED(buf) encoded = {0};
    base64_encode(&encoded, value);
    OWNED(object) secret = make_resource("Secret", buf_str(&encoded));
    OWNED(content) hidden = content_read_as_written(secret);
    OWNED(content) expanded = content_read(secret);
    check_content(hidden);
    check_content(expanded);
    check_yaml(hidden);
    check_yaml(expanded);
    CHECK_EQ(content_hash(expanded), content_hash(hidden));
    CHECK(!content_error(hidden) || !strchr(content_error(hidden)->message, '"'));
    if (!str_is_utf8(value))
        return;
    OWNED(object) map = make_resource("ConfigMap", value);
    OWNED(content) shown = content_read_as_written(map);
    check_content(shown);
    check_same(shown, hidden);
    CHECK_EQ(content_hash(shown), content_hash(hidden));
    CHECK_EQ(content_error_class(shown), content_error_class(hidden));
    CHECK_EQ(str_from_c(content_error_whole(shown) ? content_error_whole(shown)->message : ""),
             str_from_c(content_error_whole(hidden) ? content_error_whole(hidden)->message : ""));
}

static void check_file(struct str text)
{
    SCOPED(content_items) resources = {0};
    OWNED(error) err = content_resources_read(text, STR("file"), &resources, NULL);
    CHECK(!err || resources.count == 0);
    for (size_t i = 0; i < resources.count; i++) {
        OWNED(content) content = content_read(resources.items[i].object);
        check_content(content);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    if (size > VALUE_MAX)
        return 0;
    check_value(text);
    check_file(text);
    return 0;
}
