/* The cluster_index over a cache without a server: what arrives is handed to the cache directly. */
#include "clusterresourceset/cluster_index.h"

#include "apimachinery/wellknown.h"
#include "controller/cache/cache_internal.h"
#include "json/json.h"
#include "testing/test.h"

#define CALICO "{\"matchLabels\":{\"cni\":\"calico\"}}"

struct town {
    struct event synced;
    struct cache *clusters;
    struct cluster_index *cluster_index;
    struct arena arena;
    struct selector selector; /* cni=calico */
    int version;
};

static void select_by(struct town *town, const char *text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    CHECK_OK(selector_from_value(&town->arena, json_doc_root(doc), &town->selector));
}

static void town_init(struct town *town, bool needs_control_plane)
{
    *town = (struct town){0};
    town->clusters = cache_new(NULL, &town->synced, &(struct cache_options){.gvr = GVR_CLUSTERS});
    town->cluster_index = cluster_index_new(town->clusters, needs_control_plane);
    select_by(town, CALICO);
}

static void town_done(struct town *town)
{
    cluster_index_free(town->cluster_index);
    cache_free(town->clusters);
    arena_done(&town->arena);
}

/* Metadata beside name and version, and what follows: ",\"labels\":{...}", ",\"status\":{...}". */
static void happen(struct town *town, const char *namespace, const char *name, const char *metadata,
                   const char *rest, bool is_deleted)
{
    SCOPED(buf) text = {0};
    OWNED(object) object = NULL;
    buf_print(&text,
              "{\"kind\":\"Cluster\",\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"metadata\":{"
              "\"name\":\"%s\",\"namespace\":\"%s\",\"resourceVersion\":\"%d\"%s}%s}",
              name, namespace, ++town->version, metadata, rest);
    CHECK_OK(object_read(buf_str(&text), &object));
    cache_apply(town->clusters, object, is_deleted);
}

static void arrive(struct town *town, const char *name, const char *labels)
{
    SCOPED(buf) metadata = {0};
    buf_print(&metadata, ",\"labels\":{%s}", labels);
    happen(town, "ns", name, buf_c(&metadata), "", false);
}

static void add_name(void *data, struct str name)
{
    buf_print(data, "%.*s ", STR_ARG(name));
}

static void check_selected(struct town *town, const char *namespace, const char *names)
{
    SCOPED(buf) seen = {0};
    cluster_index_each(town->cluster_index, str_from_c(namespace), &town->selector, add_name,
                       &seen);
    CHECK_EQ(buf_str(&seen), str_from_c(names));
}

TEST(cluster_index_follows_labels_and_deletions)
{
    SCOPED(town) town;
    town_init(&town, false);
    check_selected(&town, "ns", "");
    arrive(&town, "c1", "\"cni\":\"calico\"");
    arrive(&town, "c2", "");
    arrive(&town, "c3", "\"cni\":\"other\"");
    check_selected(&town, "ns", "c1 ");
    arrive(&town, "c2", "\"cni\":\"calico\",\"more\":\"x\"");
    check_selected(&town, "ns", "c1 c2 ");
    arrive(&town, "c1", "");
    check_selected(&town, "ns", "c2 ");
    happen(&town, "ns", "c2", "", "", true);
    check_selected(&town, "ns", "");
    arrive(&town, "c2", "\"cni\":\"calico\"");
    check_selected(&town, "ns", "c2 ");
}

TEST(crs_10_other_namespaces_are_not_selected)
{
    SCOPED(town) town;
    town_init(&town, false);
    happen(&town, "elsewhere", "c1", ",\"labels\":{\"cni\":\"calico\"}", "", false);
    check_selected(&town, "ns", "");
    check_selected(&town, "elsewhere", "c1 ");
    CHECK(!cluster_index_selects(town.cluster_index, (struct key){STR("ns"), STR("c1")},
                                 &town.selector));
    CHECK(cluster_index_selects(town.cluster_index, (struct key){STR("elsewhere"), STR("c1")},
                                &town.selector));
    happen(&town, "elsewhere", "c1", "", "", true);
    check_selected(&town, "elsewhere", "");
}

