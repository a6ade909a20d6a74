#include "status/why_render.h"

#include <stdio.h>

#include "apimachinery/object.h"
#include "base/duration.h"
#include "json/json.h"
#include "status/status_json.h"
#include "testing/test.h"

/* 2026-01-01T00:10:00Z. */
#define NOW ((timestamp)1767226200 * SECOND)

#define RECORD                                                                                  \
    "{\\\"cni\\\":{\\\"state\\\":\\\"Failed\\\",\\\"since\\\":\\\"2026-01-01T00:05:00Z\\\","    \
    "\\\"objects\\\":52,\\\"why\\\":[{\\\"count\\\":49,\\\"reason\\\":\\\"Invalid\\\","         \
    "\\\"message\\\":\\\"no namespace\\\",\\\"objects\\\":[\\\"apps/v1 Deployment argo/x "      \
    "(ConfigMap cm, key a.yaml, document 2)\\\",\\\"v1 Namespace y (ConfigMap cm, key a.yaml, " \
    "document 3)\\\"]},{\\\"count\\\":0,\\\"reason\\\":\\\"Invalid\\\",\\\"message\\\":\\\"no " \
    "data\\\",\\\"objects\\\":[\\\"Secret s\\\"]}],\\\"omitted\\\":{\\\"causes\\\":1,"          \
    "\\\"objects\\\":2}}}"

static void add(struct status_model *model,
                void (*fn)(struct status_model *, const struct object *), const char *text)
{
    OWNED(object) object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    fn(model, object);
}

static void add_cluster(struct status_model *model, const char *name)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"labels\":{\"a\":\"b\"}},"
             "\"status\":{\"initialization\":{\"infrastructureProvisioned\":true}}}",
             name);
    add(model, status_model_add_cluster, text);
}

static void add_binding(struct status_model *model, const char *name, bool is_applied,
                        const char *record)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"annotations\":{%s%s%s}},"
             "\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"cni\",\"resources\":[{\"kind\":"
             "\"ConfigMap\",\"name\":\"cm\",\"applied\":%s,\"lastAppliedTime\":"
             "\"2026-01-01T00:08:00Z\"}]}]}}",
             name, *record ? "\"corset.dev/delivery\":\"" : "", record, *record ? "\"" : "",
             is_applied ? "true" : "false");
    add(model, status_model_add_binding, text);
}

/* The set cni on a and b with a record, on c without one, on d applied; e has nothing yet. */
static void fill(struct status_model *model)
{
    add(model, status_model_add_set,
        "{\"metadata\":{\"name\":\"cni\",\"namespace\":\"d\",\"generation\":1},\"spec\":{"
        "\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\"}},\"resources\":[{\"kind\":"
        "\"ConfigMap\",\"name\":\"cm\"}]}}");
    for (const char *name = "abcde"; *name; name++)
        add_cluster(model, (const char[]){*name, '\0'});
    add_binding(model, "a", false, RECORD);
    add_binding(model, "b", false, RECORD);
    add_binding(model, "c", false, "");
    add_binding(model, "d", true, "");
    status_model_finish(model);
}

#define CAUSES                                                                      \
    "  49 objects: no namespace\n"                                                  \
    "    apps/v1 Deployment argo/x (ConfigMap cm, key a.yaml, document 2)\n"        \
    "    v1 Namespace y (ConfigMap cm, key a.yaml, document 3)\n"                   \
    "    and 47 more\n"                                                             \
    "  no data\n"                                                                   \
    "    Secret s\n"                                                                \
    "  and 1 more causes of 2 objects, which the controller's log names\n"          \
    "  to do: mend the manifest, or what the cluster refuses it for. It is tried\n" \
    "         again by itself, and at once when set, resources or policy change.\n"
#define UNTOLD                                \
    "failed\n  ConfigMap cm is not applied\n" \
    "  to do: mend what is said above. The set goes on by itself then.\n"
#define BEGINS "  to do: nothing here. It begins by itself when that changes.\n"

TEST(why_of_a_set_on_a_cluster)
{
    static const struct {
        const char *cluster, *text;
    } cases[] = {
        {"a", "set cni on cluster a: failed for 5m, 1 of 52 objects applied\n" CAUSES},
        {"c", "set cni on cluster c: " UNTOLD                                        },
        {"d", "set cni on cluster d: applied for 2m\n"                               },
        {"e", "set cni on cluster e: waiting\n  ConfigMap cm is not applied\n"       },
    };
    SCOPED(status_model) model = {0};
    fill(&model);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) out = {.limit = 0};
        TEST_CASE("%s", cases[i].cluster);
        const struct status_cluster *cluster =
            status_model_find_cluster(&model, str_from_c(cases[i].cluster));
        why_render_cell(cluster, &cluster->cells[0], NOW, &out);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].text));
    }
}

/* A set that depends on others, and waits on six clusters, of which its condition tells five. */
static void add_waiting_set(struct status_model *model, const char *name, const char *depends_on,
                            const char *told)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"generation\":1,"
              "\"annotations\":{\"corset.dev/depends-on\":\"%s\"}},\"spec\":{"
              "\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\"}},\"resources\":[{\"kind\":"
              "\"ConfigMap\",\"name\":\"cm\"}]},\"status\":{\"conditions\":[{\"type\":"
              "\"ResourcesApplied\",\"status\":\"False\",\"reason\":\"NotApplied\",\"message\":"
              "\"Waiting for other sets: %s\"},{\"type\":\"Failed\",\"status\":\"False\"},"
              "{\"type\":\"InProgress\",\"status\":\"True\"}]}}",
              name, depends_on, told);
    add(model, status_model_add_set, buf_c(&text));
}

