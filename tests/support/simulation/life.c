#include "support/simulation/life.h"

#include "async/fiber.h"
#include "support/simulation/draw.h"

#define START_AGAIN_MAX (2 * SECOND)

static void plan(struct life *life)
{
    life->last = 0;
    if (!life->may_restart || life->restarts_left == 0)
        return;
    life->restarts_left--;
    life->last = life->parks + 1 + random_below(&life->dice, life->parks_most);
}

struct error *life_supervise(void *data)
{
    struct life *life = data;
    for (;;) {
        SCOPED(scope) scope = {0};
        trace_print(life->trace, "controller: begins");
        life->count++;
        plan(life);
        life->process = scope_start(&scope, "process", life->run, life->data);
        TRY(scope_wait(&scope));
        TRY(fiber_sleep(draw_span(&life->dice, START_AGAIN_MAX)));
    }
}

void life_is_over(struct life *life, const struct error *err)
{
    life->process = NULL;
    trace_print(life->trace, "controller: ends: %s", err ? err->message : "told to");
}

static void kill_it(struct life *life)
{
    if (life->killed)
        life->killed(life->data);
    fiber_cancel(life->process);
}

/* Those without a controller do not count. */
struct error *life_on_park(void *data, const char *what)
{
    struct life *life = data;
    if (!life->process)
        return NULL;
    life->parks++;
    if (life->parks != life->last && life->parks != life->restart_at)
        return NULL;
    life->last = 0;
    trace_print(life->trace, "controller: killed while %s waits for %s",
                fiber_name(fiber_current()), what);
    const bool is_itself = life->process == fiber_current();
    kill_it(life);
    return is_itself ? error_new(ERROR_CANCELED, "killed") : NULL;
}

void life_end(struct life *life, const char *why)
{
    trace_print(life->trace, "controller: %s", why);
    if (life->process)
        kill_it(life);
}

void life_spare(struct life *life)
{
    life->last = life->restart_at = 0;
}
