#include "controller/leader.h"

#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "json/edit.h"
#include "net/network.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define LEASE_KEY KEY("kube-system", "test")

struct leader_fixture;

/* One process: its way to the server, its part in the election, and its work. */
struct process {
    struct leader_fixture *fixture;
    const char *host;
    struct str identity;
    struct http_server *door;
    struct rest_config config;
    struct client *client, *guarded;
    struct leader *leader;
    struct scope scope;
    struct error *err; /* how it ended */
    bool has_ended;
    size_t writes;         /* that the server saw */
    bool swallows_answers; /* requests take effect, but no response is sent */
    bool is_cut_off;       /* requests take no effect and are not answered */
};

/* A server with one lease, and two processes that compete for it. */
struct leader_fixture {
    struct network *network;
    struct metrics *metrics;
    struct object *lease;
    int64_t version;
    struct process a, b;
};

static struct error *answer(struct process *process, struct http_request *request, int status,
                            struct str body)
{
    if (process->swallows_answers)
        return fiber_sleep(HOUR);
    return http_request_answer(request, status, STR("application/json"), body);
}

static struct error *refuse(struct process *process, struct http_request *request, int status,
                            const char *reason)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\","
              "\"message\":\"no\",\"code\":%d}",
              reason, status);
    return answer(process, request, status, buf_str(&body));
}

static struct error *answer_lease(struct process *process, struct http_request *request)
{
    SCOPED(buf) body = {0};
    object_write(&body, process->fixture->lease);
    return answer(process, request, 200, buf_str(&body));
}

static void keep_lease(struct leader_fixture *fixture, const struct object *sent)
{
    char digits[24];
    OWNED(json_doc) doc = NULL;
    SCOPED(json_edit) edit;
    const int len = snprintf(digits, sizeof(digits), "%lld", (long long)++fixture->version);
    json_edit_init(&edit, object_root(sent));
    json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"), str_from(digits, (size_t)len));
    CHECK_OK(json_edit_finish(&edit, &doc));
    object_free(TAKE(fixture->lease));
    CHECK_OK(object_from_doc(doc, &fixture->lease));
}

static struct error *write_lease(struct process *process, struct http_request *request)
{
    struct leader_fixture *fixture = process->fixture;
    SCOPED(buf) body = {0};
    OWNED(object) sent = NULL;
    TRY(http_request_read_all(request, &body));
    TRY(object_read(buf_str(&body), &sent));
    const bool creates = str_eq(http_request_method(request), STR("POST"));
    if (creates && fixture->lease)
        return refuse(process, request, 409, "AlreadyExists");
    if (!creates && !fixture->lease)
        return refuse(process, request, 404, "NotFound");
    if (!creates && !str_eq(object_resource_version(sent), object_resource_version(fixture->lease)))
        return refuse(process, request, 409, "Conflict");
    keep_lease(fixture, sent);
    return answer_lease(process, request);
}

static struct str holder_of(const struct leader_fixture *fixture)
{
    return fixture->lease ? json_to_str(object_path(fixture->lease, "spec.holderIdentity"))
                          : STR("");
}

/* The safety property: a process does not write once the other one holds the lease. */
static struct error *write_data(struct process *process, struct http_request *request)
{
    if (holder_of(process->fixture).len)
        CHECK_EQ(holder_of(process->fixture), process->identity);
    process->writes++;
    return answer(process, request, 200,
                  STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{}}"));
}

static struct error *handle(void *data, struct http_request *request)
{
    struct process *process = data;
    if (process->is_cut_off)
        return fiber_sleep(HOUR);
    if (!str_contains(http_request_target(request), STR("/leases")))
        return write_data(process, request);
    if (!str_eq(http_request_method(request), STR("GET")))
        return write_lease(process, request);
    return process->fixture->lease ? answer_lease(process, request)
                                   : refuse(process, request, 404, "NotFound");
}

