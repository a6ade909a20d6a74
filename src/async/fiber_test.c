#include "async/fiber.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/event.h"
#include "async/scope.h"
#include "async/semaphore.h"
#include "async/worker.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sanitizer.h"
#include "testing/sim.h"

SIM_TEST(sleeping_takes_virtual_time_only)
{
    struct loop *loop = loop_current();
    const int64_t begun = loop_now(loop);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(loop_now(loop) - begun, 5 * MINUTE);
    CHECK_EQ(loop_wall(loop) - SIM_EPOCH, HOUR + 5 * MINUTE);
}

SIM_TEST(sleeping_forever_ends_at_the_deadline)
{
    const int64_t before = loop_now(loop_current());
    FIBER_TIMEOUT(3 * HOUR);
    CHECK_ERROR(fiber_sleep(FOREVER), ERROR_DEADLINE);
    CHECK_EQ(loop_now(loop_current()) - before, 3 * HOUR);
}

LOOP_TEST(sleeping_takes_real_time_on_a_real_loop)
{
    const int64_t begun = loop_now(loop_current());
    CHECK_OK(fiber_sleep(3 * MILLISECOND));
    CHECK(loop_now(loop_current()) - begun >= 3 * MILLISECOND);
}

SIM_TEST(a_deadline_ends_the_wait_with_an_error)
{
    struct event never = {0};
    const int64_t begun = loop_now(loop_current());
    {
        FIBER_TIMEOUT(10 * SECOND);
        {
            FIBER_TIMEOUT(HOUR); /* an inner scope cannot widen the outer one */
            CHECK_FAILS(event_wait(&never, "the end of time"), ERROR_DEADLINE,
                        "timed out while waiting for the end of time");
        }
        CHECK_ERROR(fiber_sleep(SECOND), ERROR_DEADLINE);
    }
    CHECK_EQ(loop_now(loop_current()) - begun, 10 * SECOND);
    CHECK_EQ(fiber_deadline(), FOREVER);
    CHECK_OK(fiber_sleep(SECOND));
}

struct story {
    struct event event;
    int steps;
    bool unwound;
};

static void note_unwound(struct story **story)
{
    (*story)->unwound = true;
}

static struct error *waits_for_ever(void *data)
{
    struct story *story = data;
    __attribute__((cleanup(note_unwound))) struct story *guard = story;
    (void)guard;
    story->steps++;
    TRY(event_wait(&story->event, "nothing"), "story");
    story->steps++;
    return NULL;
}

SIM_TEST(leaving_a_scope_cancels_and_joins)
{
    struct story story = {0};
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "waits", waits_for_ever, &story);
        CHECK_OK(fiber_sleep(SECOND));
        CHECK_EQ(story.steps, 1);
        CHECK_EQ(scope_running(&scope), (size_t)1);
    }
    CHECK(story.unwound);
    CHECK_EQ(story.steps, 1);
}

SIM_TEST(a_fiber_cancelled_before_it_ran_fails_at_its_first_wait)
{
    struct story story = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "waits", waits_for_ever, &story);
    scope_cancel(&scope);
    CHECK_FAILS(scope_wait(&scope), ERROR_CANCELED, "story: canceled while waiting for nothing");
    CHECK(story.unwound);
}

static struct error *says_goodbye(void *data)
{
    struct story *story = data;
    error_free(event_wait(&story->event, "nothing"));
    CHECK_ERROR(fiber_sleep(SECOND), ERROR_CANCELED);
    FIBER_SHIELD(5 * SECOND);
    CHECK_OK(fiber_sleep(3 * SECOND));
    CHECK_ERROR(fiber_sleep(3 * SECOND), ERROR_DEADLINE);
    story->steps = 7;
    return NULL;
}

SIM_TEST(a_shield_puts_cancellation_off_for_a_while)
{
    struct story story = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "goodbye", says_goodbye, &story);
    CHECK_OK(fiber_sleep(SECOND));
    const int64_t begun = loop_now(loop_current());
    scope_cancel(&scope);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(story.steps, 7);
    CHECK_EQ(loop_now(loop_current()) - begun, 5 * SECOND);
}

/* Sleeps longer than it may once it is cancelled, with limits of its own in between. */
static struct error *writes_with_grace(void *data)
{
    struct story *story = data;
    {
        FIBER_GRACE(5 * SECOND);
        CHECK_OK(fiber_sleep(20 * SECOND));
        {
            FIBER_TIMEOUT(HOUR);
            CHECK_ERROR(fiber_sleep(30 * SECOND), ERROR_DEADLINE);
        }
        CHECK_ERROR(fiber_sleep(SECOND), ERROR_DEADLINE);
        story->steps = 1;
    }
    CHECK_ERROR(fiber_sleep(SECOND), ERROR_CANCELED);
    FIBER_GRACE(2 * SECOND);
    CHECK_ERROR(fiber_sleep(3 * SECOND), ERROR_DEADLINE);
    story->steps = 2;
    return NULL;
}

