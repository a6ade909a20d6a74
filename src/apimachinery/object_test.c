#include "apimachinery/object.h"

#include "apimachinery/object_list.h"
#include "apimachinery/object_text.h"
#include "base/duration.h"
#include "testing/test.h"

static const char set_text[] =
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
    "\"metadata\":{\"name\":\"crs1\",\"namespace\":\"ns\",\"uid\":\"u1\","
    "\"resourceVersion\":\"42\",\"generation\":3,\"generateName\":\"crs\","
    "\"creationTimestamp\":\"2023-11-14T22:13:20Z\","
    "\"labels\":{\"a\":\"1\",\"empty\":\"\",\"odd\":7},\"annotations\":{\"b.io/c\":\"2\"},"
    "\"finalizers\":[\"x\",\"addons.cluster.x-k8s.io\"],"
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"a\",\"uid\":\"o1\"},"
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"B\",\"name\":\"b\",\"uid\":\"o2\","
    "\"controller\":true}]},\"spec\":{\"strategy\":\"ApplyOnce\"},\"status\":{\"n\":1}}";

static struct object *read_object(const char *text)
{
    struct object *object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    return object;
}

TEST(object_accessors)
{
    OWNED(object) object = read_object(set_text);
    timestamp time;
    struct str value;
    CHECK_EQ(object_api_version(object), STR("addons.cluster.x-k8s.io/v1beta2"));
    CHECK(gvk_eq(object_gvk(object),
                 GVK("addons.cluster.x-k8s.io", "v1beta2", "ClusterResourceSet")));
    CHECK(key_eq(object_key(object), KEY("ns", "crs1")));
    CHECK_EQ(object_uid(object), STR("u1"));
    CHECK_EQ(object_resource_version(object), STR("42"));
    CHECK_EQ(object_generate_name(object), STR("crs"));
    CHECK_EQ(object_generation(object), 3);
    CHECK(object_creation_timestamp(object, &time));
    CHECK_EQ(time, INT64_C(1700000000) * SECOND);
    CHECK(!object_is_deleting(object));
    CHECK(object_find_label(object, STR("a"), &value) && str_eq(value, STR("1")));
    CHECK(object_find_label(object, STR("empty"), &value) && value.len == 0);
    CHECK(!object_find_label(object, STR("odd"), &value));
    CHECK(!object_find_label(object, STR("z"), &value));
    CHECK(object_find_annotation(object, STR("b.io/c"), &value) && str_eq(value, STR("2")));
    CHECK(object_has_finalizer(object, STR("addons.cluster.x-k8s.io")));
    CHECK(!object_has_finalizer(object, STR("y")));
    CHECK_EQ(json_count(object_spec(object)), (size_t)1);
    CHECK_EQ(json_count(object_status(object)), (size_t)1);
    CHECK_EQ(json_to_str(object_path(object, "spec.strategy")), STR("ApplyOnce"));
}

TEST(object_owners)
{
    OWNED(object) object = read_object(set_text);
    OWNED(object) none = read_object("{}");
    struct owner_reference owner;
    CHECK_EQ(json_count(object_owner_references(object)), (size_t)2);
    CHECK(object_find_controller(object, &owner));
    CHECK_EQ(owner.uid, STR("o2"));
    CHECK(!object_find_controller(none, &owner));
    CHECK_EQ(object_to_owner_reference(object).uid, STR("u1"));
    CHECK(!object_to_owner_reference(object).controller);
}

TEST(object_tolerates_odd_content)
{
    const char *const types =
        "{\"kind\":1,\"apiVersion\":{},\"metadata\":{\"name\":1,\"labels\":[],"
        "\"finalizers\":{\"a\":\"b\"},\"ownerReferences\":\"x\"}}";
    const char *const items =
        "{\"metadata\":{\"finalizers\":[null,1],\"ownerReferences\":[1,null]}}";
    const char *cases[] = {"{}", "{\"metadata\":null}", "{\"metadata\":[]}", types, items};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str value;
        struct owner_reference owner;
        TEST_CASE("%s", cases[i]);
        OWNED(object) object = read_object(cases[i]);
        CHECK_EQ(object_name(object), STR(""));
        CHECK_EQ(object_kind(object), STR(""));
        CHECK_EQ(object_generation(object), 0);
        CHECK(!object_find_label(object, STR("a"), &value));
        CHECK(!object_has_finalizer(object, STR("")) && !object_has_finalizer(object, STR("b")));
        CHECK(!object_find_controller(object, &owner) && !object_is_deleting(object));
    }
    struct object *object = NULL;
    CHECK_FAILS(object_read(STR("[]"), &object), ERROR_INVALID, "found an array");
    CHECK_ERROR(object_read(STR("{"), &object), ERROR_PARSE);
}

