#include "apiserver/quota_claim.h"

#include <stdlib.h>

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/registry/quota_scope.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/semaphore.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

struct quota_limit quota_claim_limit(const struct json_value *quota, struct str name,
                                     const struct json_value *hard)
{
    struct quota_limit limit = {.quota = quota, .name = name, .hard = json_to_str(hard)};
    if (quota_amount_read(hard, &limit.hard_amount) && quota_scope_is_enforced(quota))
        limit.resource = quota_resource_find(name);
    return limit;
}

/*
 * What is read of quotas, or counted, in one turn of the loop. A limit is about as much work as
 * some bytes.
 */
#define OBJECTS_AT_ONCE 1000
#define BYTES_AT_ONCE   (256 * KILOBYTE)
#define BYTES_OF_LIMIT  64

/* Limits of one kind in one namespace. Each object is compared with each of them. */
#define LIMITS_MAX 5000

/* Reads the quotas of a namespace in their order. */
struct reading {
    struct quota_claim *claim;
    bool may_create;
    size_t enough;    /* limits, after which no more are looked for */
    size_t found;     /* limits */
    size_t bytes;     /* of work in this turn */
    struct buf after; /* the name of the last one */
};

static void reading_done(struct reading *reading)
{
    buf_done(&reading->after);
}

/* A change of an object counts only where the object decides. */
static bool is_limit_of(const struct reading *reading, const struct quota_limit *limit)
{
    return str_eq(limit->resource.stored_as, reading->claim->kind->stored_as) &&
           (reading->may_create || quota_resource_limits_changes(&limit->resource));
}

/* True if there is one. */
static bool read_limits(struct reading *reading, const struct json_value *quota)
{
    struct quota_claim *claim = reading->claim;
    const struct json_value *value;
    const size_t before = reading->found;
    JSON_FOREACH (name, value, json_path(quota, "spec.hard")) {
        const struct quota_limit limit = quota_claim_limit(quota, name, value);
        if (!is_limit_of(reading, &limit) || reading->found >= reading->enough)
            continue;
        reading->found++;
        if (claim->turn)
            ARENA_ARRAY_PUSH(claim->arena, claim->limits, claim->count, claim->capacity, limit);
    }
    return reading->found > before;
}

/* The quota's text is borrowed for the visit; a document with limits belongs to the arena. */
static bool visit_quota(void *data, struct key key, struct object_text *text)
{
    struct reading *reading = data;
    OWNED(json_doc) doc = NULL;
    buf_clear(&reading->after);
    buf_add(&reading->after, key.name);
    reading->bytes += object_text_json(text).len;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    if (!unreadable && read_limits(reading, json_doc_root(doc)) && reading->claim->turn)
        json_doc_hold(reading->claim->arena, TAKE(doc));
    return reading->found < reading->enough && reading->bytes < BYTES_AT_ONCE;
}

static struct error *too_many_limits(const struct quota_claim *claim)
{
    return status_forbidden(kind_gvr(claim->kind), claim->key.name,
                            arena_print(claim->arena,
                                        "the ResourceQuotas of the namespace have more than %d "
                                        "limits of %.*s: delete some of them",
                                        LIMITS_MAX, STR_ARG(claim->kind->plural)));
}

/*
 * Who holds the turn collects all limits. Who does not only learns whether there is any, so that
 * many writes may wait for their turn without holding all quotas. Suspends.
 */
static struct error *read_quotas(struct quota_claim *claim, bool may_create, bool *ret_is_limited)
{
    struct store_page page = {.has_more = true};
    SCOPED(reading)
    reading = {
        .claim = claim, .may_create = may_create, .enough = claim->turn ? LIMITS_MAX + 1 : 1};
    struct store_range range = {.resource = STR("resourcequotas"),
                                .namespace = claim->key.namespace};
    for (;;) {
        reading.bytes = 0;
        TRY(store_scan(claim->api->store, &range, visit_quota, &reading, &page));
        *ret_is_limited = reading.found > 0;
        if (reading.found > LIMITS_MAX)
            return too_many_limits(claim);
        if (!page.has_more || reading.found >= reading.enough)
            return NULL;
        range.after = (struct key){claim->key.namespace, buf_str(&reading.after)};
        TRY(fiber_yield());
    }
}

struct counting {
    struct quota_limit *limits;
    size_t count;
    bool depends_on_object; /* one of them does */
    timestamp now;
    size_t bytes;     /* of work in this turn */
    struct buf after; /* the name of the last one */
};

