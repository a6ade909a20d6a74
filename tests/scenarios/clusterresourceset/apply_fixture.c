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
    apply_fixture_forget(fixture);
    discovery_free(fixture->discovery);
    discovery_pool_free(fixture->pool);
    client_free(fixture->client);
    proxy_done(&fixture->proxy);
    apiserver_fixture_done(&fixture->apiserver);
}

void apply_fixture_forget(struct apply_fixture *fixture)
{
    error_free(TAKE(fixture->err));
    failures_done(&fixture->failures);
    arena_done(&fixture->arena);
    fixture->arena = (struct arena){0};
    fixture->failures = (struct failures){.arena = &fixture->arena};
    proxy_forget(&fixture->proxy);
}

void apply_fixture_apply_items(struct apply_fixture *fixture, enum apply_strategy strategy,
                               const struct apply_item *items, size_t count)
{
    const struct apply_target target = {.client = fixture->client,
                                        .discovery = fixture->discovery,
                                        .field_manager = STR("corset:default/s"),
                                        .is_first = fixture->is_first};
    const struct apply_batch batch = {.resource = STR("ConfigMap cm1"),
                                      .items = items,
                                      .count = count,
                                      .strategy = strategy,
                                      .failures = &fixture->failures,
                                      .notices = &fixture->notices};
    fixture->notices = (struct apply_notices){0};
    fixture->failures.objects = count;
    fixture->err = apply_objects(&target, &batch, &fixture->report);
    CHECK_EQ(fixture->report.objects, count);
    CHECK_EQ(fixture->report.created + fixture->report.changed + fixture->report.unchanged +
                 fixture->report.applied + fixture->report.failed,
             count);
    CHECK_EQ(fixture->report.failed > 0, fixture->err != NULL);
    CHECK_EQ(fixture->report.failed, fixture->failures.failed);
}

void apply_fixture_refuse(struct apply_fixture *fixture, bool refuse)
{
    sim_network_set_faults(fixture->apiserver.network, PROXY,
                           &(struct sim_faults){.refuse = refuse});
}

void apply_fixture_apply(struct apply_fixture *fixture, enum apply_strategy strategy,
                         const char *const *manifests)
{
    struct apply_item items[ITEMS_MAX];
    size_t count = 0;
    apply_fixture_forget(fixture);
    for (; manifests[count]; count++) {
        struct object *object = NULL;
        CHECK(count < ITEMS_MAX);
        CHECK_OK(object_read(str_from_c(manifests[count]), &object));
        items[count] = (struct apply_item){.object = object_hold(&fixture->arena, object),
                                           .key = STR("data"),
                                           .document = count + 1};
        object_free(object);
    }
    apply_fixture_apply_items(fixture, strategy, items, count);
}

void apply_fixture_check(struct apply_fixture *fixture, size_t created, size_t changed,
                         size_t unchanged)
{
    CHECK_EQ(apply_fixture_text(fixture), STR(""));
    CHECK_EQ(fixture->report.created, created);
    CHECK_EQ(fixture->report.changed, changed);
    CHECK_EQ(fixture->report.unchanged, unchanged);
}

struct str apply_fixture_text(struct apply_fixture *fixture)
{
    SCOPED(buf) text = {.limit = 0};
    if (!failures_is_empty(&fixture->failures))
        failures_write(&fixture->failures, &text, 2048);
    return arena_str(&fixture->arena, buf_str(&text));
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