TEST(object_list_items_know_what_they_are)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct object_list list;
    CHECK_OK(json_read(STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                           "\"resourceVersion\":\"217\",\"continue\":\"tok\","
                           "\"remainingItemCount\":6},\"items\":[{\"metadata\":{\"name\":\"a\"}},"
                           "{\"apiVersion\":\"x/v2\",\"kind\":\"X\"},{}]}"),
                       &doc));
    CHECK_OK(object_list_from_doc(&arena, doc, &list));
    CHECK_EQ(list.count, (size_t)3);
    CHECK_EQ(list.resource_version, STR("217"));
    CHECK_EQ(list.continue_token, STR("tok"));
    CHECK(list.has_remaining_item_count && list.remaining_item_count == 6);
    CHECK(gvk_eq(object_gvk(list.items[0]), GVK("", "v1", "ConfigMap")));
    CHECK(gvk_eq(object_gvk(list.items[1]), GVK("x", "v2", "X")));
    for (size_t i = 0; i < list.count; i++) {
        object_write(&text, list.items[i]);
        buf_add_char(&text, '\n');
    }
    CHECK_EQ(buf_str(&text),
             STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n"
                 "{\"apiVersion\":\"x/v2\",\"kind\":\"X\"}\n"
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}\n"));
}

TEST(object_list_items_outlive_the_list)
{
    OWNED(object) kept = NULL;
    {
        SCOPED(arena) arena = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        struct object_list list;
        CHECK_OK(json_read(STR("{\"kind\":\"PodList\",\"apiVersion\":\"v1\","
                               "\"items\":[{\"metadata\":{\"name\":\"a\"}}]}"),
                           &doc));
        CHECK_OK(object_list_from_doc(&arena, doc, &list));
        kept = object_ref(list.items[0]);
    }
    CHECK_EQ(object_kind(kept), STR("Pod"));
    CHECK_EQ(object_name(kept), STR("a"));
}

TEST(object_list_refuses_what_is_none)
{
    const char *cases[] = {"{}", "[]", "{\"items\":{}}", "{\"items\":[1]}", "null"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        struct object_list list;
        TEST_CASE("%s", cases[i]);
        CHECK_OK(json_read(str_from_c(cases[i]), &doc));
        CHECK_ERROR(object_list_from_doc(&arena, doc, &list), ERROR_INVALID);
    }
}

TEST(object_text_gets_another_version)
{
    static const struct {
        const char *json, *expected; /* NULL: the place is not clear */
    } cases[] = {
        {"{\"kind\":\"A\",\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"777\",\"uid\":\"u\"}}",
         "{\"kind\":\"A\",\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"12345\",\"uid\":\"u\"}}"                },
        {"{\"data\":{\"a\":\"7770\",\"b\":\"x777\"},\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"777\"}}",
         "{\"data\":{\"a\":\"7770\",\"b\":\"x777\"},\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"12345\"}}"    },
        {"{\"data\":{\"a\":\"777\"},\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"777\"}}",
         NULL                                                                                                        },
        {"{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"777\"},\"z\":\"777\"}",                            NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object_text) text = NULL;
        TEST_CASE("%s", cases[i].json);
        CHECK_OK(object_text_from_json(str_from_c(cases[i].json), &text));
        const size_t place = object_text_find_version(text);
        CHECK_EQ(place == STR_NONE, cases[i].expected == NULL);
        if (place == STR_NONE)
            continue;
        OWNED(object_text) changed = object_text_with_version(text, place, STR("12345"));
        CHECK_EQ(object_text_json(changed), str_from_c(cases[i].expected));
        CHECK_EQ(object_text_resource_version(changed), STR("12345"));
        CHECK_EQ(object_text_key(changed).name, STR("n"));
        CHECK_EQ(object_text_uid(changed), object_text_uid(text));
        CHECK_EQ(object_text_resource_version(text), STR("777"));
    }
}

TEST(object_text_keeps_little_and_gives_all_back)
{
    OWNED(object) object = read_object(set_text);
    OWNED(object_text) text = object_text_new(object);
    OWNED(object_text) same = NULL;
    OWNED(object) again = NULL;
    CHECK_OK(object_text_from_json(object_text_json(text), &same));
    CHECK_EQ(object_text_json(text), str_from_c(set_text));
    CHECK_EQ(object_text_json(same), str_from_c(set_text));
    CHECK(key_eq(object_text_key(text), KEY("ns", "crs1")));
    CHECK_EQ(object_text_uid(same), STR("u1"));
    CHECK_EQ(object_text_resource_version(text), STR("42"));
    CHECK(object_text_size(text) < sizeof(set_text) + 64);
    CHECK_OK(object_text_read(text, &again));
    CHECK_EQ(object_uid(again), STR("u1"));
    OWNED(object_text) shared = object_text_ref(text);
    CHECK_EQ(object_text_uid(shared), STR("u1"));
    CHECK_ERROR(object_text_from_json(STR("[1]"), &same), ERROR_INVALID);
}

TEST(object_text_of_a_secret)
{
    OWNED(object) object = read_object("{\"kind\":\"Secret\",\"data\":{\"a\":\"c2VjcmV0\"}}");
    OWNED(object_text) text = object_text_new(object);
    CHECK_EQ(object_text_json(text), STR("{\"kind\":\"Secret\",\"data\":{\"a\":\"c2VjcmV0\"}}"));
    CHECK_EQ(object_text_uid(text), STR(""));
}
