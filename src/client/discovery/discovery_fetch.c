/*
 * The requests of discovery.
 *
 * A target is what one fetch brings: both lists (/api and /apis), a group or a group/version. At
 * most one fiber fetches a target; the others wait for discovery.changed and then look again. The
 * outcome is kept in the target's mark: its time, which says how fresh the surface is, and its
 * error, which is returned to every lookup within retry_after. Marks are few and live only while
 * lookups need them, so that a discovery of which nothing is asked costs nothing; see
 * discovery_prune_marks().
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery_internal.h"
#include "client/discovery/discovery_read.h"
#include "client/discovery/discovery_surface.h"
#include "json/json.h"

#define ACCEPT_PLAIN STR("application/json")
#define ACCEPT_LISTS                                                            \
    STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," \
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json")

/* The path of a group or version. It is the key of its mark, too. */
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

/* NULL if the target was not fetched since marks were pruned. */
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

/* A mark that a fiber is working on stays, since that fiber holds a pointer to it. */
void discovery_prune_marks(struct discovery *discovery, int64_t before)
{
    MAP_FOREACH (entry, &discovery->marks) {
        const struct discovery_mark *mark = entry->value;
        if (!mark->busy && mark->at < before)
            map_remove(&discovery->marks, map_key(entry));
    }
    if (map_count(&discovery->marks) == 0)
        map_clear(
            &discovery->marks); /* gives the memory back: there is a discovery for each cluster */
}

void discovery_unmark(struct discovery *discovery, struct str group, struct str version)
{
    const struct discovery_target target = {DISCOVERY_VERSION, group, version};
    struct discovery_mark *mark = get_mark(discovery, &target);
    mark->at = DISCOVERY_NEVER;
    error_free(TAKE(mark->err));
}

/* Errors of fetches that ended before "since" are too old to be returned again. */
const struct error *discovery_failure(const struct discovery *discovery,
                                      const struct discovery_target *target, int64_t since)
{
    const struct discovery_mark *mark = find_mark(discovery, target);
    return mark && mark->at >= since ? mark->err : NULL;
}

/* True if the lists said as much about the target as fetching it would. */
static bool lists_cover(const struct discovery *discovery, const struct discovery_target *target)
{
    if (target->what != DISCOVERY_VERSION)
        return true;
    const struct discovery_table *table =
        discovery_surface_find(discovery->surface, target->group, target->version);
    return !table || table->is.state == DISCOVERY_KNOWN;
}

/* Either the lists or a fetch of the target itself, whichever came last. */
int64_t discovery_as_of(const struct discovery *discovery, const struct discovery_target *target)
{
    const bool is_covered = discovery->surface && lists_cover(discovery, target);
    const int64_t listed_at = is_covered ? discovery->listed_at : DISCOVERY_NEVER;
    const struct discovery_mark *mark = find_mark(discovery, target);
    return mark && mark->at > listed_at ? mark->at : listed_at;
}

void discovery_set_surface(struct discovery *discovery, struct discovery_surface *surface)
{
    discovery_surface_free(discovery->surface);
    discovery->surface = surface;
}

static struct error *check_surface(const struct discovery *discovery,
                                   const struct discovery_surface *surface)
{
    const struct str host = client_host(discovery->client);
    const struct discovery_room room = discovery_surface_measure(surface);
    if (room.resources > DISCOVERY_KEPT_RESOURCES_MAX)
        return error_new(ERROR_TOO_LARGE, "the server %.*s has more than %zu resources",
                         STR_ARG(host), DISCOVERY_KEPT_RESOURCES_MAX);
    if (room.names > DISCOVERY_KEPT_NAMES_MAX)
        return error_new(ERROR_TOO_LARGE,
                         "the names of the resources of the server %.*s take more than %zu bytes",
                         STR_ARG(host), DISCOVERY_KEPT_NAMES_MAX);
    return NULL;
}

/*
 * Takes the surface. One that is too large is given back, and the former one stays: every server
 * that is connected keeps a surface in memory.
 */
static struct error *keep_surface(struct discovery *discovery, struct discovery_surface *surface)
{
    struct error *err = check_surface(discovery, surface);
    if (err)
        discovery_surface_free(surface);
    else
        discovery_set_surface(discovery, surface);
    return err;
}

static struct error *fetch_document(struct discovery *discovery, struct arena *arena,
                                    const struct client_raw_request *request,
                                    struct client_raw_answer *ret_answer, struct json_doc **ret_doc)
{
    struct client_raw_request full = *request;
    full.rate_limit = &discovery->rate_limit;
    struct error *err = client_raw_json(discovery->client, &full, discovery->document_max, arena,
                                        ret_answer, ret_doc);
    if (error_is(err, ERROR_PARSE))
        err->code = ERROR_PROTOCOL; /* the text of a server is not input of a user */
    TRY(err, "discover %.*s", STR_ARG(request->path));
    return NULL;
}

/* The server has no such path. ERROR_NOT_FOUND alone does not say so: a file may be missing, too.
 */
static bool is_404(const struct error *err)
{
    return err && err->http_status == 404;
}

/* The answer to /api (core) or /apis. */
struct list_answer {
    bool is_core;
    bool is_aggregated; /* it holds the resources of every version */
    struct discovery_versions versions;
};

static void list_answer_done(struct list_answer *list)
{
    discovery_versions_done(&list->versions);
}

