/*
 * Requests that are allowed, and cost as much as their author can make them cost, many at a time.
 * What counts is that everybody else is served beside them.
 */
#include "async/scope.h"
#include "hostile/attacks.h"

#define COLLECTION  "/api/v1/namespaces/team/configmaps"
#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define TABLE       "application/json;as=Table;v=v1;g=meta.k8s.io"

/* One request, sent by several fibers again and again. */
struct flood {
    struct http_client *client;
    struct hostile_fixture_request request;
    size_t fibers, rounds;
};

/* Refusals are fine, also those for want of room; the server's own mistakes are not. */
static struct error *send_again(void *data)
{
    const struct flood *flood = data;
    SCOPED(hostile_fixture_answer) answer = {0};
    for (size_t i = 0; i < flood->rounds; i++) {
        TRY(hostile_fixture_send(flood->client, &flood->request, &answer));
        if (answer.status < 200 || answer.status == 500)
            return error_new(ERROR_INVALID, "%s is answered with %d: %.*s", flood->request.path,
                             answer.status, STR_ARG(str_slice(buf_str(&answer.body), 0, 500)));
    }
    return NULL;
}

static struct error *play_flood(const struct flood *flood)
{
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < flood->fibers; i++)
        scope_start(&scope, "flood", send_again, (void *)flood);
    return scope_wait(&scope);
}

/* The members "PREFIX0":VALUE, "PREFIX1":VALUE, … */
static void add_members(struct buf *out, size_t count, const char *prefix, const char *value)
{
    for (size_t i = 0; i < count; i++)
        buf_print(out, "%s\"%s%zu\":%s", i ? "," : "", prefix, i, value);
}

static struct error *create_map(struct hostile_fixture *fixture, const char *name, size_t members,
                                const char *value)
{
    SCOPED(buf) body = {0};
    buf_print(&body, "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"cost\":\"high\"}},\"data\":{",
              name);
    add_members(&body, members, "k-", value);
    buf_add(&body, STR("}}"));
    const struct hostile_fixture_request request = {.method = "POST",
                                                    .path = COLLECTION,
                                                    .type = "application/json",
                                                    .body = buf_c(&body),
                                                    .token = fixture->limited};
    return hostile_fixture_expect(fixture->plain, &request, 201);
}

static struct error *delete_maps(struct hostile_fixture *fixture)
{
    const struct hostile_fixture_request request = {.method = "DELETE",
                                                    .path = COLLECTION "?labelSelector=cost%3Dhigh",
                                                    .token = fixture->limited};
    return hostile_fixture_expect(fixture->plain, &request, 200);
}

struct error *attack_by_large_patches(struct hostile_fixture *fixture)
{
    SCOPED(buf) merge = {0}, json = {0};
    const size_t count = fixture->is_small ? 500 : 20000;
    TRY(create_map(fixture, "patched", 100, "\"x\""));
    buf_add(&merge, STR("{\"data\":{"));
    add_members(&merge, count, "k-", "\"y\"");
    buf_add(&merge, STR("}}"));
    buf_add_char(&json, '[');
    for (size_t i = 0; i < count / 4; i++)
        buf_print(&json, "%s{\"op\":\"add\",\"path\":\"/data/k-%zu\",\"value\":\"z\"}",
                  i ? "," : "", i);
    buf_add_char(&json, ']');
    struct flood flood = {
        fixture->plain,
        {.method = "PATCH",
                 .path = COLLECTION "/patched",
                 .type = "application/merge-patch+json",
                 .body = buf_c(&merge),
                 .token = fixture->limited},
        .fibers = 20,
        .rounds = fixture->is_small ? 1 : 3,
    };
    TRY(play_flood(&flood));
    flood.request.type = "application/json-patch+json";
    flood.request.body = buf_c(&json);
    TRY(play_flood(&flood));
    return delete_maps(fixture);
}

