#include "soak/crash/crash_fixture.h"

#include <inttypes.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "base/buf.h"

#define LOOK_EVERY (10 * MILLISECOND)

static const char namespace_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"crash\"}}";

/* A custom resource in the shape of a ConfigMap, so that one writer serves both. */
static const char definition_text[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"widgets.crash.test\"},\"spec\":{\"group\":\"crash.test\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
    "\"kind\":\"Widget\",\"listKind\":\"WidgetList\"},\"versions\":[{\"name\":\"v1\","
    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
    "\"properties\":{\"data\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"string\"}}}}}}]}}";

struct gvr crash_fixture_gvr(enum ledger_resource resource)
{
    return resource == LEDGER_WIDGETS ? GVR("crash.test", "v1", "widgets") : GVR_CONFIG_MAPS;
}

struct error *crash_fixture_make(const struct ledger_object *object, uint64_t value,
                                 int64_t revision, struct object **ret_object)
{
    SCOPED(buf) text = {0};
    const bool is_widget = object->resource == LEDGER_WIDGETS;
    buf_print(&text,
              "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"namespace\":\"crash\","
              "\"name\":\"%.*s\",\"labels\":{\"crash\":\"yes\"}",
              is_widget ? "crash.test/v1" : "v1", is_widget ? "Widget" : "ConfigMap",
              STR_ARG(object->name));
    if (revision)
        buf_print(&text, ",\"resourceVersion\":\"%" PRId64 "\"", revision);
    buf_print(&text, "},\"data\":{\"%.*s\":\"%" PRIu64 "\"}}", STR_ARG(object->field), value);
    return object_read(buf_str(&text), ret_object);
}

static struct error *create(struct crash_fixture *fixture, struct gvr gvr, const char *text)
{
    OWNED(object) object = NULL;
    TRY(object_read(str_from_c(text), &object));
    return client_create(fixture->client, gvr, object, NULL, NULL);
}

/* Suspends until the custom resource is served. */
static struct error *wait_served(struct crash_fixture *fixture)
{
    for (;;) {
        SCOPED(arena) arena = {0};
        struct object_list list;
        struct error *err = client_list_page(fixture->client, crash_fixture_gvr(LEDGER_WIDGETS),
                                             CRASH_FIXTURE_NAMESPACE, NULL, &arena, &list);
        if (!error_is(err, ERROR_NOT_FOUND))
            return err;
        error_free(err);
        TRY(fiber_sleep(LOOK_EVERY));
    }
}

struct error *crash_fixture_prepare(struct crash_fixture *fixture)
{
    TRY(create(fixture, GVR_NAMESPACES, namespace_text));
    TRY(create(fixture, GVR_CRDS, definition_text));
    return wait_served(fixture);
}
