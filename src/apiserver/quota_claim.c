#include "apiserver/quota_claim.h"

#include <stdlib.h>

#include "apimachinery/quantity.h"
#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/registry/quota_resource.h"
#include "base/array.h"
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

struct counting {
    struct str resource;
    bool depends_on_object;
    int64_t count;
};

static bool count_object(void *data, struct key key, struct object_text *text)
{
    struct counting *counting = data;
    OWNED(json_doc) doc = NULL;
    (void)key;
    if (!counting->depends_on_object) {
        counting->count++;
        return true;
    }
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    counting->count += quota_resource_usage(counting->resource, json_doc_root(doc));
    return true;
}

int64_t quota_claim_count(struct api *api, struct str namespace, struct str resource)
{
    struct store_page page;
    struct counting counting = {resource, quota_resource_depends_on_object(resource), 0};
    const struct store_range range = {.resource = quota_resource_stored_as(resource),
                                      .namespace = namespace};
    error_free(store_scan(api->store, &range, count_object, &counting, &page)); /* cannot fail */
    return counting.count;
}

static int compare_limits(const void *a, const void *b)
{
    const struct quota_limit *left = a, *right = b;
    const int order = str_cmp(left->quota, right->quota);
    return order ? order : str_cmp(left->resource, right->resource);
}

/* The quotas may have changed while this write waited. */
struct error *quota_claim_take(struct quota_claim *claim, struct api *api, struct arena *arena,
                               const struct kind *kind, struct key key, bool may_create)
{
    *claim = (struct quota_claim){.arena = arena, .kind = kind, .key = key};
    if (!kind->namespaced)
        return NULL;
    for (int i = 0; i < 2; i++) {
        TRY(collect_limits(claim, api));
        if (!may_create)
            keep_limits_of_changes(claim);
        if (!claim->count || claim->turn_of)
            break;
        TRY(semaphore_take(&api->quota_turn));
        claim->turn_of = api;
    }
    for (size_t i = 0; i < claim->count; i++)
        claim->limits[i].used = quota_claim_count(api, key.namespace, claim->limits[i].resource);
    if (claim->count)
        qsort(claim->limits, claim->count, sizeof(*claim->limits), compare_limits);
    return NULL;
}

void quota_claim_done(struct quota_claim *claim)
{
    if (claim->turn_of)
        semaphore_give(&claim->turn_of->quota_turn);
    claim->turn_of = NULL;
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
