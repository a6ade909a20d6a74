/* The faults of virtual clusters: what they are, who sets them, and that they repeat. */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "client/watch.h"
#include "scenarios/virtual_clusters/bed.h"
#include "testing/sim.h"

#define DEBUG    "/debug/inject"
#define ONE      "/debug/inject?cluster=vc-0001"
#define NOTHING  "latency=0s,jitter=0s,error=0,drop=0,hole=0,seed=0\n"
#define REQUESTS 60

static int put_faults(struct bed_user *user, const char *target, const char *faults)
{
    return bed_ask(user, "PUT", target, faults, NULL);
}

static void check_faults(struct bed_user *user, const char *target, const char *expected)
{
    SCOPED(buf) answer = {.limit = KILOBYTE};
    CHECK_EQ(bed_ask(user, "GET", target, NULL, &answer), 200);
    CHECK_EQ(buf_str(&answer), str_from_c(expected));
}

LOOP_TEST(faults_are_changed_while_the_server_runs)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    SCOPED(bed_user) one = {0};
    SCOPED(bed_user) two = {0};
    bed_init(&bed, 2, "error=1,seed=7");
    bed_admin(&bed, BED_MAIN, &admin);
    bed_admin(&bed, "vc-0001", &one);
    bed_admin(&bed, "vc-0002", &two);
    const char *all = "latency=0s,jitter=0s,error=1,drop=0,hole=0,seed=7\n";
    check_faults(&admin, DEBUG, all);
    check_faults(&admin, ONE, all);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 500);
    CHECK_FAILS(client_get(one.client, GVR_NAMESPACES, KEY("", "default"), NULL, NULL),
                ERROR_INTERNAL, "Internal error occurred: injected fault");
    TEST_CASE("an empty body is no faults, for one");
    CHECK_EQ(put_faults(&admin, ONE, ""), 200);
    check_faults(&admin, ONE, NOTHING);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 200);
    CHECK_EQ(bed_ask(&two, "GET", "/version", NULL, NULL), 500);
    TEST_CASE("the faults of all again");
    CHECK_EQ(bed_ask(&admin, "DELETE", ONE, NULL, NULL), 200);
    check_faults(&admin, ONE, all);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 500);
    TEST_CASE("none for all, one by itself");
    CHECK_EQ(put_faults(&admin, ONE, "error=1"), 200);
    CHECK_EQ(put_faults(&admin, DEBUG, ""), 200);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 500);
    CHECK_EQ(bed_ask(&two, "GET", "/version", NULL, NULL), 200);
    TEST_CASE("none at all");
    CHECK_EQ(bed_ask(&admin, "DELETE", DEBUG, NULL, NULL), 200);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 200);
    TEST_CASE("the main API has none");
    CHECK_EQ(put_faults(&admin, DEBUG, "hole=1"), 200);
    CHECK_EQ(bed_ask(&admin, "GET", "/version", NULL, NULL), 200);
}

LOOP_TEST(faults_that_make_no_sense_change_nothing)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    const char *const wrong[] = {"error=2",     "error=-1",   "error=nan",   "drop=0x",
                                 "latency=-1s", "latency=2h", "jitter",      "hole=yes",
                                 "seed=-1",     ",",          "{\"a\":true}"};
    bed_init(&bed, 1, "");
    bed_admin(&bed, BED_MAIN, &admin);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        TEST_CASE("%s", wrong[i]);
        CHECK_EQ(put_faults(&admin, ONE, wrong[i]), 400);
        check_faults(&admin, ONE, NOTHING);
    }
    CHECK_EQ(put_faults(&admin, DEBUG "?cluster=vc-0002", "error=1"), 400);
    CHECK_EQ(bed_ask(&admin, "PATCH", DEBUG, "error=1", NULL), 405);
}