static void counting_done(struct counting *counting)
{
    buf_done(&counting->after);
}

/* What an object that the quota is about, or not, uses of a limit. */
static struct quota_amount usage_of(const struct quota_limit *limit, bool is_matched,
                                    const struct json_value *object, timestamp now)
{
    return is_matched ? quota_resource_usage(&limit->resource, object, now)
                      : (struct quota_amount){0};
}

static bool is_matched(const struct quota_limit *limit, const struct json_value *object)
{
    return object && quota_scope_matches(limit->quota, limit->resource.stored_as, object);
}

/* Limits of one quota stand next to each other, so each quota's scopes are compared once. */
static void add_usage(struct counting *counting, const struct json_value *object)
{
    bool matches = false;
    for (size_t i = 0; i < counting->count; i++) {
        struct quota_limit *limit = &counting->limits[i];
        if (i == 0 || limit->quota != limit[-1].quota)
            matches = is_matched(limit, object);
        quota_amount_add(&limit->used, usage_of(limit, matches, object, counting->now));
    }
}

static bool count_object(void *data, struct key key, struct object_text *text)
{
    struct counting *counting = data;
    OWNED(json_doc) doc = NULL;
    OWNED(error) unreadable = NULL;
    buf_clear(&counting->after);
    buf_add(&counting->after, key.name);
    counting->bytes += counting->count * BYTES_OF_LIMIT;
    if (counting->depends_on_object) {
        unreadable = json_read(object_text_json(text), &doc);
        counting->bytes += object_text_json(text).len;
        add_usage(counting, json_doc_root(doc));
    }
    for (size_t i = 0; i < counting->count && !counting->depends_on_object; i++)
        quota_amount_add(&counting->limits[i].used, quota_amount_of(1));
    return counting->bytes < BYTES_AT_ONCE;
}

static bool depends_on_object(const struct quota_limit *limits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (quota_resource_depends_on_object(&limits[i].resource) ||
            quota_scope_has_any(limits[i].quota))
            return true;
    return false;
}

/* The fiber that holds the turn counts what no other one adds to meanwhile. */
struct error *quota_claim_count(struct api *api, struct str namespace, struct quota_limit *limits,
                                size_t count)
{
    struct store_page page = {.has_more = true};
    SCOPED(counting)
    counting = {.limits = limits,
                .count = count,
                .depends_on_object = depends_on_object(limits, count),
                .now = loop_wall(api->loop)};
    struct store_range range = {
        .resource = limits->resource.stored_as, .namespace = namespace, .limit = OBJECTS_AT_ONCE};
    for (;;) {
        counting.bytes = 0;
        TRY(store_scan(api->store, &range, count_object, &counting, &page));
        if (!page.has_more)
            return NULL;
        range.after = (struct key){namespace, buf_str(&counting.after)};
        TRY(fiber_yield());
    }
}

static struct str name_of(const struct quota_limit *limit)
{
    return json_path_str(limit->quota, "metadata.name");
}

