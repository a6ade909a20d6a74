/*
 * One simulated run of the whole program with one set, a policy with a wave or two, and clusters
 * that all can be reached.
 *
 * While there is trouble, somebody changes the content, some of it is refused by the clusters, the
 * management cluster misbehaves, and the process is killed and started again. In half of the runs
 * there are two processes, one of which leads; the leader is cut off from the management cluster
 * for a while, so that it loses its Lease and the other one begins. A witness looks at every object
 * that is applied: the process that sends it holds the Lease, the record of its cluster says that
 * it has begun, and never are more clusters unfinished than the policy allows. Then everything
 * works, and the last content has to be everywhere.
 *
 * With --points there is one process and no other trouble than that it is killed, once, at any of
 * its steps: every suspension of the run is one.
 *
 * All that happens depends on the seed alone.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "app/controller_manager.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "clusterresourceset/rollout.h"
#include "clusterresourceset/types/delivery.h"
#include "http/server.h"
#include "json/path.h"
#include "support/simulation/draw.h"
#include "support/simulation/fronts.h"
#include "support/simulation/life.h"
#include "support/simulation/seeds.h"
#include "support/simulation/trace.h"
#include "testing/sim.h"

#define CLUSTERS     5
#define REPLICAS     2
#define RESTARTS_MAX 4
#define WORKERS      4
#define WITHIN       (20 * MINUTE)
#define TEXT_MAX     1024
#define POLICIES     "/apis/corset.dev/v1alpha1/namespaces/default/deliverypolicies"
#define SET          "s"
#define BINDINGS     GVR_CLUSTER_RESOURCE_SET_BINDINGS
#define NOBODY       REPLICAS
#define POLL         (50 * MILLISECOND)

static const struct str agents[REPLICAS] = {STR_INIT("replica-0"), STR_INIT("replica-1")};

struct rollout_run {
    const struct seeds_options *options;
    struct seeds_result *result;
    struct random dice;
    struct trace trace;
    struct fronts fronts;
    struct life lives[REPLICAS];
    size_t replicas;
    size_t isolated; /* the one that the management cluster does not hear; NOBODY */
    size_t at_a_time;
    bool has_canary; /* c0 is a wave of its own */
    bool cuts;
    unsigned content;
};

/* What the record of the cluster says; false: there is none. */
static bool read_mark(struct rollout_run *run, size_t cluster, struct delivery_mark *ret_mark)
{
    char name[8];
    OWNED(object) binding = NULL;
    snprintf(name, sizeof(name), "c%zu", cluster);
    OWNED(json_doc)
    doc = front_find(&run->fronts.management, BINDINGS,
                     (struct key){STR("default"), str_from_c(name)});
    if (!doc)
        return false;
    CHECK_OK(object_from_doc(doc, &binding));
    return delivery_find_mark(binding, STR(SET), ret_mark);
}

/* Of clusters that go together. */
static size_t count_unfinished(struct rollout_run *run, size_t first, size_t last)
{
    size_t count = 0;
    for (size_t i = first; i < last; i++) {
        struct delivery_mark mark;
        count += read_mark(run, i, &mark) && !mark.is_applied && mark.attempts < ROLLOUT_ATTEMPTS;
    }
    return count;
}

/* The process that sent a request; NOBODY: somebody else. */
static size_t find_sender(const struct http_request *http)
{
    const struct str agent = http_headers_find(http_request_headers(http), STR("user-agent"));
    size_t replica = 0;
    while (replica < REPLICAS && !str_starts_with(agent, agents[replica]))
        replica++;
    return replica;
}

/* What an isolated process asks for does not arrive before that is over. */
static void isolate_sender(struct front *front, struct http_request *http)
{
    const struct rollout_run *run = front->options.data;
    const size_t sender = find_sender(http);
    while (sender != NOBODY && sender == run->isolated) {
        OWNED(error) gone = fiber_sleep(POLL); /* canceled when its client goes */
        if (gone)
            return;
    }
}

