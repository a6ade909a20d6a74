#include "apimachinery/guarded_patch.h"

#include "testing/test.h"

#define BEFORE                                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"labels\":" \
    "{\"x\":\"1\",\"y\":\"2\"},\"resourceVersion\":\"7\"},\"data\":{\"k\":\"v\"}}"

static void check(const char *before, const char *after, const char *expected)
{
    OWNED(object) from = NULL;
    OWNED(object) to = NULL;
    SCOPED(buf) text = {0};
    CHECK_OK(object_read(str_from_c(before), &from));
    CHECK_OK(object_read(str_from_c(after), &to));
    CHECK_OK(guarded_patch_write(from, object_root(to), &text));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

TEST(guarded_patch_names_the_version_it_was_made_for)
{
    TEST_CASE("nothing else of metadata changes");
    check(BEFORE,
          "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"labels\":"
          "{\"x\":\"1\",\"y\":\"2\"},\"resourceVersion\":\"7\"},\"data\":{\"k\":\"w\"}}",
          "{\"data\":{\"k\":\"w\"},\"metadata\":{\"resourceVersion\":\"7\"}}");
    TEST_CASE("metadata changes as well");
    check(BEFORE,
          "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"labels\":"
          "{\"x\":\"1\"},\"resourceVersion\":\"7\"},\"data\":{\"k\":\"v\"}}",
          "{\"metadata\":{\"labels\":{\"y\":null},\"resourceVersion\":\"7\"}}");
    TEST_CASE("the version of what is wanted does not count");
    check(BEFORE,
          "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"labels\":"
          "{\"x\":\"1\",\"y\":\"2\"},\"resourceVersion\":\"9\"},\"data\":{\"k\":\"v\"}}",
          "{\"metadata\":{\"resourceVersion\":\"7\"}}");
}

TEST(guarded_patch_says_nothing_without_a_change)
{
    check(BEFORE, BEFORE, "");
}
