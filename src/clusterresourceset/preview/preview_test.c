#include "clusterresourceset/preview/preview.h"

#include "testing/test.h"

/* A result with one change of one ConfigMap. */
static struct preview_result *changed(const char *before, const char *after)
{
    struct preview_result *result = preview_result_new();
    struct preview_object object = {
        .set = STR("cni"), .kind = STR("ConfigMap"), .name = STR("a"), .sign = PREVIEW_CHANGED};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) new = NULL;
    CHECK_OK(json_read(str_from_c(before), &old));
    CHECK_OK(json_read(str_from_c(after), &new));
    preview_changes_find(json_doc_root(old), json_doc_root(new), NULL, &result->arena,
                         &object.changes);
    preview_result_add(result, &object);
    return result;
}

/* A result that only tells something. */
static struct preview_result *told(enum preview_sign sign, const char *name, const char *text)
{
    struct preview_result *result = preview_result_new();
    preview_result_add(result, &(struct preview_object){.set = STR("cni"),
                                                        .name = str_from_c(name),
                                                        .sign = sign,
                                                        .text = str_from_c(text)});
    return result;
}

static void add(struct preview *preview, const char *cluster, struct preview_result *result)
{
    CHECK_OK(preview_add(preview, (struct key){STR("ns"), str_from_c(cluster)}, result));
}

TEST(clusters_with_equal_results_are_one_group)
{
    SCOPED(preview) preview = {0};
    add(&preview, "c9", changed("{\"a\":\"1\"}", "{\"a\":\"2\"}"));
    add(&preview, "c1", changed("{\"a\":\"0\"}", "{\"a\":\"2\"}"));
    add(&preview, "c8", preview_result_new());
    add(&preview, "c2", changed("{\"a\":\"1\"}", "{\"a\":\"2\"}"));
    add(&preview, "c5", changed("{\"a\":\"1\"}", "{\"a\":\"2\"}"));
    add(&preview, "c3", preview_result_new());
    preview_sort(&preview);
    CHECK_EQ(preview.group_count, 2);
    CHECK_EQ(preview.groups[0]->count, 3);
    CHECK_EQ(preview.groups[0]->clusters[0], STR("ns/c2"));
    CHECK_EQ(preview.groups[0]->clusters[2], STR("ns/c9"));
    CHECK_EQ(preview.groups[1]->count, 1);
    CHECK_EQ(preview.unchanged.count, 2);
    CHECK_EQ(preview.unchanged.clusters[0], STR("ns/c3"));
}

/* Whatever is shown of a result keeps it apart from others. */
TEST(results_that_differ_in_anything_are_apart)
{
    struct preview_result *const results[] = {
        changed("{\"a\":\"1\"}", "{\"a\":\"2\"}"),
        changed("{\"a\":1}", "{\"a\":\"2\"}"),
        changed("{\"b\":\"1\"}", "{\"b\":\"2\"}"),
        changed("{}", "{\"a\":\"2\"}"),
        changed("{\"a\":\"1\"}", "{}"),
        told(PREVIEW_REFUSED, "a", "x"),
        told(PREVIEW_UNKNOWN, "a", "x"),
        told(PREVIEW_REFUSED, "ax", ""),
        told(PREVIEW_REFUSED, "a", "y"),
        told(PREVIEW_REFUSED, "b", "x"),
        changed("{\"a\":[{\"name\":\"x\"},{\"name\":\"y\"}]}",
                "{\"a\":[{\"name\":\"y\"},{\"name\":\"x\"}]}"),
    };
    SCOPED(preview) preview = {0};
    for (size_t i = 0; i < COUNT(results); i++)
        add(&preview, "c", results[i]);
    CHECK_EQ(preview.group_count, COUNT(results));
}

TEST(of_equally_large_groups_the_first_name_comes_first)
{
    SCOPED(preview) preview = {0};
    add(&preview, "c2", told(PREVIEW_REFUSED, "a", "x"));
    add(&preview, "c1", told(PREVIEW_REFUSED, "a", "y"));
    preview_sort(&preview);
    CHECK_EQ(preview.groups[0]->clusters[0], STR("ns/c1"));
}

TEST(clusters_that_are_silent_have_a_reason)
{
    static const struct {
        enum error_code code;
        const char *message, *reason;
    } cases[] = {
        {ERROR_DEADLINE,      "nothing came",                              "timeout"        },
        {ERROR_UNREACHABLE,   "connect to 1.2.3.4:5: Connection refused",  "refused"        },
        {ERROR_UNREACHABLE,   "connect to 1.2.3.4:5: No route to host",    "unreachable"    },
        {ERROR_TLS,           "certificate has expired",                   "TLS"            },
        {ERROR_UNAUTHORIZED,  "Unauthorized",                              "unauthorized"   },
        {ERROR_NOT_FOUND,     "secrets \"c1-kubeconfig\" not found",       "no kubeconfig"  },
        {ERROR_NOT_CONNECTED, "the infrastructure is not provisioned yet", "not provisioned"},
        {ERROR_IO,            "what nobody expects",                       "IO"             },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(preview) preview = {0};
        OWNED(error) err = error_new(cases[i].code, "%s", cases[i].message);
        TEST_CASE("%s", cases[i].message);
        preview_add_silence(&preview, (struct key){STR("ns"), STR("c1")}, err);
        preview_sort(&preview);
        CHECK_EQ(preview.silence_count, 1);
        CHECK_EQ(preview.silences[0].cluster, STR("ns/c1"));
        CHECK_EQ(preview.silences[0].reason, str_from_c(cases[i].reason));
        CHECK_EQ(preview.silences[0].message, str_from_c(cases[i].message));
    }
}
