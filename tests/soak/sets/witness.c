/*
 * Sees every version of every binding in order, and every object that is posted.
 *
 *   - Whoever changes a binding changes one entry and leaves the others as and where they are.
 *   - What somebody else wrote is never taken back.
 *   - What is newly said to be applied is in the cluster at that time.
 *   - What ApplyOnce has recorded is not posted again.
 *   - Nothing is deleted from a cluster that no rule explains.
 */
#include "apimachinery/wellknown.h"
#include "apiserver/storage/store_watch.h"
#include "async/fiber.h"
#include "base/memory.h"
#include "http/server.h"
#include "json/compare.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define BINDINGS       STR("clusterresourcesetbindings.addons.cluster.x-k8s.io")
#define INTERFERENCE   0.1
#define DELETION_TAKES (2 * MINUTE) /* until everybody has heard of it */

static const struct json_value *entries_of(const struct json_doc *binding)
{
    return json_path(binding ? json_doc_root(binding) : NULL, "spec.bindings");
}

static struct str name_of(const struct json_value *entry)
{
    return json_path_str(entry, "clusterResourceSetName");
}

static const struct json_value *find_entry(const struct json_doc *binding, struct str set)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, entries_of(binding))
        if (str_eq(name_of(entry), set))
            return entry;
    return NULL;
}

static const struct json_value *find_resource(const struct json_value *entry, struct str name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(entry, STR("resources")))
        if (str_eq(json_path_str(item, "name"), name))
            return item;
    return NULL;
}

static bool is_applied(const struct json_value *resource)
{
    bool applied = false;
    return json_to_bool(json_get(resource, STR("applied")), &applied) && applied;
}

/* Entries that are in both stand in the same order, and all but one are the same. */
static void check_entries(const struct json_doc *before, const struct json_doc *now)
{
    size_t changes = 0;
    const struct json_value *old = NULL, *entry;
    struct json_iter iter = {.container = entries_of(now)};
    struct str key;
    JSON_FOREACH (index, entry, entries_of(now))
        changes += !find_entry(before, name_of(entry));
    JSON_FOREACH (index, old, entries_of(before)) {
        const struct json_value *same = find_entry(now, name_of(old));
        if (!same) {
            changes++;
            continue;
        }
        changes += !json_equal(old, same);
        do {
            if (!json_next(&iter, &key, &entry))
                test_fail(TEST_PLACE("entries"), "are in another order than before");
        } while (!str_eq(name_of(entry), name_of(old)));
    }
    if (changes > 1)
        test_fail(TEST_PLACE("entries"), "%zu changed at once", changes);
}

static unsigned foreign_number(const struct json_doc *binding)
{
    uint64_t number = 0;
    const struct json_value *entry = find_entry(binding, STR(FOREIGN));
    (void)str_to_uint64(json_path_str(entry, "resources.0.hash"), &number);
    return (unsigned)number;
}

static void check_foreign(struct sets *sets, size_t cluster, const struct json_doc *now)
{
    const unsigned number = foreign_number(now);
    if (number < sets->foreign_seen[cluster])
        test_fail(TEST_PLACE("entry"), "of somebody else in c%zu went from %u to %u", cluster,
                  sets->foreign_seen[cluster], number);
    sets->foreign_seen[cluster] = number;
}

/* Something is said anew: at this time it must be so. */
static void check_claim(struct sets *sets, size_t cluster, size_t set,
                        const struct json_value *item)
{
    size_t resource;
    const struct str hash = json_path_str(item, "hash");
    CHECK(sets_number(json_path_str(item, "name"), 'r', RESOURCES, &resource));
    if (sets->tampered[cluster] & 1U << resource)
        return; /* it may have been so a moment ago */
    const struct content_version *version = catalog_find(sets, resource, hash);
    if (!version)
        test_fail(TEST_PLACE("hash"), "of r%zu in c%zu is of nothing: %.*s", resource, cluster,
                  STR_ARG(hash));
    OWNED(error)
    lack = version->quality == FINE
               ? catalog_check(sets, version, cluster, sets->profile.reconciles[set])
               : error_new(ERROR_INVALID, "version %u cannot be", version->number);
    if (lack)
        test_fail(TEST_PLACE("claim"), "of s%zu on c%zu is false: %s", set, cluster, lack->message);
}

static void check_claims_of(struct sets *sets, size_t cluster, size_t set,
                            const struct json_value *before, const struct json_value *now)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(now, STR("resources"))) {
        const struct json_value *old = find_resource(before, json_path_str(item, "name"));
        if (is_applied(item) && !(old && json_equal(old, item)))
            check_claim(sets, cluster, set, item);
    }
}

static void check_claims(struct sets *sets, size_t cluster, const struct json_doc *before,
                         const struct json_doc *now)
{
    const struct json_value *entry;
    size_t set;
    JSON_FOREACH (index, entry, entries_of(now))
        if (sets_number(name_of(entry), 's', SETS, &set))
            check_claims_of(sets, cluster, set, find_entry(before, name_of(entry)), entry);
}