SIM_TEST(grace_begins_with_the_cancellation)
{
    struct story story = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "writes", writes_with_grace, &story);
    CHECK_OK(fiber_sleep(30 * SECOND));
    const int64_t begun = loop_now(loop_current());
    scope_cancel(&scope);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(story.steps, 2);
    CHECK_EQ(loop_now(loop_current()) - begun, 7 * SECOND);
}

static struct error *ends_late(void *data)
{
    struct story *story = data;
    FIBER_TIMEOUT(SECOND);
    CHECK_ERROR(fiber_sleep(2 * SECOND), ERROR_DEADLINE);
    FIBER_GRACE(5 * SECOND);
    CHECK_OK(fiber_sleep(4 * SECOND));
    CHECK_ERROR(fiber_sleep(4 * SECOND), ERROR_DEADLINE);
    story->steps = 1;
    return NULL;
}

SIM_TEST(grace_outlasts_a_deadline_that_has_passed)
{
    struct story story = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "late", ends_late, &story);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(story.steps, 1);
}

static struct error *fails_named(void *data)
{
    TRY(fiber_yield());
    return error_new(ERROR_CONFLICT, "%s", (const char *)data);
}

SIM_TEST(a_scope_joins_the_errors_of_its_fibers)
{
    SCOPED(scope) scope = {0};
    char names[3][2] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        scope_start(&scope, "fails", fails_named, names[i]);
    OWNED(error) err = scope_wait(&scope);
    CHECK(error_is(err, ERROR_CONFLICT));
    CHECK_EQ(strlen(err->message), strlen("a; b; c"));
    CHECK_OK(scope_wait(&scope));
}

static struct error *cut_short(void)
{
    SCOPED(scope) scope = {0};
    struct story story = {0};
    scope_start(&scope, "waits", waits_for_ever, &story);
    FIBER_TIMEOUT(SECOND);
    TRY(scope_wait(&scope), "join");
    return NULL;
}

SIM_TEST(an_interrupted_join_still_unwinds_the_members)
{
    CHECK_FAILS(cut_short(), ERROR_DEADLINE, "join: timed out while waiting for fibers to end");
}

struct limited {
    struct semaphore slots;
    int inside, most, turns;
};

static struct error *enters(void *data)
{
    struct limited *limited = data;
    TRY(semaphore_take(&limited->slots));
    if (++limited->inside > limited->most)
        limited->most = limited->inside;
    struct error *err = fiber_sleep(MILLISECOND);
    limited->inside--;
    limited->turns++;
    semaphore_give(&limited->slots);
    return err;
}

static struct error *crowd(void)
{
    struct limited limited = {.slots = {.permits = 3}};
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 20; i++)
        scope_start(&scope, "enters", enters, &limited);
    TRY(scope_wait(&scope));
    CHECK_EQ(limited.most, 3);
    CHECK_EQ(limited.turns, 20);
    CHECK_EQ(limited.slots.permits, (size_t)3);
    return NULL;
}

SIM_TEST(a_semaphore_admits_no_more_than_its_permits)
{
    CHECK_OK(crowd());
}

TORTURE_TEST(a_semaphore_loses_no_permit_to_an_interruption)
{
    return crowd();
}

static struct error *waits_briefly(void *data)
{
    struct story *story = data;
    FIBER_TIMEOUT(SECOND);
    struct error *err = event_wait(&story->event, "a turn");
    if (!err)
        story->steps++;
    return error_ignore(err, ERROR_DEADLINE);
}

/* The wake-up arrives in the very turn in which the first waiter's deadline passes. */
SIM_TEST(a_wake_up_that_meets_a_deadline_goes_to_the_next_waiter)
{
    struct story story = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "first", waits_briefly, &story);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    scope_start(&scope, "second", waits_briefly, &story);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    event_wake_one(&story.event);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(story.steps, 1);
}

static void add_one(void *data)
{
    ++*(int *)data;
}

SIM_TEST(workers_run_in_simulated_time_too)
{
    int value = 1;
    CHECK_OK(worker_run(add_one, &value, NULL));
    CHECK_EQ(value, 2);
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)1);
}

static struct error *works(void *data)
{
    return worker_run(add_one, data, NULL);
}

LOOP_TEST(workers_run_on_threads)
{
    int values[50] = {0};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(values); i++)
        scope_start(&scope, "works", works, &values[i]);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(values); i++)
        CHECK_EQ(values[i], 1);
}

