/*
 * One entry for each resource that a page has asked for. web_contents_read() has the turn while it
 * reads, so that a resource is fetched once for all who wait for it. A large resource is taken
 * apart on a worker thread.
 */
#include "web/web_contents.h"

#include "apimachinery/wellknown.h"
#include "async/compute.h"
#include "async/loop.h"
#include "async/semaphore.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/types/content.h"
#include "json/path.h"

#define READ_AGAIN    (10 * SECOND)
#define RESOURCES_MAX ((size_t)100) /* of one set */
#define ENTRIES_MAX   ((size_t)1000)
#define ENTRY_BYTES   (256 * KILOBYTE)
#define PROBLEM_MAX   ((size_t)300)

struct web_contents {
    struct loop *loop;
    struct client *client;
    struct map entries; /* "ConfigMap/namespace/name" -> struct entry; the oldest first */
    struct semaphore turn;
};

struct entry {
    struct web_content content; /* texts are in the arena */
    int64_t read;               /* the loop's time */
    struct arena arena;
};

static void release_entry(void *value)
{
    struct entry *entry = value;
    arena_done(&entry->arena);
    mem_free(entry);
}

struct web_contents *web_contents_new(struct loop *loop, struct client *client)
{
    struct web_contents *contents = NEW(struct web_contents);
    contents->loop = loop;
    contents->client = client;
    contents->entries.release = release_entry;
    contents->turn.permits = 1;
    return contents;
}

void web_contents_free(struct web_contents *contents)
{
    if (!contents)
        return;
    map_done(&contents->entries);
    mem_free(contents);
}

static struct str entry_name(struct arena *arena, enum resource_kind kind, struct key key)
{
    const struct str word = resource_kind_name(kind);
    return arena_print(arena, "%.*s/%.*s/%.*s", STR_ARG(word), STR_ARG(key.namespace),
                       STR_ARG(key.name));
}

static struct entry *find_entry(const struct web_contents *contents, enum resource_kind kind,
                                struct key key)
{
    SCOPED(arena) scratch = {0};
    return map_find(&contents->entries, entry_name(&scratch, kind, key));
}

const struct web_content *web_contents_find(const struct web_contents *contents,
                                            enum resource_kind kind, struct key key)
{
    const struct entry *entry = find_entry(contents, kind, key);
    return entry ? &entry->content : NULL;
}

/* Takes the entry. True: it says something else than the one before. */
static bool put_entry(struct web_contents *contents, enum resource_kind kind, struct key key,
                      struct entry *entry)
{
    SCOPED(arena) scratch = {0};
    const struct str name = entry_name(&scratch, kind, key);
    entry->read = contents->loop ? loop_now(contents->loop) : 0;
    while (map_count(&contents->entries) >= ENTRIES_MAX && !map_has(&contents->entries, name))
        map_remove(&contents->entries, map_key(map_first(&contents->entries)));
    struct entry *before = map_put(&contents->entries, name, entry);
    if (!before)
        return true;
    const bool is_other = !str_eq(before->content.hash, entry->content.hash) ||
                          !str_eq(before->content.problem, entry->content.problem) ||
                          before->content.size != entry->content.size ||
                          before->content.count != entry->content.count;
    release_entry(before);
    return is_other;
}

/* ---- a resource, taken apart ---- */

/* Of base64 the bytes that it stands for. */
static size_t count_bytes(const struct json_value *data, bool is_base64)
{
    const struct json_value *value;
    size_t bytes = 0;
    JSON_FOREACH (key, value, data) {
        const struct str text = json_to_str(value);
        const size_t padding = str_ends_with(text, STR("==")) ? 2 : str_ends_with(text, STR("="));
        bytes += is_base64 ? text.len / 4 * 3 - (text.len >= 4 ? padding : 0) : text.len;
    }
    return bytes;
}

static void take_objects(struct entry *entry, const struct content *content)
{
    struct web_content *taken = &entry->content;
    const size_t kept =
        taken->count < WEB_CONTENT_OBJECTS_MAX ? taken->count : WEB_CONTENT_OBJECTS_MAX;
    taken->objects = arena_alloc_array(&entry->arena, kept + 1, sizeof(*taken->objects));
    for (size_t i = 0; i < kept; i++) {
        const struct object *object = content_object(content, i);
        taken->objects[i] = (struct web_content_object){
            arena_str(&entry->arena, object_kind(object)),
            arena_str(&entry->arena, object_namespace(object)),
            arena_str(&entry->arena, object_name(object)),
        };
    }
}

