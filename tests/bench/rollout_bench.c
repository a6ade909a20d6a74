/*
 * A change that goes out in waves, beside the same change without waves; see sets_fixture.h.
 *
 * Ten objects on 1,000 clusters that answer after 20 ms, one of a kind whose readiness is looked
 * at: 1 % of the clusters get the change first, then 10 %, then all that are left. A cluster is
 * done when its binding says that the revision is applied and ready.
 */
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/map.h"
#include "bench.h"
#include "client/client.h"
#include "client/watch.h"
#include "clusterresourceset/rollout.h"
#include "clusterresourceset/types/delivery.h"
#include "sets_fixture.h"

#define CLUSTERS 1000
#define FIRST    10  /* clusters of the first wave: 1 % */
#define NEXT     100 /* of the second: 10 % */
#define WAVES    3
#define OBJECTS  10
#define ROUNDS   2
#define LATENCY  "latency=20ms"
#define PATIENCE (2 * MINUTE)
#define QUIET    (3 * SECOND)

#define HEALTH "\"drift\":\"Ignore\",\"health\":{\"timeout\":\"5m\"}"
#define WAVE(name) \
    "{\"name\":\"" name "\",\"clusterSelector\":{\"matchLabels\":{\"bench\":\"" name "\"}}}"

/* What one change took. */
struct rollout_figures {
    double seconds, cpu;
    double requests;                           /* to the management cluster */
    double wave_ends[WAVES], wave_asks[WAVES]; /* by the clock, and requests until then */
};

struct rollout_bench {
    struct sets_fixture fixture;
    size_t stamp;
    char revision[DELIVERY_REVISION_LEN + 1]; /* that all clusters have */
    struct rollout_figures figures;
    double begun, asked; /* when the content was changed */
};

static void must(struct error *err)
{
    api_fixture_must(err);
}

/* Nine ConfigMaps and a Service. */
static void write_manifest(struct buf *out, size_t stamp)
{
    for (size_t i = 0; i + 1 < OBJECTS; i++)
        buf_print(out,
                  "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: o-%zu, namespace: default}"
                  "\\ndata: {stamp: \\\"%zu\\\", text: some settings of an add-on}\\n---\\n",
                  i, stamp);
    buf_print(out,
              "apiVersion: v1\\nkind: Service\\nmetadata: {name: o, namespace: default, labels: "
              "{stamp: \\\"%zu\\\"}}\\nspec: {ports: [{port: 80}]}\\n",
              stamp);
}

static void patch_object(struct rollout_bench *bench, struct gvr gvr, const char *name,
                         const struct buf *body)
{
    must(buf_check(body));
    must(client_patch(bench->fixture.admin, gvr, (struct key){STR("default"), str_from_c(name)},
                      CLIENT_PATCH_MERGE, buf_str(body), NULL, NULL));
}

static void label_cluster(struct rollout_bench *bench, size_t cluster, const char *wave)
{
    SCOPED(buf) body = {0};
    char name[32];
    snprintf(name, sizeof(name), "vc-%04zu", cluster);
    buf_print(&body, "{\"metadata\":{\"labels\":{\"bench\":\"%s\"}}}", wave);
    patch_object(bench, GVR_CLUSTERS, name, &body);
}

/* With null the policy has no waves. */
static void put_waves(struct rollout_bench *bench, const char *rollout)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"spec\":{\"rollout\":%s}}", rollout);
    patch_object(bench, GVR_DELIVERY_POLICIES, "p", &body);
    must(fiber_sleep(QUIET));
}

static void create_set(struct rollout_bench *bench)
{
    SCOPED(buf) text = {0};
    buf_add(&text,
            STR("{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\","
                "\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{" HEALTH "}}"));
    sets_fixture_create(&bench->fixture, GVR_DELIVERY_POLICIES, &text);
    buf_clear(&text);
    write_manifest(&text, 0);
    sets_fixture_create_with_policy(&bench->fixture, buf_str(&text));
}

/* Suspends until every cluster has another revision than the last one, applied and ready. */
static void wait_ready(struct rollout_bench *bench)
{
    char revision[DELIVERY_REVISION_LEN + 1] = "";
    struct map ready = {0};
    OWNED(watch) watch = NULL;
    struct watch_event event;
    FIBER_TIMEOUT(PATIENCE);
    must(watch_open(bench->fixture.admin, GVR_CLUSTER_RESOURCE_SET_BINDINGS, STR("default"),
                    &(struct watch_options){.no_bookmarks = true}, &watch));
    while (map_count(&ready) < CLUSTERS) {
        struct delivery_mark mark;
        must(watch_next(watch, &event));
        if (!delivery_find_mark(event.object, STR("s"), &mark) || !mark.is_applied ||
            mark.is_unready || strcmp(mark.revision, bench->revision) == 0)
            continue;
        map_put(&ready, object_key(event.object).name, bench);
        memcpy(revision, mark.revision, sizeof(revision));
    }
    memcpy(bench->revision, revision, sizeof(revision));
    map_done(&ready);
}

