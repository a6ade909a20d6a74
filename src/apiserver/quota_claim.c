#include "apiserver/quota_claim.h"

#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/registry/quota_resource.h"
#include "async/fiber.h"
#include "async/semaphore.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

static void add_limit(struct quota_claim *claim, struct str quota, struct str resource,
                      const struct json_value *hard)
{
    struct quantity quantity;
    struct quota_limit limit = {.quota = quota, .resource = resource, .hard = json_to_str(hard)};
    OWNED(error) wrong = quantity_read(limit.hard, &quantity);
    if (!wrong && quantity_value(&quantity, &limit.hard_value))
        ARENA_ARRAY_PUSH(claim->arena, claim->limits, claim->count, claim->capacity, limit);
}

/* The quota's text is borrowed for the visit; the document belongs to the arena. */
static bool visit_quota(void *data, struct key key, struct object_text *text)
{
    struct quota_claim *claim = data;
    struct json_doc *doc;
    const struct json_value *value;
    (void)key;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    if (unreadable)
        return true;
    json_doc_hold(claim->arena, doc);
    const struct json_value *quota = json_doc_root(doc);
    if (quota_resource_has_scopes(quota))
        return true;
    JSON_FOREACH (resource, value, json_path(quota, "spec.hard"))
        if (str_eq(quota_resource_stored_as(resource), claim->kind->stored_as))
            add_limit(claim, json_path_str(quota, "metadata.name"), resource, value);
    return true;
}

static struct error *collect_limits(struct quota_claim *claim, struct api *api)
{
    struct store_page page;
    const struct store_range range = {.resource = STR("resourcequotas"),
                                      .namespace = claim->key.namespace};
    claim->count = 0;
    return store_scan(api->store, &range, visit_quota, claim, &page);
}

/* A change of an object counts only where the object decides. */
static void keep_limits_of_changes(struct quota_claim *claim)
{
    size_t kept = 0;
    for (size_t i = 0; i < claim->count; i++)
        if (quota_resource_depends_on_object(claim->limits[i].resource))
            claim->limits[kept++] = claim->limits[i];
    claim->count = kept;
}

/* What is counted in one turn of the loop. */
#define OBJECTS_AT_ONCE 1000
#define BYTES_AT_ONCE   (256 * KILOBYTE)

struct counting {
    struct str resource;
    bool depends_on_object;
    size_t bytes;     /* that were parsed in this turn */
    struct buf after; /* the name of the last one */
    int64_t count;
};

static void counting_done(struct counting *counting)
{
    buf_done(&counting->after);
}

static bool count_object(void *data, struct key key, struct object_text *text)
{
    struct counting *counting = data;
    OWNED(json_doc) doc = NULL;
    buf_clear(&counting->after);
    buf_add(&counting->after, key.name);
    if (!counting->depends_on_object) {
        counting->count++;
        return true;
    }
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    counting->count += quota_resource_usage(counting->resource, json_doc_root(doc));
    counting->bytes += object_text_json(text).len;
    return counting->bytes < BYTES_AT_ONCE;
}

/* Whoever holds the turn counts what nobody adds to meanwhile. */
struct error *quota_claim_count(struct api *api, struct str namespace, struct str resource,
                                int64_t *ret_count)
{
    struct store_page page;
    SCOPED(counting)
    counting = {.resource = resource,
                .depends_on_object = quota_resource_depends_on_object(resource)};
    for (;;) {
        const struct str after = buf_str(&counting.after);
        struct store_range range = {.resource = quota_resource_stored_as(resource),
                                    .namespace = namespace,
                                    .limit = OBJECTS_AT_ONCE};
        if (after.len)
            range.after = (struct key){namespace, after};
        counting.bytes = 0;
        TRY(store_scan(api->store, &range, count_object, &counting, &page));
        *ret_count = counting.count;
        if (!page.has_more)
            return NULL;
        TRY(fiber_yield());
    }
}

static int compare_limits(const void *a, const void *b)
{
    const struct quota_limit *left = a, *right = b;
    const int order = str_cmp(left->quota, right->quota);
    return order ? order : str_cmp(left->resource, right->resource);
}

