#include "clusterresourceset/types/approval.h"

#include "base/buf.h"
#include "testing/test.h"

TEST(tokens_stand_in_an_annotation)
{
    const struct {
        const char *annotation;
        bool is_approved;
    } cases[] = {
        {"prune/0123456789ab",         true },
        {"a/b, prune/0123456789ab ,c", true },
        {"",                           false},
        {"prune/0123456789a",          false},
        {"prune/0123456789abc",        false},
        {"xprune/0123456789ab",        false},
        {",,",                         false},
        {"prune/0123456789ab,",        true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        OWNED(object) set = NULL;
        TEST_CASE("%s", cases[i].annotation);
        buf_print(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"a\","
                  "\"annotations\":{\"corset.dev/approve\":\"%s\"}}}",
                  cases[i].annotation);
        CHECK_OK(object_read(buf_str(&text), &set));
        CHECK_EQ(approval_is_given(set, STR("prune/0123456789ab")), cases[i].is_approved);
        CHECK(!approval_is_given(set, STR("")));
    }
}
