#include "framework/framework_internal.h"
#include "testing/test.h"

#define CHILD(version, kind, name, uid, controller)                                 \
    "{\"metadata\":{\"name\":\"c\",\"ownerReferences\":[{\"apiVersion\":\"" version \
    "\",\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"" uid                 \
    "\",\"controller\":" controller "}]}}"

static void check(const char *name, const char *child, bool ours)
{
    OWNED(object) owner = NULL;
    OWNED(object) object = NULL;
    TEST_CASE("%s", name);
    CHECK_OK(object_read(STR("{\"apiVersion\":\"apps.corset.dev/v1\",\"kind\":\"Web\","
                             "\"metadata\":{\"name\":\"w1\",\"uid\":\"u-1\"}}"),
                         &owner));
    CHECK_OK(object_read(str_from_c(child), &object));
    CHECK_EQ(prune_is_ours(owner, object), ours);
}

TEST(fw_94_a_child_is_known_by_all_of_its_reference)
{
    check("ours", CHILD("apps.corset.dev/v1", "Web", "w1", "u-1", "true"), true);
    check("in another version", CHILD("apps.corset.dev/v2", "Web", "w1", "u-1", "true"), true);
    check("another uid", CHILD("apps.corset.dev/v1", "Web", "w1", "u-2", "true"), false);
    check("another name", CHILD("apps.corset.dev/v1", "Web", "w2", "u-1", "true"), false);
    check("another kind", CHILD("apps.corset.dev/v1", "Net", "w1", "u-1", "true"), false);
    check("another group", CHILD("other.dev/v1", "Web", "w1", "u-1", "true"), false);
    check("no controller", CHILD("apps.corset.dev/v1", "Web", "w1", "u-1", "false"), false);
    check("nobody's", "{\"metadata\":{\"name\":\"c\"}}", false);
}
