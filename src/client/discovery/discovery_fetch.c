/* Fetches of discovery: what is asked for, who asks, what becomes of the answer. */
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery_internal.h"
#include "client/discovery/discovery_read.h"
#include "client/discovery/discovery_surface.h"

#define ACCEPT_PLAIN STR("application/json")
#define ACCEPT_LISTS                                                            \
    STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," \
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json")

/* A longer one is not worth its memory. */
#define ETAG_MAX ((size_t)1024)

/* The path of a group or version, by which its mark is found. */
static struct str target_path(struct arena *arena, const struct discovery_target *target)
{
    const bool core = target->group.len == 0;
    SCOPED(buf) path = {0};
    buf_add(&path, core ? STR("/api") : STR("/apis/"));
    buf_add(&path, target->group);
    if (target->what == DISCOVERY_VERSION)
        buf_print(&path, "/%.*s", STR_ARG(target->version));
    return arena_str(arena, buf_str(&path));
}

static const struct discovery_mark *find_mark(const struct discovery *discovery,
                                              const struct discovery_target *target)
{
    if (target->what == DISCOVERY_LISTS)
        return &discovery->lists;
    SCOPED(arena) arena = {0};
    return map_find(&discovery->marks, target_path(&arena, target));
}

static struct discovery_mark *get_mark(struct discovery *discovery,
                                       const struct discovery_target *target)
{
    if (target->what == DISCOVERY_LISTS)
        return &discovery->lists;
    SCOPED(arena) arena = {0};
    const struct str path = target_path(&arena, target);
    struct discovery_mark *mark = map_find(&discovery->marks, path);
    if (!mark) {
        mark = NEW(struct discovery_mark);
        mark->at = DISCOVERY_NEVER;
        map_put(&discovery->marks, path, mark);
    }
    return mark;
}

void discovery_mark_release(void *ptr)
{
    struct discovery_mark *mark = ptr;
    error_free(mark->err);
    mem_free(mark);
}

void discovery_prune_marks(struct discovery *discovery, int64_t before)
{
    MAP_FOREACH (entry, &discovery->marks) {
        const struct discovery_mark *mark = entry->value;
        if (!mark->busy && mark->at < before)
            map_remove(&discovery->marks, map_key(entry));
    }
    if (map_count(&discovery->marks) == 0)
        map_clear(&discovery->marks); /* gives the memory back: there are many of us */
}

void discovery_unmark(struct discovery *discovery, struct str group, struct str version)
{
    const struct discovery_target target = {DISCOVERY_VERSION, group, version};
    struct discovery_mark *mark = get_mark(discovery, &target);
    mark->at = DISCOVERY_NEVER;
    error_free(TAKE(mark->err));
}

const struct error *discovery_failure(const struct discovery *discovery,
                                      const struct discovery_target *target, int64_t since)
{
    const struct discovery_mark *mark = find_mark(discovery, target);
    return mark && mark->at >= since ? mark->err : NULL;
}

/* Whether the lists told what a fetch of the target would. */
static bool lists_tell(const struct discovery *discovery, const struct discovery_target *target)
{
    if (target->what != DISCOVERY_VERSION)
        return true;
    const struct discovery_table *table =
        discovery_surface_find(discovery->surface, target->group, target->version);
    return !table || table->is.state == DISCOVERY_KNOWN;
}

int64_t discovery_as_of(const struct discovery *discovery, const struct discovery_target *target)
{
    const bool told = discovery->surface && lists_tell(discovery, target);
    const int64_t listed_at = told ? discovery->listed_at : DISCOVERY_NEVER;
    const struct discovery_mark *mark = find_mark(discovery, target);
    return mark && mark->at > listed_at ? mark->at : listed_at;
}

static void drop_etag(struct discovery_list *list)
{
    mem_free(TAKE(list->etag));
}

void discovery_amend(struct discovery *discovery, struct str group,
                     struct discovery_surface *surface)
{
    discovery_surface_free(discovery->surface);
    discovery->surface = surface;
    drop_etag(group.len == 0 ? &discovery->core : &discovery->groups);
}

static struct error *get(struct discovery *discovery, struct arena *arena,
                         const struct client_raw_request *request, struct buf *body,
                         struct client_raw_answer *ret_answer)
{
    body->limit = discovery->document_max;
    struct client_raw_request full = *request;
    full.rate_limit = &discovery->rate_limit;
    TRY(client_raw(discovery->client, &full, arena, body, ret_answer), "discover %.*s",
        STR_ARG(request->path));
    if (body->len > discovery->document_max)
        return error_new(ERROR_TOO_LARGE, "discover %.*s: the answer has more than %zu bytes",
                         STR_ARG(request->path), discovery->document_max);
    if (ret_answer->status == 304 && request->if_none_match.len == 0)
        return error_new(ERROR_PROTOCOL, "discover %.*s: not modified, but since when",
                         STR_ARG(request->path));
    return NULL;
}

/* The server has no such path. Not any error of this code: a credential plugin may be missing. */
static bool is_404(const struct error *err)
{
    return err && err->http_status == 404;
}

/* An answer about one half of a server's groups. */
struct half {
    bool is_core;
    bool unchanged, aggregated;
    struct discovery_versions versions;
    struct str etag;
};

static void half_done(struct half *half)
{
    discovery_versions_done(&half->versions);
}

static struct error *read_half(struct half *half, struct str text)
{
    if (half->aggregated)
        return discovery_read_aggregated(text, half->is_core, &half->versions);
    if (half->is_core)
        return discovery_read_core(text, &half->versions);
    return discovery_read_groups(text, &half->versions);
}

