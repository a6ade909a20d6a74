#include "cmd/status_render.h"

#include <stdio.h>
#include <string.h>

#include "apimachinery/object.h"
#include "base/duration.h"
#include "status/status_json.h"
#include "testing/test.h"

/* 2026-01-01T00:10:00Z, and what happened before it. */
#define NOW ((timestamp)1767226200 * SECOND)

static void add(struct status_model *model,
                void (*fn)(struct status_model *, const struct object *), const char *text)
{
    OWNED(object) object = NULL;
    SCOPED(buf) json = {.limit = 0};
    for (; *text; text++)
        buf_add_char(&json, *text == '\'' ? '"' : *text);
    CHECK_OK(object_read(buf_str(&json), &object));
    fn(model, object);
}

static void add_set(struct status_model *model, const char *name, const char *status,
                    const char *message)
{
    char text[1024];
    snprintf(
        text, sizeof(text),
        "{'metadata':{'name':'%s','namespace':'default','generation':2,"
        "'creationTimestamp':'2026-01-01T00:00:00Z'},'spec':{'clusterSelector':"
        "{'matchLabels':{'env':'prod'}},'strategy':'Reconcile','resources':"
        "[{'kind':'ConfigMap','name':'a'},{'kind':'Secret','name':'b'}]},'status':"
        "{'conditions':[{'type':'ResourcesApplied','status':'%s','reason':'NotApplied',"
        "'observedGeneration':2,'lastTransitionTime':'2026-01-01T00:03:00Z','message':'%s'}]}}",
        name, status, message);
    add(model, status_model_add_set, text);
}

static void add_cluster(struct status_model *model, const char *name, const char *env)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'%s','namespace':'default','labels':{'env':'%s'},"
             "'creationTimestamp':'2026-01-01T00:00:00Z'},'spec':{'controlPlaneEndpoint':"
             "{'host':'10.0.0.1','port':6443}},'status':{'initialization':"
             "{'infrastructureProvisioned':true}}}",
             name, env);
    add(model, status_model_add_cluster, text);
}

static void add_binding(struct status_model *model, const char *cluster, const char *set,
                        bool second_applied)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'%s','namespace':'default'},'spec':{'clusterName':'%s',"
             "'bindings':[{'clusterResourceSetName':'%s','resources':[{'kind':'ConfigMap',"
             "'name':'a','applied':true,'hash':'sha256:00112233445566778899',"
             "'lastAppliedTime':'2026-01-01T00:05:00Z'},{'kind':'Secret','name':'b','applied':%s,"
             "'hash':'sha256:99','lastAppliedTime':'2026-01-01T00:06:00Z'}]}]}}",
             cluster, cluster, set, second_applied ? "true" : "false");
    add(model, status_model_add_binding, text);
}

static void add_event(struct status_model *model, const char *cluster, const char *message)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'e','namespace':'default'},'involvedObject':{'kind':'Cluster',"
             "'name':'%s'},'message':'%s','eventTime':'2026-01-01T00:07:00.000000Z'}",
             cluster, message);
    add(model, status_model_add_event, text);
}

/* uid of the set ("" in the Events of earlier versions), uid of the cluster, minute. */
static void add_event_of(struct status_model *model, const char *set_uid, const char *cluster_uid,
                         int minute)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'e','namespace':'default'},'involvedObject':{'kind':'Cluster',"
             "'name':'one','uid':'%s'},'related':{'kind':'ClusterResourceSet','uid':'%s'},"
             "'message':'ClusterResourceSet cni: no','eventTime':'2026-01-01T00:%02d:00.000000Z'}",
             cluster_uid, set_uid, minute);
    add(model, status_model_add_event, text);
}

static const struct status_view narrow = {.width = 80, .height = 24, .now = NOW};

/* One cluster is fine, one has failed, one waits, one is not selected. */
static void fill_mixed(struct status_model *model)
{
    add_set(model, "cni", "False",
            "Failed to apply ClusterResourceSet resources to Cluster: 1 of 3 clusters failed");
    add_cluster(model, "one", "prod");
    add_cluster(model, "two", "prod");
    add_cluster(model, "three", "prod");
    add_cluster(model, "other", "test");
    add_binding(model, "one", "cni", true);
    add_binding(model, "two", "cni", false);
    add_event(model, "two", "ClusterResourceSet cni: Secret b: it is \\u001b[2J: full");
    add_event(model, "unknown", "ClusterResourceSet cni: no such cluster");
    status_model_finish(model);
}

TEST(status_shows_what_needs_a_person_first)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    fill_mixed(&model);
    status_render_all(&model, &narrow, &out);
    CHECK_EQ(buf_str(&out), STR("1 set: 1 failed\n"
                                "NAME  STATE   APPLIED  FAILED  WAITING  SINCE\n"
                                "cni   failed  1/3      1       1        7m\n"
                                "    1 of 3 clusters failed\n"
                                "\n"
                                "4 clusters: 1 failed, 1 waiting, 1 applied, 1 idle\n"
                                "NAME   STATE    SETS  RESOURCES  SINCE\n"
                                "two    failed   0/1   1/2        3m\n"
                                "    cni: Secret b: it is \\x1b[2J: full\n"
                                "three  waiting  0/1   0/2        10m\n"
                                "    cni: 1 of 3 clusters failed\n"
                                "one    applied  1/1   2/2        4m\n"
                                "other  idle     0/0   0/0        -\n"));
    CHECK(!status_model_is_applied(&model));
}

