#include "net/lookups.h"

#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "net/lookup.h"
#include "testing/sim.h"

/*
 * A resolver: names that begin with "dead" take until they are let go, and are not found. So do all
 * names when it is out of order.
 */
static atomic_int in_resolver, most_in_resolver, asked_for_dead;
static atomic_bool let_go, is_out_of_order;

static void note_most(int now)
{
    int most = atomic_load(&most_in_resolver);
    while (now > most && !atomic_compare_exchange_weak(&most_in_resolver, &most, now))
        ;
}

static void resolve(const char *host, struct lookup_answer *ret_answer)
{
    note_most(atomic_fetch_add(&in_resolver, 1) + 1);
    const bool is_dead =
        atomic_load(&is_out_of_order) || str_starts_with(str_from_c(host), STR("dead"));
    atomic_fetch_add(&asked_for_dead, is_dead);
    while (is_dead && !atomic_load(&let_go))
        usleep(100);
    *ret_answer = (struct lookup_answer){.status = is_dead ? EAI_AGAIN : 0};
    if (!is_dead)
        ret_answer->result = NEW(struct lookup_result);
    atomic_fetch_sub(&in_resolver, 1);
}

struct asker {
    struct lookups *lookups;
    char host[32];
    int status;
};

static struct error *asks(void *data)
{
    struct asker *asker = data;
    struct lookup_answer answer = {0};
    TRY(lookups_find(asker->lookups, asker->host, &answer));
    asker->status = answer.status;
    mem_free(answer.result);
    return NULL;
}

static int ask(struct lookups *lookups, const char *host)
{
    struct asker asker = {.lookups = lookups};
    snprintf(asker.host, sizeof(asker.host), "%s", host);
    CHECK_OK(asks(&asker));
    return asker.status;
}

#define DEAD 40

static void start_dead(struct scope *scope, struct lookups *lookups, struct asker *askers)
{
    for (int i = 0; i < DEAD; i++) {
        askers[i] = (struct asker){.lookups = lookups};
        snprintf(askers[i].host, sizeof(askers[i].host), "dead-%d", i);
        scope_start(scope, "asks", asks, &askers[i]);
    }
}

static void wait_for(const atomic_int *number, int expected)
{
    while (atomic_load(number) != expected)
        CHECK_OK(fiber_sleep(MILLISECOND));
}

LOOP_TEST(names_that_hang_leave_a_thread_for_names_that_were_found)
{
    OWNED(lookups) lookups = lookups_new(loop_current(), resolve);
    struct asker askers[DEAD];
    SCOPED(scope) scope = {0};
    CHECK_EQ(ask(lookups, "known"), 0);
    start_dead(&scope, lookups, askers);
    wait_for(&in_resolver, LOOKUPS_NEW_MAX);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(ask(lookups, "known"), 0);
    CHECK_EQ(atomic_load(&most_in_resolver), LOOKUPS_NEW_MAX + 1);
    atomic_store(&let_go, true);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(atomic_load(&asked_for_dead), DEAD);
    CHECK(atomic_load(&most_in_resolver) <= LOOKUPS_MAX);
    for (int i = 0; i < DEAD; i++)
        CHECK_EQ(askers[i].status, EAI_AGAIN);
}

LOOP_TEST(names_that_were_found_have_no_more_threads_than_all_names)
{
    OWNED(lookups) lookups = lookups_new(loop_current(), resolve);
    struct asker askers[DEAD];
    SCOPED(scope) scope = {0};
    for (int i = 0; i < DEAD; i++) {
        askers[i] = (struct asker){.lookups = lookups};
        snprintf(askers[i].host, sizeof(askers[i].host), "known-%d", i);
        CHECK_EQ(ask(lookups, askers[i].host), 0);
    }
    atomic_store(&is_out_of_order, true);
    for (int i = 0; i < DEAD; i++)
        scope_start(&scope, "asks", asks, &askers[i]);
    wait_for(&in_resolver, LOOKUPS_MAX);
    atomic_store(&let_go, true);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(atomic_load(&most_in_resolver), LOOKUPS_MAX);
}

/* The threads of callers that have left are still busy. What has not begun is dropped. */
LOOP_TEST(a_lookup_keeps_its_place_when_its_callers_leave)
{
    OWNED(lookups) lookups = lookups_new(loop_current(), resolve);
    struct asker askers[DEAD];
    SCOPED(scope) scope = {0};
    for (int round = 0; round < 3; round++) {
        start_dead(&scope, lookups, askers);
        wait_for(&in_resolver, LOOKUPS_NEW_MAX);
        CHECK_OK(fiber_sleep(2 * MILLISECOND));
        scope_cancel(&scope);
        CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    }
    CHECK_EQ(atomic_load(&asked_for_dead), LOOKUPS_NEW_MAX);
    atomic_store(&let_go, true);
    wait_for(&in_resolver, 0);
    CHECK_EQ(ask(lookups, "other"), 0);
    CHECK_EQ(atomic_load(&asked_for_dead), LOOKUPS_NEW_MAX);
}

