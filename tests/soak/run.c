#include <stdarg.h>
#include <stdio.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "soak/soak.h"

#define CONVERGES_WITHIN (10 * MINUTE)
#define CALM             (6 * SECOND) /* instead of trouble: the first Webs are made */
#define LOOK_EVERY       (2 * SECOND)
#define STEADY_AFTER     (10 * SECOND) /* the last echoes of the last writes */
#define STEADY_FOR       (5 * MINUTE)
#define NO_OP_WITHIN     (5 * SECOND)
#define REQUESTS_MOST    300 /* without faults, until all is well */
#define LINE_MAX_LEN     1024
#define FNV_BASE         UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME        UINT64_C(0x100000001b3)

static void note(struct soak *soak, struct str line)
{
    for (size_t i = 0; i < line.len; i++)
        soak->hash = (soak->hash ^ (unsigned char)line.ptr[i]) * FNV_PRIME;
    if (soak->verbose)
        fprintf(stderr, "%.*s", STR_ARG(line));
}

void soak_trace(struct soak *soak, const char *format, ...)
{
    char text[LINE_MAX_LEN];
    va_list args;
    const int64_t now = loop_now(loop_current());
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(args);
    buf_clear(&soak->line);
    buf_print(&soak->line, "%9.3f %s\n", (double)(now - HOUR) / (double)SECOND, text);
    note(soak, buf_str(&soak->line));
}

static void on_log(void *data, struct str line)
{
    note(data, line);
}

static timestamp read_clock(void *data)
{
    (void)data;
    return loop_current() ? loop_wall(loop_current()) : 0;
}

static void go_through_trouble(struct soak *soak)
{
    SCOPED(scope) scope = {0};
    soak->in_trouble = true;
    scope_start(&scope, "edits", soak_edit, soak);
    if (soak->profile.weather)
        scope_start(&scope, "weather", soak_weather, soak);
    CHECK_OK(fiber_sleep(soak->profile.trouble));
}

/* Nothing is under way any more, and the controller sees what there is. */
static struct error *check_settled(struct soak *soak)
{
    TRY(soak_check(soak));
    if (soak->watches != WEB_WATCHES || soak->active != WEB_WATCHES)
        return error_new(ERROR_INVALID, "%zu requests are under way, %zu of them watches",
                         soak->active, soak->watches);
    return NULL;
}

/* How long it took. */
static duration converge(struct soak *soak)
{
    const int64_t begun = loop_now(loop_current());
    const size_t requests = soak->requests;
    OWNED(error) problem = NULL;
    while ((problem = check_settled(soak))) {
        if (loop_now(loop_current()) - begun > CONVERGES_WITHIN)
            test_fail(TEST_PLACE("objects"), "are not as they should be: %s", problem->message);
        error_free(TAKE(problem));
        CHECK_OK(fiber_sleep(LOOK_EVERY));
    }
    soak_trace(soak, "all is as it should be");
    if (soak->requests - requests > REQUESTS_MOST)
        test_fail(TEST_PLACE("requests"), "are too many to get there: %zu",
                  soak->requests - requests);
    return loop_now(loop_current()) - begun;
}

/* Nothing is written, and of single objects nothing is read. */
static void stay(struct soak *soak)
{
    CHECK_OK(fiber_sleep(STEADY_AFTER));
    CHECK_OK(soak_check(soak));
    soak_trace(soak, "the steady state begins");
    const size_t writes = soak->writes;
    const int64_t revision = store_revision(soak->api->store);
    CHECK_OK(fiber_sleep(STEADY_FOR / 2));
    if (soak->seed % 4 == 0) {
        soak_trace(soak, "controller: restarts in the steady state");
        fiber_cancel(soak->process);
    }
    CHECK_OK(fiber_sleep(STEADY_FOR / 2));
    CHECK_EQ(soak->writes, writes);
    CHECK_EQ(store_revision(soak->api->store), revision);
    CHECK_OK(soak_check(soak));
}

/* A reconcile with nothing to do asks nothing. */
static void reconcile_again(struct soak *soak)
{
    struct queue *queue = soak->queue;
    CHECK(queue != NULL);
    const size_t builds = soak->counters.builds, reads = soak->reads, writes = soak->writes;
    soak_trace(soak, "once more for nothing");
    queue_add(queue, KEY("default", "w0"), QUEUE_NORMAL);
    queue_add(queue, KEY("default", "w1"), QUEUE_NORMAL);
    CHECK_OK(fiber_sleep(NO_OP_WITHIN));
    CHECK_EQ(soak->counters.builds, builds + WEB_NAMES - 1);
    CHECK_EQ(soak->reads, reads);
    CHECK_EQ(soak->writes, writes);
}

struct run {
    struct soak soak;
    struct soak_result *result;
};

static struct error *run(void *data)
{
    struct run *run = data;
    struct soak *soak = &run->soak;
    soak_server_open(soak);
    soak_world_begin(soak);
    {
        SCOPED(scope) scope = {0};
        soak->in_trouble = soak->restart_at == 0;
        scope_start(&scope, "supervisor", soak_supervise, soak);
        scope_start(&scope, "kubelet", soak_make_ready, soak);
        if (soak->in_trouble)
            go_through_trouble(soak);
        else
            CHECK_OK(fiber_sleep(CALM));
        soak_clear_sky(soak);
        soak_world_end(soak);
        run->result->took = converge(soak);
        soak->next_restart = soak->restart_at = 0;
        stay(soak);
        reconcile_again(soak);
    }
    soak_write_state(soak, &run->result->state);
    soak_server_close(soak);
    return NULL;
}

void soak_run(const struct soak_options *options, struct soak_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct run all = {
        .soak = {.ground = options->ground,
                 .seed = options->seed,
                 .restart_at = options->restart_at,
                 .verbose = options->verbose,
                 .hash = FNV_BASE},
        .result = ret_result,
    };
    *ret_result = (struct soak_result){0};
    log_set_sink(on_log, &all.soak);
    log_set_clock(read_clock, NULL);
    soak_profile_draw(&all.soak);
    loop_set_park_hook(loop, soak_on_park, &all.soak);
    CHECK_OK(loop_run(loop, run, &all));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    CHECK_EQ(loop_timer_count(loop), 0U);
    loop_free(loop);
    log_set_sink(NULL, NULL);
    buf_done(&all.soak.line);
    ret_result->hash = all.soak.hash;
    ret_result->parks = all.soak.parks;
    ret_result->requests = all.soak.requests;
    ret_result->lives = all.soak.lives;
}