TEST(status_has_reasons_in_the_row_where_there_is_room)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    struct status_view view = narrow;
    fill_mixed(&model);
    view.width = 120;
    status_render_clusters(&model, &view, &out);
    CHECK_EQ(buf_str(&out),
             STR("NAME   STATE    SETS  RESOURCES  SINCE  WHY\n"
                 "two    failed   0/1   1/2        3m     cni: Secret b: it is \\x1b[2J: full\n"
                 "three  waiting  0/1   0/2        10m    cni: 1 of 3 clusters failed\n"
                 "one    applied  1/1   2/2        4m\n"
                 "other  idle     0/0   0/0        -\n"));
}

TEST(status_of_one_set)
{
    SCOPED(status_model) model = {.only_set = STR("cni")};
    SCOPED(buf) out = {.limit = 0};
    fill_mixed(&model);
    status_render_set(&model, status_model_find_set(&model, STR("cni")), &narrow, &out);
    CHECK_EQ(buf_str(&out), STR("Set default/cni  failed\n"
                                "selects    env=prod\n"
                                "resources  ConfigMap a, Secret b\n"
                                "strategy   Reconcile\n"
                                "why        1 of 3 clusters failed\n"
                                "\n"
                                "3 clusters: 1 failed, 1 waiting, 1 applied\n"
                                "CLUSTER  STATE    RESOURCES  SINCE\n"
                                "two      failed   1/2        3m\n"
                                "    Secret b: it is \\x1b[2J: full\n"
                                "three    waiting  0/2        10m\n"
                                "    1 of 3 clusters failed\n"
                                "one      applied  2/2        4m\n"));
    CHECK_EQ(model.cluster_count, (size_t)3);
}

TEST(status_of_one_cluster)
{
    SCOPED(status_model) model = {.only_cluster = STR("two")};
    SCOPED(buf) out = {.limit = 0};
    add_set(&model, "elsewhere", "True", "");
    model.sets[0]->spec.selector.nothing = true;
    fill_mixed(&model);
    status_render_cluster(&model, status_model_find_cluster(&model, STR("two")), &narrow, &out);
    CHECK_EQ(buf_str(&out), STR("Cluster default/two  failed\n"
                                "endpoint   10.0.0.1:6443\n"
                                "labels     env=prod\n"
                                "\n"
                                "SET  RESOURCE     STATE    SINCE  HASH\n"
                                "cni  ConfigMap/a  applied  5m     sha256:001122334455\n"
                                "cni  Secret/b     failed   4m     sha256:99\n"
                                "    Secret b: it is \\x1b[2J: full\n"));
    CHECK_EQ(model.set_count, (size_t)1);
}

TEST(status_without_anything_says_how_to_begin)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    status_model_finish(&model);
    status_render_all(&model, &narrow, &out);
    CHECK_EQ(buf_str(&out),
             STR("No ClusterResourceSets. An example: corset demo --manifests\n"
                 "\n"
                 "No clusters. Add one: corset cluster add NAME --kubeconfig FILE\n"));
    CHECK(status_model_is_applied(&model));
}

static void fill_many(struct status_model *model, size_t clusters, size_t failed)
{
    add_set(model, "cni", failed ? "False" : "True", failed ? "some failed" : "");
    for (size_t i = 0; i < clusters; i++) {
        char name[32];
        snprintf(name, sizeof(name), "vc-%05zu", i);
        add_cluster(model, name, "prod");
        add_binding(model, name, "cni", i >= failed);
    }
    status_model_finish(model);
}

/* No line is longer, nor are there more of them; escapes of colour do not count. */
static void check_size(struct str text, size_t width, size_t height)
{
    struct str line;
    size_t lines = 0;
    for (; text.len; lines++) {
        str_cut(&text, '\n', &line);
        size_t columns = 0;
        for (size_t i = 0; i < line.len; i++) {
            if (line.ptr[i] == '\x1b')
                while (line.ptr[i] != 'm')
                    i++;
            else
                columns += ((unsigned char)line.ptr[i] & 0xc0) != 0x80;
        }
        CHECK(columns <= width);
    }
    CHECK(lines <= height);
}

TEST(status_of_ten_thousand_clusters_fits_a_terminal)
{
    SCOPED(status_model) model = {0};
    const size_t sizes[][2] = {
        {80,  24},
        {120, 40},
        {40,  12},
        {300, 80},
    };
    fill_many(&model, 10000, 3);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        SCOPED(buf) out = {.limit = 0};
        const struct status_view view = {
            .width = sizes[i][0], .height = sizes[i][1], .now = NOW, .has_color = i % 2};
        TEST_CASE("%zu x %zu", view.width, view.height);
        status_render_all(&model, &view, &out);
        check_size(buf_str(&out), view.width, view.height);
        CHECK_CONTAINS(buf_str(&out), STR("… and 99"));
        CHECK_CONTAINS(buf_str(&out), STR("vc-00000"));
    }
    SCOPED(buf) whole = {.limit = 0};
    status_render_all(&model, &(struct status_view){.width = 200, .now = NOW}, &whole);
    CHECK_CONTAINS(buf_str(&whole), STR("vc-09999"));
}