/* Whether the process holds the Lease at this moment. */
static bool is_leading(struct rollout_run *run, size_t replica)
{
    OWNED(json_doc)
    lease = front_find(&run->fronts.management, GVR_LEASES,
                       (struct key){STR("default"), STR("corset.corset.dev")});
    return lease && str_starts_with(json_path_str(json_doc_root(lease), "spec.holderIdentity"),
                                    agents[replica]);
}

/* An object is being applied to a cluster. */
static void witness_apply(struct front *front, struct http_request *http)
{
    struct rollout_run *run = front->options.data;
    const size_t cluster = (size_t)(front - run->fronts.workloads);
    const size_t first = run->has_canary ? 1 : 0;
    struct delivery_mark mark;
    if (!str_eq(http_request_method(http), STR("PATCH")))
        return;
    if (run->replicas > 1 && !is_leading(run, find_sender(http)))
        test_fail(TEST_PLACE("objects"), "are applied to c%zu by one that does not lead", cluster);
    if (!read_mark(run, cluster, &mark) || mark.is_applied)
        test_fail(TEST_PLACE("objects"), "are applied to c%zu, which has not begun", cluster);
    const size_t count = count_unfinished(run, first, CLUSTERS);
    if (count > run->at_a_time)
        test_fail(TEST_PLACE("clusters"), "%zu are unfinished, and %zu may", count, run->at_a_time);
}

/* Some contents are refused by the clusters: the name of their object is none. */
static void write_content(struct rollout_run *run, bool is_good)
{
    SCOPED(buf) body = {.limit = 0};
    run->content++;
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm\","
              "\"namespace\":\"default\"},\"data\":{\"a\":\"apiVersion: v1\\nkind: ConfigMap\\n"
              "metadata: {name: %s, namespace: default}\\ndata: {v: \\\"%u\\\"}\\n\"}}",
              is_good ? "a" : "NONE", run->content);
    trace_print(&run->trace, "content %u, %s", run->content, is_good ? "good" : "bad");
    front_put(&run->fronts.management, &body);
}

static void make_cluster(struct rollout_run *run, size_t cluster)
{
    SCOPED(buf) body = {.limit = 0};
    const struct front *front = &run->fronts.workloads[cluster];
    front_put_kubeconfig(&run->fronts.management, cluster, front->options.host,
                         buf_str(&front->token));
    buf_print(&body,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"c%zu\",\"namespace\":\"default\",\"labels\":{\"a\":\"b\",\"ring\":"
              "\"%s\"}},\"spec\":{},\"status\":{\"initialization\":{"
              "\"infrastructureProvisioned\":true}}}",
              cluster, cluster ? "rest" : "canary");
    front_put(&run->fronts.management, &body);
}

static void make_objects(struct rollout_run *run)
{
    char policy[TEXT_MAX];
    SCOPED(buf) set = {.limit = 0};
    for (size_t i = 0; i < CLUSTERS; i++)
        make_cluster(run, i);
    snprintf(
        policy, sizeof(policy),
        "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\",\"metadata\":{"
        "\"name\":\"p\"},\"spec\":{\"drift\":\"Ignore\",\"rollout\":{\"maxFailures\":\"100%%\","
        "\"waves\":[%s{\"name\":\"rest\",\"atATime\":%zu}]}}}",
        run->has_canary ? "{\"name\":\"canary\",\"soak\":\"2s\",\"clusterSelector\":{"
                          "\"matchLabels\":{\"ring\":\"canary\"}}},"
                        : "",
        run->at_a_time);
    CHECK_EQ(front_call(&run->fronts.management, "POST", POLICIES, policy), 201);
    write_content(run, true);
    CHECK_OK(fiber_sleep(2 * SECOND)); /* the clusters are older than the set: none joins */
    buf_print(&set, "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                    "\"ClusterResourceSet\",\"metadata\":{\"name\":\"" SET
                    "\",\"namespace\":\"default\",\"annotations\":{\"corset.dev/policy\":\"p\"}},"
                    "\"spec\":{\"strategy\":\"Reconcile\",\"clusterSelector\":{\"matchLabels\":{"
                    "\"a\":\"b\"}},\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cm\"}]}}");
    front_put(&run->fronts.management, &set);
}