static void process_init(struct process *process, struct leader_fixture *fixture, const char *name,
                         const struct leader_options *options)
{
    process->fixture = fixture;
    process->host = name;
    process->identity = str_from_c(name);
    CHECK_OK(http_server_new(loop_current(),
                             &(struct http_server_options){.network = fixture->network,
                                                           .host = str_from_c(name),
                                                           .port = 80,
                                                           .handler = handle,
                                                           .data = process},
                             &process->door));
    process->config.server = (struct url){.scheme = URL_HTTP, .host = str_from_c(name), .port = 80};
    process->config.host = process->identity;
    struct client_options client = {
        .config = &process->config, .network = fixture->network, .qps = -1};
    process->client = client_new(loop_current(), &client);
    struct leader_options full = *options;
    full.client = process->client;
    full.lease = LEASE_KEY;
    full.identity = process->identity;
    CHECK_OK(leader_new(loop_current(), &full, &process->leader));
    client.may_write = leader_may_write;
    client.may_write_data = process->leader;
    process->guarded = client_new(loop_current(), &client);
}

static void process_done(struct process *process)
{
    scope_done(&process->scope);
    error_free(process->err);
    client_free(process->guarded);
    leader_free(process->leader);
    client_free(process->client);
    http_server_free(process->door);
}

static void drop_line(void *data, struct str line)
{
    (void)data;
    (void)line;
}

static void leader_fixture_init(struct leader_fixture *fixture, struct leader_options options)
{
    *fixture = (struct leader_fixture){.network = sim_network_new(loop_current()),
                                       .metrics = metrics_new()};
    options.metrics = fixture->metrics;
    process_init(&fixture->a, fixture, "a.test", &options);
    process_init(&fixture->b, fixture, "b.test", &options);
    log_set_sink(drop_line, NULL);
}

static void leader_fixture_done(struct leader_fixture *fixture)
{
    process_done(&fixture->a);
    process_done(&fixture->b);
    while (sim_network_connections(fixture->network) > 0) {
        FIBER_SHIELD(FOREVER);
        CHECK_OK(fiber_sleep(SECOND));
    }
    object_free(fixture->lease);
    metrics_free(fixture->metrics);
    network_free(fixture->network);
}

/* Writes for as long as it runs, whatever becomes of it. */
static struct error *write_on(void *data)
{
    struct process *process = data;
    for (;;) {
        error_free(client_patch(process->guarded, GVR_CONFIG_MAPS, KEY("ns", "counter"),
                                CLIENT_PATCH_MERGE, STR("{\"data\":{}}"),
                                &(struct client_write_options){.timeout = 3 * SECOND}, NULL));
        TRY(fiber_sleep(50 * MILLISECOND));
    }
}

static struct error *take_part(struct process *process)
{
    SCOPED(scope) work = {0};
    scope_start(&work, "work", write_on, process); /* the guard alone holds it back */
    TRY(leader_acquire(process->leader));
    return leader_hold(process->leader);
}

static struct error *live(void *data)
{
    struct process *process = data;
    process->err = take_part(process);
    process->has_ended = true;
    return NULL;
}

static void start(struct process *process)
{
    error_free(TAKE(process->err));
    process->has_ended = false;
    scope_start(&process->scope, process->host, live, process);
}