TEST(status_counts_what_it_does_not_show)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    fill_many(&model, 300, 2);
    status_render_all(&model, &(struct status_view){.width = 80, .height = 14, .now = NOW}, &out);
    CHECK_EQ(buf_str(&out), STR("1 set: 1 failed\n"
                                "NAME  STATE   APPLIED  FAILED  WAITING  SINCE\n"
                                "cni   failed  298/300  2       0        7m\n"
                                "    some failed\n"
                                "\n"
                                "300 clusters: 2 failed, 298 applied\n"
                                "NAME      STATE    SETS  RESOURCES  SINCE\n"
                                "vc-00000  failed   0/1   1/2        7m\n"
                                "    cni: some failed\n"
                                "vc-00001  failed   0/1   1/2        7m\n"
                                "    cni: some failed\n"
                                "vc-00002  applied  1/1   2/2        4m\n"
                                "vc-00003  applied  1/1   2/2        4m\n"
                                "… and 296 more: 296 applied\n"));
}

TEST(status_finds_reasons_in_the_message_of_the_set)
{
    SCOPED(status_model) model = {0};
    add_set(&model, "cni", "False",
            "Failed to apply ClusterResourceSet resources to Cluster: 2 of 3 clusters failed: "
            "a: Secret b: a-b: full; a-b: not there; and 1 more");
    add_cluster(&model, "a", "prod");
    add_cluster(&model, "a-b", "prod");
    add_cluster(&model, "c", "prod");
    status_model_finish(&model);
    CHECK_EQ(status_model_find_cluster(&model, STR("a"))->why, STR("cni: Secret b: a-b: full"));
    CHECK_CONTAINS(status_model_find_cluster(&model, STR("c"))->why, STR("2 of 3 clusters failed"));
}

TEST(status_uses_colour_only_when_asked)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    struct status_view view = narrow;
    fill_many(&model, 1, 0);
    view.has_color = true;
    status_render_clusters(&model, &view, &out);
    CHECK_CONTAINS(buf_str(&out), STR("\x1b[32mapplied\x1b[0m"));
    CHECK(status_model_is_applied(&model));
}

TEST(status_judges_sets_by_what_is_true_now)
{
    static const struct {
        const char *name, *set;
        enum status_state state;
    } cases[] = {
        {"paused",
         "{'metadata':{'name':'s','namespace':'default','annotations':{'cluster.x-k8s.io/paused':''}},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}}}}",
         STATUS_PAUSED  },
        {"being deleted",
         "{'metadata':{'name':'s','namespace':'default','deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}}}}",
         STATUS_DELETING},
        {"a status of an earlier generation",
         "{'metadata':{'name':'s','namespace':'default','generation':3},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}},'resources':[{'kind':'Secret','name':'b'}]},'status':{'conditions':[{'type':'ResourcesApplied','status':'True','observedGeneration':2}]}}",
         STATUS_WAITING },
        {"an empty selector selects nothing",
         "{'metadata':{'name':'s','namespace':'default'},'spec':{'clusterSelector':{},'resources':[{'kind':'Secret','name':'b'}]}}",
         STATUS_IDLE    },
        {"another namespace",
         "{'metadata':{'name':'s','namespace':'elsewhere'},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}}}}",
         STATUS_IDLE    },
        {"a selector that cannot be read",
         "{'metadata':{'name':'s','namespace':'default'},'spec':{'clusterSelector':{'matchExpressions':[{'key':'a','operator':'What'}]}}}",
         STATUS_FAILED  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%s", cases[i].name);
        add(&model, status_model_add_set, cases[i].set);
        add_cluster(&model, "one", "prod");
        add_binding(&model, "one", "s", true);
        status_model_finish(&model);
        CHECK_EQ((int)model.sets[0]->state, (int)cases[i].state);
    }
}

/* A set of generation 2 that is applied on its only cluster, with these conditions. */
static void fill_with_conditions(struct status_model *model, const char *conditions)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'s','namespace':'default','generation':2},'spec':"
             "{'clusterSelector':{'matchLabels':{'env':'prod'}},'resources':"
             "[{'kind':'ConfigMap','name':'a'}]},'status':{'conditions':[%s]}}",
             conditions);
    add(model, status_model_add_set, text);
    add_cluster(model, "one", "prod");
    add_binding(model, "one", "s", true);
    status_model_finish(model);
}