/* What is wrong with a content is told by one word: its message may quote what must not be shown.
 */
static struct entry *take_apart(const struct object *resource, bool is_secret, size_t size)
{
    OWNED(content) content = content_read(resource);
    struct entry *entry = NEW(struct entry);
    entry->arena.limit = ENTRY_BYTES;
    entry->content.size = size;
    entry->content.hash = arena_str(&entry->arena, content_hash(content));
    entry->content.count = content_count(content);
    if (content_error(content))
        entry->content.problem =
            arena_print(&entry->arena, "this %s cannot be used (%.*s)",
                        is_secret ? "Secret" : "ConfigMap", STR_ARG(content_error_class(content)));
    take_objects(entry, content);
    return entry;
}

struct work {
    const struct object *resource;
    bool is_secret;
    size_t size;
    struct entry *entry;
};

static struct error *run_work(void *data)
{
    struct work *work = data;
    work->entry = take_apart(work->resource, work->is_secret, work->size);
    return NULL;
}

static struct work work_on(enum resource_kind kind, const struct object *resource)
{
    const bool is_secret = kind == RESOURCE_SECRET;
    return (struct work){.resource = resource,
                         .is_secret = is_secret,
                         .size = count_bytes(object_path(resource, "data"), is_secret) +
                                 count_bytes(object_path(resource, "binaryData"), true)};
}

bool web_contents_put(struct web_contents *contents, enum resource_kind kind, struct key key,
                      const struct object *resource)
{
    const struct work work = work_on(kind, resource);
    return put_entry(contents, kind, key, take_apart(resource, work.is_secret, work.size));
}

/* ---- reading ---- */

/* Suspends. */
static struct error *fetch_entry(struct web_contents *contents, enum resource_kind kind,
                                 struct key key, struct entry **ret_entry)
{
    OWNED(object) resource = NULL;
    struct error *err =
        client_get(contents->client, kind == RESOURCE_SECRET ? GVR_SECRETS : GVR_CONFIG_MAPS, key,
                   NULL, &resource);
    if (error_is(err, ERROR_CANCELED) || error_is(err, ERROR_DEADLINE))
        return err;
    if (err) {
        struct entry *entry = NEW(struct entry);
        entry->content.problem =
            arena_str(&entry->arena, str_slice(str_from_c(err->message), 0, PROBLEM_MAX));
        error_free(err);
        *ret_entry = entry;
        return NULL;
    }
    struct work work = work_on(kind, resource);
    err = compute_sized(content_size(resource), run_work, &work);
    if (err) {
        if (work.entry)
            release_entry(work.entry);
        return err;
    }
    *ret_entry = work.entry;
    return NULL;
}

static bool is_fresh(const struct web_contents *contents, enum resource_kind kind, struct key key)
{
    const struct entry *entry = find_entry(contents, kind, key);
    return entry && loop_now(contents->loop) - entry->read < READ_AGAIN;
}

/* Suspends. */
static struct error *read_all(struct web_contents *contents, const struct resource_ref *refs,
                              size_t count, struct str namespace, bool *ret_changed)
{
    for (size_t i = 0; i < count; i++) {
        const struct key key = {namespace, refs[i].name};
        struct entry *entry = NULL;
        if (is_fresh(contents, refs[i].kind, key))
            continue;
        TRY(fetch_entry(contents, refs[i].kind, key, &entry));
        *ret_changed |= put_entry(contents, refs[i].kind, key, entry);
    }
    return NULL;
}

/* The set may go while others run, so its references are copied. */
struct error *web_contents_read(struct web_contents *contents, const struct crs_spec *set,
                                struct str namespace, bool *ret_changed)
{
    SCOPED(arena) arena = {0};
    const size_t count = set->ref_count < RESOURCES_MAX ? set->ref_count : RESOURCES_MAX;
    struct resource_ref *refs = arena_alloc_array(&arena, count + 1, sizeof(*refs));
    const struct str of = arena_str(&arena, namespace);
    bool is_due = false;
    *ret_changed = false;
    for (size_t i = 0; i < count; i++) {
        refs[i] = (struct resource_ref){set->refs[i].kind, arena_str(&arena, set->refs[i].name)};
        is_due |= !is_fresh(contents, refs[i].kind, (struct key){of, refs[i].name});
    }
    if (!is_due || !contents->client)
        return NULL;
    TRY(semaphore_take(&contents->turn));
    struct error *err = read_all(contents, refs, count, of, ret_changed);
    semaphore_give(&contents->turn);
    return err;
}