TEST(why_of_a_set_that_waits_goes_through_those_it_waits_for)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    add_waiting_set(&model, "top", "middle,cni", "5 of 5 clusters wait: b: told by the condition");
    add_waiting_set(&model, "middle", "cni, gone", "5 of 5 clusters wait");
    fill(&model);
    const struct status_cluster *cluster = status_model_find_cluster(&model, STR("a"));
    why_render_chain(&model, cluster, &cluster->cells[0], NOW, &out);
    CHECK_EQ(buf_str(&out),
             STR("set top on cluster a: waiting\n"
                 "  waits for ClusterResourceSet middle, which is not applied there yet, for "
                 "ClusterResourceSet cni, which failed there\n" BEGINS
                 "\nset middle on cluster a: waiting\n"
                 "  waits for ClusterResourceSet cni, which failed there, for ClusterResourceSet "
                 "gone, which does not exist\n" BEGINS
                 "\nset cni on cluster a: failed for 5m, 1 of 52 objects applied\n" CAUSES));
    CHECK_EQ((int)status_model_find_set(&model, STR("top"))->state, (int)STATUS_WAITING);
    CHECK_EQ(status_model_find_set(&model, STR("top"))->why,
             STR("5 of 5 clusters wait: b: told by the condition"));
    TEST_CASE("what the condition says of a cluster comes first");
    buf_clear(&out);
    cluster = status_model_find_cluster(&model, STR("b"));
    why_render_cell(cluster, &cluster->cells[0], NOW, &out);
    CHECK_EQ(buf_str(&out), STR("set top on cluster b: waiting\n  told by the condition\n" BEGINS));
    TEST_CASE("what has been applied is not waited for");
    buf_clear(&out);
    cluster = status_model_find_cluster(&model, STR("d"));
    why_render_chain(&model, cluster, &cluster->cells[1], NOW, &out);
    CHECK_EQ(buf_str(&out),
             STR("set middle on cluster d: waiting\n"
                 "  waits for ClusterResourceSet gone, which does not exist\n" BEGINS));
}

/* The Secret of the set is missing, and no cause is about it. */
TEST(why_names_resources_that_no_cause_is_about)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    add(&model, status_model_add_set,
        "{\"metadata\":{\"name\":\"cni\",\"namespace\":\"d\",\"generation\":1},\"spec\":{"
        "\"clusterSelector\":{\"matchLabels\":{\"a\":\"b\"}},\"resources\":[{\"kind\":"
        "\"ConfigMap\",\"name\":\"cm\"},{\"kind\":\"Secret\",\"name\":\"t\"}]}}");
    add_cluster(&model, "a");
    add_binding(&model, "a", false, RECORD);
    status_model_finish(&model);
    why_render_cell(model.clusters[0], &model.clusters[0]->cells[0], NOW, &out);
    CHECK_CONTAINS(buf_str(&out), STR("causes of 2 objects, which the controller's log names\n"
                                      "  Secret t is not applied\n"
                                      "  to do: mend the manifest"));
    CHECK(!str_contains(buf_str(&out), STR("ConfigMap cm is not applied")));
}

TEST(why_of_a_set_tells_equal_clusters_together)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    fill(&model);
    why_render_set(&model, model.sets[0], &out);
    CHECK_EQ(buf_str(&out), STR("set cni: failed, applied to 1 of 5 clusters\n"
                                "\non clusters a, b: failed, 1 of 52 objects applied\n" CAUSES
                                "\non cluster c: " UNTOLD
                                "\non cluster e: waiting\n  ConfigMap cm is not applied\n"));
}

TEST(why_of_a_cluster_goes_through_its_sets)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    fill(&model);
    why_render_cluster(status_model_find_cluster(&model, STR("c")), NOW, &out);
    CHECK_EQ(buf_str(&out), STR("cluster c: failed, 0 of 1 sets applied\n\n"
                                "set cni on cluster c: " UNTOLD));
    buf_clear(&out);
    why_render_cluster(status_model_find_cluster(&model, STR("d")), NOW, &out);
    CHECK_EQ(buf_str(&out), STR("cluster d: applied, 1 of 1 sets applied\n"));
}

TEST(status_as_json_has_every_failure)
{
    SCOPED(status_model) model = {.only_cluster = STR("a")};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    fill(&model);
    CHECK_OK(status_json_render(&model, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_CONTAINS(
        buf_str(&text),
        STR("\"delivery\":{\"state\":\"Failed\",\"since\":\"2026-01-01T00:05:00Z\",\"objects\":52,"
            "\"applied\":1,\"why\":[{\"count\":49,\"reason\":\"Invalid\",\"message\":"
            "\"no namespace\",\"objects\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
            "\"namespace\":\"argo\",\"name\":\"x\",\"resource\":\"ConfigMap cm\",\"key\":"
            "\"a.yaml\",\"document\":2},{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"name\":"
            "\"y\",\"resource\":\"ConfigMap cm\",\"key\":\"a.yaml\",\"document\":3}]},"
            "{\"count\":0,\"reason\":\"Invalid\",\"message\":\"no data\",\"objects\":["
            "{\"resource\":\"Secret s\"}]}],\"omitted\":{\"causes\":1,\"objects\":2}}"));
}