static struct error *read_list(struct list_answer *list, struct json_doc *doc)
{
    if (list->is_aggregated)
        return discovery_read_aggregated(doc, list->is_core, &list->versions);
    if (list->is_core)
        return discovery_read_core(doc, &list->versions);
    return discovery_read_groups(doc, &list->versions);
}

static struct error *fetch_list(struct discovery *discovery, struct arena *arena,
                                struct list_answer *list)
{
    OWNED(json_doc) doc = NULL;
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {
        .path = list->is_core ? STR("/api") : STR("/apis"),
        .accept = ACCEPT_LISTS,
    };
    list->versions.arena = arena;
    struct error *err = fetch_document(discovery, arena, &request, &answer, &doc);
    if (list->is_core && is_404(err)) {
        error_free(err); /* an extension API server, asked directly, has no core group */
        list->is_aggregated = true;
        return NULL;
    }
    TRY(err);
    list->is_aggregated = discovery_is_aggregated(answer.content_type);
    TRY(read_list(list, doc), "discover %.*s", STR_ARG(request.path));
    return NULL;
}

/*
 * Resources are taken from the lists only if both are aggregated. Otherwise both count as plain
 * lists of names, and fetch_version_or_group() gets the resources when a lookup needs them.
 */
static struct error *fetch_lists(struct discovery *discovery, struct arena *arena)
{
    SCOPED(list_answer) core = {.is_core = true};
    SCOPED(list_answer) groups = {0};
    TRY(fetch_list(discovery, arena, &core));
    TRY(fetch_list(discovery, arena, &groups));
    const bool is_aggregated = core.is_aggregated && groups.is_aggregated;
    TRY(keep_surface(discovery, discovery_surface_from_lists(discovery->pool, &core.versions,
                                                             &groups.versions, is_aggregated)),
        "discover /apis");
    discovery->is_aggregated = is_aggregated;
    discovery->listed_at = loop_now(loop_current());
    return NULL;
}

/* Bounds what a server can make us keep, one fetched group or version after the other. */
static struct error *check_count(const struct discovery *discovery, size_t more)
{
    if (discovery->surface->count + more <= DISCOVERY_VERSIONS_MAX)
        return NULL;
    return error_new(ERROR_TOO_LARGE, "the server has more than %zu versions",
                     DISCOVERY_VERSIONS_MAX);
}

static struct error *read_target(const struct discovery_target *target, struct json_doc *doc,
                                 struct discovery_versions *versions)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_read_resources(doc, target->group, target->version, versions);
    if (target->group.len == 0)
        return discovery_read_core(doc, versions);
    return discovery_read_group(doc, target->group, versions);
}

static struct discovery_surface *surface_with_target(const struct discovery *discovery,
                                                     const struct discovery_target *target,
                                                     const struct discovery_versions *versions)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_surface_with(discovery->pool, discovery->surface, &versions->items[0]);
    return discovery_surface_relist(discovery->pool, discovery->surface, target->group, versions);
}

static struct discovery_surface *surface_without_target(const struct discovery *discovery,
                                                        const struct discovery_target *target)
{
    if (target->what == DISCOVERY_VERSION)
        return discovery_surface_without_version(discovery->pool, discovery->surface, target->group,
                                                 target->version);
    return discovery_surface_without(discovery->pool, discovery->surface, target->group);
}

/* A 404 is an answer as well: the group or version does not exist any more. */
static struct error *fetch_version_or_group(struct discovery *discovery, struct arena *arena,
                                            const struct discovery_target *target)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(discovery_versions) versions = {.arena = arena};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {.path = target_path(arena, target),
                                               .accept = ACCEPT_PLAIN};
    struct error *err = fetch_document(discovery, arena, &request, &answer, &doc);
    if (is_404(err)) {
        error_free(err);
        discovery_set_surface(discovery, surface_without_target(discovery, target));
        return NULL;
    }
    TRY(err);
    TRY(read_target(target, doc, &versions), "discover %.*s", STR_ARG(request.path));
    TRY(check_count(discovery, versions.count), "discover %.*s", STR_ARG(request.path));
    TRY(keep_surface(discovery, surface_with_target(discovery, target, &versions)), "discover %.*s",
        STR_ARG(request.path));
    return NULL;
}

/* The fetch ended because this fiber was cancelled or out of time. Other fibers that wait for the
 * same target must not see that error: one of them fetches again. */
static bool is_end_of_fiber(const struct error *err)
{
    return error_is(err, ERROR_CANCELED) || fiber_is_canceled(fiber_current()) ||
           (error_is(err, ERROR_DEADLINE) && fiber_deadline() != FOREVER);
}

/*
 * A fiber that finds the target busy waits for any fetch to end and returns: the caller decides
 * anew whether its target still needs to be fetched.
 */
struct error *discovery_fetch(struct discovery *discovery, const struct discovery_target *target)
{
    SCOPED(arena) arena = {0};
    struct discovery_mark *mark = get_mark(discovery, target);
    if (mark->busy)
        return event_wait(&discovery->changed, "discovery by another fiber");

    mark->busy = true;
    struct error *err = target->what == DISCOVERY_LISTS
                            ? fetch_lists(discovery, &arena)
                            : fetch_version_or_group(discovery, &arena, target);
    mark->busy = false;
    event_wake_all(&discovery->changed);
    if (err && is_end_of_fiber(err))
        return err;
    mark->at = loop_now(loop_current());
    error_free(mark->err);
    mark->err = err;
    return NULL;
}
