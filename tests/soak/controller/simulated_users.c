/* Simulated users, who create, edit and delete, and a simulated controller of Deployments. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "soak/controller/soak.h"
#include "support/simulation/draw.h"

#define WEBS        "/apis/" WEB_GROUP "/v1/namespaces/default/webs"
#define MAPS        "/api/v1/namespaces/default/configmaps"
#define SECRETS     "/api/v1/namespaces/default/secrets"
#define SERVICES    "/api/v1/namespaces/default/services"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define PAUSE_MAX   (3 * SECOND)
#define READY_EVERY (500 * MILLISECOND)
#define TEXT_MAX    512
#define NAME_SIZE   32

static bool is_fine(int status)
{
    return status >= 200 && status < 300;
}

struct web {
    char message[NAME_SIZE];
    unsigned size;
    bool exposed;
};

static void write_spec(char text[static TEXT_MAX], const struct web *web)
{
    snprintf(text, TEXT_MAX,
             "\"spec\":{\"message\":\"%s\",\"replicas\":%u,\"port\":%u,\"exposed\":%s}",
             web->message, web->size, 8000 + web->size, web->exposed ? "true" : "false");
}

static void create_web(struct soak *soak, size_t number, const struct web *web)
{
    char body[2 * TEXT_MAX], spec[TEXT_MAX];
    write_spec(spec, web);
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"" WEB_GROUP "/v1\",\"kind\":\"Web\",\"metadata\":{\"name\":"
             "\"w%zu\"},%s}",
             number, spec);
    (void)front_call(&soak->front, "POST", WEBS, body);
}

static void change_web(struct soak *soak, size_t number, const struct web *web)
{
    char body[2 * TEXT_MAX], spec[TEXT_MAX], target[TEXT_MAX];
    write_spec(spec, web);
    snprintf(target, sizeof(target), WEBS "/w%zu", number);
    snprintf(body, sizeof(body), "{%s}", spec);
    if (front_call(&soak->front, "PATCH", target, body) == 404)
        create_web(soak, number, web);
}

static void delete_web(struct soak *soak, size_t number)
{
    char target[TEXT_MAX];
    snprintf(target, sizeof(target), WEBS "/w%zu", number);
    (void)front_call(&soak->front, "DELETE", target, "");
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
    (void)front_call(&soak->front, "PATCH", target, body);
}

static void set_shared(struct soak *soak, const char *value)
{
    char body[TEXT_MAX];
    snprintf(body, sizeof(body), "{\"stringData\":{\"key\":\"%s\"}}", value);
    if (front_call(&soak->front, "PATCH", SECRETS "/" WEB_SHARED, body) != 404)
        return;
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"" WEB_SHARED
             "\"},\"stringData\":{\"key\":\"%s\"}}",
             value);
    (void)front_call(&soak->front, "POST", SECRETS, body);
}

static void do_something(struct soak *soak)
{
    struct random *dice = &soak->users_dice;
    char target[TEXT_MAX];
    const size_t number = (size_t)random_below(dice, WEB_NAMES);
    struct web web = {.size = (unsigned)random_below(dice, 5), .exposed = draw_chance(dice, 0.7)};
    snprintf(web.message, sizeof(web.message), "m%u", (unsigned)random_below(dice, 1000));
    switch (random_below(dice, 10)) {
    case 0:
        delete_web(soak, number);
        break;
    case 1: /* and another one of that name, at once */
        delete_web(soak, number);
        create_web(soak, number, &web);
        break;
    case 2:
    case 3:
        child_target(target, number, random_below(dice, 3));
        (void)front_call(&soak->front, "DELETE", target, "");
        break;
    case 4:
        spoil_child(soak, number);
        break;
    case 5:
        set_shared(soak, web.message);
        break;
    case 6:
        (void)front_call(&soak->front, "DELETE", SECRETS "/" WEB_SHARED, "");
        break;
    default:
        change_web(soak, number, &web);
        break;
    }
}

struct error *soak_edit(void *data)
{
    struct soak *soak = data;
    for (;;) {
        TRY(fiber_sleep(draw_span(&soak->users_dice, PAUSE_MAX)));
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
    OWNED(json_doc)
    doc = front_find(&soak->front, GVR("apps", "v1", "deployments"), KEY_DEFAULT(name));
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
    (void)front_call(&soak->front, "PATCH", target, body);
}

struct error *soak_make_ready(void *data)
{
    struct soak *soak = data;
    for (;;) {
        TRY(fiber_sleep(READY_EVERY + draw_span(&soak->users_dice, PAUSE_MAX)));
        FIBER_SHIELD(FOREVER);
        for (size_t i = 0; i < WEB_NAMES; i++)
            make_one_ready(soak, i);
    }
}

void soak_users_begin(struct soak *soak)
{
    CHECK(is_fine(front_call(&soak->front, "POST",
                             "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                             web_definition)));
    while (front_call(&soak->front, "GET", WEBS, "") != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    const struct web first = {.message = "first", .size = 1, .exposed = true};
    set_shared(soak, "first");
    create_web(soak, 0, &first);
    create_web(soak, 1, &first);
}

/* One that is being deleted cannot be kept: the next one can. */
static void wait_until_not_deleting(struct soak *soak, const char *name)
{
    FIBER_TIMEOUT(10 * MINUTE);
    for (;;) {
        OWNED(json_doc)
        doc = front_find(&soak->front, GVR(WEB_GROUP, "v1", "webs"), KEY_DEFAULT(name));
        if (!doc || !json_path(json_doc_root(doc), "metadata.deletionTimestamp"))
            return;
        CHECK_OK(fiber_sleep(SECOND));
    }
}

void soak_users_end(struct soak *soak)
{
    wait_until_not_deleting(soak, "w0");
    change_web(soak, 0, &(struct web){.message = "last", .size = 2, .exposed = true});
    delete_web(soak, 1);
    set_shared(soak, "last");
}
