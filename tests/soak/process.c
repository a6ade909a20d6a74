/* The controller's process: everything it is made of, from nothing, and all of it gone again. */
#include "async/fiber.h"
#include "async/loop.h"
#include "client/client.h"
#include "client/discovery.h"
#include "framework/framework.h"
#include "reconcile/manager.h"
#include "soak/soak.h"

#define START_AGAIN_MOST (2 * SECOND)

struct process {
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct framework *framework;
    struct manager *manager;
};

static void process_done(struct process *process)
{
    manager_free(process->manager);
    framework_free(process->framework);
    cache_set_free(process->caches);
    discovery_free(process->discovery);
    discovery_pool_free(process->pool);
    client_free(process->client);
}

static struct error *live(struct soak *soak, struct process *process)
{
    struct framework_options options;
    const struct client_options client = {.config = &soak->config, .network = soak->network};
    process->client = client_new(loop_current(), &client);
    process->pool = discovery_pool_new();
    process->discovery = discovery_new(process->client, process->pool, NULL);
    process->caches = cache_set_new(loop_current(), process->client);
    web_describe(&options, &soak->profile.extras, &soak->counters);
    options.client = process->client;
    options.discovery = process->discovery;
    options.caches = process->caches;
    TRY(framework_new(loop_current(), &options, &process->framework));
    process->manager =
        manager_new(loop_current(), &(struct manager_options){.client = process->client,
                                                              .caches = process->caches});
    soak->queue = controller_queue(framework_controller(process->framework));
    manager_add_controller(process->manager, framework_take_controller(process->framework));
    return manager_run(process->manager);
}

static struct error *run_process(void *data)
{
    struct soak *soak = data;
    SCOPED(process) process = {0};
    OWNED(error) err = live(soak, &process);
    soak->queue = NULL;
    soak->process = NULL;
    soak_trace(soak, "controller: ends: %s", err ? err->message : "told to");
    return NULL;
}

static void plan_restart(struct soak *soak)
{
    soak->next_restart = 0;
    if (!soak->in_trouble || soak->restarts_left == 0)
        return;
    soak->restarts_left--;
    soak->next_restart =
        soak->parks + 1 + random_below(&soak->restart_dice, soak->profile.restart_parks);
}

struct error *soak_supervise(void *data)
{
    struct soak *soak = data;
    soak->restarts_left = soak->profile.restarts;
    for (;;) {
        SCOPED(scope) scope = {0};
        soak_trace(soak, "controller: begins");
        soak->lives++;
        plan_restart(soak);
        soak->process = scope_start(&scope, "process", run_process, soak);
        TRY(scope_wait(&scope));
        TRY(fiber_sleep(soak_span(&soak->restart_dice, START_AGAIN_MOST)));
    }
}

/* Asked before every suspension of anybody; those without a controller do not count. */
struct error *soak_on_park(void *data, const char *what)
{
    struct soak *soak = data;
    if (!soak->process)
        return NULL;
    soak->parks++;
    if (soak->parks != soak->next_restart && soak->parks != soak->restart_at)
        return NULL;
    soak->next_restart = 0;
    soak_trace(soak, "controller: killed while %s waits for %s", fiber_name(fiber_current()), what);
    struct fiber *victim = soak->process;
    fiber_cancel(victim);
    return victim == fiber_current() ? error_new(ERROR_CANCELED, "killed") : NULL;
}
