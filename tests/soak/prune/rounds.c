#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "clusterresourceset/types/delivery.h"
#include "soak/prune/prune.h"

#define WITHIN    (30 * MINUTE)
#define CALM      (15 * SECOND) /* until everybody has seen a change */
#define AFTERMATH (2 * MINUTE)  /* in which nothing more may happen */
#define ABANDONED (12 * MINUTE) /* until clusters are given up, by the policy, and some more */
#define FULL      7U            /* a, b and c */
#define BINDINGS  GVR_CLUSTER_RESOURCE_SET_BINDINGS
#define POLICIES  "/apis/corset.dev/v1alpha1/namespaces/default/deliverypolicies"
#define RESOURCES "/api/v1/namespaces/default/configmaps"
#define SETS      "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesets"
#define RECORDS \
    "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/default/clusterresourcesetbindings"

static const char letters[OBJECTS + 1] = "abcd";

static void write_manifest(struct buf *out, char letter, unsigned stamp)
{
    buf_print(out,
              "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: %c, namespace: default, labels: "
              "{app: x}}\\ndata: {v: \\\"%u\\\"}\\n---\\n",
              letter, stamp);
}

/* The resource cm with these of a, b and c. */
static void put_content(struct prune_run *run, unsigned objects)
{
    SCOPED(buf) text = {.limit = 0};
    run->stamp++;
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"cm\",\"namespace\":\"default\"},\"data\":{\"a\":\""));
    for (size_t i = 0; i < 3; i++)
        if (objects & 1U << i)
            write_manifest(&text, letters[i], run->stamp);
    buf_add(&text, STR("\"}}"));
    trace_print(&run->trace, "content %u with objects %u", run->stamp, objects);
    front_put(&run->fronts.management, &text);
}

/* The resource more, with d or broken. */
static void put_more(struct prune_run *run, enum breakage breakage)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) manifest = {.limit = 0};
    if (breakage == MISSING) {
        CHECK_EQ(front_call(&run->fronts.management, "DELETE", RESOURCES "/more", NULL), 200);
        return;
    }
    write_manifest(&manifest, 'd', 1);
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"more\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"%s\"}}",
              breakage == UNPARSABLE ? "{{{"
              : breakage == EMPTY    ? ""
                                     : buf_c(&manifest));
    front_put(&run->fronts.management, &text);
}

static void put_cluster(struct prune_run *run, size_t cluster, bool has_label, bool is_paused)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"default\",\"labels\":{\"a\":%s}},\"spec\":{"
              "\"paused\":%s},\"status\":{\"initialization\":{"
              "\"infrastructureProvisioned\":true}}}",
              cluster, has_label ? "\"b\"" : "\"none\"", is_paused ? "true" : "false");
    front_put(&run->fronts.management, &text);
}

static void put_secret(struct prune_run *run, size_t cluster)
{
    const struct front *front = &run->fronts.workloads[cluster];
    front_put_kubeconfig(&run->fronts.management, cluster, front->options.host,
                         buf_str(&front->token));
}

/* An operator copied the labels of an object of the set to what it made. */
static void put_copy(struct prune_run *run, size_t cluster)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"" COPY "\",\"namespace\":\"default\",\"labels\":{\"app\":\"x\","
                       "\"corset.dev/managed\":\"true\"}}}"));
    front_put(&run->fronts.workloads[cluster], &text);
}

static void put_policy(struct prune_run *run, bool is_limited)
{
    SCOPED(buf) text = {.limit = 0};
    static const char *const names[] = {"\"Removed\"", "\"Unselected\"", "\"Deleted\""};
    buf_add(&text, STR("{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\","
                       "\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{"
                       "\"drift\":\"Ignore\",\"prune\":{\"abandonAfter\":\"10m\",\"when\":["));
    for (size_t i = 0, count = 0; i < COUNT(names); i++)
        if (run->when & 1U << i)
            buf_print(&text, "%s%s", count++ ? "," : "", names[i]);
    buf_print(&text, "],\"maxClusters\":%s}}}", is_limited ? "1" : "\"100%\"");
    front_put(&run->fronts.management, &text);
}

static void put_set(struct prune_run *run)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, STR("{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                       "\"ClusterResourceSet\",\"metadata\":{\"name\":\"" SET
                       "\",\"namespace\":\"default\",\"annotations\":{\"corset.dev/policy\":"
                       "\"p\"}},\"spec\":{\"strategy\":\"Reconcile\",\"clusterSelector\":{"
                       "\"matchLabels\":{\"a\":\"b\"}},\"resources\":[{\"kind\":\"ConfigMap\","
                       "\"name\":\"cm\"},{\"kind\":\"ConfigMap\",\"name\":\"more\"}]}}"));
    front_put(&run->fronts.management, &text);
}