LOOP_TEST(only_the_admin_of_the_main_api_sets_faults)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) nobody = {0};
    SCOPED(bed_user) admin = {0};
    SCOPED(bed_user) one = {0};
    SCOPED(bed_user) in_main = {0};
    SCOPED(buf) token = {.secret = true};
    bed_init(&bed, 1, "");
    bed_admin(&bed, BED_MAIN, &admin);
    bed_admin(&bed, "vc-0001", &one);
    bed_bearer(&bed, BED_MAIN, STR(""), &nobody);
    apiserver_cluster_token(bed.server, 0, &token);
    bed_bearer(&bed, BED_MAIN, buf_str(&token), &in_main);
    const char *const methods[] = {"GET", "PUT", "DELETE"};
    for (size_t i = 0; i < COUNT(methods); i++) {
        TEST_CASE("%s", methods[i]);
        CHECK_EQ(bed_ask(&nobody, methods[i], ONE, NULL, NULL), 403);
        CHECK_EQ(bed_ask(&in_main, methods[i], ONE, NULL, NULL), 401);
        CHECK_EQ(bed_ask(&one, methods[i], DEBUG, NULL, NULL), 404);
    }
    check_faults(&admin, ONE, NOTHING);
}

/* What a sequence of requests meets, a letter each, with connections of its own. */
static void run_sequence(struct bed *bed, const char *cluster, char outcomes[REQUESTS + 1])
{
    SCOPED(bed_user) user = {0};
    bed_admin(bed, cluster, &user);
    for (size_t i = 0; i < REQUESTS; i++) {
        const int status = bed_ask(&user, "POST", "/api/v1/nodes", "{", NULL);
        outcomes[i] = "?.ex"[status == 400 ? 1 : status == 500 ? 2 : status == BED_LOST ? 3 : 0];
    }
    outcomes[REQUESTS] = '\0';
}

/* What the same sequence should meet. */
static void foretell(const char *faults, const char *cluster, char outcomes[REQUESTS + 1])
{
    struct fault_injection injection;
    duration wait;
    CHECK_OK(fault_injection_read(str_from_c(faults), &injection));
    for (size_t i = 0; i < REQUESTS; i++)
        outcomes[i] = ".ex?"[fault_injection_decide(&injection, str_from_c(cluster), i, &wait)];
    outcomes[REQUESTS] = '\0';
}

LOOP_TEST(the_same_seed_gives_the_same_faults)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    char first[REQUESTS + 1], again[REQUESTS + 1], other[REQUESTS + 1], foretold[REQUESTS + 1];
    const char *faults = "error=0.3,drop=0.2,seed=7";
    bed_init(&bed, 2, faults);
    bed_admin(&bed, BED_MAIN, &admin);
    run_sequence(&bed, "vc-0001", first);
    foretell(faults, "vc-0001", foretold);
    CHECK_EQ((const char *)first, (const char *)foretold);
    CHECK_CONTAINS(str_from_c(first), STR("."));
    CHECK_CONTAINS(str_from_c(first), STR("e"));
    CHECK_CONTAINS(str_from_c(first), STR("x"));
    TEST_CASE("clusters differ");
    run_sequence(&bed, "vc-0002", other);
    CHECK(!str_eq(str_from_c(first), str_from_c(other)));
    TEST_CASE("set again, they begin anew");
    CHECK_EQ(put_faults(&admin, DEBUG, faults), 200);
    run_sequence(&bed, "vc-0001", again);
    CHECK_EQ((const char *)again, (const char *)first);
    TEST_CASE("another seed, other faults");
    CHECK_EQ(put_faults(&admin, ONE, "error=0.3,drop=0.2,seed=8"), 200);
    run_sequence(&bed, "vc-0001", other);
    CHECK(!str_eq(str_from_c(first), str_from_c(other)));
}