/* A binding goes with its cluster, or once nobody has anything in it. */
static void check_end(struct sets *sets, size_t cluster, const struct store_event *event)
{
    OWNED(json_doc) last = NULL;
    OWNED(json_doc) owner = sets_find_cluster(sets, cluster);
    const int64_t now = loop_now(loop_current());
    CHECK_OK(json_read(object_text_json(event->text), &last));
    sets->foreign_seen[cluster] = 0;
    const bool was_deleted =
        sets->deleted_at[cluster] && now - sets->deleted_at[cluster] < DELETION_TAKES;
    if (foreign_number(last) && owner && !sets_is_deleting(owner) && !was_deleted)
        test_fail(TEST_PLACE("entry"), "of somebody else went with the binding of c%zu", cluster);
}

static void see(struct sets *sets, const struct store_event *event)
{
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) now = NULL;
    size_t cluster;
    CHECK(sets_number(object_text_key(event->text).name, 'c', CLUSTERS, &cluster));
    if (event->type == STORE_DELETED) {
        check_end(sets, cluster, event);
        return;
    }
    CHECK_OK(json_read(object_text_json(event->text), &now));
    if (event->previous) {
        CHECK_OK(json_read(object_text_json(event->previous), &before));
        check_entries(before, now);
    }
    check_foreign(sets, cluster, now);
    check_claims(sets, cluster, before, now);
}

struct error *witness_follow(void *data)
{
    struct sets *sets = data;
    OWNED(store_watch) watch = NULL;
    const struct store_watch_filter filter = {.resource = BINDINGS};
    CHECK_OK(store_watch_open(sets->management.api->store, &filter, 0, &watch));
    for (;;) {
        SCOPED(store_event) event = {0};
        struct error *err = store_watch_next(watch, &event);
        if (err && err->code != ERROR_CANCELED)
            test_fail(TEST_PLACE("witness"), "lost sight: %s", err->message);
        TRY(err);
        see(sets, &event);
    }
}

/* Which resource an object is from that comes to this place; false for none. */
static bool find_place(struct str target, size_t *ret_resource)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        SCOPED(buf) place = {.limit = 0};
        buf_print(&place, "/api/v1/namespaces/%s/%s", sets_places[i].namespace,
                  sets_places[i].holds_secrets ? "secrets" : "configmaps");
        *ret_resource = i;
        if (str_eq(target, buf_str(&place)))
            return true;
    }
    return false;
}

/* Whether every set that ever named it has recorded it for good. */
static bool is_recorded(struct sets *sets, size_t cluster, size_t resource)
{
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    SCOPED(buf) name = {.limit = 0};
    size_t recorded = 0;
    buf_print(&name, "r%zu", resource);
    for (size_t i = 0; i < SETS; i++) {
        SCOPED(buf) set = {.limit = 0};
        if (!(sets->named[i] & 1U << resource))
            continue;
        buf_print(&set, "s%zu", i);
        const struct json_value *entry = find_entry(binding, buf_str(&set));
        if (sets->profile.reconciles[i] || !is_applied(find_resource(entry, buf_str(&name))))
            return false;
        recorded++;
    }
    return recorded > 0;
}

void witness_request(struct front *front, struct http_request *http)
{
    struct sets *sets = front->options.data;
    const size_t cluster = (size_t)(front - sets->workloads);
    struct str target = http_request_target(http), path = {0};
    size_t resource;
    if (str_eq(http_request_method(http), STR("DELETE")))
        pruning_witness(sets, cluster, target);
    if (!str_eq(http_request_method(http), STR("POST")))
        return;
    (void)str_cut(&target, '?', &path);
    if (find_place(path, &resource) && is_recorded(sets, cluster, resource))
        test_fail(TEST_PLACE("objects"), "of r%zu are posted to c%zu again, though recorded",
                  resource, cluster);
}

/* Right before one of ours gets there, somebody else writes the same binding. */
static void interfere(struct sets *sets, struct str target)
{
    const struct str folder = STR(BINDINGS_TARGET "/");
    size_t cluster;
    if (!str_starts_with(target, folder) ||
        !sets_number(str_slice(target, folder.len, folder.len + 2), 'c', CLUSTERS, &cluster) ||
        !draw_chance(&sets->management.dice, INTERFERENCE))
        return;
    FIBER_SHIELD(FOREVER); /* whoever asked may leave */
    foreign_write(sets, cluster);
}

void witness_management(struct front *front, struct http_request *http)
{
    struct sets *sets = front->options.data;
    const struct str target = http_request_target(http);
    if (str_eq(http_request_method(http), STR("GET")))
        return;
    sets->events += str_contains(target, STR("/events"));
    if (front->in_trouble)
        interfere(sets, target);
}