struct quota_turn {
    struct semaphore semaphore;
    size_t users; /* the one that holds it and those that wait */
};

static void leave_turn(const struct quota_claim *claim, struct quota_turn *turn)
{
    if (--turn->users > 0)
        return;
    map_remove(&claim->api->quota_turns, claim->key.namespace);
    mem_free(turn);
}

/* Suspends. */
static struct error *take_turn(struct quota_claim *claim)
{
    struct quota_turn *turn = map_find(&claim->api->quota_turns, claim->key.namespace);
    if (!turn) {
        turn = NEW(struct quota_turn);
        turn->semaphore.permits = 1;
        map_put(&claim->api->quota_turns, claim->key.namespace, turn);
    }
    turn->users++;
    struct error *err = semaphore_take(&turn->semaphore);
    if (err)
        leave_turn(claim, turn);
    else
        claim->turn = turn;
    return err;
}

/* The quotas may have changed while this write waited. */
struct error *quota_claim_take(struct quota_claim *claim, struct api *api, struct arena *arena,
                               const struct kind *kind, struct key key, bool may_create)
{
    *claim = (struct quota_claim){.api = api, .arena = arena, .kind = kind, .key = key};
    if (!kind->namespaced)
        return NULL;
    for (;;) {
        TRY(collect_limits(claim, api));
        if (!may_create)
            keep_limits_of_changes(claim);
        if (!claim->count || claim->turn)
            break;
        TRY(take_turn(claim));
    }
    for (size_t i = 0; i < claim->count; i++)
        TRY(quota_claim_count(api, key.namespace, claim->limits[i].resource,
                              &claim->limits[i].used));
    if (claim->count)
        qsort(claim->limits, claim->count, sizeof(*claim->limits), compare_limits);
    return NULL;
}

void quota_claim_done(struct quota_claim *claim)
{
    if (!claim->turn)
        return;
    semaphore_give(&claim->turn->semaphore);
    leave_turn(claim, TAKE(claim->turn));
}

/* What is exceeded of one quota, as three lists. */
struct excess {
    struct buf requested, used, limited;
};

static void excess_done(struct excess *excess)
{
    buf_done(&excess->requested);
    buf_done(&excess->used);
    buf_done(&excess->limited);
}

static void excess_add(struct excess *excess, const struct quota_limit *limit, int64_t requested)
{
    const char *comma = excess->requested.len ? "," : "";
    const struct str resource = limit->resource;
    buf_print(&excess->requested, "%s%.*s=%lld", comma, STR_ARG(resource), (long long)requested);
    buf_print(&excess->used, "%s%.*s=%lld", comma, STR_ARG(resource), (long long)limit->used);
    buf_print(&excess->limited, "%s%.*s=%.*s", comma, STR_ARG(resource), STR_ARG(limit->hard));
}

static struct error *exceeded(const struct quota_claim *claim, struct str quota,
                              const struct excess *excess)
{
    return status_forbidden(
        kind_gvr(claim->kind), claim->key.name,
        arena_print(claim->arena,
                    "exceeded quota: %.*s, requested: %.*s, used: %.*s, limited: %.*s",
                    STR_ARG(quota), STR_ARG(buf_str(&excess->requested)),
                    STR_ARG(buf_str(&excess->used)), STR_ARG(buf_str(&excess->limited))));
}

/* The first quota that is exceeded answers, with all of its resources that are. */
struct error *quota_claim_check(const struct quota_claim *claim, const struct json_value *old,
                                const struct json_value *object)
{
    for (size_t i = 0; i < claim->count;) {
        SCOPED(excess) excess = {0};
        const struct str quota = claim->limits[i].quota;
        for (; i < claim->count && str_eq(claim->limits[i].quota, quota); i++) {
            const struct quota_limit *limit = &claim->limits[i];
            const int64_t requested = quota_resource_usage(limit->resource, object) -
                                      quota_resource_usage(limit->resource, old);
            if (requested > 0 && limit->used + requested > limit->hard_value)
                excess_add(&excess, limit, requested);
        }
        if (excess.requested.len)
            return exceeded(claim, quota, &excess);
    }
    return NULL;
}
