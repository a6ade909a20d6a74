#include "scenarios/clusterresourceset/apply_fixture.h"

#include <string.h>

#include "async/fiber.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "http/server.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim_network.h"

#define PROXY      STR("proxy.test")
#define PROXY_PORT 80
#define ITEMS_MAX  64

static void open_proxy(struct apply_fixture *rig)
{
    rig->proxy.behind = rig->apiserver.direct;
    rig->proxy.notes_paths = true;
    proxy_open(&rig->proxy, rig->apiserver.network, PROXY);
    rig->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    rig->config.host = STR("http://proxy.test");
    rig->client =
        client_new(loop_current(), &(struct client_options){.config = &rig->config,
                                                            .network = rig->apiserver.network,
                                                            .user_agent = STR("manager/v1 (linux)"),
                                                            .timeout = 10 * SECOND,
                                                            .qps = -1});
    rig->pool = discovery_pool_new();
    rig->discovery = discovery_new(rig->client, rig->pool, NULL);
}

void apply_fixture_init(struct apply_fixture *rig)
{
    *rig = (struct apply_fixture){0};
    apiserver_fixture_init(&rig->apiserver, &(struct apiserver_options){.virtual_clusters = 1});
    open_proxy(rig);
}

void apply_fixture_done(struct apply_fixture *rig)
{
    discovery_free(rig->discovery);
    discovery_pool_free(rig->pool);
    client_free(rig->client);
    proxy_done(&rig->proxy);
    apiserver_fixture_done(&rig->apiserver);
    error_free(rig->err);
    arena_done(&rig->arena);
}

void apply_fixture_refuse(struct apply_fixture *rig, bool refuse)
{
    sim_network_set_faults(rig->apiserver.network, PROXY, &(struct sim_faults){.refuse = refuse});
}

void apply_fixture_apply(struct apply_fixture *rig, enum apply_strategy strategy,
                         const char *const *manifests)
{
    const struct apply_target target = {rig->client, rig->discovery, rig->is_first};
    struct apply_item items[ITEMS_MAX];
    size_t count = 0;
    error_free(TAKE(rig->err));
    arena_clear(&rig->arena);
    proxy_forget(&rig->proxy);
    for (; manifests[count]; count++) {
        struct object *object = NULL;
        CHECK(count < ITEMS_MAX);
        CHECK_OK(object_read(str_from_c(manifests[count]), &object));
        items[count] =
            (struct apply_item){object_hold(&rig->arena, object), STR("data"), count + 1, STR("")};
        object_free(object);
    }
    rig->err = apply_objects(&target, items, count, strategy, &rig->arena, &rig->report);
    CHECK_EQ(rig->report.objects, count);
    CHECK_EQ(rig->report.created + rig->report.changed + rig->report.unchanged + rig->report.failed,
             count);
    CHECK_EQ(rig->report.failed > 0, rig->err != NULL);
}

void apply_fixture_check(const struct apply_fixture *rig, size_t created, size_t changed,
                         size_t unchanged)
{
    CHECK_EQ(apply_fixture_text(rig), STR(""));
    CHECK_EQ(rig->report.created, created);
    CHECK_EQ(rig->report.changed, changed);
    CHECK_EQ(rig->report.unchanged, unchanged);
}

struct str apply_fixture_text(const struct apply_fixture *rig)
{
    return rig->err ? str_from_c(rig->err->message) : STR("");
}

int apply_fixture_call(struct apply_fixture *rig, const char *method, const char *target,
                       const char *body)
{
    return apiserver_fixture_call(&rig->apiserver, method, target, body);
}

void apply_fixture_do(struct apply_fixture *rig, const char *method, const char *target,
                      const char *body)
{
    apiserver_fixture_do(&rig->apiserver, method, target, body);
}

struct str apply_fixture_look(struct apply_fixture *rig, const char *target, const char *path)
{
    return apiserver_fixture_look(&rig->apiserver, target, path);
}