static void pass(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

static int64_t transitions_of(const struct leader_fixture *fixture)
{
    int64_t count = -1;
    (void)json_to_int64(object_path(fixture->lease, "spec.leaseTransitions"), &count);
    return count;
}

TEST(durations_must_fit_each_other)
{
    const struct {
        const char *name;
        duration lease, renew, retry;
        bool fits;
    } cases[] = {
        {"the usual",            0,           0,           0,          true },
        {"lease equals renew",   10 * SECOND, 10 * SECOND, SECOND,     false},
        {"renew too short",      10 * SECOND, 2 * SECOND,  2 * SECOND, false},
        {"renew at 1.2 retries", 10 * SECOND, 6 * SECOND,  5 * SECOND, false},
        {"short ones",           3 * SECOND,  2 * SECOND,  SECOND,     true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        OWNED(leader) leader = NULL;
        const struct leader_options options = {.lease = LEASE_KEY,
                                               .lease_duration = cases[i].lease,
                                               .renew_deadline = cases[i].renew,
                                               .retry_period = cases[i].retry};
        OWNED(error) err = leader_new(NULL, &options, &leader);
        CHECK_EQ(err == NULL, cases[i].fits);
    }
}

SIM_TEST(an_identity_that_is_not_given_is_made)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    OWNED(leader) leader = NULL;
    CHECK_OK(leader_new(loop_current(),
                        &(struct leader_options){.client = fixture.a.client, .lease = LEASE_KEY},
                        &leader));
    CHECK_OK(leader_acquire(leader));
    CHECK_CONTAINS(holder_of(&fixture), STR("_"));
}

SIM_TEST(one_of_two_leads_and_the_other_follows_when_it_dies)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(SECOND);
    start(&fixture.b);
    pass(MINUTE);
    CHECK(leader_check(fixture.a.leader));
    CHECK(!leader_check(fixture.b.leader));
    CHECK(fixture.a.writes > 100);
    CHECK_EQ(fixture.b.writes, (size_t)0);
    CHECK_EQ(transitions_of(&fixture), (int64_t)0);
    CHECK_CONTAINS(json_to_str(object_path(fixture.lease, "spec.renewTime")),
                   STR("2026-01-01T01:0"));

    scope_cancel(&fixture.a.scope); /* without a release the lease runs out */
    pass(10 * SECOND);
    CHECK(error_is(fixture.a.err, ERROR_CANCELED));
    CHECK(!leader_check(fixture.b.leader));
    pass(10 * SECOND);
    CHECK(leader_check(fixture.b.leader));
    CHECK_EQ(holder_of(&fixture), STR("b.test"));
    CHECK_EQ(transitions_of(&fixture), (int64_t)1);
    SCOPED(buf) text = {0};
    metrics_write(fixture.metrics, &text);
    CHECK_CONTAINS(buf_str(&text), STR("leader_election_master_status{name=\"test\"} 1\n"));
}

SIM_TEST(a_released_lease_is_taken_at_once)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){.release = true});
    start(&fixture.a);
    pass(SECOND);
    start(&fixture.b);
    pass(10 * SECOND);
    scope_cancel(&fixture.a.scope);
    pass(5 * SECOND);
    CHECK(!leader_check(fixture.a.leader));
    CHECK(leader_check(fixture.b.leader));
    CHECK_EQ(transitions_of(&fixture), (int64_t)1);
}

SIM_TEST(a_leader_that_is_cut_off_has_lost_before_the_other_begins)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(SECOND);
    start(&fixture.b);
    pass(10 * SECOND);
    fixture.a.is_cut_off = true;
    pass(10 * SECOND + MILLISECOND);
    CHECK(fixture.a.has_ended);
    CHECK_FAILS(TAKE(fixture.a.err), ERROR_EXPIRED, "leader election lost");
    CHECK(!leader_check(fixture.a.leader));
    CHECK(!leader_check(fixture.b.leader));
    pass(20 * SECOND);
    CHECK(leader_check(fixture.b.leader));
    fixture.a.is_cut_off = false;
    const size_t writes = fixture.a.writes;
    pass(MINUTE);
    CHECK_EQ(fixture.a.writes, writes);
}

SIM_TEST(lost_answers_do_not_cost_the_lease)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(5 * SECOND);
    start(&fixture.b);
    fixture.a.swallows_answers = true;
    pass(4 * SECOND);
    fixture.a.swallows_answers = false;
    pass(MINUTE);
    CHECK(leader_check(fixture.a.leader));
    CHECK(!leader_check(fixture.b.leader));

    /* One whose answers stay away stops, although the server believes it: it cannot know. */
    fixture.a.swallows_answers = true;
    pass(12 * SECOND);
    CHECK(!leader_check(fixture.a.leader));
    CHECK(error_is(fixture.a.err, ERROR_EXPIRED));
    fixture.a.swallows_answers = false;
    pass(30 * SECOND);
    CHECK(leader_check(fixture.b.leader));
}

SIM_TEST(a_deleted_lease_is_made_again)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(5 * SECOND);
    object_free(TAKE(fixture.lease));
    pass(5 * SECOND);
    CHECK(leader_check(fixture.a.leader));
    CHECK_EQ(holder_of(&fixture), STR("a.test"));
}