TEST(crs_11_clusters_that_go_are_not_selected)
{
    SCOPED(town) town;
    town_init(&town, false);
    arrive(&town, "c1", "\"cni\":\"calico\"");
    happen(&town, "ns", "c1",
           ",\"labels\":{\"cni\":\"calico\"},\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"", "",
           false);
    check_selected(&town, "ns", "");
    CHECK(!cluster_index_selects(town.cluster_index, (struct key){STR("ns"), STR("c1")},
                                 &town.selector));
}

TEST(crs_08_and_crs_12_selectors_without_labels)
{
    SCOPED(town) town;
    town_init(&town, false);
    arrive(&town, "c1", "\"cni\":\"calico\"");
    arrive(&town, "c2", "");
    select_by(&town, "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"NotIn\",\"values\":["
                     "\"calico\"]}]}");
    check_selected(&town, "ns", "c2 ");
    town.selector = (struct selector){.nothing = true};
    check_selected(&town, "ns", "");
    CHECK(!cluster_index_selects(town.cluster_index, (struct key){STR("ns"), STR("c2")},
                                 &town.selector));
}

TEST(crs_29_the_control_plane_counts_only_when_told_to)
{
    static const struct {
        const char *status;
        bool is_initialized;
    } cases[] = {
        {"",                                                                        false},
        {",\"status\":{\"initialization\":{}}",                                     false},
        {",\"status\":{\"initialization\":{\"controlPlaneInitialized\":false}}",    false},
        {",\"status\":{\"initialization\":{\"controlPlaneInitialized\":\"true\"}}", false},
        {",\"status\":{\"initialization\":{\"controlPlaneInitialized\":true}}",     true },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int needs = 0; needs < 2; needs++) {
            SCOPED(town) town;
            TEST_CASE("%d%s", needs, cases[i].status);
            town_init(&town, needs);
            happen(&town, "ns", "c1", ",\"labels\":{\"cni\":\"calico\"}", cases[i].status, false);
            check_selected(&town, "ns", !needs || cases[i].is_initialized ? "c1 " : "");
        }
}

TEST(crs_80_a_paused_cluster_is_selected_and_known_to_be_paused)
{
    const struct key c1 = {STR("ns"), STR("c1")};
    SCOPED(town) town;
    town_init(&town, false);
    CHECK(!cluster_index_is_paused(town.cluster_index, c1));
    happen(&town, "ns", "c1", ",\"labels\":{\"cni\":\"calico\"}", ",\"spec\":{\"paused\":true}",
           false);
    CHECK(cluster_index_is_paused(town.cluster_index, c1));
    check_selected(&town, "ns", "c1 ");
    happen(&town, "ns", "c1", ",\"labels\":{\"cni\":\"calico\"}", ",\"spec\":{}", false);
    CHECK(!cluster_index_is_paused(town.cluster_index, c1));
}

TEST(an_index_that_comes_late_knows_every_cluster)
{
    SCOPED(town) town;
    town_init(&town, false);
    arrive(&town, "c1", "\"cni\":\"calico\"");
    cluster_index_free(town.cluster_index);
    town.cluster_index = cluster_index_new(town.clusters, false);
    check_selected(&town, "ns", "c1 ");
    cluster_index_free(TAKE(town.cluster_index));
    arrive(&town, "c2", "\"cni\":\"calico\""); /* nobody listens any more */
}

TEST(cluster_index_keeps_doubts_while_the_cluster_changes)
{
    SCOPED(town) town;
    const struct key key = {STR("ns"), STR("a")};
    town_init(&town, false);
    cluster_index_set_doubt(town.cluster_index, key, true); /* there is no such Cluster */
    CHECK(!cluster_index_is_in_doubt(town.cluster_index, key));
    arrive(&town, "a", "");
    cluster_index_set_doubt(town.cluster_index, key, true);
    arrive(&town, "a", "\"cni\":\"calico\"");
    CHECK(cluster_index_is_in_doubt(town.cluster_index, key));
    happen(&town, "ns", "a", "", "", true);
    arrive(&town, "a", "");
    CHECK(!cluster_index_is_in_doubt(town.cluster_index, key));
}
