/*
 * manager_run() is run_parts() followed by stop_parts(). Parts run in three scopes (struct stages):
 * runnables, the leader election and controllers. The first part that fails stores its error in
 * manager->err and wakes run_parts(), which returns it.
 *
 * The scopes are cancelled one after the other, controllers first: the lease is released only after
 * the last reconcile has ended.
 */
#include "controller/manager.h"

#include "async/event.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/list.h"
#include "base/log.h"
#include "base/memory.h"
#include "controller/api_contact.h"
#include "controller/cache/cache.h"
#include "controller/controller.h"
#include "controller/diagnostics.h"
#include "controller/health.h"
#include "controller/leader.h"

#define SYNC_TIMEOUT_DEFAULT (5 * MINUTE)
#define GRACE_DEFAULT        (30 * SECOND)

/* A runnable or a controller. Each runs on its own fiber. */
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
    struct api_contact contact;         /* unless there are no caches */
    struct list runnables, controllers; /* of struct part */

    /* During manager_run(). */
    struct event changed;
    struct error *err; /* of the first part that has failed */
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
    if (options->caches)
        api_contact_init(&manager->contact, loop, options->caches, manager->health,
                         options->metrics);
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

/* Takes the error of a part. Only the first one is kept; ERROR_CANCELED is not an error. */
static void end_run(struct manager *manager, struct error *err)
{
    err = error_ignore(err, ERROR_CANCELED);
    if (!manager->err)
        manager->err = TAKE(err);
    error_free(err);
    event_wake_all(&manager->changed);
}

/* The fiber of a part. A part that returns without an error ends by itself and nothing else. */
static struct error *run_part(void *data)
{
    struct part *part = data;
    end_run(part->manager, error_wrap(part->fn(part->data), "%s", part->name));
    return NULL;
}

static void start_parts(struct scope *scope, struct list *parts)
{
    LIST_FOREACH (struct part, part, parts, link)
        scope_start(scope, part->name, run_part, part);
}

/* Suspends until the leadership is lost, or the fiber is cancelled and the lease is released. */
static struct error *lead(struct manager *manager)
{
    TRY(leader_acquire(manager->options.leader));
    manager->leads = true;
    event_wake_all(&manager->changed);
    return leader_hold(manager->options.leader);
}

static struct error *run_leader(void *data)
{
    struct manager *manager = data;
    end_run(manager, lead(manager));
    return NULL;
}

/* Servers start first, so that probes are answered while caches sync. Suspends. */
/* The log names the ports, since port 0 lets the system choose one. */
static struct error *start_servers(struct manager *manager)
{
    if (manager->health) {
        TRY(health_listen(manager->health));
        log_info("Starting server", LOG_STR("name", STR("health probe")),
                 LOG_INT("port", manager_health_port(manager)));
    }
    if (manager->diagnostics) {
        TRY(diagnostics_listen(manager->diagnostics));
        log_info("Starting server", LOG_STR("name", STR("diagnostics")),
                 LOG_INT("port", manager_diagnostics_port(manager)));
    }
    return NULL;
}

/* The log tells of a server that is away while the caches are waited for and ever after. */
static void start_contact(struct manager *manager, struct scope *scope)
{
    if (!manager->options.caches)
        return;
    scope_start(scope, "contact", api_contact_run, &manager->contact);
    scope_start(scope, "probe", api_contact_probe, &manager->contact);
}

/* Suspends until all caches are synced or sync_timeout is over. */
static struct error *sync_caches(struct manager *manager)
{
    if (!manager->options.caches)
        return NULL;
    FIBER_TIMEOUT(manager->options.sync_timeout);
    TRY(cache_set_wait_synced(manager->options.caches), "wait for caches to sync");
    manager->contact.has_synced = true;
    return NULL;
}

/* The scopes of all parts, in the order of their start. They are stopped in reverse order. */
struct stages {
    struct scope always, lead, work;
};

/* Starts everything. Suspends until a part has failed or the fiber is cancelled. */
static struct error *run_parts(struct manager *manager, struct stages *stages)
{
    TRY(start_servers(manager));
    start_contact(manager, &stages->always);
    TRY(sync_caches(manager));
    start_parts(&stages->always, &manager->runnables);
    manager->leads = !manager->options.leader;
    if (manager->options.leader)
        scope_start(&stages->lead, "leader", run_leader, manager);
    while (!manager->err && !manager->leads)
        TRY(event_wait(&manager->changed, "leadership"));
    if (!manager->err)
        start_parts(&stages->work, &manager->controllers);
    while (!manager->err)
        TRY(event_wait(&manager->changed, "the end"));
    return TAKE(manager->err);
}

/* Cancels a scope and waits for it. Parts that exceed the grace period are logged, then awaited. */
static void stop_stage(struct scope *scope, const char *name)
{
    scope_cancel(scope);
    OWNED(error) err = scope_wait(scope);
    if (err)
        log_error("Parts are still running after the grace period",
                  LOG_STR("stage", str_from_c(name)), LOG_ERROR(err));
    scope_done(scope);
}

/* Suspends. The shield lets the fiber wait although it was cancelled. */
static void stop_parts(struct manager *manager, struct stages *stages)
{
    FIBER_SHIELD(manager->options.grace);
    log_info("Stopping and waiting for controllers");
    stop_stage(&stages->work, "controllers");
    stop_stage(&stages->lead, "leader");
    stop_stage(&stages->always, "runnables");
}

/* Cancelling the fiber is the normal way to stop and therefore a success. */
struct error *manager_run(struct manager *manager)
{
    struct stages stages = {0};
    struct error *err = run_parts(manager, &stages);
    stop_parts(manager, &stages);
    error_free(TAKE(manager->err)); /* of parts that failed while they were stopping */
    return error_ignore(err, ERROR_CANCELED);
}