/* Somebody who changes the content. */
static struct error *change_contents(void *data)
{
    struct rollout_run *run = data;
    for (;;) {
        TRY(fiber_sleep(draw_span(&run->dice, 3 * SECOND)));
        write_content(run, draw_chance(&run->dice, 0.8));
    }
}

/* The leader is not heard for a while, again and again. */
static struct error *isolate_leaders(void *data)
{
    struct rollout_run *run = data;
    for (;;) {
        TRY(fiber_sleep(draw_span(&run->dice, 10 * SECOND)));
        run->isolated = is_leading(run, 0) ? 0 : 1;
        trace_print(&run->trace, "replica %zu is isolated", run->isolated);
        TRY(fiber_sleep(draw_span(&run->dice, 20 * SECOND)));
        run->isolated = NOBODY;
        trace_print(&run->trace, "nobody is isolated");
    }
}

static void go_through_trouble(struct rollout_run *run)
{
    SCOPED(scope) scope = {0};
    scope_start(&scope, "contents", change_contents, run);
    if (run->replicas > 1)
        scope_start(&scope, "isolation", isolate_leaders, run);
    run->fronts.management.in_trouble = !run->options->restart_at;
    for (size_t i = 0; i < CLUSTERS; i++)
        run->fronts.workloads[i].in_trouble = !run->options->restart_at;
    const duration most = run->replicas > 1 ? 40 * SECOND : 12 * SECOND;
    CHECK_OK(fiber_sleep(4 * SECOND + draw_span(&run->dice, most)));
}

static bool is_rolled_out(struct rollout_run *run)
{
    OWNED(object) set = NULL;
    OWNED(json_doc)
    doc = front_find(&run->fronts.management, GVR_CLUSTER_RESOURCE_SETS,
                     (struct key){STR("default"), STR(SET)});
    CHECK(doc);
    CHECK_OK(object_from_doc(doc, &set));
    const struct rollout_state state = rollout_read(set);
    for (size_t i = 0; i < CLUSTERS; i++) {
        struct delivery_mark mark;
        if (!read_mark(run, i, &mark) || !mark.is_applied ||
            !str_eq(str_from_c(mark.revision), str_from_c(state.revision)))
            return false;
    }
    return state.phase == ROLLOUT_ROLLED_OUT;
}

/* The last content is everywhere. */
static void converge(struct rollout_run *run)
{
    const int64_t begun = loop_now(loop_current());
    for (size_t i = 0; i < run->replicas; i++) {
        run->lives[i].may_restart = false;
        run->lives[i].last = 0;
    }
    run->isolated = NOBODY;
    front_clear_sky(&run->fronts.management);
    for (size_t i = 0; i < CLUSTERS; i++)
        front_clear_sky(&run->fronts.workloads[i]);
    write_content(run, true);
    CHECK_OK(fiber_sleep(2 * SECOND));
    while (!is_rolled_out(run)) {
        if (loop_now(loop_current()) - begun > WITHIN)
            test_fail(TEST_PLACE("content"), "is not rolled out");
        CHECK_OK(fiber_sleep(SECOND));
    }
    run->result->took = loop_now(loop_current()) - begun;
}

static void open_fronts(struct rollout_run *run)
{
    struct apiserver_options kinds = {0};
    standalone_add_kinds(&kinds);
    fronts_open(&run->fronts, &(struct fronts_options){
                                  .shared = run->options->shared,
                                  .trace = &run->trace,
                                  .kinds = &kinds,
                                  .count = CLUSTERS,
                                  .management_asked = isolate_sender,
                                  .workload_asked = witness_apply,
                                  .data = run,
                              });
}

static struct error *go_through(void *data)
{
    struct rollout_run *run = data;
    open_fronts(run);
    make_objects(run);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < run->replicas; i++) {
            run->lives[i].may_restart = !run->options->restart_at;
            scope_start(&scope, "supervisor", life_supervise, &run->lives[i]);
        }
        go_through_trouble(run);
        converge(run);
    }
    fronts_close(&run->fronts);
    return NULL;
}

/* A process that is torn down says nothing more; one that is told to stop may end what it began. */
static void note_killed(void *data)
{
    struct rollout_run *run = data;
    fronts_set_cut(&run->fronts, run->cuts);
}