/* Server-side apply of many fields, which all are owned then. */
struct error *attack_by_large_applies(struct hostile_fixture *fixture)
{
    SCOPED(buf) body = {0};
    buf_add(&body, STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"applied\",\"labels\":{\"cost\":\"high\"}},\"data\":{"));
    add_members(&body, fixture->is_small ? 500 : 10000, "k-", "\"y\"");
    buf_add(&body, STR("}}"));
    static const char *const paths[] = {
        COLLECTION "/applied?fieldManager=one&force=true",
        COLLECTION "/applied?fieldManager=two&force=true",
    };
    for (size_t i = 0; i < COUNT(paths); i++)
        TRY(play_flood(&(struct flood){
            fixture->plain,
            {.method = "PATCH",
                     .path = paths[i],
                     .type = "application/apply-patch+yaml",
                     .body = buf_c(&body),
                     .token = fixture->limited},
            .fibers = 10,
            .rounds = 2,
        }));
    return delete_maps(fixture);
}

/* A definition of 2 MiB: made, changed by many at a time, and deleted. */
struct error *attack_by_large_definitions(struct hostile_fixture *fixture)
{
    SCOPED(buf) body = {0};
    buf_add(&body,
            STR("{\"metadata\":{\"name\":\"wides.g.test\"},\"spec\":{\"group\":\"g.test\","
                "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"wides\",\"kind\":\"Wide\"},"
                "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
                "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{"
                "\"type\":\"object\",\"properties\":{"));
    add_members(&body, fixture->is_small ? 1000 : 26000, "p-",
                "{\"type\":\"string\",\"default\":\"d\",\"description\":\"a property of it\"}");
    buf_add(&body, STR("}}}}}}]}}"));
    const struct hostile_fixture_request create = {
        .method = "POST", .path = DEFINITIONS, .type = "application/json", .body = buf_c(&body)};
    const struct hostile_fixture_request remove = {.method = "DELETE",
                                                   .path = DEFINITIONS "/wides.g.test"};
    TRY(hostile_fixture_expect(fixture->admin, &create, 201));
    TRY(play_flood(&(struct flood){
        fixture->admin,
        {.method = "PATCH",
                 .path = DEFINITIONS "/wides.g.test",
                 .type = "application/merge-patch+json",
                 .body = "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"},
        .fibers = 5,
        .rounds = 2,
    }));
    return hostile_fixture_expect(fixture->admin, &remove, 200);
}

/* Lists of everything, as objects and as tables, and by selectors of many terms. */
struct error *attack_by_costly_lists(struct hostile_fixture *fixture)
{
    SCOPED(buf) name = {0}, selector = {0};
    for (size_t i = 0; i < (fixture->is_small ? 5u : 20u); i++) {
        buf_clear(&name);
        buf_print(&name, "listed-%zu", i);
        TRY(create_map(fixture, buf_c(&name), fixture->is_small ? 100 : 4000, "\"xxxxxxxxxx\""));
    }
    buf_add(&selector, STR(COLLECTION "?labelSelector=cost"));
    for (size_t i = 0; i < (fixture->is_small ? 50u : 800u); i++)
        buf_print(&selector, ",k%zu!%%3Dv", i);
    const char *const lists[][2] = {
        {COLLECTION,            "application/json"},
        {COLLECTION,            TABLE             },
        {COLLECTION,            "application/yaml"},
        {COLLECTION "?limit=1", TABLE             },
        {buf_c(&selector),      "application/json"},
    };
    struct flood flood = {
        .client = fixture->plain,
        .fibers = 50,
        .rounds = fixture->is_small ? 1 : 4,
    };
    flood.request.token = fixture->limited;
    for (size_t i = 0; i < COUNT(lists); i++) {
        flood.request.path = lists[i][0];
        flood.request.accept = lists[i][1];
        TRY(play_flood(&flood));
    }
    return delete_maps(fixture);
}