/* A job that holds its worker until it is let go. */
struct gate {
    atomic_bool begun, open, discarded;
};

static void pass_gate(void *data)
{
    struct gate *gate = data;
    atomic_store(&gate->begun, true);
    while (!atomic_load(&gate->open))
        usleep(100);
}

static void gate_discard(void *data)
{
    atomic_store(&((struct gate *)data)->discarded, true);
}

static struct error *passes(void *data)
{
    return worker_run(pass_gate, data, NULL);
}

static struct error *passes_or_leaves(void *data)
{
    return worker_run(pass_gate, data, gate_discard);
}

static void sleep_until(atomic_bool *flag)
{
    while (!atomic_load(flag))
        CHECK_OK(fiber_sleep(MILLISECOND));
}

LOOP_TEST(a_worker_with_our_memory_is_waited_for)
{
    struct gate gate = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "passes", passes, &gate);
    sleep_until(&gate.begun);
    scope_cancel(&scope);
    CHECK_OK(fiber_sleep(5 * MILLISECOND));
    CHECK_EQ(scope_running(&scope), (size_t)1);
    atomic_store(&gate.open, true);
    CHECK_OK(scope_wait(&scope));
}

LOOP_TEST(an_abandoned_worker_cleans_up_after_itself)
{
    struct gate gate = {0};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "leaves", passes_or_leaves, &gate);
    sleep_until(&gate.begun);
    scope_cancel(&scope);
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    CHECK(!atomic_load(&gate.discarded));
    atomic_store(&gate.open, true);
    sleep_until(&gate.discarded);
}

struct record {
    char text[64];
    size_t len;
};

struct runner {
    struct record *record;
    char letter;
};

static struct error *leaves_letters(void *data)
{
    const struct runner *runner = data;
    for (int i = 0; i < 5; i++) {
        runner->record->text[runner->record->len++] = runner->letter;
        TRY(fiber_sleep((duration)random_below(loop_random(loop_current()), 3) * MILLISECOND));
    }
    return NULL;
}

static struct error *race(void *data)
{
    SCOPED(scope) scope = {0};
    struct runner runners[4];
    for (int i = 0; i < 4; i++) {
        runners[i] = (struct runner){.record = data, .letter = (char)('a' + i)};
        scope_start(&scope, "runs", leaves_letters, &runners[i]);
    }
    return scope_wait(&scope);
}

static struct record run_race(uint64_t seed)
{
    struct record record = {0};
    OWNED(loop) loop = sim_loop_new(seed);
    CHECK_OK(loop_run(loop, race, &record));
    return record;
}

TEST(the_same_seed_gives_the_same_run)
{
    bool differs = false;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct record first = run_race(seed), again = run_race(seed);
        CHECK_EQ(str_from(again.text, again.len), str_from(first.text, first.len));
        const struct record other = run_race(seed + 100);
        differs |= memcmp(first.text, other.text, first.len) != 0;
    }
    CHECK(differs);
}

static struct error *yields_often(void *data)
{
    (void)data;
    for (int i = 0; i < 100; i++)
        TRY(fiber_yield());
    return NULL;
}

SIM_TEST(a_thousand_fibers_come_and_go)
{
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 1000; i++)
        scope_start(&scope, "yields", yields_often, NULL);
    CHECK_OK(scope_wait(&scope));
}

/* Deep recursion with a frame that cannot be optimised into a loop. */
__attribute__((noinline)) static int dig(const volatile char *above, int depth)
{
    volatile char frame[256];
    frame[0] = above ? above[0] : 1;
    const int below = depth > 0 ? dig(frame, depth - 1) : 0;
    return below + frame[0];
}

static struct error *digs(void *data)
{
    (void)data;
    CHECK(dig(NULL, 1 << 20) != 1);
    return NULL;
}

static struct error *digs_in_a_fiber(void *data)
{
    SCOPED(scope) scope = {0};
    scope_start(&scope, "digger", digs, data);
    return scope_wait(&scope);
}

