#include "apiserver/quota_status.h"

#include <stdlib.h>

#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/quota_claim.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define QUOTAS STR("resourcequotas")

/* Many changes of a namespace are counted once. */
#define GATHER_TIME (20 * MILLISECOND)
#define RETRY_AFTER (1 * SECOND)

struct quota_status {
    struct api *api;
    struct map stale; /* namespaces */
    struct scope scope;
    bool is_running;
};

struct quota_status *quota_status_new(struct api *api)
{
    struct quota_status *status = NEW(struct quota_status);
    status->api = api;
    return status;
}

void quota_status_free(struct quota_status *status)
{
    if (!status)
        return;
    scope_done(&status->scope);
    map_done(&status->stale);
    mem_free(status);
}

/* How many names of quotas are taken from the store at a time. */
#define NAMES_AT_ONCE 100

/* Some quotas of one namespace. */
struct names {
    struct arena arena;
    struct str items[NAMES_AT_ONCE];
    size_t count;
};

static void names_done(struct names *names)
{
    arena_done(&names->arena);
}

static bool add_name(void *data, struct key key, struct object_text *text)
{
    struct names *names = data;
    (void)text;
    names->items[names->count++] = arena_str(&names->arena, key.name);
    return names->count < NAMES_AT_ONCE;
}

/* The limits of one quota that are known here, in the arena. */
struct limits {
    struct quota_limit *items;
    size_t count, capacity;
};

static struct limits limits_of(struct arena *arena, const struct json_value *quota)
{
    const struct json_value *value;
    struct limits limits = {0};
    JSON_FOREACH (name, value, json_path(quota, "spec.hard")) {
        const struct quota_limit limit = quota_claim_limit(quota, name, value);
        if (limit.resource.stored_as.len)
            ARENA_ARRAY_PUSH(arena, limits.items, limits.count, limits.capacity, limit);
    }
    return limits;
}

static int compare_stored(const void *a, const void *b)
{
    const struct quota_limit *left = a, *right = b;
    const int order = str_cmp(left->resource.stored_as, right->resource.stored_as);
    return order ? order : str_cmp(left->name, right->name);
}

static int compare_names(const void *a, const void *b)
{
    const struct quota_limit *left = a, *right = b;
    return str_cmp(left->name, right->name);
}

/* Limits of the same objects are counted together. Suspends. */
static struct error *count_limits(struct api *api, struct str namespace, struct limits *limits)
{
    size_t same;
    if (!limits->count)
        return NULL;
    qsort(limits->items, limits->count, sizeof(*limits->items), compare_stored);
    for (size_t i = 0; i < limits->count; i += same) {
        struct quota_limit *first = &limits->items[i];
        for (same = 1; i + same < limits->count; same++)
            if (!str_eq(first[same].resource.stored_as, first->resource.stored_as))
                break;
        TRY(quota_claim_count(api, namespace, first, same));
    }
    qsort(limits->items, limits->count, sizeof(*limits->items), compare_names);
    return NULL;
}

static void add_used(struct json_builder *builder, const struct quota_limit *limit)
{
    SCOPED(buf) amount = {0};
    quota_amount_write(&amount, limit->used);
    json_builder_key(builder, limit->name);
    json_builder_str(builder, buf_str(&amount));
}