LOOP_TEST(latency_delays_every_answer)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) one = {0};
    bed_init(&bed, 1, "latency=40ms,jitter=20ms,seed=1");
    bed_admin(&bed, "vc-0001", &one);
    for (int i = 0; i < 5; i++) {
        const int64_t begun = loop_now(loop_current());
        CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 200);
        CHECK(loop_now(loop_current()) - begun >= 40 * MILLISECOND);
    }
}

struct asker {
    struct bed_user *user;
    int status;
};

static struct error *ask(void *data)
{
    struct asker *asker = data;
    asker->status = bed_ask(asker->user, "GET", "/version", NULL, NULL);
    return NULL;
}

LOOP_TEST(a_black_hole_ends_when_the_client_leaves)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    SCOPED(bed_user) one = {0};
    bed_init(&bed, 1, "");
    bed_admin(&bed, BED_MAIN, &admin);
    bed_admin(&bed, "vc-0001", &one);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 200);
    CHECK_OK(fiber_sleep(50 * MILLISECOND));
    const size_t at_rest = loop_fiber_count(loop_current());
    CHECK_EQ(put_faults(&admin, ONE, "hole=1"), 200);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), BED_SILENT);
    CHECK_OK(fiber_sleep(200 * MILLISECOND));
    CHECK_EQ(loop_fiber_count(loop_current()), at_rest);
    TEST_CASE("and its connection goes on");
    CHECK_EQ(put_faults(&admin, ONE, ""), 200);
    CHECK_EQ(bed_ask(&one, "GET", "/version", NULL, NULL), 200);
}

LOOP_TEST(draining_ends_black_holes_and_watches)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) one = {0};
    SCOPED(bed_user) admin = {0};
    SCOPED(scope) scope = {0};
    OWNED(watch) watch = NULL;
    struct asker askers[3];
    struct watch_event event = {0};
    bed_init(&bed, 1, "hole=1");
    bed_admin(&bed, "vc-0001", &one);
    bed_admin(&bed, BED_MAIN, &admin);
    for (size_t i = 0; i < COUNT(askers); i++) {
        askers[i] = (struct asker){&one, 0};
        scope_start(&scope, "asker", ask, &askers[i]);
    }
    CHECK_OK(watch_open(admin.client, GVR_CONFIG_MAPS, STR("default"),
                        &(struct watch_options){.once = true, .send_initial_events = true},
                        &watch));
    while (!event.initial_end)
        CHECK_OK(watch_next(watch, &event));
    CHECK_OK(fiber_sleep(100 * MILLISECOND));
    const int64_t begun = loop_now(loop_current());
    {
        FIBER_TIMEOUT(10 * SECOND);
        CHECK_OK(apiserver_drain(bed.server));
    }
    CHECK(loop_now(loop_current()) - begun < SECOND);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(askers); i++)
        CHECK_EQ(askers[i].status, BED_LOST);
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_ENDED);
    watch_free(TAKE(watch));
}

struct follower {
    struct bed_user *user;
    struct watch_options options;
    size_t count;  /* maps seen, each once and in order */
    bool is_ended; /* the watch, before all were seen */
};

#define MAPS 20

/* Maps are named map-0 and so on; others are not counted. */
static struct error *follow(void *data)
{
    struct follower *follower = data;
    OWNED(watch) watch = NULL;
    TRY(watch_open(follower->user->client, GVR_CONFIG_MAPS, STR("default"), &follower->options,
                   &watch));
    while (follower->count < MAPS) {
        struct watch_event event;
        OWNED(error) err = watch_next(watch, &event);
        follower->is_ended = err || event.type == WATCH_ENDED;
        if (follower->is_ended)
            return NULL;
        if (event.type != WATCH_ADDED || !str_starts_with(object_name(event.object), STR("map-")))
            continue;
        SCOPED(buf) expected = {.limit = KILOBYTE};
        buf_print(&expected, "map-%zu", follower->count++);
        CHECK_EQ(object_name(event.object), buf_str(&expected));
    }
    return NULL;
}

