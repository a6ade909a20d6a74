#include "async/cpu_share.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "async/semaphore.h"
#include "testing/sim.h"

#define STEP (30 * MILLISECOND)

/* A party with many fibers, each of which works in steps until the test is over. */
struct party {
    struct cpu_share *share;
    duration step;
    bool *is_over;
};

static struct error *work_on(void *data)
{
    const struct party *party = data;
    TRY(cpu_share_join(party->share));
    while (!*party->is_over) {
        sim_stall(loop_current(), party->step);
        TRY(fiber_yield());
    }
    return NULL;
}

static struct error *work_once(void *data)
{
    const struct party *party = data;
    TRY(cpu_share_join(party->share));
    sim_stall(loop_current(), party->step);
    return NULL;
}

/* One request after the other, each on a fiber of its own. */
static struct error *work_in_sequence(void *data)
{
    struct party *party = data;
    while (!*party->is_over) {
        SCOPED(scope) scope = {0};
        cpu_share_put(party->share, scope_start(&scope, "request", work_once, party));
        TRY(scope_wait(&scope));
    }
    return NULL;
}

static struct error *note_begin(void *data)
{
    struct party *idle = data;
    TRY(cpu_share_join(idle->share));
    idle->step = loop_now(loop_current());
    return NULL;
}

#define PARTIES 20
#define FIBERS  10

static void check_idle_party(fiber_fn work, size_t fibers)
{
    struct loop *loop = loop_current();
    bool is_over = false;
    duration total = 0;
    struct party parties[PARTIES];
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < PARTIES; i++) {
        parties[i] = (struct party){cpu_share_new(loop, false, &total), STEP, &is_over};
        for (size_t k = 0; k < fibers; k++)
            scope_start(&scope, "party", work, &parties[i]);
    }
    struct party idle = {.share = cpu_share_new(loop, false, NULL)};
    for (int i = 0; i < 5; i++) {
        CHECK_OK(fiber_sleep(10 * SECOND));
        const int64_t asked = loop_now(loop);
        SCOPED(scope) requests = {0};
        scope_start(&requests, "idle party", note_begin, &idle);
        CHECK_OK(scope_wait(&requests));
        CHECK(idle.step - asked <= STEP + 2 * MILLISECOND);
    }
    is_over = true;
    CHECK_OK(scope_wait(&scope));
    CHECK(total >= 50 * SECOND); /* and nothing was left unused */
    for (size_t i = 0; i < PARTIES; i++)
        cpu_share_free(parties[i].share);
    cpu_share_free(idle.share);
}

SIM_TEST(an_idle_party_waits_for_one_step_of_the_others)
{
    check_idle_party(work_on, FIBERS);
}

SIM_TEST(parties_that_come_again_and_again_keep_their_debts)
{
    check_idle_party(work_in_sequence, 1);
}

SIM_TEST(parties_get_equal_shares_whatever_they_ask_for)
{
    struct loop *loop = loop_current();
    bool is_over = false;
    duration used[3] = {0};
    struct party parties[3];
    static const size_t fibers[] = {4, 10, 100};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(parties); i++) {
        parties[i] = (struct party){cpu_share_new(loop, false, &used[i]),
                                    (duration)(i + 1) * MILLISECOND, &is_over};
        for (size_t k = 0; k < fibers[i]; k++)
            scope_start(&scope, "party", work_on, &parties[i]);
    }
    CHECK_OK(fiber_sleep(30 * SECOND));
    is_over = true;
    for (size_t i = 0; i < COUNT(parties); i++)
        CHECK(used[i] > 9900 * MILLISECOND && used[i] < 10100 * MILLISECOND);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(parties); i++)
        cpu_share_free(parties[i].share);
}

#define LIGHT 1000

/* A thousand parties that want little, and one that wants much: it does not delay them. */
SIM_TEST(light_parties_do_not_wait_for_one_that_is_ahead)
{
    struct loop *loop = loop_current();
    bool is_over = false;
    struct party heavy = {cpu_share_new(loop, false, NULL), STEP, &is_over};
    static struct party light[LIGHT];
    SCOPED(scope) scope = {0};
    for (int i = 0; i < FIBERS; i++)
        scope_start(&scope, "heavy", work_on, &heavy);
    CHECK_OK(fiber_sleep(SECOND));
    for (int round = 0; round < 3; round++) {
        SCOPED(scope) requests = {0};
        const int64_t asked = loop_now(loop);
        for (size_t i = 0; i < LIGHT; i++) {
            if (round == 0)
                light[i] =
                    (struct party){cpu_share_new(loop, false, NULL), 100 * MICROSECOND, NULL};
            scope_start(&requests, "light", work_once, &light[i]);
        }
        CHECK_OK(scope_wait(&requests));
        CHECK(loop_now(loop) - asked <= (duration)LIGHT * 100 * MICROSECOND + 2 * STEP);
    }
    is_over = true;
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < LIGHT; i++)
        cpu_share_free(light[i].share);
    cpu_share_free(heavy.share);
}

SIM_TEST(exempt_shares_do_not_wait_but_are_counted)
{
    struct loop *loop = loop_current();
    bool is_over = false;
    duration used = 0, admins = 0;
    struct party many = {cpu_share_new(loop, false, &used), STEP, &is_over};
    struct party admin = {.share = cpu_share_new(loop, true, &admins)};
    SCOPED(scope) scope = {0};
    for (int i = 0; i < FIBERS; i++)
        scope_start(&scope, "party", work_on, &many);
    CHECK_OK(fiber_sleep(SECOND));
    const int64_t asked = loop_now(loop);
    SCOPED(scope) requests = {0};
    scope_start(&requests, "admin", note_begin, &admin);
    CHECK_OK(scope_wait(&requests));
    CHECK_EQ(admin.step, asked);
    cpu_share_charge(admin.share, SECOND);
    CHECK_EQ(admins, SECOND);
    is_over = true;
    CHECK_OK(scope_wait(&scope));
    cpu_share_charge(many.share, SECOND);
    CHECK(!cpu_share_is_settled(many.share)); /* a debt is not forgotten */
    cpu_share_free(many.share);
    cpu_share_free(admin.share);
}

/* Fibers of a party that wake one another, as those that wait for a quota do. */
struct relay {
    struct cpu_share *share;
    duration step;
    struct semaphore turn;
};

static struct error *run_relay(void *data)
{
    struct relay *relay = data;
    TRY(cpu_share_join(relay->share));
    for (int i = 0; i < 20; i++) {
        TRY(semaphore_take(&relay->turn));
        sim_stall(loop_current(), relay->step);
        TRY(fiber_yield());
        semaphore_give(&relay->turn);
    }
    return NULL;
}

/* A share that becomes ready while it is served waits in one place, once. */
SIM_TEST(fibers_of_a_party_wake_one_another)
{
    static const duration steps[] = {0, MICROSECOND, MILLISECOND, 3 * MILLISECOND, 0};
    struct relay relays[COUNT(steps)];
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        relays[i] = (struct relay){cpu_share_new(loop_current(), false, NULL), steps[i], {0}};
        relays[i].turn.permits = 1;
        for (int j = 0; j < FIBERS; j++)
            scope_start(&scope, "relay", run_relay, &relays[i]);
    }
    FIBER_TIMEOUT(MINUTE);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(steps); i++)
        cpu_share_free(relays[i].share);
}