/* {"hard": …, "used": …} Suspends. */
static struct error *make_status(struct api *api, struct arena *arena,
                                 const struct json_value *quota, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *hard = json_path(quota, "spec.hard");
    struct limits limits = limits_of(arena, quota);
    TRY(count_limits(api, json_path_str(quota, "metadata.namespace"), &limits));
    json_builder_object(&builder);
    if (json_count(hard)) {
        json_builder_add_value(&builder, "hard", hard);
        json_builder_add_object(&builder, "used");
        for (size_t i = 0; i < limits.count; i++)
            add_used(&builder, &limits.items[i]);
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* The store_edit_fn. A quota whose spec has changed meanwhile is counted again anyway. */
static struct error *decide_status(void *data, struct store_edit *edit)
{
    const struct json_doc *wanted = data;
    const struct json_value *status = json_doc_root(wanted);
    const struct kind *kind = kinds_find(GVR("", "v1", "resourcequotas"));
    SCOPED(json_edit) change = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (!edit->previous)
        return NULL;
    TRY(codec_read_stored(kind, edit->previous, &old));
    const struct json_value *hard = json_path(json_doc_root(old), "spec.hard");
    if (json_equal(json_path(json_doc_root(old), "status"), status) ||
        (json_count(hard) && !json_equal(hard, json_get(status, STR("hard")))))
        return NULL;
    json_edit_init(&change, json_doc_root(old));
    json_edit_set(&change, JSON_PLACE("status"), status);
    TRY(json_edit_finish(&change, &doc));
    return codec_write_edit(kind, doc, STORE_PUT, edit, NULL);
}

/* Writes the status of one quota; none is read while another one is counted. Suspends. */
static struct error *count_quota(struct quota_status *status, struct str namespace, struct str name)
{
    SCOPED(arena) arena = {0};
    SCOPED(store_object) found = {0};
    OWNED(json_doc) quota = NULL;
    OWNED(json_doc) wanted = NULL;
    const struct store_id id = {
        QUOTAS, {namespace, name}
    };
    OWNED(error) gone = store_get(status->api->store, id, &found);
    if (gone)
        return NULL;
    OWNED(error) unreadable = json_read(object_text_json(found.text), &quota);
    if (unreadable)
        return NULL;
    TRY(make_status(status->api, &arena, json_doc_root(quota), &wanted));
    TRY(api_change(status->api, id, STORE_ANY, decide_status, wanted, NULL));
    return fiber_yield_in_time();
}

/* Suspends. */
static struct error *count_namespace(struct quota_status *status, struct str namespace)
{
    struct store_page page = {.has_more = true};
    SCOPED(buf) last = {0};
    while (page.has_more) {
        SCOPED(names) names = {0};
        const struct store_range range = {
            .resource = QUOTAS, .namespace = namespace, .after = {namespace, buf_str(&last)}
        };
        TRY(store_scan(status->api->store, &range, add_name, &names, &page));
        for (size_t i = 0; i < names.count; i++)
            TRY(count_quota(status, namespace, names.items[i]));
        buf_clear(&last);
        buf_add(&last, names.count ? names.items[names.count - 1] : STR(""));
    }
    return NULL;
}

/* Counts a namespace, and again later when that fails. Suspends. */
static struct error *refresh_namespace(struct quota_status *status, struct str namespace)
{
    OWNED(error) err = count_namespace(status, namespace);
    if (!err)
        return fiber_sleep(GATHER_TIME);
    if (error_is(err, ERROR_CANCELED))
        return TAKE(err);
    log_v(2, "Cannot write the status of quotas, trying again", LOG_STR("namespace", namespace),
          LOG_ERROR(err));
    map_put(&status->stale, namespace, NULL);
    return fiber_sleep(RETRY_AFTER);
}

/* The fiber. It ends when no namespace is stale. */
static struct error *run_counts(void *data)
{
    struct quota_status *status = data;
    struct map_entry *entry;
    TRY(fiber_sleep(GATHER_TIME));
    while ((entry = map_first(&status->stale))) {
        SCOPED(arena) arena = {0};
        const struct str namespace = arena_str(&arena, map_key(entry));
        map_remove(&status->stale, namespace);
        TRY(refresh_namespace(status, namespace));
    }
    status->is_running = false;
    return NULL;
}

static void mark_stale(struct quota_status *status, struct str namespace)
{
    if (!map_has(&status->stale, namespace))
        map_put(&status->stale, namespace, NULL);
    if (status->is_running)
        return;
    status->is_running = true;
    scope_start(&status->scope, "quotas", run_counts, status);
}

static bool mark_quota(void *data, struct key key, struct object_text *text)
{
    (void)text;
    mark_stale(data, key.namespace);
    return true;
}

/* The namespaces of at most so many quotas, of one namespace or of all; 0: no limit. */
static void mark_quotas(struct quota_status *status, struct str namespace, size_t limit)
{
    struct store_page page;
    const struct store_range range = {.resource = QUOTAS, .namespace = namespace, .limit = limit};
    error_free(store_scan(status->api->store, &range, mark_quota, status, &page)); /* cannot fail */
}

void quota_status_load(struct quota_status *status)
{
    mark_quotas(status, STR(""), 0);
}

/* Whether changes of objects change what is used, too. */
static bool may_change_usage(struct str resource)
{
    return str_eq(resource, STR("services")) || str_eq(resource, STR("pods")) ||
           str_eq(resource, STR("persistentvolumeclaims")) || str_eq(resource, QUOTAS);
}

void quota_status_note(struct quota_status *status, struct store_id id,
                       const struct object_text *before, const struct object_text *after)
{
    if (!id.key.namespace.len)
        return;
    if (!before || !after || may_change_usage(id.resource))
        mark_quotas(status, id.key.namespace, 1);
}