/* Until it is there: an answer that was lost is no reason to stop. */
static void insist(struct bed_user *user, int number)
{
    SCOPED(buf) name = {.limit = KILOBYTE};
    buf_print(&name, "map-%d", number);
    for (;;) {
        const int status = bed_put(user, buf_c(&name), "");
        if (status == 201 || status == 409)
            return;
    }
}

LOOP_TEST(an_open_watch_is_dropped_and_goes_on)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    SCOPED(bed_user) writer = {0};
    SCOPED(bed_user) once_user = {0};
    SCOPED(bed_user) always_user = {0};
    SCOPED(scope) scope = {0};
    struct follower once = {.user = &once_user, .options = {.once = true}};
    struct follower always = {.user = &always_user};
    bed_init(&bed, 1, "");
    bed_admin(&bed, BED_MAIN, &admin);
    bed_admin(&bed, "vc-0001", &writer);
    bed_admin(&bed, "vc-0001", &once_user);
    bed_admin(&bed, "vc-0001", &always_user);
    scope_start(&scope, "once", follow, &once);
    scope_start(&scope, "always", follow, &always);
    insist(&writer, 0);
    while (once.count == 0 || always.count == 0)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    CHECK_EQ(put_faults(&admin, ONE, "drop=0.2,seed=3"), 200);
    for (int i = 1; i < MAPS; i++)
        insist(&writer, i);
    CHECK_EQ(put_faults(&admin, ONE, ""), 200);
    CHECK_OK(scope_wait(&scope));
    CHECK(once.is_ended);
    CHECK(once.count < MAPS);
    CHECK_EQ(always.count, (size_t)MAPS);
}

/* Faults that let the next request through and swallow what the first watches have to say. */
static void choose_faults(struct buf *faults)
{
    for (unsigned seed = 0;; seed++) {
        struct fault_injection injection;
        duration wait;
        size_t holes = 0;
        buf_clear(faults);
        buf_print(faults, "hole=0.9,seed=%u", seed);
        CHECK_OK(fault_injection_read(buf_str(faults), &injection));
        for (uint64_t i = 0; i < 12; i++)
            holes += fault_injection_decide_watch(&injection, STR("vc-0001"), i % 3, 1 + i / 3) ==
                     INJECTED_HOLE;
        if (holes == 12 &&
            fault_injection_decide(&injection, STR("vc-0001"), 0, &wait) == INJECTED_NONE)
            return;
    }
}

LOOP_TEST(an_open_watch_falls_silent_until_its_time_is_over)
{
    FIBER_TIMEOUT(BED_TIMEOUT);
    SCOPED(bed) bed;
    SCOPED(bed_user) admin = {0};
    SCOPED(bed_user) writer = {0};
    SCOPED(bed_user) user = {0};
    SCOPED(buf) faults = {.limit = KILOBYTE};
    SCOPED(scope) scope = {0};
    struct follower once = {
        .user = &user, .options = {.once = true, .timeout = 2 * SECOND}
    };
    bed_init(&bed, 1, "");
    bed_admin(&bed, BED_MAIN, &admin);
    bed_admin(&bed, "vc-0001", &writer);
    bed_admin(&bed, "vc-0001", &user);
    scope_start(&scope, "once", follow, &once);
    insist(&writer, 0);
    while (once.count == 0)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    choose_faults(&faults);
    CHECK_EQ(put_faults(&admin, ONE, buf_c(&faults)), 200);
    CHECK_EQ(bed_put(&writer, "map-1", ""), 201);
    CHECK_OK(fiber_sleep(50 * MILLISECOND));
    TEST_CASE("also when the faults are over");
    CHECK_EQ(put_faults(&admin, ONE, ""), 200);
    CHECK_EQ(bed_put(&writer, "map-2", ""), 201);
    CHECK_OK(scope_wait(&scope));
    CHECK(once.is_ended);
    CHECK_EQ(once.count, (size_t)1);
}
