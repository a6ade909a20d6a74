#include "api_fixture.h"

#include "apiserver/api.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/storage/store.h"
#include "apiserver/virtual/virtual_clusters.h"
#include "async/fiber.h"
#include "base/memory.h"
#include "json/compare.h"
#include "json/path.h"
#include "testing/sim.h"

#define CLUSTER STR("fuzz")

/* Made once in a process, and there to its end. */
static struct token_keys *keys;
static struct rbac *base_rbac;
static struct crd_pool *pool;

static void make_shared(void)
{
    if (keys)
        return;
    CHECK_OK(token_keys_new(&keys));
    base_rbac = bootstrap_policy_rbac();
    pool = crd_pool_new();
}

void api_fixture_init(struct api_fixture *fixture)
{
    make_shared();
    *fixture = (struct api_fixture){.loop = loop_current(), .token.secret = true};
    const struct api_options options = {
        .loop = fixture->loop,
        .store = store_new(fixture->loop, &(struct store_options){.history_events = 10000}),
        .keys = keys,
        .base_rbac = base_rbac,
        .pool = pool,
        .cluster = CLUSTER,
    };
    CHECK_OK(api_new(&options, &fixture->api));
    fixture->clusters = virtual_clusters_new(
        &(struct virtual_clusters_options){.loop = fixture->loop, .keys = keys});
    fixture->handler = (struct handler){
        .loop = fixture->loop,
        .api = fixture->api,
        .clusters = fixture->clusters,
    };
    inflight_limits_init(&fixture->handler.limits, 0, 0);
    parties_init(&fixture->handler.parties, fixture->handler.loop);
    buf_add(&fixture->token, STR("Bearer "));
    auth_admin_token(keys, CLUSTER, &fixture->token);
}

void api_fixture_done(struct api_fixture *fixture)
{
    scope_done(&fixture->watches);
    inflight_limits_done(&fixture->handler.limits);
    parties_done(&fixture->handler.parties);
    virtual_clusters_free(fixture->clusters);
    api_free(fixture->api);
    buf_done(&fixture->token);
}

static void add_headers(const struct api_fixture *fixture, struct http_request *http)
{
    direct_request_add_header(http, STR("authorization"), buf_str(&fixture->token));
    direct_request_add_header(http, STR("user-agent"), STR("fuzz/1"));
}

/* Failures of our own making; what a client can cause has words of its own. */
static void check_sound(const struct http_request *http, const struct json_value *answer)
{
    static const struct str known[] = {
        STR_INIT("resourceVersion should not be set on objects to be created"),
        STR_INIT("strconv.ParseUint: parsing"),
        /* Bindings and Evictions */
        STR_INIT("target.name: Required value"),
        STR_INIT("target.kind: Unsupported value"),
        STR_INIT("This pod has more than one PodDisruptionBudget"),
        STR_INIT("failed to create typed patch object"),
        STR_INIT("failed to create manager for existing fields"),
        /* strategic merge, in upstream's words */
        STR_INIT("unknown patch type"),
        STR_INIT("does not contain declared merge key"),
        STR_INIT("expected a "),
        STR_INIT("list element types are not identical"),
        STR_INIT("no elements in any of the given slices"),
        STR_INIT("merging lists cannot yet be specified in the patch"),
        STR_INIT("cannot merge lists without merge key"),
    };
    if (http->status < 500 || http->status == 504)
        return;
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_contains(json_path_str(answer, "message"), known[i]))
            return;
    TEST_CASE("%.*s %.*s %.*s", STR_ARG(http->method), STR_ARG(http->target), STR_ARG(http->body));
    CHECK_EQ(buf_str(&http->answer), STR("no server error"));
}

/* One document, or a line for each event of a stream. */
static struct json_doc *read_answer(const struct http_request *http)
{
    OWNED(json_doc) doc = NULL;
    struct str rest = buf_str(&http->answer), line;
    const bool is_stream = rest.len == 0 || rest.ptr[rest.len - 1] == '\n';
    CHECK(!is_stream || str_contains(http->target, STR("watch")));
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        json_doc_free(TAKE(doc));
        CHECK_OK(json_read(line, &doc));
    }
    return is_stream ? NULL : TAKE(doc);
}

void api_fixture_send(struct api_fixture *fixture, struct http_request *http,
                      struct json_doc **ret_doc)
{
    OWNED(json_doc) doc = NULL;
    add_headers(fixture, http);
    CHECK_OK(handler_serve(&fixture->handler, http));
    CHECK(http->status);
    if (http->is_json && !str_eq(http->method, STR("HEAD")))
        doc = read_answer(http);
    check_sound(http, doc ? json_doc_root(doc) : NULL);
    if (ret_doc)
        *ret_doc = TAKE(doc);
}

int api_fixture_call(struct api_fixture *fixture, struct str method, struct str target,
                     struct str content_type, struct str body, struct json_doc **ret_doc)
{
    SCOPED(http_request) http = {.method = method, .target = target, .body = body};
    direct_request_add_header(&http, STR("content-type"), content_type);
    api_fixture_send(fixture, &http, ret_doc);
    return http.status;
}

struct watching {
    struct api_fixture *fixture;
    struct http_request *http;
};

static struct error *watch(void *data)
{
    struct watching *watching = data;
    struct handler *handler = &watching->fixture->handler;
    struct error *err = handler_serve(handler, watching->http);
    mem_free(watching);
    return error_ignore(err, ERROR_CANCELED);
}

void api_fixture_watch(struct api_fixture *fixture, struct http_request *http, struct str target)
{
    struct watching *watching = NEW(struct watching);
    *watching = (struct watching){fixture, http};
    http->method = STR("GET");
    http->target = arena_str(&http->arena, target);
    add_headers(fixture, http);
    scope_start(&fixture->watches, "watch", watch, watching);
}

void api_fixture_settle(struct api_fixture *fixture)
{
    int64_t revision;
    do {
        revision = store_revision(fixture->api->store);
        CHECK_OK(fiber_sleep(10 * SECOND));
    } while (revision != store_revision(fixture->api->store));
}
