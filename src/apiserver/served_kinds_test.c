#include "apiserver/served_kinds.h"

#include "apiserver/api.h"
#include "apiserver/storage/store.h"
#include "base/memory.h"
#include "testing/test.h"

/* Definitions that are not served yet have as many versions as they may. */
static void add_definitions(struct map *definitions, size_t count)
{
    SCOPED(buf) name = {.limit = 0};
    definitions->release = mem_free;
    for (size_t i = 0; i < count; i++) {
        buf_clear(&name);
        buf_print(&name, "d%zu.example.com", i);
        map_put(definitions, buf_str(&name), NEW(struct api_definition));
    }
}

static struct object_text *definition(const char *versions)
{
    struct object_text *text = NULL;
    SCOPED(buf) json = {.limit = 0};
    buf_print(&json,
              "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
              "\"metadata\":{\"name\":\"d0.example.com\",\"uid\":\"u\",\"resourceVersion\":\"1\"},"
              "\"spec\":{\"versions\":[%s]}}",
              versions);
    CHECK_OK(object_text_from_json(buf_str(&json), &text));
    return text;
}

#define SERVED   "{\"name\":\"v1\",\"served\":true}"
#define UNSERVED "{\"name\":\"v2\",\"served\":false}"

TEST(an_api_serves_a_limited_number_of_versions)
{
    static const struct {
        const char *name;
        size_t definitions;
        const char *before, *after;
        bool is_refused;
    } cases[] = {
        {"room",              49, NULL,              SERVED,              false},
        {"full",              50, NULL,              SERVED,              true },
        {"no version",        50, NULL,              "",                  false},
        {"not served",        50, NULL,              UNSERVED,            false},
        {"no more than were", 60, SERVED,            SERVED "," UNSERVED, false},
        {"more than were",    50, SERVED,            SERVED "," SERVED,   true },
        {"fewer than were",   60, SERVED "," SERVED, SERVED,              false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(map) definitions = {0};
        OWNED(object_text) before = cases[i].before ? definition(cases[i].before) : NULL;
        OWNED(object_text) after = definition(cases[i].after);
        const struct store_edit edit = {.action = STORE_PUT, .previous = before, .text = after};
        add_definitions(&definitions, cases[i].definitions);
        OWNED(error) err = served_kinds_check_room(&definitions, &edit);
        CHECK_EQ(err != NULL, cases[i].is_refused);
        if (err)
            CHECK_CONTAINS(str_from_c(err->message),
                           STR("spec.versions: Forbidden: this API would serve 5001 versions"));
    }
}