static int compare_limits(const void *a, const void *b)
{
    const struct quota_limit *left = a, *right = b;
    const int order = str_cmp(name_of(left), name_of(right));
    return order ? order : str_cmp(left->name, right->name);
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
    *claim = (struct quota_claim){
        .api = api, .arena = arena, .kind = kind, .key = key, .now = loop_wall(api->loop)};
    bool is_limited;
    if (!kind->namespaced)
        return NULL;
    for (;;) {
        TRY(read_quotas(claim, may_create, &is_limited));
        if (!is_limited)
            return NULL;
        if (claim->turn)
            break;
        TRY(take_turn(claim));
    }
    qsort(claim->limits, claim->count, sizeof(*claim->limits), compare_limits);
    return quota_claim_count(api, key.namespace, claim->limits, claim->count);
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

static void add_amount(struct buf *out, struct str name, struct quota_amount amount)
{
    buf_print(out, "%s%.*s=", out->len ? "," : "", STR_ARG(name));
    quota_amount_write(out, amount);
}

static void excess_add(struct excess *excess, const struct quota_limit *limit,
                       struct quota_amount requested)
{
    const char *comma = excess->limited.len ? "," : "";
    add_amount(&excess->requested, limit->name, requested);
    add_amount(&excess->used, limit->name, limit->used);
    buf_print(&excess->limited, "%s%.*s=%.*s", comma, STR_ARG(limit->name), STR_ARG(limit->hard));
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

/* Quotas of these need containers that say how much of them they use. */
static bool has_to_be_stated(const struct quota_limit *limit)
{
    return (limit->resource.usage == QUOTA_REQUESTS || limit->resource.usage == QUOTA_LIMITS) &&
           (str_eq(limit->resource.part, STR("cpu")) ||
            str_eq(limit->resource.part, STR("memory")));
}

static bool states(const struct json_value *container, const struct quota_limit *limit)
{
    const char *list =
        limit->resource.usage == QUOTA_LIMITS ? "resources.limits" : "resources.requests";
    return json_get(json_path(container, list), limit->resource.part);
}

static int compare_names(const void *a, const void *b)
{
    const struct str *left = a, *right = b;
    return str_cmp(*left, *right);
}

/* Adds "; cpu for: a,b" for the containers that do not state the limit's resource. */
static void add_unstated(const struct quota_claim *claim, const struct quota_limit *limit,
                         const struct json_value *pod, struct buf *out)
{
    static const char *const lists[] = {"spec.containers", "spec.initContainers"};
    const struct json_value *container;
    struct str *names = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, container, json_path(pod, lists[i]))
            if (!states(container, limit))
                ARENA_ARRAY_PUSH(claim->arena, names, count, capacity,
                                 json_path_str(container, "name"));
    if (!count)
        return;
    qsort(names, count, sizeof(*names), compare_names);
    buf_print(out, "%s%.*s for: ", out->len ? "; " : "", STR_ARG(limit->name));
    for (size_t i = 0; i < count; i++)
        buf_print(out, "%s%.*s", i ? "," : "", STR_ARG(names[i]));
}

/* 403 when containers do not say how much CPU and memory they use; the Pod may say it for all. */
static struct error *check_stated(const struct quota_claim *claim, const struct quota_limit *limits,
                                  size_t count, const struct json_value *object)
{
    SCOPED(buf) unstated = {0};
    const struct json_value *whole = json_path(object, "spec.resources");
    if (json_count(json_get(whole, STR("requests"))) || json_count(json_get(whole, STR("limits"))))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (has_to_be_stated(&limits[i]) &&
            quota_scope_matches(limits[i].quota, STR("pods"), object))
            add_unstated(claim, &limits[i], object, &unstated);
    if (!unstated.len)
        return NULL;
    return status_forbidden(kind_gvr(claim->kind), claim->key.name,
                            arena_print(claim->arena, "failed quota: %.*s: must specify %.*s",
                                        STR_ARG(name_of(limits)), STR_ARG(buf_str(&unstated))));
}

static bool is_exceeded(const struct quota_limit *limit, struct quota_amount requested)
{
    struct quota_amount wanted = limit->used;
    quota_amount_add(&wanted, requested);
    return requested.milli > 0 && wanted.milli > limit->hard_amount.milli;
}

/* How many limits belong to the same quota as the first one of them. */
static size_t count_of_quota(const struct quota_limit *limits, size_t count)
{
    size_t same = 1;
    while (same < count && limits[same].quota == limits->quota)
        same++;
    return same;
}

static struct error *check_limits(const struct quota_claim *claim, const struct quota_limit *limits,
                                  size_t count, const struct json_value *old,
                                  const struct json_value *object)
{
    SCOPED(excess) excess = {0};
    const bool matches = is_matched(limits, object), has_matched = is_matched(limits, old);
    for (size_t i = 0; i < count; i++) {
        struct quota_amount requested = usage_of(&limits[i], matches, object, claim->now);
        if (old && !quota_resource_limits_changes(&limits[i].resource))
            continue;
        quota_amount_subtract(&requested, usage_of(&limits[i], has_matched, old, claim->now));
        if (is_exceeded(&limits[i], requested))
            excess_add(&excess, &limits[i], requested);
    }
    return excess.requested.len ? exceeded(claim, name_of(limits), &excess) : NULL;
}

/*
 * First the quotas that a Pod does not say enough for, in their order. Then the first quota that is
 * exceeded answers, with all of its resources that are.
 */
struct error *quota_claim_check(const struct quota_claim *claim, const struct json_value *old,
                                const struct json_value *object)
{
    size_t same;
    for (size_t i = 0; !old && i < claim->count; i += same) {
        same = count_of_quota(&claim->limits[i], claim->count - i);
        TRY(check_stated(claim, &claim->limits[i], same, object));
    }
    for (size_t i = 0; i < claim->count; i += same) {
        same = count_of_quota(&claim->limits[i], claim->count - i);
        TRY(check_limits(claim, &claim->limits[i], same, old, object));
    }
    return NULL;
}