static struct error *fetch_half(struct discovery *discovery, struct arena *arena, struct half *half)
{
    const struct discovery_list *list = half->is_core ? &discovery->core : &discovery->groups;
    SCOPED(buf) body = {0};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {
        .path = half->is_core ? STR("/api") : STR("/apis"),
        .accept = ACCEPT_LISTS,
        /* The list may be another one, or without a tag, when the answer comes. */
        .if_none_match = arena_str(arena, str_from_c(list->etag)),
    };
    half->versions.arena = arena;
    struct error *err = get(discovery, arena, &request, &body, &answer);
    if (half->is_core && is_404(err)) {
        error_free(err); /* an aggregated server by itself: it has no core group */
        half->aggregated = true;
        return NULL;
    }
    TRY(err);
    half->unchanged = answer.status == 304;
    half->aggregated =
        half->unchanged ? list->aggregated : discovery_is_aggregated(answer.content_type);
    half->etag = answer.etag;
    if (half->unchanged)
        return NULL;
    TRY(read_half(half, buf_str(&body)), "discover %.*s", STR_ARG(request.path));
    return NULL;
}

static void keep_list(struct discovery_list *list, const struct half *half)
{
    list->aggregated = half->aggregated;
    if (half->unchanged)
        return;
    drop_etag(list);
    if (half->etag.len > 0 && half->etag.len <= ETAG_MAX)
        list->etag = mem_dup(half->etag.ptr, half->etag.len);
}

static struct error *fetch_lists(struct discovery *discovery, struct arena *arena)
{
    SCOPED(half) core = {.is_core = true};
    SCOPED(half) groups = {0};
    TRY(fetch_half(discovery, arena, &core));
    TRY(fetch_half(discovery, arena, &groups));

    struct discovery_surface *surface = discovery_surface_from_lists(
        discovery->pool, discovery->surface, core.unchanged ? NULL : &core.versions,
        groups.unchanged ? NULL : &groups.versions, core.aggregated && groups.aggregated);
    discovery_surface_free(discovery->surface);
    discovery->surface = surface;
    discovery->listed_at = loop_now(loop_current());
    keep_list(&discovery->core, &core);
    keep_list(&discovery->groups, &groups);
    return NULL;
}

/* A group or version that came as news must not make what we keep grow without end. */
static struct error *check_count(const struct discovery *discovery, size_t more)
{
    if (discovery->surface->count + more <= DISCOVERY_VERSIONS_MAX)
        return NULL;
    return error_new(ERROR_TOO_LARGE, "the server has more than %zu versions",
                     DISCOVERY_VERSIONS_MAX);
}

static struct error *read_target(const struct discovery_target *target, struct str text,
                                 struct discovery_versions *versions)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_read_resources(text, target->group, target->version, versions);
    if (target->group.len == 0)
        return discovery_read_core(text, versions);
    return discovery_read_group(text, target->group, versions);
}

static struct discovery_surface *with_news(const struct discovery *discovery,
                                           const struct discovery_target *target,
                                           const struct discovery_versions *versions)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_surface_with(discovery->pool, discovery->surface, &versions->items[0]);
    return discovery_surface_relist(discovery->pool, discovery->surface, target->group, versions);
}

static struct discovery_surface *with_loss(const struct discovery *discovery,
                                           const struct discovery_target *target)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_surface_without_version(discovery->pool, discovery->surface, target->group,
                                                 target->version);
    return discovery_surface_without(discovery->pool, discovery->surface, target->group);
}

static struct error *fetch_part(struct discovery *discovery, struct arena *arena,
                                const struct discovery_target *target)
{
    SCOPED(buf) body = {0};
    SCOPED(discovery_versions) versions = {.arena = arena};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {.path = target_path(arena, target),
                                               .accept = ACCEPT_PLAIN};
    struct error *err = get(discovery, arena, &request, &body, &answer);
    if (is_404(err)) {
        error_free(err);
        discovery_amend(discovery, target->group, with_loss(discovery, target));
        return NULL;
    }
    TRY(err);
    TRY(read_target(target, buf_str(&body), &versions), "discover %.*s", STR_ARG(request.path));
    TRY(check_count(discovery, versions.count), "discover %.*s", STR_ARG(request.path));
    discovery_amend(discovery, target->group, with_news(discovery, target, &versions));
    return NULL;
}

/* Ended by this fiber's own limits, which are no business of others who wait for the same. */
static bool is_own_end(const struct error *err)
{
    return error_is(err, ERROR_CANCELED) || fiber_is_canceled(fiber_current()) ||
           (error_is(err, ERROR_DEADLINE) && fiber_deadline() != FOREVER);
}

struct error *discovery_fetch(struct discovery *discovery, const struct discovery_target *target)
{
    SCOPED(arena) arena = {0};
    struct discovery_mark *mark = get_mark(discovery, target);
    if (mark->busy)
        return event_wait(&discovery->changed, "discovery by another fiber");

    const uint64_t number = ++mark->begun;
    mark->busy = true;
    struct error *err = target->what == DISCOVERY_LISTS ? fetch_lists(discovery, &arena)
                                                        : fetch_part(discovery, &arena, target);
    mark->busy = false;
    event_wake_all(&discovery->changed);
    if (err && is_own_end(err))
        return err;
    mark->at = loop_now(loop_current());
    mark->ended = number;
    error_free(mark->err);
    mark->err = err;
    return NULL;
}