TEST(status_judges_sets_by_the_worst_condition)
{
#define APPLIED "{'type':'ResourcesApplied','status':'True','observedGeneration':2}"
#define PAUSED                                                                                     \
    "{'type':'ResourcesApplied','status':'False','observedGeneration':2,'reason':'ClusterPaused'," \
    "'message':'Clusters are paused: two: why'}"
    static const struct {
        const char *name, *conditions;
        enum status_state state;
        const char *reason, *why;
    } cases[] = {
        {"applied",                                     APPLIED,                                 STATUS_APPLIED, "",                  ""                                    },
        {"applied, but its bindings cannot be written",
         APPLIED
         ",{'type':'Failed','status':'True','observedGeneration':2,'reason':'apiTemporaryError',"
         "'message':'Not everything is applied: 1 of 1 clusters failed: one: refused'}",         STATUS_FAILED,  "apiTemporaryError", "1 of 1 clusters failed: one: refused"},
        {"an earlier generation failed",
         APPLIED ",{'type':'Failed','status':'True','observedGeneration':1,'message':'old'}",
         STATUS_APPLIED,                                                                                         "",                  ""                                    },
        {"nothing has failed",
         APPLIED ",{'type':'Failed','status':'False','observedGeneration':2}"
                 ",{'type':'InProgress','status':'False','observedGeneration':2}",               STATUS_APPLIED, "",                  ""                                    },
        {"clusters are still being worked on",
         APPLIED ",{'type':'InProgress','status':'True','observedGeneration':2,"
                 "'reason':'newGeneration','message':'New generation detected'}",                STATUS_WAITING, "newGeneration",     ""                                    },
        {"the first of those that failed is quoted",
         "{'type':'ResourcesApplied','status':'False','observedGeneration':2,'reason':'NotApplied',"
         "'message':'first: why'},{'type':'InProgress','status':'True','observedGeneration':2,"
         "'message':'goes on'},{'type':'Failed','status':'True','observedGeneration':2,"
         "'message':'second'}",                                                                  STATUS_FAILED,  "NotApplied",        "first: why"                          },
        {"another controller wrote its words",
         "{'type':'ResourcesApplied','status':'False','observedGeneration':2,'reason':'NotApplied',"
         "'message':'fixed words'},{'type':'Failed','status':'True','observedGeneration':2,"
         "'message':'Not everything is applied: one: why'}",                                     STATUS_FAILED,  "NotApplied",        "one: why"                            },
        {"a change waits for paused Clusters",
         PAUSED ",{'type':'Failed','status':'False','observedGeneration':2}",                    STATUS_PAUSED,
         "ClusterPaused",                                                                                                             "two: why"                            },
        {"a pause hides no failure",
         PAUSED
         ",{'type':'Failed','status':'True','observedGeneration':2,'reason':'r','message':'m'}", STATUS_FAILED,  "r",                 "m"                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%s", cases[i].name);
        fill_with_conditions(&model, cases[i].conditions);
        CHECK_EQ((int)model.sets[0]->state, (int)cases[i].state);
        CHECK_EQ(model.sets[0]->reason, str_from_c(cases[i].reason));
        CHECK_EQ(model.sets[0]->why, str_from_c(cases[i].why));
        CHECK_EQ(status_model_is_applied(&model), status_state_is_fine(cases[i].state));
    }
#undef APPLIED
#undef PAUSED
}

/* Labelled env=prod, with the condition that Cluster API's ClusterCache leads to. */
#define REFUSED "connect to 10.0.0.7:6443: connection refused"
#define LOST \
    "Remote connection probe failed, probe last succeeded at 2026-01-01T00:07:00Z: " REFUSED
static void add_probed(struct status_model *model, const char *name, bool is_provisioned,
                       const char *message)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{'metadata':{'name':'%s','namespace':'default','labels':{'env':'prod'}},'status':"
             "{'initialization':{'infrastructureProvisioned':%s},'conditions':[{'type':"
             "'RemoteConnectionProbe','status':'False','reason':'ProbeFailed','lastTransitionTime':"
             "'2026-01-01T00:08:00Z','message':'%s'}]}}",
             name, is_provisioned ? "true" : "false", message);
    add(model, status_model_add_cluster, text);
}

TEST(status_shows_clusters_that_cannot_be_reached)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    add_set(&model, "cni", "True", "");
    add_cluster(&model, "one", "prod");
    add_probed(&model, "dead", true, LOST);
    add_probed(&model, "young", false, LOST);
    add_probed(&model, "begun", true, "Remote connection not established yet: no");
    add_binding(&model, "one", "cni", true);
    add_binding(&model, "dead", "cni", true);
    status_model_finish(&model);
    CHECK(!status_model_is_applied(&model));
    status_render_all(&model, &(struct status_view){.now = NOW}, &out);
    CHECK_EQ(
        buf_str(&out),
        STR("1 set: 1 unreachable\n"
            "NAME  STATE        APPLIED  FAILED  WAITING  SINCE  WHY\n"
            "cni   unreachable  1/4      0       2        2m     1 of 4 clusters unreachable: dead: "
            "connect to 10.0.0.7:6443: connection refused\n"
            "\n"
            "4 clusters: 1 unreachable, 2 waiting, 1 applied\n"
            "NAME   STATE        SETS  RESOURCES  SINCE  WHY\n"
            "dead   unreachable  0/1   2/2        2m     " REFUSED "\n"
            "begun  waiting      0/1   0/2        10m\n"
            "young  waiting      0/1   0/2        10m    cni: the cluster is not provisioned "
            "yet\n"
            "one    applied      1/1   2/2        4m\n"));
    buf_clear(&out);
    status_render_cluster(&model, status_model_find_cluster(&model, STR("dead")), &narrow, &out);
    CHECK_EQ(buf_str(&out), STR("Cluster default/dead  unreachable\n"
                                "labels     env=prod\n"
                                "why        connect to 10.0.0.7:6443: connection refused\n"
                                "\n"
                                "SET  RESOURCE     STATE        SINCE  HASH\n"
                                "cni  ConfigMap/a  unreachable  5m     sha256:001122334455\n"
                                "cni  Secret/b     unreachable  4m     sha256:99\n"));
}

