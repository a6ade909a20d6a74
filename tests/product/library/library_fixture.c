#include "product/library/library_fixture.h"

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

void library_fixture_done(struct library_fixture *fixture)
{
    client_free(fixture->client);
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    rest_config_done(&fixture->config);
    child_done(&fixture->controller);
    child_done(&fixture->server);
    folder_done(&fixture->folder);
}

void library_fixture_run(struct library_fixture *fixture, const char *program,
                         const char *const *more)
{
    const char *arguments[ARGUMENTS_MAX] = {program, "--kubeconfig",
                                            folder_file(&fixture->folder, "kubeconfig")};
    for (size_t i = 3; more && *more && i < ARGUMENTS_MAX - 1; i++)
        arguments[i] = *more++;
    CHECK_OK(child_start(&fixture->controller, arguments,
                         folder_file(&fixture->folder, "controller.log")));
}

void library_fixture_apply_to(struct client *client, struct gvr gvr, struct str yaml)
{
    SCOPED(manifest_list) list = {0};
    const struct client_write_options options = {.field_manager = STR("test")};
    CHECK_OK(manifest_read(yaml, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        OWNED(object) object = NULL;
        CHECK_OK(object_from_doc(list.docs[i], &object));
        CHECK_OK(client_apply(client, gvr, object, &options, NULL));
    }
}

void library_fixture_apply(struct library_fixture *fixture, struct gvr gvr, struct str yaml)
{
    library_fixture_apply_to(fixture->client, gvr, yaml);
}

/* The kubeconfig of the server is written last: those of the clusters are there then. */
void library_fixture_start_server(struct library_fixture *fixture, const char *virtual_clusters)
{
    folder_init(&fixture->folder);
    const char *kubeconfig = folder_file(&fixture->folder, "kubeconfig");
    const char *const arguments[] = {TEST_CORSET,
                                     "apiserver",
                                     "--in-memory",
                                     "--listen",
                                     "127.0.0.1:0",
                                     "--virtual-clusters",
                                     virtual_clusters,
                                     "--write-cluster-kubeconfigs",
                                     folder_file(&fixture->folder, "clusters"),
                                     "--write-kubeconfig",
                                     kubeconfig,
                                     NULL};
    const struct kubeconfig_paths paths = {.file = str_from_c(kubeconfig)};
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    CHECK_OK(child_start(&fixture->server, arguments, folder_file(&fixture->folder, "server.log")));
    while (access(kubeconfig, R_OK) != 0)
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    CHECK_OK(kubeconfig_load(&paths, NULL, &fixture->config));
    fixture->network = tcp_network_new(loop_current());
    fixture->tls = tls_context_new();
    const struct client_options options = {
        .config = &fixture->config, .network = fixture->network, .tls = fixture->tls, .qps = -1};
    fixture->client = client_new(loop_current(), &options);
}

/* A kind is served a moment after its definition: the answer then is about the object. */
static void wait_served(struct library_fixture *fixture)
{
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (;;) {
        OWNED(error) err = client_get(fixture->client, fixture->owners, fixture->owner, NULL, NULL);
        CHECK(error_is(err, ERROR_NOT_FOUND));
        if (str_contains(str_from_c(err->message), fixture->owner.name))
            return;
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

void library_fixture_init(struct library_fixture *fixture, const char *program,
                          const char *const *more, struct str crd, struct gvr owners,
                          struct key owner)
{
    *fixture = (struct library_fixture){.owners = owners, .owner = owner};
    library_fixture_start_server(fixture, "0");
    library_fixture_run(fixture, program, more);
    library_fixture_apply(fixture, GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
                          crd);
    wait_served(fixture);
}

struct object *library_fixture_get(struct library_fixture *fixture, struct gvr gvr, struct key key)
{
    struct object *object = NULL;
    OWNED(error) err = client_get(fixture->client, gvr, key, NULL, &object);
    CHECK(!err || error_is(err, ERROR_NOT_FOUND));
    return object;
}

void library_fixture_wait(struct library_fixture *fixture, struct gvr gvr, struct key key,
                          const char *path, const char *text)
{
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (;;) {
        OWNED(object) object = library_fixture_get(fixture, gvr, key);
        const struct str seen =
            object ? json_path_str(object_root(object), path ? path : "kind") : STR("(none)");
        TEST_CASE("%.*s %s: %.*s", STR_ARG(key.name), path ? path : "", STR_ARG(seen));
        if (text ? object && str_eq(seen, str_from_c(text)) : !object)
            return;
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

struct str library_fixture_condition(const struct object *object, const char *type,
                                     const char *field)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, object_path(object, "status.conditions"))
        if (str_eq(json_path_str(item, "type"), str_from_c(type)))
            return json_path_str(item, field);
    return STR("");
}

void library_fixture_wait_status(struct library_fixture *fixture, const char *in_progress,
                                 const char *failed)
{
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (;;) {
        int64_t observed = 0;
        OWNED(object) owner = library_fixture_get(fixture, fixture->owners, fixture->owner);
        CHECK(owner);
        const struct str first = library_fixture_condition(owner, "InProgress", "status");
        const struct str second = library_fixture_condition(owner, "Failed", "status");
        const struct str why = library_fixture_condition(owner, "Failed", "message");
        json_to_int64(object_path(owner, "status.observedGeneration"), &observed);
        TEST_CASE("InProgress=%.*s Failed=%.*s %.*s", STR_ARG(first), STR_ARG(second),
                  STR_ARG(why));
        if (observed == object_generation(owner) && str_eq(first, str_from_c(in_progress)) &&
            str_eq(second, str_from_c(failed)))
            return;
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

void library_fixture_patch(struct library_fixture *fixture, struct gvr gvr, struct key key,
                           const char *subresource, const char *body)
{
    const struct client_write_options options = {.subresource = str_from_c(subresource)};
    CHECK_OK(client_patch(fixture->client, gvr, key, CLIENT_PATCH_MERGE, str_from_c(body), &options,
                          NULL));
}

/* The version of everything: it moves with every write, whoever makes it. */
static struct str newest(struct library_fixture *fixture, struct arena *arena)
{
    struct object_list list;
    CHECK_OK(client_list_page(fixture->client, fixture->owners, STR(""), NULL, arena, &list));
    return arena_str(arena, list.resource_version);
}

void library_fixture_check_steady(struct library_fixture *fixture)
{
    SCOPED(arena) arena = {0};
    CHECK_OK(fiber_sleep(STEADY / 4)); /* what was under way ends */
    const struct str before = newest(fixture, &arena);
    CHECK_OK(fiber_sleep(STEADY));
    CHECK_EQ(newest(fixture, &arena), before);
}
