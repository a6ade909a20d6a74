#include "controller/manager.h"

#include "async/event.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/list.h"
#include "base/log.h"
#include "base/memory.h"
#include "controller/cache/cache.h"
#include "controller/controller.h"
#include "controller/diagnostics.h"
#include "controller/health.h"
#include "controller/leader.h"

#define SYNC_TIMEOUT_DEFAULT (5 * MINUTE)
#define GRACE_DEFAULT        (30 * SECOND)

/* Something that runs on a fiber of its own. */
struct part {
    struct list_link link;
    struct manager *manager;
    const char *name;
    fiber_fn fn;
    void *data;
};

struct manager {
    struct loop *loop;
    struct manager_options options;
    struct health *health;
    struct diagnostics *diagnostics;
    struct list runnables, controllers; /* of struct part */

    /* While it runs. */
    struct event changed;
    struct error *err; /* of the first part that failed */
    bool leads;
};

struct manager *manager_new(struct loop *loop, const struct manager_options *options)
{
    struct manager *manager = NEW(struct manager);
    manager->loop = loop;
    manager->options = *options;
    if (!manager->options.sync_timeout)
        manager->options.sync_timeout = SYNC_TIMEOUT_DEFAULT;
    if (!manager->options.grace)
        manager->options.grace = GRACE_DEFAULT;
    if (options->health_host.len)
        manager->health = health_new(loop, &(struct health_options){.network = options->network,
                                                                    .host = options->health_host,
                                                                    .port = options->health_port});
    if (options->diagnostics_host.len)
        manager->diagnostics = diagnostics_new(
            loop, &(struct diagnostics_options){.network = options->network,
                                                .host = options->diagnostics_host,
                                                .port = options->diagnostics_port,
                                                .metrics = options->metrics,
                                                .insecure = options->insecure_diagnostics,
                                                .client = options->client});
    list_init(&manager->runnables);
    list_init(&manager->controllers);
    return manager;
}

void manager_free(struct manager *manager)
{
    if (!manager)
        return;
    LIST_FOREACH (struct part, part, &manager->controllers, link) {
        controller_free(part->data);
        mem_free(part);
    }
    LIST_FOREACH (struct part, part, &manager->runnables, link)
        mem_free(part);
    leader_free(manager->options.leader);
    diagnostics_free(manager->diagnostics);
    health_free(manager->health);
    mem_free(manager);
}

static void add_part(struct manager *manager, struct list *list, const char *name, fiber_fn fn,
                     void *data)
{
    struct part *part = NEW(struct part);
    *part = (struct part){.manager = manager, .name = name, .fn = fn, .data = data};
    list_append(list, &part->link);
}

static struct error *run_controller(void *data)
{
    return controller_run(data);
}

void manager_add_controller(struct manager *manager, struct controller *controller)
{
    add_part(manager, &manager->controllers, controller_name(controller).ptr, run_controller,
             controller);
}

void manager_add_runnable(struct manager *manager, const char *name, fiber_fn fn, void *data)
{
    add_part(manager, &manager->runnables, name, fn, data);
}

uint16_t manager_health_port(const struct manager *manager)
{
    return manager->health ? health_port(manager->health) : 0;
}

uint16_t manager_diagnostics_port(const struct manager *manager)
{
    return manager->diagnostics ? diagnostics_port(manager->diagnostics) : 0;
}

/* Takes the error. The first one counts; being cancelled is none. */
static void fail(struct manager *manager, struct error *err)
{
    err = error_ignore(err, ERROR_CANCELED);
    if (!manager->err)
        manager->err = TAKE(err);
    error_free(err);
    event_wake_all(&manager->changed);
}

static struct error *run_part(void *data)
{
    struct part *part = data;
    fail(part->manager, error_wrap(part->fn(part->data), "%s", part->name));
    return NULL;
}

static void start_all(struct scope *scope, struct list *parts)
{
    LIST_FOREACH (struct part, part, parts, link)
        scope_start(scope, part->name, run_part, part);
}

static struct error *be_leader(struct manager *manager)
{
    TRY(leader_acquire(manager->options.leader));
    manager->leads = true;
    event_wake_all(&manager->changed);
    return leader_hold(manager->options.leader);
}

static struct error *run_leader(void *data)
{
    struct manager *manager = data;
    fail(manager, be_leader(manager));
    return NULL;
}

/* Suspends. */
static struct error *serve(struct manager *manager)
{
    if (manager->health)
        TRY(health_listen(manager->health));
    if (manager->diagnostics)
        TRY(diagnostics_listen(manager->diagnostics));
    return NULL;
}

/* Suspends. */
static struct error *sync_caches(struct manager *manager)
{
    if (!manager->options.caches)
        return NULL;
    FIBER_TIMEOUT(manager->options.sync_timeout);
    TRY(cache_set_wait_synced(manager->options.caches), "wait for caches to sync");
    return NULL;
}

/* What runs, in the order in which it is started; stopped from the last to the first. */
struct stages {
    struct scope always, lead, work;
};

/* Suspends until a part fails or something interrupts. */
static struct error *start_and_wait(struct manager *manager, struct stages *stages)
{
    TRY(serve(manager));
    TRY(sync_caches(manager));
    start_all(&stages->always, &manager->runnables);
    manager->leads = !manager->options.leader;
    if (manager->options.leader)
        scope_start(&stages->lead, "leader", run_leader, manager);
    while (!manager->err && !manager->leads)
        TRY(event_wait(&manager->changed, "leadership"));
    if (!manager->err)
        start_all(&stages->work, &manager->controllers);
    while (!manager->err)
        TRY(event_wait(&manager->changed, "the end"));
    return TAKE(manager->err);
}

/* Suspends until these have stopped. Under the shield of stop(). */
static void stop_stage(struct scope *scope, const char *name)
{
    scope_cancel(scope);
    OWNED(error) err = scope_wait(scope);
    if (err)
        log_error("Parts are still running after the grace period",
                  LOG_STR("stage", str_from_c(name)), LOG_ERROR(err));
    scope_done(scope);
}

static void stop(struct manager *manager, struct stages *stages)
{
    FIBER_SHIELD(manager->options.grace);
    log_info("Stopping and waiting for controllers");
    stop_stage(&stages->work, "controllers");
    stop_stage(&stages->lead, "leader");
    stop_stage(&stages->always, "runnables");
}

struct error *manager_run(struct manager *manager)
{
    struct stages stages = {0};
    struct error *err = start_and_wait(manager, &stages);
    stop(manager, &stages);
    error_free(TAKE(manager->err)); /* of parts that failed while they were stopped */
    return error_ignore(err, ERROR_CANCELED);
}