/* Notes when each wave has ended, as the annotation of the set shows it. */
static struct error *follow_waves(void *data)
{
    struct rollout_bench *bench = data;
    static const char *const names[WAVES] = {"first", "second", "third"};
    char before[DELIVERY_REVISION_LEN + 1];
    OWNED(watch) watch = NULL;
    struct watch_event event;
    memcpy(before, bench->revision, sizeof(before));
    must(watch_open(bench->fixture.admin, GVR_CLUSTER_RESOURCE_SETS, STR("default"),
                    &(struct watch_options){.no_bookmarks = true}, &watch));
    for (size_t wave = 0; wave < WAVES;) {
        TRY(watch_next(watch, &event));
        const struct rollout_state state = rollout_read(event.object);
        const bool is_over = state.phase == ROLLOUT_ROLLED_OUT;
        if (strcmp(state.revision, before) == 0 || strcmp(state.revision, "") == 0)
            continue;
        for (; wave < WAVES && (is_over || strcmp(state.wave, names[wave]) != 0); wave++) {
            bench->figures.wave_ends[wave] = bench_clock() - bench->begun;
            bench->figures.wave_asks[wave] =
                sets_fixture_count_requests(&bench->fixture, false) - bench->asked;
        }
    }
    return NULL;
}

/* Suspends until the changed content is everywhere. */
static void change_content(struct rollout_bench *bench, bool has_waves)
{
    SCOPED(buf) body = {0};
    SCOPED(scope) follower = {0};
    buf_add(&body, STR("{\"data\":{\"a\":\""));
    write_manifest(&body, ++bench->stamp);
    buf_add(&body, STR("\"}}"));
    bench->figures = (struct rollout_figures){0};
    bench->begun = bench_clock();
    bench->asked = sets_fixture_count_requests(&bench->fixture, false);
    const double cpu = bench_cpu();
    if (has_waves)
        scope_start(&follower, "waves", follow_waves, bench);
    patch_object(bench, GVR_CONFIG_MAPS, "s", &body);
    wait_ready(bench);
    bench->figures.seconds = bench_clock() - bench->begun;
    bench->figures.cpu = bench_cpu() - cpu;
    must(scope_wait(&follower));
    must(fiber_sleep(QUIET)); /* the status of the set */
    bench->figures.requests = sets_fixture_count_requests(&bench->fixture, false) - bench->asked;
}

static struct rollout_figures faster_of(const struct rollout_figures *a,
                                        const struct rollout_figures *b)
{
    return a->seconds > 0 && a->seconds <= b->seconds ? *a : *b;
}

static void tell_waves(const struct rollout_figures *figures)
{
    static const struct {
        const char *what;
        double clusters;
    } waves[WAVES] = {
        {"  wave of 1 %, 10 clusters",             FIRST                  },
        {"  wave of 10 %, 100 clusters",           NEXT                   },
        {"  wave of 100 %, the 890 that are left", CLUSTERS - FIRST - NEXT},
    };
    for (size_t i = 0; i < WAVES; i++) {
        const double begun = i ? figures->wave_ends[i - 1] : 0,
                     asked = i ? figures->wave_asks[i - 1] : 0;
        bench_row(waves[i].what, (figures->wave_ends[i] - begun) * 1e3, "ms",
                  "%.2f management requests for each cluster",
                  (figures->wave_asks[i] - asked) / waves[i].clusters);
    }
}

static void tell_figures(const struct rollout_figures *plain, const struct rollout_figures *waves)
{
    bench_row("10 objects change on 1,000 clusters, without waves", plain->seconds * 1e3, "ms",
              "faster of two; with health, 20 ms latency; %.0f ms of processor time",
              plain->cpu * 1e3);
    bench_row("  management requests for each cluster", plain->requests / CLUSTERS, "requests",
              "%.0f in all", plain->requests);
    bench_row("the same in waves of 1, 10, 100 %", waves->seconds * 1e3, "ms",
              "%.1f times; %.0f ms of processor time", waves->seconds / plain->seconds,
              waves->cpu * 1e3);
    bench_row("  management requests for each cluster", waves->requests / CLUSTERS, "requests",
              "%.0f in all", waves->requests);
    tell_waves(waves);
}

static struct error *measure_waves(void *data)
{
    struct rollout_bench *bench = data;
    struct rollout_figures plain = {0}, waves = {0};
    sets_fixture_open(&bench->fixture, CLUSTERS, &(struct sets_fixture_options){0});
    for (size_t i = 1; i <= FIRST + NEXT; i++)
        label_cluster(bench, i, i <= FIRST ? "first" : "second");
    create_set(bench);
    wait_ready(bench);
    sets_fixture_inject(&bench->fixture, LATENCY);
    for (int i = 0; i < ROUNDS; i++) {
        put_waves(bench, "null");
        change_content(bench, false);
        plain = faster_of(&plain, &bench->figures);
        put_waves(bench, "{\"waves\":[" WAVE("first") "," WAVE("second") ",{\"name\":\"third\"}]}");
        change_content(bench, true);
        waves = faster_of(&waves, &bench->figures);
    }
    tell_figures(&plain, &waves);
    sets_fixture_close(&bench->fixture);
    return NULL;
}

void bench_rollout(void)
{
    static struct rollout_bench bench;
    OWNED(loop) loop = loop_new();
    bench_heading("Rollout in waves");
    must(loop_run(loop, measure_waves, &bench));
}
