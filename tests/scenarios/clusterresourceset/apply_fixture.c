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

static void open_proxy(struct apply_fixture *fixture)
{
    fixture->proxy.behind = fixture->apiserver.direct;
    fixture->proxy.notes_paths = true;
    proxy_open(&fixture->proxy, fixture->apiserver.network, PROXY);
    fixture->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    fixture->config.host = STR("http://proxy.test");
    fixture->client =
        client_new(loop_current(), &(struct client_options){.config = &fixture->config,
                                                            .network = fixture->apiserver.network,
                                                            .user_agent = STR("manager/v1 (linux)"),
                                                            .timeout = 10 * SECOND,
                                                            .qps = -1});
    fixture->pool = discovery_pool_new();
    fixture->discovery = discovery_new(fixture->client, fixture->pool, NULL);
}

void apply_fixture_init(struct apply_fixture *fixture)
{
    *fixture = (struct apply_fixture){0};
    apiserver_fixture_init(&fixture->apiserver, &(struct apiserver_options){.virtual_clusters = 1});
    open_proxy(fixture);
}

void apply_fixture_done(struct apply_fixture *fixture)
{
    discovery_free(fixture->discovery);
    discovery_pool_free(fixture->pool);
    client_free(fixture->client);
    proxy_done(&fixture->proxy);
    apiserver_fixture_done(&fixture->apiserver);
    error_free(fixture->err);
    arena_done(&fixture->arena);
}

void apply_fixture_refuse(struct apply_fixture *fixture, bool refuse)
{
    sim_network_set_faults(fixture->apiserver.network, PROXY,
                           &(struct sim_faults){.refuse = refuse});
}

void apply_fixture_apply(struct apply_fixture *fixture, enum apply_strategy strategy,
                         const char *const *manifests)
{
    const struct apply_target target = {fixture->client, fixture->discovery, fixture->is_first};
    struct apply_item items[ITEMS_MAX];
    size_t count = 0;
    error_free(TAKE(fixture->err));
    arena_clear(&fixture->arena);
    proxy_forget(&fixture->proxy);
    for (; manifests[count]; count++) {
        struct object *object = NULL;
        CHECK(count < ITEMS_MAX);
        CHECK_OK(object_read(str_from_c(manifests[count]), &object));
        items[count] = (struct apply_item){object_hold(&fixture->arena, object), STR("data"),
                                           count + 1, STR("")};
        object_free(object);
    }
    fixture->err =
        apply_objects(&target, items, count, strategy, &fixture->arena, &fixture->report);
    CHECK_EQ(fixture->report.objects, count);
    CHECK_EQ(fixture->report.created + fixture->report.changed + fixture->report.unchanged +
                 fixture->report.failed,
             count);
    CHECK_EQ(fixture->report.failed > 0, fixture->err != NULL);
}

void apply_fixture_check(const struct apply_fixture *fixture, size_t created, size_t changed,
                         size_t unchanged)
{
    CHECK_EQ(apply_fixture_text(fixture), STR(""));
    CHECK_EQ(fixture->report.created, created);
    CHECK_EQ(fixture->report.changed, changed);
    CHECK_EQ(fixture->report.unchanged, unchanged);
}

struct str apply_fixture_text(const struct apply_fixture *fixture)
{
    return fixture->err ? str_from_c(fixture->err->message) : STR("");
}

int apply_fixture_call(struct apply_fixture *fixture, const char *method, const char *target,
                       const char *body)
{
    return apiserver_fixture_call(&fixture->apiserver, method, target, body);
}

void apply_fixture_do(struct apply_fixture *fixture, const char *method, const char *target,
                      const char *body)
{
    apiserver_fixture_do(&fixture->apiserver, method, target, body);
}

struct str apply_fixture_look(struct apply_fixture *fixture, const char *target, const char *path)
{
    return apiserver_fixture_look(&fixture->apiserver, target, path);
}