TEST(status_shows_paused_clusters)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    add_set(&model, "cni", "True", "");
    add_cluster(&model, "one", "prod");
    add(&model, status_model_add_cluster,
        "{'metadata':{'name':'two','namespace':'default','labels':{'env':'prod'}},'spec':"
        "{'paused':true},'status':{'initialization':{'infrastructureProvisioned':true}}}");
    add(&model, status_model_add_cluster,
        "{'metadata':{'name':'three','namespace':'default'},'spec':{'paused':true},'status':"
        "{'initialization':{'infrastructureProvisioned':true},'conditions':[{'type':"
        "'RemoteConnectionProbe','status':'False','message':'refused'}]}}");
    add_binding(&model, "one", "cni", true);
    add_binding(&model, "two", "cni", true);
    status_model_finish(&model);
    CHECK(status_model_is_applied(&model));
    status_render_all(&model, &(struct status_view){.now = NOW}, &out);
    CHECK_EQ(
        buf_str(&out),
        STR("1 set: 1 applied\n"
            "NAME  STATE    APPLIED  FAILED  WAITING  SINCE  WHY\n"
            "cni   applied  1/2      0       0        4m     1 of 2 clusters paused\n"
            "\n"
            "3 clusters: 2 paused, 1 applied\n"
            "NAME   STATE    SETS  RESOURCES  SINCE  WHY\n"
            "three  paused   0/0   0/0        -      spec.paused is set; the cluster cannot be "
            "reached: refused\n"
            "two    paused   0/1   2/2        -      spec.paused is set\n"
            "one    applied  1/1   2/2        4m\n"));
    CHECK_OK(status_json_render(&model, &doc));
    buf_clear(&out);
    json_write(&out, json_doc_root(doc));
    CHECK_CONTAINS(
        buf_str(&out),
        STR("\"waiting\":0,\"settling\":0,\"pruning\":0,\"paused\":1,\"deleting\":0,\"applied\":1"));
    CHECK_CONTAINS(buf_str(&out), STR("\"name\":\"two\",\"state\":\"paused\""));
}

/* Each state has its own beginning; only what is applied is as old as the newest application. */
TEST(status_has_the_time_of_the_state)
{
#define CONDITION(type, status, time) \
    "{'type':'" type "','status':'" status "','lastTransitionTime':'2026-01-01T00:0" time ":00Z'}"
    const struct {
        const char *name, *metadata, *conditions;
        enum status_state state;
        int minute, cell_minute; /* of the set, and of the set on the cluster */
    } cases[] = {
        {"applied",          "",                                            CONDITION("ResourcesApplied", "True",         "3"), STATUS_APPLIED,  6, 6     },
        {"said later",       "",                                            CONDITION("ResourcesApplied", "True",         "8"), STATUS_APPLIED,  8, 6     },
        {"failed",           "",                                            CONDITION("ResourcesApplied", "False",        "4"), STATUS_FAILED,   4, 6     },
        {"failed otherwise", "",                                            CONDITION("Failed",           "True",         "9"), STATUS_FAILED,   9, 6     },
        {"in progress",      "",                                            CONDITION("InProgress",       "True",         "7"), STATUS_WAITING,  7, 6     },
        {"nothing said",     "",                                            "",                           STATUS_WAITING, 1,    6              },
        {"paused", ",'annotations':{'cluster.x-k8s.io/paused':''}",
         CONDITION("Paused",                               "True",         "2") "," CONDITION("ResourcesApplied", "True",                                                                                                                          "1"),
         STATUS_PAUSED, 2, 6},
        {"deleting",         ",'deletionTimestamp':'2026-01-01T00:05:00Z'",
         CONDITION("ResourcesApplied",                                                                    "True",         "1"), STATUS_DELETING, 5,                                                                                                                          6                                                                                                                              },
    };
    const timestamp begun = NOW - 10 * MINUTE;
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        char text[1024];
        TEST_CASE("%s", cases[i].name);
        snprintf(text, sizeof(text),
                 "{'metadata':{'name':'cni','namespace':'default','creationTimestamp':"
                 "'2026-01-01T00:01:00Z'%s},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'"
                 "}},'resources':[{'kind':'ConfigMap','name':'a'},{'kind':'Secret','name':'b'}]},"
                 "'status':{'conditions':[%s]}}",
                 cases[i].metadata, cases[i].conditions);
        add(&model, status_model_add_set, text);
        add_cluster(&model, "one", "prod");
        add_binding(&model, "one", "cni", true);
        status_model_finish(&model);
        CHECK_EQ(model.sets[0]->state, cases[i].state);
        CHECK_EQ(model.sets[0]->since, begun + cases[i].minute * MINUTE);
        CHECK_EQ(model.clusters[0]->cells[0].since, begun + cases[i].cell_minute * MINUTE);
        CHECK_EQ(model.clusters[0]->since, begun + cases[i].cell_minute * MINUTE);
    }
#undef CONDITION
}