void rounds_prepare(struct prune_run *run)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        put_secret(run, i);
        put_cluster(run, i, true, false);
        put_copy(run, i);
    }
    put_policy(run, false);
    put_content(run, FULL);
    put_more(run, WHOLE);
    put_set(run);
}

static bool has_object(struct prune_run *run, size_t cluster, struct str name)
{
    OWNED(json_doc)
    doc = front_find(&run->fronts.workloads[cluster], GVR_CONFIG_MAPS,
                     (struct key){STR("default"), name});
    return doc != NULL;
}

/* The revision that was applied in full, and has nothing to delete any more; empty: none. */
static struct str read_revision(struct prune_run *run, size_t cluster, struct delivery_mark *mark)
{
    char name[8];
    OWNED(object) binding = NULL;
    snprintf(name, sizeof(name), "c%zu", cluster);
    OWNED(json_doc)
    doc = front_find(&run->fronts.management, BINDINGS,
                     (struct key){STR("default"), str_from_c(name)});
    if (!doc)
        return STR("");
    CHECK_OK(object_from_doc(doc, &binding));
    return delivery_find_mark(binding, STR(SET), mark) && mark->is_applied &&
                   mark->prune <= DELIVERY_PRUNE_DONE
               ? str_from_c(mark->revision)
               : STR("");
}

static bool is_applied(struct prune_run *run)
{
    struct delivery_mark first, other;
    const struct str revision = read_revision(run, 0, &first);
    bool is_equal = revision.len > 0;
    for (size_t i = 1; i < CLUSTERS && is_equal; i++)
        is_equal = str_eq(read_revision(run, i, &other), revision);
    for (size_t i = 0; i < CLUSTERS; i++)
        for (size_t j = 0; j < OBJECTS; j++)
            is_equal &= has_object(run, i, (struct str){&letters[j], 1});
    return is_equal;
}

static bool is_set_gone(struct prune_run *run)
{
    OWNED(json_doc)
    doc = front_find(&run->fronts.management, GVR_CLUSTER_RESOURCE_SETS,
                     (struct key){STR("default"), STR(SET)});
    return !doc;
}

/* Everything that has to go is gone. */
static bool is_deleted(struct prune_run *run)
{
    for (size_t i = 0; i < CLUSTERS; i++)
        for (size_t j = 0; j < OBJECTS; j++)
            if (model_demands(run, i, j) && has_object(run, i, (struct str){&letters[j], 1}))
                return false;
    return true;
}

static void await(struct prune_run *run, bool (*holds)(struct prune_run *run), const char *what)
{
    for (duration waited = 0; !holds(run); waited += SECOND) {
        if (waited > WITHIN)
            test_fail(TEST_PLACE("after a while"), "%s is not so", what);
        CHECK_OK(fiber_sleep(SECOND));
    }
}

/* What is left is what the model says. */
static void compare(struct prune_run *run)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        if (!has_object(run, i, STR(COPY)))
            test_fail(TEST_PLACE("the copy"), "is gone from c%zu", i);
        for (size_t j = 0; j < OBJECTS; j++) {
            const bool is_there = has_object(run, i, (struct str){&letters[j], 1});
            if (!is_there && !model_allows(run, i, j))
                test_fail(TEST_PLACE("objects"), "%c is gone from c%zu", letters[j], i);
        }
    }
}

static void lose_record(struct prune_run *run, size_t cluster)
{
    char target[sizeof(RECORDS) + 8];
    const bool loses_all = draw_chance(&run->dice, 0.5);
    snprintf(target, sizeof(target), RECORDS "/c%zu", cluster);
    const int status =
        loses_all ? front_call(&run->fronts.management, "DELETE", target, NULL)
                  : front_call(&run->fronts.management, "PATCH", target,
                               "{\"metadata\":{\"annotations\":{\"corset.dev/delivery\":null}}}");
    trace_print(&run->trace, "c%zu loses its %s: %d", cluster, loses_all ? "binding" : "record",
                status);
}

/* What there is to delete, and what holds it back. */
static void draw_round(struct prune_run *run)
{
    struct random *dice = &run->dice;
    struct round *round = &run->round;
    const bool are_all_paused = draw_chance(dice, 0.1);
    *round = (struct round){
        .trigger = (enum trigger)random_below(dice, TRIGGERS),
        .drops_c = draw_chance(dice, 0.5),
        .is_moved = draw_chance(dice, 0.25),
        .is_limited = draw_chance(dice, 0.3),
    };
    if (round->trigger == REMOVED && draw_chance(dice, 0.4))
        round->breakage = (enum breakage)random_below(dice, BREAKAGES);
    for (size_t i = 0; i < CLUSTERS; i++)
        round->fates[i] = (struct fate){
            .is_paused = are_all_paused || draw_chance(dice, 0.2),
            .is_unasked = draw_chance(dice, 0.1),
            .loses_record = draw_chance(dice, 0.15),
            .loses_label = round->trigger == UNSELECTED && draw_chance(dice, 0.6),
            .had_lost_record = draw_chance(dice, 0.15),
        };
    trace_print(&run->trace, "round: trigger %d, breakage %d, moved %d, limited %d", round->trigger,
                round->breakage, round->is_moved, round->is_limited);
}

