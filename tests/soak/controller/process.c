/* The controller's process: everything it is made of, from nothing, and all of it gone again. */
#include "async/fiber.h"
#include "async/loop.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/manager.h"
#include "framework/framework_internal.h"
#include "soak/controller/soak.h"

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
    const struct client_options client = {.config = &soak->front.config, .network = soak->network};
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
    soak->queue = controller_queue(process->framework->controller);
    manager_add_controller(process->manager, framework_take_controller(process->framework));
    return manager_run(process->manager);
}

struct error *soak_process(void *data)
{
    struct soak *soak = data;
    SCOPED(process) process = {0};
    OWNED(error) err = live(soak, &process);
    soak->queue = NULL;
    life_is_over(&soak->life, err);
    return NULL;
}