TEST(status_says_what_waits_behind_a_pause)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    add(&model, status_model_add_set,
        "{'metadata':{'name':'cni','namespace':'default','annotations':{'cluster.x-k8s.io/paused':"
        "''}},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}},'resources':[{'kind':"
        "'ConfigMap','name':'a'},{'kind':'Secret','name':'b'}]},'status':{'conditions':[{'type':"
        "'Paused','status':'True','reason':'Paused','lastTransitionTime':'2026-01-01T00:09:00Z',"
        "'message':'ClusterResourceSet has the cluster.x-k8s.io/paused annotation; a change waits "
        "for 1 of 1 clusters'}]}}");
    add_cluster(&model, "one", "prod");
    add_binding(&model, "one", "cni", true);
    status_model_finish(&model);
    CHECK(status_model_is_applied(&model));
    status_render_all(&model, &(struct status_view){.now = NOW}, &out);
    CHECK_CONTAINS(buf_str(&out), STR("a change waits for 1 of 1 clusters\n"));
}

/* A resource was missing when the set was paused. Nobody has looked since. */
TEST(status_of_a_paused_set_does_not_tell_of_earlier_faults)
{
    SCOPED(status_model) model = {0};
    add(&model, status_model_add_set,
        "{'metadata':{'name':'cni','namespace':'default','annotations':{'cluster.x-k8s.io/paused':"
        "''}},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}},'resources':[{'kind':"
        "'ConfigMap','name':'a'},{'kind':'Secret','name':'b'}]},'status':{'conditions':[{'type':"
        "'ResourcesApplied','status':'False','reason':'InternalError','message':'not found'}],"
        "'deprecated':{'v1beta1':{'conditions':[{'type':'ResourcesApplied','status':'False',"
        "'reason':'RetrievingResourceFailed'}]}}}}");
    add_cluster(&model, "one", "prod");
    add_cluster(&model, "two", "prod");
    add_binding(&model, "one", "cni", true);
    add_binding(&model, "two", "cni", false);
    status_model_finish(&model);
    CHECK_EQ(status_model_find_cluster(&model, STR("one"))->state, STATUS_APPLIED);
    CHECK_EQ(status_model_find_cluster(&model, STR("two"))->state, STATUS_PAUSED);
}

