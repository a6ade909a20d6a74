#include "clusterresourceset/apply/ownership.h"

#include "base/sha256.h"
#include "testing/test.h"

#define OURS STR("corset:ns/s")
#define ENTRY(manager, operation, fields)                                                 \
    "{\"manager\":\"" manager "\",\"operation\":\"" operation "\",\"apiVersion\":\"v1\"," \
    "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":" fields "}"

#define THEIRS    ENTRY("kubectl", "Update", "{\"f:z\":{}}")
#define APPLIED   ENTRY("corset", "Apply", "{\"f:a\":{}}")
#define ONE       ENTRY("corset", "Update", "{\"f:a\":{}}")
#define ONE_AFTER ENTRY("corset:ns/s", "Apply", "{\"f:a\":{}}")
#define MANY                                                                       \
    ENTRY("corset", "Update", "{\"f:d\":{\"f:a\":{}}}")                            \
    "," THEIRS "," ENTRY("manager", "Update", "{\"f:d\":{\"f:b\":{}}}") "," ENTRY( \
        "corset:ns/s", "Apply", "{\"f:d\":{\".\":{}}}")
#define MANY_AFTER \
    ENTRY("corset:ns/s", "Apply", "{\"f:d\":{\".\":{},\"f:a\":{},\"f:b\":{}}}") "," THEIRS

static struct object *own(const char *entries)
{
    SCOPED(buf) text = {.limit = 0};
    struct object *object = NULL;
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
              "\"resourceVersion\":\"7\",\"managedFields\":[%s]}}",
              entries);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

TEST(the_digest_is_of_what_the_manager_has_applied)
{
    char text[OWNERSHIP_DIGEST_LEN + 1], other[OWNERSHIP_DIGEST_LEN + 1], hex[SHA256_HEX_LEN + 1];
    uint8_t digest[SHA256_LEN];
    OWNED(object)
    object = own(ENTRY("corset:ns/s", "Update", "{\"f:x\":{}}") "," ENTRY(
        "corset:ns/s", "Apply", "{\"f:data\":{\"f:b\":{},\"f:a\":{}}}"));
    OWNED(object) foreign = own(ENTRY("corset:ns/t", "Apply", "{}"));
    sha256_of(STR("{\"f:data\":{\"f:a\":{},\"f:b\":{}}}"), digest);
    CHECK_EQ(ownership_digest(object, OURS, NULL, text), str_slice(sha256_hex(digest, hex), 0, 16));
    CHECK_EQ(ownership_digest(foreign, OURS, NULL, text), STR(""));
    OWNED(object) less = own(ENTRY("corset:ns/s", "Apply", "{\"f:data\":{\"f:a\":{}}}"));
    CHECK(!str_eq(ownership_digest(less, OURS, NULL, text),
                  ownership_digest(object, OURS, NULL, other)));
    struct str path = STR("/data/b");
    const struct delivery_policy_texts ignored = {&path, 1};
    CHECK_EQ(ownership_digest(less, OURS, &ignored, text),
             ownership_digest(object, OURS, &ignored, other));
    TEST_CASE("by other rules it is another one");
    CHECK(!str_eq(ownership_digest(less, OURS, &ignored, text),
                  ownership_digest(less, OURS, NULL, other)));
}

TEST(entries_of_others_become_ours)
{
    struct str names[] = {STR("corset"), STR("manager")};
    const struct delivery_policy_texts adopt = {names, COUNT(names)}, none = {0};
    const struct {
        const char *name, *entries, *after; /* NULL: nothing is adopted */
    } cases[] = {
        {"nobody",                "",      NULL      },
        {"somebody else",         THEIRS,  NULL      },
        {"by apply",              APPLIED, NULL      },
        {"one",                   ONE,     ONE_AFTER },
        {"two, and ours, joined", MANY,    MANY_AFTER},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) patch = {.limit = 0};
        SCOPED(buf) expected = {.limit = 0};
        OWNED(object) object = own(cases[i].entries);
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(ownership_is_adoptable(object, &adopt), cases[i].after != NULL);
        CHECK(!ownership_is_adoptable(object, &none));
        if (!cases[i].after)
            continue;
        CHECK_OK(ownership_adopt(object, OURS, &adopt, &patch));
        buf_print(&expected,
                  "[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[%s]},{"
                  "\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"}]",
                  cases[i].after);
        CHECK_EQ(buf_str(&patch), buf_str(&expected));
    }
    TEST_CASE("what the server made of an object without entries, whatever is adopted");
    OWNED(object) wiped = own(ENTRY("before-first-apply", "Update", "{\"f:a\":{}}"));
    CHECK(ownership_is_adoptable(wiped, &none));
    TEST_CASE("a status is nobody's to adopt");
    OWNED(object)
    status = own("{\"manager\":\"corset\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
                 "\"subresource\":\"status\",\"fieldsV1\":{\"f:a\":{}}}");
    CHECK(!ownership_is_adoptable(status, &adopt));
}