TEST(a_stack_overflow_is_a_clean_crash_with_a_message)
{
    int fds[2];
    CHECK_EQ(pipe(fds), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(fds[1], STDERR_FILENO);
        OWNED(loop) loop = loop_new();
        error_free(loop_run(loop, digs_in_a_fiber, NULL));
        _exit(0);
    }
    close(fds[1]);
    char text[4096] = {0};
    size_t len = 0;
    ssize_t n;
    while (len < sizeof(text) - 1 && (n = read(fds[0], text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)n;
    close(fds[0]);
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGABRT);
    CHECK_CONTAINS(str_from_c(text), STR("stack overflow in fiber \"digger\""));
}

static struct error *logs_with_context(void *data)
{
    const struct log_field field = LOG_STR("fiber", STR("child"));
    struct log_context context = {.fields = &field, .count = 1};
    log_context_push(&context);
    struct error *err = fiber_sleep(SECOND);
    *(bool *)data = log_context_current() == &context;
    log_context_pop(&context);
    return err;
}

SIM_TEST(the_log_context_travels_with_the_fiber)
{
    bool kept[2] = {false, false};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "logs", logs_with_context, &kept[0]);
    scope_start(&scope, "logs", logs_with_context, &kept[1]);
    CHECK_OK(fiber_yield());
    CHECK(log_context_current() == NULL);
    CHECK_OK(scope_wait(&scope));
    CHECK(kept[0] && kept[1]);
    CHECK(log_context_current() == NULL);
}

struct ending {
    struct task task;
    int yields, runs;
};

static void run_thrice(void *data)
{
    struct ending *ending = data;
    if (++ending->runs < 3)
        loop_post(loop_current(), &ending->task);
}

static struct error *end_with_a_task(void *data)
{
    struct ending *ending = data;
    for (int i = 0; i < ending->yields; i++)
        TRY(fiber_yield());
    loop_post(loop_current(), &ending->task);
    return NULL;
}

/* Whichever round of a turn the main fiber ends in: connections close in such tasks. */
TEST(tasks_posted_last_still_run)
{
    for (int yields = 0; yields < 40; yields++) {
        TEST_CASE("%d yields", yields);
        OWNED(loop) loop = loop_new();
        struct ending ending = {
            .yields = yields, .task = {.run = run_thrice, .data = &ending}
        };
        CHECK_OK(loop_run(loop, end_with_a_task, &ending));
        CHECK_EQ(ending.runs, 3);
    }
}

struct late_task {
    struct task task;
    bool has_run;
};

static void run_late_task(void *data)
{
    struct late_task *late = data;
    late->has_run = true;
}

/* Behind what is ready, but not for good: somebody may always be ready. */
SIM_TEST(late_tasks_run_behind_all_that_is_ready_for_a_while)
{
    struct loop *loop = loop_current();
    struct late_task late = {
        .task = {.run = run_late_task, .data = &late}
    };
    loop_post_late(loop, &late.task);
    CHECK_OK(fiber_yield());
    CHECK(!late.has_run);
    CHECK_OK(fiber_sleep(0));
    CHECK(late.has_run);

    TEST_CASE("while somebody is always ready");
    late.has_run = false;
    loop_post_late(loop, &late.task);
    const int64_t posted = loop_now(loop);
    while (!late.has_run) {
        sim_stall(loop, MILLISECOND);
        CHECK_OK(fiber_yield());
    }
    CHECK(loop_now(loop) - posted >= 4 * MILLISECOND);
    CHECK(loop_now(loop) - posted <= 12 * MILLISECOND);

    TEST_CASE("and when no time passes");
    late.has_run = false;
    loop_post_late(loop, &late.task);
    for (int i = 0; i < 1000 && !late.has_run; i++)
        CHECK_OK(fiber_yield());
    CHECK(late.has_run);

    TEST_CASE("and not when they were withdrawn");
    late.has_run = false;
    loop_post_late(loop, &late.task);
    loop_withdraw(&late.task);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!late.has_run);
}

#define DEEP (40 * KILOBYTE)

static __attribute__((noinline)) void touch_stack(void)
{
    volatile char room[DEEP];
    for (size_t i = 0; i < sizeof(room); i += 512)
        room[i] = 1;
}

/* Pages in memory among those below the frame. */
static size_t resident_pages(const char *frame)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *end = (char *)((uintptr_t)frame / page * page);
    unsigned char states[DEEP / 4096];
    size_t count = 0;
    CHECK_EQ(mincore(end - DEEP, DEEP, states), 0);
    for (size_t i = 0; i < DEEP / page; i++)
        count += states[i] & 1;
    return count;
}

/* Sanitizers keep what they know of a stack elsewhere, and the stack as it is. */
SIM_TEST(a_trimmed_stack_keeps_what_is_in_use)
{
    const int kept = 7;
    touch_stack();
    const size_t before = resident_pages(__builtin_frame_address(0));
    fiber_trim_stack();
    const size_t after = resident_pages(__builtin_frame_address(0));
    CHECK(before >= 8);
#if SANITIZE_ADDRESS || SANITIZE_THREAD
    CHECK_EQ(after, before);
#else
    CHECK(after <= 2);
#endif
    CHECK_EQ(kept, 7);
    touch_stack();
}
