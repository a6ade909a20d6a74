#include "apiserver/registry/kind.h"
#include "apiserver/types/go_type.h"
#include "testing/test.h"

TEST(kinds_are_complete)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = &kinds[i];
        TEST_CASE("%.*s", STR_ARG(kind->plural));
        CHECK(kind->type == go_type_find(kind->gvk));
        CHECK(kind->check_name != NULL);
        CHECK(kind->ops != NULL);
        CHECK(kind->column_count > 0);
        CHECK_EQ(str_is_empty(kind->stored_as), (kind->verbs & KIND_GET) == 0);
        CHECK(kinds_find(kind_gvr(kind)) == kind);
        CHECK(kinds_find_kind(kind->gvk) == kind);
    }
}

/* Discovery and OpenAPI rely on it. */
TEST(kinds_of_a_version_stand_together)
{
    size_t count;
    const struct kind *kinds = kinds_all(&count);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (str_eq(kinds[i].gvk.group, kinds[j].gvk.group))
                CHECK_EQ(kinds[i - 1].gvk.group, kinds[i].gvk.group);
}

TEST(kinds_have_subresources)
{
    const struct kind *deployment = kinds_find(GVR("apps", "v1", "deployments"));
    const struct kind_subresource *scale = kind_subresource(deployment, STR("scale"));
    CHECK_EQ(scale->gvk.kind, STR("Scale"));
    CHECK_EQ(scale->gvk.group, STR("autoscaling"));
    CHECK(kind_subresource(deployment, STR("status")) != NULL);
    CHECK(kind_subresource(deployment, STR("token")) == NULL);
    CHECK(kinds_find(GVR("apps", "v1", "gizmos")) == NULL);
    CHECK(kinds_find_kind(GVK("", "v2", "Pod")) == NULL);
}