TEST(status_passes_over_events_of_what_had_the_name_before)
{
    const struct {
        const char *name, *set_uid, *cluster_uid;
        int minute;
        bool counts;
    } cases[] = {
        {"of the set and the cluster",       "s2", "c2", 7, true },
        {"without a set",                    "",   "c2", 7, true },
        {"without any UID",                  "",   "",   7, true },
        {"of an earlier set",                "s1", "c2", 7, false},
        {"of an earlier cluster",            "s2", "c1", 7, false},
        {"without a set, but older than it", "",   "c2", 2, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%s", cases[i].name);
        add(&model, status_model_add_set,
            "{'metadata':{'name':'cni','namespace':'default','uid':'s2','creationTimestamp':"
            "'2026-01-01T00:05:00Z'},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}},"
            "'resources':[{'kind':'ConfigMap','name':'a'}]}}");
        add(&model, status_model_add_cluster,
            "{'metadata':{'name':'one','namespace':'default','uid':'c2','labels':{'env':'prod'}},"
            "'status':{'initialization':{'infrastructureProvisioned':true}}}");
        add_event_of(&model, cases[i].set_uid, cases[i].cluster_uid, cases[i].minute);
        status_model_finish(&model);
        CHECK_EQ(model.clusters[0]->state, cases[i].counts ? STATUS_FAILED : STATUS_WAITING);
        CHECK_EQ(model.clusters[0]->why, cases[i].counts ? STR("cni: no") : STR(""));
    }
}

#define FAILED_WHY                                                                        \
    "cni: 1 of 1 objects failed: 1 object: refused: ConfigMap ns/x (ConfigMap a, key k, " \
    "document 1)"

/* The binding of cluster one records since 00:07 that cni failed there. */
TEST(status_passes_over_events_of_an_earlier_failure)
{
    const struct {
        const char *name, *why;
        int minute; /* of the Event; 0: there is none */
        int since;
    } cases[] = {
        {"the Event is lost",               FAILED_WHY, 0, 7},
        {"only an earlier one came",        FAILED_WHY, 6, 7},
        {"the Event of this failure",       "cni: no",  7, 7},
        {"something else has failed since", "cni: no",  8, 8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%s", cases[i].name);
        add_set(&model, "cni", "False", "1 of 1 clusters failed");
        add_cluster(&model, "one", "prod");
        add(&model, status_model_add_binding,
            "{'metadata':{'name':'one','namespace':'default','annotations':{"
            "'corset.dev/delivery':'{\\'cni\\':{\\'state\\':\\'Failed\\',"
            "\\'since\\':\\'2026-01-01T00:07:00Z\\',\\'objects\\':1,\\'why\\':[{"
            "\\'count\\':1,\\'reason\\':\\'Invalid\\',\\'message\\':\\'refused\\',"
            "\\'objects\\':[\\'v1 ConfigMap ns/x (ConfigMap a, key k, document 1)\\']}]}}'}},"
            "'spec':{'bindings':[{'clusterResourceSetName':'cni','resources':[{'kind':"
            "'ConfigMap','name':'a','applied':false}]}]}}");
        if (cases[i].minute)
            add_event_of(&model, "", "", cases[i].minute);
        status_model_finish(&model);
        CHECK_EQ(model.clusters[0]->state, STATUS_FAILED);
        CHECK_EQ(model.clusters[0]->why, str_from_c(cases[i].why));
        CHECK_EQ(model.clusters[0]->since, NOW - (10 - cases[i].since) * MINUTE);
    }
}

TEST(status_without_a_width_cuts_nothing)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    char message[401] = {0}, name[121] = {0};
    memset(message, 'w', sizeof(message) - 1);
    memset(name, 'n', sizeof(name) - 1);
    add_set(&model, "cni", "False", message);
    add_cluster(&model, name, "prod");
    status_model_finish(&model);
    status_render_all(&model, &(struct status_view){.now = NOW}, &out);
    status_render_set(&model, model.sets[0], &(struct status_view){.now = NOW}, &out);
    CHECK_CONTAINS(buf_str(&out), str_from_c(message));
    CHECK_CONTAINS(buf_str(&out), str_from_c(name));
    CHECK_EQ(str_find(buf_str(&out), STR("…")), STR_NONE);
}

TEST(status_shows_what_is_asked_for_and_judges_everything)
{
    static const struct {
        const char *name, *selector;
        unsigned states;
        bool is_applied;
        const char *text;
    } cases[] = {
        {"what has failed",        "",             1U << STATUS_FAILED,      false,
         "1 set: 1 failed\n"
         "NAME  STATE   APPLIED  FAILED  WAITING  SINCE\n"
         "cni   failed  1/3      1       1        7m\n"
         "    1 of 3 clusters failed\n"
         "\n"
         "4 clusters: 1 failed, 1 waiting, 1 applied, 1 idle\n"
         "NAME  STATE   SETS  RESOURCES  SINCE\n"
         "two   failed  0/1   1/2        3m\n"
         "    cni: Secret b: it is \\x1b[2J: full\n"                              },
        {"what cannot be reached", "",             1U << STATUS_UNREACHABLE, false,
         "1 set: 1 failed\n"
         "None is unreachable.\n"
         "\n"
         "4 clusters: 1 failed, 1 waiting, 1 applied, 1 idle\n"
         "None is unreachable.\n"                                                 },
        {"clusters that are fine", "env=test",     0,                        true,
         "No ClusterResourceSet selects a cluster with these labels.\n"
         "\n"
         "1 cluster: 1 idle\n"
         "NAME   STATE  SETS  RESOURCES  SINCE\n"
         "other  idle   0/0   0/0        -\n"                                     },
        {"no cluster",             "env in (a,b)", 0,                        true,
         "No ClusterResourceSet selects a cluster with these labels.\n"
         "\n"
         "No cluster has these labels. All of them: corset cluster list -o wide\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(status_model) model = {.only_states = cases[i].states};
        SCOPED(buf) out = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(selector_read(&arena, str_from_c(cases[i].selector), &model.selector));
        fill_mixed(&model);
        status_render_all(&model, &narrow, &out);
        CHECK_EQ(buf_str(&out), str_from_c(cases[i].text));
        CHECK_EQ(status_model_is_applied(&model), cases[i].is_applied);
    }
}

/* Set cni, by policy p, on clusters a and b, with a condition that is False since 00:08. */
static void add_delivered(struct status_model *model, const char *type, const char *message)
{
    SCOPED(buf) set = {.limit = 0};
    buf_print(&set,
              "{'metadata':{'name':'cni','namespace':'default','generation':1,'annotations':"
              "{'corset.dev/policy':'p'}},'spec':{'clusterSelector':{'matchLabels':{'env':'prod'}},"
              "'strategy':'Reconcile','resources':[{'kind':'ConfigMap','name':'a'}]},'status':{"
              "'conditions':[{'type':'ResourcesApplied','status':'True','reason':'Applied'},"
              "{'type':'%s','status':'False','reason':'x','lastTransitionTime':"
              "'2026-01-01T00:08:00Z','message':'%s'}]}}",
              type, message);
    add(model, status_model_add_set, buf_c(&set));
    add_cluster(model, "a", "prod");
    add_cluster(model, "b", "prod");
}

/* Everything of cni is applied to a cluster, and its record has these members. */
static void add_record(struct status_model *model, const char *cluster, const char *members)
{
    SCOPED(buf) binding = {.limit = 0};
    buf_print(&binding,
              "{'metadata':{'name':'%s','namespace':'default','annotations':{"
              "'corset.dev/delivery':'{\\'cni\\':{\\'revision\\':\\'9f2c01aa77de\\',"
              "\\'since\\':\\'2026-01-01T00:07:00Z\\',\\'objects\\':1,%s}}'}},"
              "'spec':{'bindings':[{'clusterResourceSetName':'cni','resources':[{'kind':"
              "'ConfigMap','name':'a','applied':true,'lastAppliedTime':"
              "'2026-01-01T00:05:00Z'}]}]}}",
              cluster, members);
    add(model, status_model_add_binding, buf_c(&binding));
}

#define RECORD(state, members) "\\'state\\':\\'" state "\\'" members
#define RECORD_WHY(kind, message)                                                      \
    ",\\'why\\':[{\\'count\\':1,\\'reason\\':\\'x\\',\\'message\\':\\'" message "\\'," \
    "\\'objects\\':[\\'" kind " ns/x (ConfigMap a, key k, document 1)\\']}]"
#define CHANGED RECORD_WHY("v1 ConfigMap", "data.k changed by ops")
#define UNREADY                                                                   \
    ",\\'settling\\':\\'2026-01-01T00:04:00Z\\'" RECORD_WHY("apps/v1 Deployment", \
                                                            "not ready: LessReady")

/* What status shows of cni with this record on a, while all is well on b. */
static void check_one_delivered_worse(struct status_model *model, const char *record,
                                      const char *text)
{
    SCOPED(buf) out = {.limit = 0};
    add_record(model, "a", record);
    add_record(model, "b", RECORD("Ready", ""));
    status_model_finish(model);
    status_render_all(model, &narrow, &out);
    CHECK_CONTAINS(buf_str(&out), str_from_c(text));
    CHECK(!status_model_is_applied(model));
}

/* A set with a policy has one cluster on which an object was changed. */
TEST(status_of_what_has_drifted)
{
    static const struct {
        const char *record, *text;
    } cases[] = {
        {RECORD("Drifted",   CHANGED), "2 sets: 1 drifted, 1 idle\n"
                                     "NAME   STATE    APPLIED  FAILED  WAITING  DRIFT  SINCE\n"
                                     "cni    drifted  2/2      0       0        1      2m\n"
                                     "    1 of 2 clusters drifted: a: told\n"
                                     "plain  idle     0/0      0       0        -      -\n"
                                     "\n"
                                     "2 clusters: 1 drifted, 1 applied\n"
                                     "NAME  STATE    SETS  RESOURCES  SINCE\n"
                                     "a     drifted  1/1   1/1        3m\n"
                                     "    cni: v1 ConfigMap ns/x: data.k changed by ops\n"
                                     "b     applied  1/1   1/1        5m\n"},
        {RECORD("Contested", CHANGED), "\ncni    contested  2/2      0       0        1      2m\n"               },
        {RECORD("Failed",    CHANGED), "\ncni    failed  1/2      1       0        0      3m\n"                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%zu", i);
        add(&model, status_model_add_set,
            "{'metadata':{'name':'plain','namespace':'default','generation':1},'spec':{"
            "'clusterSelector':{'matchLabels':{'env':'none'}},'strategy':'Reconcile'}}");
        add_delivered(&model, "DriftFree", "1 of 2 clusters drifted: a: told");
        check_one_delivered_worse(&model, cases[i].record, cases[i].text);
    }
}

/* A set with health is not ready on one of its clusters, in time or not. */
TEST(status_of_what_is_not_ready)
{
    static const struct {
        const char *record, *text;
    } cases[] = {
        {RECORD("Settling", UNREADY),
         "1 set: 1 settling\n"
         "NAME  STATE     APPLIED  FAILED  WAITING  READY  DRIFT  SINCE\n"
         "cni   settling  2/2      0       0        1/2    0      2m\n"
         "    1 of 2 clusters is not ready: a: told\n"
         "\n"
         "2 clusters: 1 settling, 1 applied\n"
         "NAME  STATE     SETS  RESOURCES  SINCE\n"
         "a     settling  1/1   1/1        3m\n"
         "    cni: apps/v1 Deployment ns/x: not ready: LessReady\n"
         "b     applied   1/1   1/1        5m\n"                                                    },
        {RECORD("Failed",   UNREADY), "\ncni   failed  1/2      1       0        1/2    0      3m\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(status_model) model = {0};
        TEST_CASE("%zu", i);
        add_delivered(&model, "Ready", "1 of 2 clusters is not ready: a: told");
        check_one_delivered_worse(&model, cases[i].record, cases[i].text);
    }
}

TEST(status_for_programs)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    fill_many(&model, 1, 0);
    CHECK_OK(status_json_render(&model, &doc));
    json_write(&out, json_doc_root(doc));
    CHECK_EQ(
        buf_str(&out),
        STR("{\"applied\":true,\"sets\":[{\"namespace\":\"default\",\"name\":\"cni\",\"state\":"
            "\"applied\",\"strategy\":\"Reconcile\",\"clusters\":{\"selected\":1,\"failed\":0,"
            "\"unreachable\":0,\"contested\":0,\"drifted\":0,\"held\":0,\"waiting\":0,\"settling\":0,\"pruning\":0,\"paused\":0,\"deleting\":0,\"applied\":1},\"resources\":[{\"kind\":"
            "\"ConfigMap\",\"name\":\"a\"},{\"kind\":\"Secret\",\"name\":\"b\"}],\"since\":"
            "\"2026-01-01T00:06:00Z\"}],\"clusters\":[{\"namespace\":\"default\",\"name\":"
            "\"vc-00000\",\"state\":\"applied\",\"endpoint\":\"10.0.0.1:6443\",\"provisioned\":"
            "true,\"since\":\"2026-01-01T00:06:00Z\",\"sets\":[{\"name\":\"cni\",\"state\":\"applied\",\"since\":"
            "\"2026-01-01T00:06:00Z\",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"a\","
            "\"applied\":true,\"hash\":\"sha256:00112233445566778899\",\"lastAppliedTime\":"
            "\"2026-01-01T00:05:00Z\"},{\"kind\":\"Secret\",\"name\":\"b\",\"applied\":true,"
            "\"hash\":\"sha256:99\",\"lastAppliedTime\":\"2026-01-01T00:06:00Z\"}]}]}]}"));
}
