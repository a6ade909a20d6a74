#include "product/library/stage.h"

#include <unistd.h>

#include "apimachinery/object_list.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/test.h"

#define STEADY        (2 * SECOND)
#define ARGUMENTS_MAX 16

void stage_done(struct stage *stage)
{
    client_free(stage->client);
    tls_context_free(stage->tls);
    network_free(stage->network);
    rest_config_done(&stage->config);
    child_done(&stage->controller);
    child_done(&stage->server);
    folder_done(&stage->folder);
}

void stage_run(struct stage *stage, const char *program, const char *const *more)
{
    const char *arguments[ARGUMENTS_MAX] = {program, "--kubeconfig",
                                            folder_file(&stage->folder, "kubeconfig")};
    for (size_t i = 3; more && *more && i < ARGUMENTS_MAX - 1; i++)
        arguments[i] = *more++;
    CHECK_OK(
        child_start(&stage->controller, arguments, folder_file(&stage->folder, "controller.log")));
}

void stage_apply(struct stage *stage, struct gvr gvr, struct str yaml)
{
    SCOPED(manifest_list) list = {0};
    const struct client_write_options options = {.field_manager = STR("test")};
    CHECK_OK(manifest_read(yaml, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        OWNED(object) object = NULL;
        CHECK_OK(object_from_doc(list.docs[i], &object));
        CHECK_OK(client_apply(stage->client, gvr, object, &options, NULL));
    }
}

static void start_server(struct stage *stage)
{
    const char *kubeconfig = folder_file(&stage->folder, "kubeconfig");
    const char *const arguments[] = {TEST_CORSET,   "apiserver",          "--in-memory", "--listen",
                                     "127.0.0.1:0", "--write-kubeconfig", kubeconfig,    NULL};
    const struct kubeconfig_paths paths = {.file = str_from_c(kubeconfig)};
    FIBER_TIMEOUT(STAGE_PATIENCE);
    CHECK_OK(child_start(&stage->server, arguments, folder_file(&stage->folder, "server.log")));
    while (access(kubeconfig, R_OK) != 0)
        CHECK_OK(fiber_sleep(STAGE_POLL));
    CHECK_OK(kubeconfig_load(&paths, NULL, &stage->config));
    stage->network = tcp_network_new(loop_current());
    stage->tls = tls_context_new();
    const struct client_options options = {
        .config = &stage->config, .network = stage->network, .tls = stage->tls, .qps = -1};
    stage->client = client_new(loop_current(), &options);
}

/* A kind is served a moment after its definition: the answer then is about the object. */
static void wait_served(struct stage *stage)
{
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (;;) {
        OWNED(error) err = client_get(stage->client, stage->owners, stage->owner, NULL, NULL);
        CHECK(error_is(err, ERROR_NOT_FOUND));
        if (str_contains(str_from_c(err->message), stage->owner.name))
            return;
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
}

void stage_init(struct stage *stage, const char *program, const char *const *more, struct str crd,
                struct gvr owners, struct key owner)
{
    *stage = (struct stage){.owners = owners, .owner = owner};
    folder_init(&stage->folder);
    start_server(stage);
    stage_run(stage, program, more);
    stage_apply(stage, GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions"), crd);
    wait_served(stage);
}

struct object *stage_get(struct stage *stage, struct gvr gvr, struct key key)
{
    struct object *object = NULL;
    OWNED(error) err = client_get(stage->client, gvr, key, NULL, &object);
    CHECK(!err || error_is(err, ERROR_NOT_FOUND));
    return object;
}

void stage_wait(struct stage *stage, struct gvr gvr, struct key key, const char *path,
                const char *text)
{
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (;;) {
        OWNED(object) object = stage_get(stage, gvr, key);
        const struct str seen =
            object ? json_path_str(object_root(object), path ? path : "kind") : STR("(none)");
        TEST_CASE("%.*s %s: %.*s", STR_ARG(key.name), path ? path : "", STR_ARG(seen));
        if (text ? object && str_eq(seen, str_from_c(text)) : !object)
            return;
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
}

struct str stage_condition(const struct object *object, const char *type, const char *field)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, object_path(object, "status.conditions"))
        if (str_eq(json_path_str(item, "type"), str_from_c(type)))
            return json_path_str(item, field);
    return STR("");
}

void stage_wait_status(struct stage *stage, const char *in_progress, const char *failed)
{
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (;;) {
        int64_t observed = 0;
        OWNED(object) owner = stage_get(stage, stage->owners, stage->owner);
        CHECK(owner);
        const struct str first = stage_condition(owner, "InProgress", "status");
        const struct str second = stage_condition(owner, "Failed", "status");
        const struct str why = stage_condition(owner, "Failed", "message");
        json_to_int64(object_path(owner, "status.observedGeneration"), &observed);
        TEST_CASE("InProgress=%.*s Failed=%.*s %.*s", STR_ARG(first), STR_ARG(second),
                  STR_ARG(why));
        if (observed == object_generation(owner) && str_eq(first, str_from_c(in_progress)) &&
            str_eq(second, str_from_c(failed)))
            return;
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
}

void stage_patch(struct stage *stage, struct gvr gvr, struct key key, const char *subresource,
                 const char *body)
{
    const struct client_write_options options = {.subresource = str_from_c(subresource)};
    CHECK_OK(client_patch(stage->client, gvr, key, CLIENT_PATCH_MERGE, str_from_c(body), &options,
                          NULL));
}

/* The version of everything: it moves with every write, whoever makes it. */
static struct str newest(struct stage *stage, struct arena *arena)
{
    struct object_list list;
    CHECK_OK(client_list_page(stage->client, stage->owners, STR(""), NULL, arena, &list));
    return arena_str(arena, list.resource_version);
}

void stage_check_steady(struct stage *stage)
{
    SCOPED(arena) arena = {0};
    CHECK_OK(fiber_sleep(STEADY / 4)); /* what was under way ends */
    const struct str before = newest(stage, &arena);
    CHECK_OK(fiber_sleep(STEADY));
    CHECK_EQ(newest(stage, &arena), before);
}
