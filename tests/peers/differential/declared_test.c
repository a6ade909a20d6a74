#include "peers/differential/declared.h"

#include "testing/test.h"

static bool has(struct declared *declared, const char *step, const char *place, const char *text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(str_from_c(step), &doc));
    const struct difference difference = {str_from_c(place), str_from_c(text)};
    return declared_has(declared, json_doc_root(doc), &difference);
}

TEST(a_declared_difference_is_matched_narrowly)
{
    SCOPED(declared) declared = {0};
    CHECK_OK(declared_read(&declared, STR("# what\n\nPUT | */pods/* | status | expected 4* | why\n"
                                          "GET | /a | /b | * | another\n")));
    CHECK_EQ(declared.count, (size_t)2);
    const char *step = "{\"method\":\"PUT\",\"path\":\"/api/v1/namespaces/n/pods/a\"}";
    CHECK(has(&declared, step, "status", "expected 404 x\n got 200"));
    CHECK(!has(&declared, step, "status", "expected 500 x"));
    CHECK(!has(&declared, step, "/message", "expected 404 x"));
    CHECK(!has(&declared, "{\"method\":\"GET\",\"path\":\"/api/v1/pods/a\"}", "status",
               "expected 404"));
    CHECK_EQ(declared.items[0].met, (size_t)1);
    CHECK_EQ(declared.items[1].met, (size_t)0);
}

TEST(a_declared_difference_without_a_reason_is_refused)
{
    SCOPED(declared) declared = {0};
    CHECK_FAILS(declared_read(&declared, STR("PUT | /a | status | *\n")), ERROR_INVALID, "line 1");
}