static struct error *run_program(struct rollout_run *run, size_t replica)
{
    OWNED(controller_manager) controllers = NULL;
    char identity[48];
    snprintf(identity, sizeof(identity), "%s-%zu", agents[replica].ptr, run->lives[replica].count);
    const struct controller_manager_options options = {
        .config = &run->fronts.management.config,
        .network = run->fronts.network,
        .user_agent = agents[replica],
        .concurrency = WORKERS,
        .apply_concurrency = WORKERS,
        .cluster_concurrency = WORKERS,
        .timing = {.probe = 10 * MINUTE, .retry = SECOND},
        .leader_elect = run->replicas > 1,
        .lease_namespace = STR("default"),
        .lease_identity = str_from_c(identity),
        .lease_duration = 8 * SECOND,
        .renew_deadline = 6 * SECOND,
        .retry_period = 2 * SECOND,
    };
    OWNED(error) err = controller_manager_new(loop_current(), &options, &controllers);
    if (!err)
        err = controller_manager_run(controllers);
    life_is_over(&run->lives[replica], err);
    controller_manager_free(TAKE(controllers));
    fronts_set_cut(&run->fronts, false);
    return NULL;
}

static struct error *run_first(void *data)
{
    return run_program(data, 0);
}

static struct error *run_second(void *data)
{
    return run_program(data, 1);
}

static struct error *on_park(void *data, const char *what)
{
    struct rollout_run *run = data;
    for (size_t i = 0; i < run->replicas; i++)
        TRY(life_on_park(&run->lives[i], what));
    return NULL;
}

/* Clusters are slow at most: one that cannot be reached does not count. */
static void draw_run(struct rollout_run *run)
{
    random_init(&run->dice, run->options->seed ^ 0x3a7e);
    run->replicas = draw_chance(&run->dice, 0.5) ? REPLICAS : 1;
    run->isolated = NOBODY;
    run->at_a_time = 1 + random_below(&run->dice, 3);
    run->has_canary = draw_chance(&run->dice, 0.4);
    run->cuts = run->replicas == 1 && draw_chance(&run->dice, 0.6);
    for (size_t i = 0; i < REPLICAS; i++) {
        random_init(&run->lives[i].dice, random_u64(&run->dice));
        run->lives[i].restarts_left = random_below(&run->dice, RESTARTS_MAX + 1);
        run->lives[i].parks_most = 20 + random_below(&run->dice, 600);
    }
    random_init(&run->fronts.management.dice, random_u64(&run->dice));
    if (draw_chance(&run->dice, 0.6))
        run->fronts.management.faults = front_faults_draw(&run->dice);
    for (size_t i = 0; i < CLUSTERS; i++) {
        random_init(&run->fronts.workloads[i].dice, random_u64(&run->dice));
        run->fronts.workloads[i].faults.slow = draw_share(&run->dice, 0.5);
    }
}

/* A run in two waves without any other trouble than that the process is killed, at one moment. */
static void draw_point(struct rollout_run *run)
{
    run->replicas = run->at_a_time = 1;
    run->has_canary = run->cuts = true;
    run->lives[0].restart_at = run->options->restart_at;
}

static void run_rollout(const struct seeds_options *options, struct seeds_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct rollout_run run = {.options = options, .result = ret_result};
    *ret_result = (struct seeds_result){0};
    for (size_t i = 0; i < REPLICAS; i++)
        run.lives[i] = (struct life){.trace = &run.trace,
                                     .run = i ? run_second : run_first,
                                     .killed = note_killed,
                                     .data = &run};
    draw_run(&run);
    if (options->restart_at)
        draw_point(&run);
    trace_begin(&run.trace, options->verbose);
    loop_set_park_hook(loop, on_park, &run);
    CHECK_OK(loop_run(loop, go_through, &run));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    loop_free(loop);
    trace_end(&run.trace);
    ret_result->hash = run.trace.hash;
    for (size_t i = 0; i < run.replicas; i++) {
        ret_result->parks += run.lives[i].parks;
        ret_result->lives += run.lives[i].count;
    }
    ret_result->requests = fronts_requests(&run.fronts);
}

int main(int argc, char **argv)
{
    return seeds_main(run_rollout, argc, argv);
}