SIM_TEST(jumps_of_the_wall_clock_change_nothing)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(SECOND);
    start(&fixture.b);
    pass(10 * SECOND);
    const duration jumps[] = {HOUR, -3 * HOUR, 24 * HOUR, -MINUTE};
    for (size_t i = 0; i < COUNT(jumps); i++) {
        sim_jump(loop_current(), jumps[i]);
        pass(30 * SECOND);
        CHECK(leader_check(fixture.a.leader));
        CHECK(!leader_check(fixture.b.leader));
    }
    CHECK_EQ(transitions_of(&fixture), (int64_t)0);
}

/* SIGSTOP and SIGCONT: the first thing a process may want to do after waking is to write. */
SIM_TEST(a_leader_that_was_stopped_writes_nothing_after_waking)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){0});
    start(&fixture.a);
    pass(SECOND);
    start(&fixture.b);
    pass(10 * SECOND);
    CHECK(leader_check(fixture.a.leader));
    const size_t writes = fixture.a.writes;
    sim_stall(loop_current(), 20 * SECOND);
    CHECK(!leader_check(fixture.a.leader));
    CHECK_ERROR(client_patch(fixture.a.guarded, GVR_CONFIG_MAPS, KEY("ns", "counter"),
                             CLIENT_PATCH_MERGE, STR("{}"), NULL, NULL),
                ERROR_CANCELED);
    pass(SECOND);
    CHECK(fixture.a.has_ended);
    CHECK(error_is(fixture.a.err, ERROR_EXPIRED));
    CHECK(fixture.a.writes <= writes + 1); /* the one that was under way */
    pass(MINUTE);
    CHECK(leader_check(fixture.b.leader));
    CHECK(fixture.a.writes <= writes + 1);
}

/* A minute of trouble for one process, drawn by chance. */
static void trouble(struct leader_fixture *fixture, struct random *random)
{
    struct process *process = random_below(random, 2) ? &fixture->a : &fixture->b;
    const duration span = (duration)random_below(random, 30 * (uint64_t)SECOND);
    switch (random_below(random, 5)) {
    case 0:
        process->is_cut_off = true;
        pass(span);
        process->is_cut_off = false;
        break;
    case 1:
        process->swallows_answers = true;
        pass(span);
        process->swallows_answers = false;
        break;
    case 2:
        sim_jump(loop_current(), (span - 15 * SECOND) * 1000);
        break;
    case 3:
        sim_stall(loop_current(), span);
        break;
    default:
        sim_network_set_faults(
            fixture->network, str_from_c(process->host),
            &(struct sim_faults){.jitter = 2 * SECOND, .loss = 0.1, .reset = 0.02});
        pass(span);
        sim_network_set_faults(fixture->network, str_from_c(process->host),
                               &(struct sim_faults){0});
    }
    pass((duration)random_below(random, 20 * (uint64_t)SECOND));
}

/* Processes that lose are started again, as a kubelet would. Every write is checked on arrival. */
SIM_TEST(whatever_happens_only_the_holder_writes)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        TEST_CASE("seed %llu", (unsigned long long)seed);
        struct random random;
        random_init(&random, seed);
        SCOPED(leader_fixture) fixture;
        leader_fixture_init(&fixture, (struct leader_options){.release = seed % 2});
        start(&fixture.a);
        start(&fixture.b);
        for (int i = 0; i < 12; i++) {
            trouble(&fixture, &random);
            if (fixture.a.has_ended)
                start(&fixture.a);
            if (fixture.b.has_ended)
                start(&fixture.b);
            CHECK(!leader_check(fixture.a.leader) || !leader_check(fixture.b.leader));
        }
        pass(MINUTE);
        CHECK(leader_check(fixture.a.leader) != leader_check(fixture.b.leader));
        CHECK(fixture.a.writes + fixture.b.writes > 100);
    }
}

static struct error *elected_once(void)
{
    SCOPED(leader_fixture) fixture;
    leader_fixture_init(&fixture, (struct leader_options){.release = true});
    FIBER_TIMEOUT(20 * SECOND); /* the server may have been hit */
    TRY(leader_acquire(fixture.a.leader));
    return error_ignore(leader_hold(fixture.a.leader), ERROR_DEADLINE);
}

TORTURE_TEST(an_election_survives_every_interruption)
{
    return elected_once();
}
