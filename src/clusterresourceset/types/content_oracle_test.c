/*
 * Every case of the recorded answers for "corset render": a stream of ConfigMaps and Secrets, and
 * for each of them the hash and the objects in order, or the class of the error and how its text
 * starts. The answer called "corset" is ours.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "clusterresourceset/types/content.h"
#include "clusterresourceset/types/content_resources.h"
#include "json/compare.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "json/yaml/yaml_write.h"
#include "testing/test.h"

static const char folder[] = "tests/support/data/oracle/render";

/* The text of every number counts, as it goes over the wire. */
static void check_same(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) sent = {0};
    SCOPED(buf) wanted = {0};
    OWNED(json_doc) doc = NULL;
    json_write(&sent, seen);
    json_write_with(&wanted, expected, JSON_WRITE_NUMBERS_AS_READ);
    CHECK_OK(json_read(buf_str(&sent), &doc));
    if (!json_equal_exact(json_doc_root(doc), expected)) {
        CHECK_EQ(buf_str(&sent), buf_str(&wanted)); /* shows both */
        CHECK(false);
    }
}

static void check_object(const struct object *object, const struct json_value *expected)
{
    CHECK_EQ(object_api_version(object), json_path_str(expected, "apiVersion"));
    CHECK_EQ(object_kind(object), json_path_str(expected, "kind"));
    CHECK_EQ(object_namespace(object), json_path_str(expected, "namespace"));
    CHECK_EQ(object_name(object), json_path_str(expected, "name"));
    check_same(object_root(object), json_get(expected, STR("content")));
}

/* As YAML for people it is still the same object. */
static void check_yaml(const struct object *object)
{
    SCOPED(buf) yaml = {0};
    SCOPED(manifest_list) list = {0};
    SCOPED(buf) before = {0};
    SCOPED(buf) after = {0};
    yaml_write(&yaml, object_root(object));
    CHECK_OK(manifest_read(buf_str(&yaml), NULL, &list, NULL));
    CHECK_EQ(list.count, 1);
    json_write(&before, object_root(object));
    json_write(&after, json_doc_root(list.docs[0]));
    CHECK_EQ(buf_str(&after), buf_str(&before));
}

static void check_error(const struct content *content, const struct json_value *expected)
{
    const struct error *err = content_error(content), *whole = content_error_whole(content);
    const struct str prefix = json_path_str(expected, "message_prefix");
    const struct str message = json_path_str(expected, "message");
    CHECK_EQ(content_error_class(content), json_path_str(expected, "error"));
    CHECK(err && whole);
    CHECK_EQ(content_count(content), 0);
    if (message.len)
        CHECK_EQ(str_from_c(err->message), message);
    CHECK_EQ(str_slice(str_from_c(whole->message), 0, prefix.len), prefix);
}

/* Conditions show the same for a ConfigMap, and nothing of the document for a Secret. */
static void check_public(const struct content *content, const struct object *resource,
                         const struct json_value *expected)
{
    const struct error *err = content_error(content);
    const struct str prefix = json_path_str(expected, "message_prefix");
    if (!err || str_eq(object_kind(resource), STR("ConfigMap")))
        CHECK_EQ(str_slice(str_from_c(err ? err->message : ""), 0, prefix.len), prefix);
    else
        CHECK(!str_contains(str_from_c(err->message), STR("\"")));
}

static void check_resource(const struct object *resource, const struct json_value *expected)
{
    OWNED(content) content = content_read_as_written(resource);
    const struct json_value *answer = json_get(expected, STR("corset")), *object;
    CHECK_EQ(object_kind(resource), json_path_str(expected, "kind"));
    CHECK_EQ(object_namespace(resource), json_path_str(expected, "namespace"));
    CHECK_EQ(object_name(resource), json_path_str(expected, "name"));
    CHECK_EQ(content_hash(content), json_path_str(expected, "hash"));
    check_public(content, resource, answer);
    if (json_get(answer, STR("error"))) {
        check_error(content, answer);
        return;
    }
    const struct json_value *objects = json_get(answer, STR("objects"));
    size_t index = 0;
    CHECK_EQ(str_from_c(content_error(content) ? content_error(content)->message : ""), STR(""));
    CHECK_EQ(content_count(content), json_count(objects));
    JSON_FOREACH (key, object, objects) {
        check_object(content_object(content, index), object);
        check_yaml(content_object(content, index++));
    }
}

/* More files than test_data() keeps. */
static void read_file(struct buf *out, int stem, const char *name, const char *ending)
{
    char path[512];
    size_t len;
    snprintf(path, sizeof(path), "%s/%.*s%s", folder, stem, name, ending);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    do {
        char *room = buf_reserve(out, 64 * KILOBYTE);
        len = fread(room, 1, 64 * KILOBYTE, file);
        buf_grow(out, len);
    } while (len > 0);
    fclose(file);
}

static void check_case(const char *file)
{
    SCOPED(buf) input = {0};
    SCOPED(buf) output = {0};
    OWNED(json_doc) answers = NULL;
    SCOPED(content_items) resources = {0};
    const struct json_value *expected;
    const int stem = (int)strlen(file) - (int)strlen(".yaml");
    TEST_CASE("%.*s", stem, file);
    read_file(&input, stem, file, ".yaml");
    read_file(&output, stem, file, ".json");
    CHECK_OK(json_read(buf_str(&output), &answers));
    CHECK_OK(content_resources_read(buf_str(&input), STR(""), &resources, NULL));
    const struct json_value *all = json_get(json_doc_root(answers), STR("resources"));
    size_t index = 0;
    CHECK_EQ(resources.count, json_count(all));
    JSON_FOREACH (key, expected, all)
        check_resource(resources.items[index++].object, expected);
}

TEST(content_oracle)
{
    DIR *dir = opendir(folder);
    size_t cases = 0;
    CHECK(dir);
    for (struct dirent *entry;
         (entry = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe): the only thread */
        if (!str_ends_with(str_from_c(entry->d_name), STR(".yaml")))
            continue;
        check_case(entry->d_name);
        cases++;
    }
    closedir(dir);
    CHECK_EQ(cases, 89);
}
