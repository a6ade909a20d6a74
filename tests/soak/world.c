/* The rest of the world: users who edit and delete, and what makes Deployments ready. */
#include <stdio.h>

#include "api/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "soak/soak.h"

#define WEBS        "/apis/" WEB_GROUP "/v1/namespaces/default/webs"
#define MAPS        "/api/v1/namespaces/default/configmaps"
#define SECRETS     "/api/v1/namespaces/default/secrets"
#define SERVICES    "/api/v1/namespaces/default/services"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define PAUSE_MOST  (3 * SECOND)
#define READY_EVERY (500 * MILLISECOND)
#define TEXT_MAX    512
#define NAME_SIZE   32

static bool is_fine(int status)
{
    return status >= 200 && status < 300;
}

static void create_web(struct soak *soak, size_t number, const char *message, unsigned size)
{
    char body[TEXT_MAX];
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"" WEB_GROUP "/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":"
             "\"w%zu\"},\"spec\":{\"message\":\"%s\",\"replicas\":%u,\"port\":%u}}",
             number, message, size, 8000 + size);
    (void)soak_call(soak, "POST", WEBS, body);
}

static void change_web(struct soak *soak, size_t number, const char *message, unsigned size)
{
    char body[TEXT_MAX], target[TEXT_MAX];
    snprintf(target, sizeof(target), WEBS "/w%zu", number);
    snprintf(body, sizeof(body), "{\"spec\":{\"message\":\"%s\",\"replicas\":%u,\"port\":%u}}",
             message, size, 8000 + size);
    if (soak_call(soak, "PATCH", target, body) == 404)
        create_web(soak, number, message, size);
}

static void delete_web(struct soak *soak, size_t number)
{
    char target[TEXT_MAX];
    snprintf(target, sizeof(target), WEBS "/w%zu", number);
    (void)soak_call(soak, "DELETE", target, "");
}

/* One of the three that a Web has. */
static void child_target(char target[static TEXT_MAX], size_t number, uint64_t which)
{
    static const struct {
        const char *folder, *suffix;
    } children[] = {
        {MAPS,        "-web-config"},
        {DEPLOYMENTS, "-web-server"},
        {SERVICES,    "-web"       },
    };
    const size_t child = (size_t)(which % COUNT(children));
    snprintf(target, TEXT_MAX, "%s/w%zu%s", children[child].folder, number, children[child].suffix);
}

/* Somebody undoes the controller's work, markers included. */
static void spoil_child(struct soak *soak, size_t number)
{
    char body[TEXT_MAX], target[TEXT_MAX];
    child_target(target, number, 0);
    snprintf(body, sizeof(body),
             "{\"metadata\":{\"annotations\":{\"default.web.checksum.corset.dev/w%zu\":null}},"
             "\"data\":{\"message\":\"spoilt\"}}",
             number);
    (void)soak_call(soak, "PATCH", target, body);
}

static void set_shared(struct soak *soak, const char *value)
{
    char body[TEXT_MAX];
    snprintf(body, sizeof(body), "{\"stringData\":{\"key\":\"%s\"}}", value);
    if (soak_call(soak, "PATCH", SECRETS "/" WEB_SHARED, body) != 404)
        return;
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"" WEB_SHARED
             "\"},\"stringData\":{\"key\":\"%s\"}}",
             value);
    (void)soak_call(soak, "POST", SECRETS, body);
}

static void do_something(struct soak *soak)
{
    struct random *dice = &soak->world_dice;
    char target[TEXT_MAX], text[NAME_SIZE];
    const size_t number = (size_t)random_below(dice, WEB_NAMES);
    snprintf(text, sizeof(text), "m%llu", (unsigned long long)random_below(dice, 1000));
    switch (random_below(dice, 10)) {
    case 0:
        delete_web(soak, number);
        break;
    case 1: /* and another one of that name, at once */
        delete_web(soak, number);
        create_web(soak, number, text, (unsigned)random_below(dice, 5));
        break;
    case 2:
    case 3:
        child_target(target, number, random_below(dice, 3));
        (void)soak_call(soak, "DELETE", target, "");
        break;
    case 4:
        spoil_child(soak, number);
        break;
    case 5:
        set_shared(soak, text);
        break;
    case 6:
        (void)soak_call(soak, "DELETE", SECRETS "/" WEB_SHARED, "");
        break;
    default:
        change_web(soak, number, text, (unsigned)random_below(dice, 5));
        break;
    }
}

struct error *soak_edit(void *data)
{
    struct soak *soak = data;
    for (;;) {
        TRY(fiber_sleep(soak_span(&soak->world_dice, PAUSE_MOST)));
        FIBER_SHIELD(FOREVER);
        do_something(soak);
    }
}

static int64_t number_at(const struct json_doc *doc, const char *path)
{
    int64_t number;
    return json_to_int64(json_path(json_doc_root(doc), path), &number) ? number : 0;
}

static void make_one_ready(struct soak *soak, size_t number)
{
    char name[NAME_SIZE], target[TEXT_MAX], body[TEXT_MAX];
    snprintf(name, sizeof(name), "w%zu-web-server", number);
    OWNED(json_doc) doc = soak_find(soak, GVR("apps", "v1", "deployments"), name);
    if (!doc ||
        number_at(doc, "metadata.generation") == number_at(doc, "status.observedGeneration"))
        return;
    const long long replicas = number_at(doc, "spec.replicas");
    snprintf(target, sizeof(target), DEPLOYMENTS "/%s/status", name);
    snprintf(body, sizeof(body),
             "{\"status\":{\"observedGeneration\":%lld,\"replicas\":%lld,\"updatedReplicas\":%lld,"
             "\"readyReplicas\":%lld,\"availableReplicas\":%lld,\"conditions\":[{\"type\":"
             "\"Available\",\"status\":\"True\"},{\"type\":\"Progressing\",\"status\":"
             "\"True\",\"reason\":\"NewReplicaSetAvailable\"}]}}",
             (long long)number_at(doc, "metadata.generation"), replicas, replicas, replicas,
             replicas);
    (void)soak_call(soak, "PATCH", target, body);
}

struct error *soak_make_ready(void *data)
{
    struct soak *soak = data;
    for (;;) {
        TRY(fiber_sleep(READY_EVERY + soak_span(&soak->world_dice, PAUSE_MOST)));
        FIBER_SHIELD(FOREVER);
        for (size_t i = 0; i < WEB_NAMES; i++)
            make_one_ready(soak, i);
    }
}

void soak_world_begin(struct soak *soak)
{
    CHECK(is_fine(soak_call(soak, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                            web_definition)));
    while (soak_call(soak, "GET", WEBS, "") != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    set_shared(soak, "first");
    create_web(soak, 0, "first", 1);
    create_web(soak, 1, "first", 1);
}

void soak_world_end(struct soak *soak)
{
    change_web(soak, 0, "last", 2);
    delete_web(soak, 1);
    set_shared(soak, "last");
}