LOOP_TEST(callers_of_a_name_share_its_lookup_and_its_failure)
{
    OWNED(lookups) lookups = lookups_new(loop_current(), resolve);
    struct asker askers[DEAD];
    SCOPED(scope) scope = {0};
    for (int i = 0; i < DEAD; i++) {
        askers[i] = (struct asker){.lookups = lookups, .host = "dead"};
        scope_start(&scope, "asks", asks, &askers[i]);
    }
    wait_for(&in_resolver, 1);
    atomic_store(&let_go, true);
    CHECK_OK(scope_wait(&scope));
    for (int i = 0; i < DEAD; i++)
        CHECK_EQ(askers[i].status, EAI_AGAIN);
    CHECK_EQ(ask(lookups, "dead"), EAI_AGAIN);
    CHECK_EQ(atomic_load(&asked_for_dead), 1);
}

/* In virtual time: the resolver takes time by stalling the clock, or answers at once. */
static int resolved;
static duration takes;

static void resolve_in_time(const char *host, struct lookup_answer *ret_answer)
{
    const bool is_dead = str_starts_with(str_from_c(host), STR("dead"));
    resolved++;
    if (is_dead)
        sim_stall(loop_current(), takes);
    *ret_answer = (struct lookup_answer){.status = is_dead ? EAI_NONAME : 0};
    if (!is_dead)
        ret_answer->result = NEW(struct lookup_result);
}

SIM_TEST(a_failure_is_the_answer_for_a_while)
{
    static const struct {
        duration takes, kept;
    } cases[] = {
        {0,           5 * SECOND },
        {10 * SECOND, 10 * SECOND},
        {MINUTE,      30 * SECOND},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(lookups) lookups = lookups_new(loop_current(), resolve_in_time);
        TEST_CASE("%zu", i);
        takes = cases[i].takes;
        resolved = 0;
        CHECK_EQ(ask(lookups, "dead"), EAI_NONAME);
        CHECK_OK(fiber_sleep(cases[i].kept - SECOND));
        CHECK_EQ(ask(lookups, "dead"), EAI_NONAME);
        CHECK_EQ(resolved, 1);
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK_EQ(ask(lookups, "dead"), EAI_NONAME);
        CHECK_EQ(resolved, 2);
        CHECK_EQ(ask(lookups, "found"), 0);
        CHECK_EQ(ask(lookups, "found"), 0);
        CHECK_EQ(resolved, 4);
    }
}

SIM_TEST(lookups_survive_callers_that_leave_at_any_time)
{
    for (duration after = 0; after < 12 * MILLISECOND; after += MILLISECOND) {
        OWNED(lookups) lookups = lookups_new(loop_current(), resolve_in_time);
        struct asker askers[DEAD];
        SCOPED(scope) scope = {0};
        takes = 0;
        start_dead(&scope, lookups, askers);
        CHECK_OK(fiber_sleep(after));
        scope_cancel(&scope);
        error_free(scope_wait(&scope));
        CHECK_EQ(ask(lookups, "found"), 0);
    }
}

struct late_asker {
    struct asker asker;
    int resolved; /* when it had its answer */
};

static struct error *asks_late(void *data)
{
    struct late_asker *late = data;
    TRY(asks(&late->asker));
    late->resolved = resolved;
    return NULL;
}

SIM_TEST(names_known_to_be_slow_leave_room_for_new_ones)
{
    OWNED(lookups) lookups = lookups_new(loop_current(), resolve_in_time);
    struct asker askers[DEAD];
    struct late_asker late = {
        .asker = {.lookups = lookups, .host = "new"}
    };
    SCOPED(scope) scope = {0};
    takes = 10 * SECOND;
    start_dead(&scope, lookups, askers);
    CHECK_OK(scope_wait(&scope));
    CHECK_OK(fiber_sleep(MINUTE));
    resolved = 0;
    start_dead(&scope, lookups, askers);
    CHECK_OK(fiber_sleep(0));
    scope_start(&scope, "asks", asks_late, &late);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(resolved, DEAD + 1);
    CHECK(late.resolved <= 2 * LOOKUPS_MAX);
}