/* Records come back, as everything is well. Then comes what holds deletions back. */
static void protect(struct prune_run *run)
{
    const struct round *round = &run->round;
    for (size_t i = 0; i < CLUSTERS; i++)
        if (round->fates[i].had_lost_record)
            lose_record(run, i);
    CHECK_OK(fiber_sleep(CALM));
    await(run, is_applied, "that records are made anew");
    put_policy(run, round->is_limited);
    if (round->breakage)
        put_more(run, round->breakage);
    for (size_t i = 0; i < CLUSTERS; i++) {
        put_cluster(run, i, true, round->fates[i].is_paused);
        run->fronts.workloads[i].unauthorized = round->fates[i].is_unasked;
    }
    CHECK_OK(fiber_sleep(CALM));
}

static void pull_trigger(struct prune_run *run)
{
    const struct round *round = &run->round;
    run->is_going = true;
    for (size_t i = 0; i < CLUSTERS; i++)
        if (round->fates[i].loses_record)
            lose_record(run, i);
    if (round->trigger == REMOVED)
        put_content(run, round->drops_c ? 1 : 5);
    for (size_t i = 0; i < CLUSTERS; i++)
        if (round->fates[i].loses_label)
            put_cluster(run, i, false, round->fates[i].is_paused);
    if (round->trigger != DELETED)
        return;
    if (round->is_moved)
        CHECK_EQ(front_call(&run->fronts.management, "PATCH", SETS "/" SET,
                            "{\"metadata\":{\"annotations\":{"
                            "\"clusterctl.cluster.x-k8s.io/delete-for-move\":\"\"}}}"),
                 200);
    CHECK_EQ(front_call(&run->fronts.management, "DELETE", SETS "/" SET, NULL), 200);
}

/* From here on the process dies at moments that are drawn. */
static void allow_restarts(struct life *life)
{
    life->may_restart = true;
    if (life->restarts_left == 0)
        return;
    life->restarts_left--;
    life->last = life->parks + 1 + random_below(&life->dice, life->parks_most);
}

/*
 * While watches are late a controller may see one Cluster lose its label and not yet the other: the
 * limit of clusters is about those that it sees. Then the management cluster behaves.
 */
static void go_through_trouble(struct prune_run *run)
{
    run->fronts.management.in_trouble = !run->round.is_limited;
    for (size_t i = 0; i < CLUSTERS; i++)
        run->fronts.workloads[i].in_trouble = true;
    allow_restarts(&run->life);
    pull_trigger(run);
    CHECK_OK(fiber_sleep(SECOND + draw_span(&run->dice, 20 * SECOND)));
    run->life.may_restart = false;
    life_spare(&run->life);
    run->fronts.management.in_trouble = run->fronts.management.is_silent = false;
    for (size_t i = 0; i < CLUSTERS; i++)
        run->fronts.workloads[i].in_trouble = run->fronts.workloads[i].is_silent = false;
}

/* What is wanted again is wanted before it could be deleted again. */
static void recover(struct prune_run *run)
{
    const struct round *round = &run->round;
    if (round->trigger == DELETED) {
        run->is_released = true;
        put_policy(run, false);
        await(run, is_set_gone, "that the set is gone");
        compare(run);
        CHECK_OK(fiber_sleep(CALM)); /* its resources are garbage, and are collected */
    }
    run->is_going = false;
    put_content(run, FULL);
    CHECK_OK(fiber_sleep(CALM));
    put_more(run, WHOLE);
    for (size_t i = 0; i < CLUSTERS; i++)
        put_cluster(run, i, true, round->fates[i].is_paused);
    if (round->trigger == DELETED)
        put_set(run);
    CHECK_OK(fiber_sleep(CALM));
    for (size_t i = 0; i < CLUSTERS; i++) {
        put_cluster(run, i, true, false);
        run->fronts.workloads[i].unauthorized = false;
    }
    run->is_released = false;
    put_policy(run, false);
}

void rounds_play(struct prune_run *run)
{
    await(run, is_applied, "that everything is applied");
    draw_round(run);
    protect(run);
    go_through_trouble(run);
    const int64_t begun = loop_now(loop_current());
    await(run, is_deleted, "that what has to go is gone");
    run->result->took = loop_now(loop_current()) - begun;
    CHECK_OK(fiber_sleep(run->round.trigger == DELETED ? ABANDONED : AFTERMATH));
    compare(run);
    recover(run);
    await(run, is_applied, "that everything is applied again");
    compare(run);
}
