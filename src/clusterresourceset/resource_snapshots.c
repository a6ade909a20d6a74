#include "clusterresourceset/resource_snapshots.h"

#include "apimachinery/object_edit.h"
#include "apimachinery/object_text.h"
#include "apimachinery/wellknown.h"
#include "async/event.h"
#include "async/semaphore.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "client/client.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_version.h"
#include "json/builder.h"
#include "json/path.h"

#define OWN_ATTEMPTS 5

struct resource_snapshot {
    size_t references;
    enum fault_type fault;
    char *text;
    struct content *content; /* NULL: missing or unreadable */
};

/* One resource: the newest snapshot, and what we know of its metadata. */
struct resource_entry {
    struct resource_snapshot *snapshot; /* NULL: not read yet */
    char *version;                      /* of the snapshot, or newer with the same data */
    struct json_doc *owners;            /* ownerReferences at that version; NULL: none */
    struct semaphore turn; /* whoever fetches or writes; the others wait and then look again */
    size_t users;
    bool is_wanted; /* since the last sweep */
};

struct resource_snapshots {
    struct resource_snapshots_options options;
    struct map resource_entries; /* "kind/namespace/name" -> struct resource_entry */
    size_t fetches;
};

static void release_entry(void *value)
{
    struct resource_entry *resource_entry = value;
    resource_snapshot_free(resource_entry->snapshot);
    json_doc_free(resource_entry->owners);
    mem_free(resource_entry->version);
    mem_free(resource_entry);
}

struct resource_snapshots *resource_snapshots_new(const struct resource_snapshots_options *options)
{
    struct resource_snapshots *pool = NEW(struct resource_snapshots);
    *pool = (struct resource_snapshots){.options = *options,
                                        .resource_entries = {.release = release_entry}};
    return pool;
}

void resource_snapshots_free(struct resource_snapshots *pool)
{
    if (!pool)
        return;
    map_done(&pool->resource_entries);
    mem_free(pool);
}

struct resource_snapshot *resource_snapshot_ref(struct resource_snapshot *snapshot)
{
    snapshot->references++;
    return snapshot;
}

void resource_snapshot_free(struct resource_snapshot *snapshot)
{
    if (!snapshot || --snapshot->references)
        return;
    content_free(snapshot->content);
    mem_free(snapshot->text);
    mem_free(snapshot);
}

static struct resource_snapshot *resource_snapshot_new(enum fault_type fault, struct str text,
                                                       struct content *content)
{
    struct resource_snapshot *snapshot = NEW(struct resource_snapshot);
    *snapshot = (struct resource_snapshot){
        .references = 1, .fault = fault, .text = mem_dup(text.ptr, text.len), .content = content};
    return snapshot;
}

enum fault_type resource_snapshot_fault(const struct resource_snapshot *snapshot)
{
    return snapshot->fault;
}

struct str resource_snapshot_text(const struct resource_snapshot *snapshot)
{
    return str_from_c(snapshot->text);
}

const struct content *resource_snapshot_content(const struct resource_snapshot *snapshot)
{
    return snapshot->fault ? NULL : snapshot->content;
}

struct str resource_snapshot_hash(const struct resource_snapshot *snapshot)
{
    return snapshot->content ? content_hash(snapshot->content) : (struct str){0};
}

bool resource_snapshot_eq(const struct resource_snapshot *a, const struct resource_snapshot *b)
{
    return a == b ||
           (a->fault == b->fault && str_eq(resource_snapshot_hash(a), resource_snapshot_hash(b)) &&
            str_eq(resource_snapshot_text(a), resource_snapshot_text(b)));
}

static struct resource_entry *find_entry(struct resource_snapshots *pool, enum resource_kind kind,
                                         struct key key)
{
    SCOPED(buf) name = {.limit = 0};
    buf_add(&name, resource_kind_name(kind));
    buf_add_char(&name, '/');
    key_write(&name, key);
    struct resource_entry *resource_entry = map_find(&pool->resource_entries, buf_str(&name));
    if (!resource_entry) {
        resource_entry = NEW(struct resource_entry);
        resource_entry->turn.permits = 1;
        map_put(&pool->resource_entries, buf_str(&name), resource_entry);
    }
    resource_entry->is_wanted = true;
    return resource_entry;
}

static struct cache *cache_of(const struct resource_snapshots *pool, enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? pool->options.secrets : pool->options.config_maps;
}

static struct gvr gvr_of(enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? GVR_SECRETS : GVR_CONFIG_MAPS;
}

/* The cache shows nothing newer than what is on the resource_entry. Missing ones are looked for
 * again. */
static bool is_current(const struct resource_snapshots *pool,
                       const struct resource_entry *resource_entry, enum resource_kind kind,
                       struct key key)
{
    OWNED(object_text) text = cache_get_text(cache_of(pool, kind), key);
    int order;
    if (!resource_entry->snapshot || !resource_entry->version || !text)
        return false;
    const struct str shown = object_text_resource_version(text);
    return str_eq(shown, str_from_c(resource_entry->version)) ||
           (cache_version_cmp(shown, str_from_c(resource_entry->version), &order) && order <= 0);
}

static void put_metadata(struct resource_entry *resource_entry, const struct object *object)
{
    const struct json_value *owners = object_owner_references(object);
    const struct str version = object_resource_version(object);
    json_doc_free(resource_entry->owners);
    mem_free(resource_entry->version);
    resource_entry->owners = owners ? json_doc_copy(owners) : NULL;
    resource_entry->version = mem_dup(version.ptr, version.len);
}

/* What means the same as before stays: it may be in use, and nobody keeps two of it. */
static void put_supply(struct resource_entry *resource_entry, struct resource_snapshot *snapshot)
{
    if (resource_entry->snapshot && resource_snapshot_eq(resource_entry->snapshot, snapshot)) {
        resource_snapshot_free(snapshot);
        return;
    }
    resource_snapshot_free(resource_entry->snapshot);
    resource_entry->snapshot = snapshot;
}

static struct resource_snapshot *resource_snapshot_of(const struct object *object)
{
    struct content *content = content_read(object);
    const struct error *err = content_error(content);
    if (!err)
        return resource_snapshot_new(FAULT_NONE, STR(""), content);
    return resource_snapshot_new(content_has_wrong_type(content) ? FAULT_WRONG_TYPE
                                                                 : FAULT_NOT_APPLIED,
                                 str_from_c(err->message), content);
}

/* Without a resource nothing is known of its version: it is asked for each time. */
static void put_absent(struct resource_entry *resource_entry, const struct error *err)
{
    const bool is_missing = err->code == ERROR_NOT_FOUND;
    mem_free(TAKE(resource_entry->version));
    json_doc_free(TAKE(resource_entry->owners));
    put_supply(resource_entry, resource_snapshot_new(is_missing ? FAULT_MISSING : FAULT_UNREADABLE,
                                                     str_from_c(err->message), NULL));
}

static void fetch(struct resource_snapshots *pool, struct resource_entry *resource_entry,
                  enum resource_kind kind, struct key key)
{
    OWNED(object) object = NULL;
    pool->fetches++;
    OWNED(error) err = client_get(pool->options.client, gvr_of(kind), key, NULL, &object);
    if (err) {
        put_absent(resource_entry, err);
        return;
    }
    put_metadata(resource_entry, object);
    put_supply(resource_entry, resource_snapshot_of(object));
}

struct resource_snapshot *resource_snapshots_get(struct resource_snapshots *pool,
                                                 enum resource_kind kind, struct key key)
{
    struct resource_entry *resource_entry = find_entry(pool, kind, key);
    if (is_current(pool, resource_entry, kind, key))
        return resource_snapshot_ref(resource_entry->snapshot);
    resource_entry->users++;
    OWNED(error) err = semaphore_take(&resource_entry->turn);
    if (!err) {
        if (!is_current(pool, resource_entry, kind, key))
            fetch(pool, resource_entry, kind, key);
        semaphore_give(&resource_entry->turn);
    }
    resource_entry->users--;
    return err ? resource_snapshot_new(FAULT_UNREADABLE, str_from_c(err->message), NULL)
               : resource_snapshot_ref(resource_entry->snapshot);
}

static bool has_owner(const struct json_value *owners, struct owner_reference owner)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, owners)
        if (owner_reference_eq(owner_reference_from_value(item), owner))
            return true;
    return false;
}

/* The list with the owner in the place of an older self, or at the end. */
static void build_owners(struct json_builder *builder, const struct json_value *owners,
                         struct owner_reference owner)
{
    const struct json_value *item;
    bool is_in = false;
    json_builder_add_array(builder, "ownerReferences");
    JSON_FOREACH (key, item, owners) {
        if (!is_in && owner_reference_same_owner(owner_reference_from_value(item), owner)) {
            owner_reference_build(owner, builder);
            is_in = true;
        } else {
            json_builder_value(builder, item);
        }
    }
    if (!is_in)
        owner_reference_build(owner, builder);
    json_builder_end(builder);
}

static struct error *make_patch(const struct resource_entry *resource_entry,
                                struct owner_reference owner, struct buf *text)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "resourceVersion", str_from_c(resource_entry->version));
    build_owners(&builder, resource_entry->owners ? json_doc_root(resource_entry->owners) : NULL,
                 owner);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(text, json_doc_root(doc));
    return NULL;
}

/* The version in the patch keeps the references of others who write at the same time. */
static struct error *add_owner(struct resource_snapshots *pool,
                               struct resource_entry *resource_entry, enum resource_kind kind,
                               struct key key, struct owner_reference owner)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    TRY(make_patch(resource_entry, owner, &text));
    TRY(client_patch(pool->options.client, gvr_of(kind), key, CLIENT_PATCH_MERGE, buf_str(&text),
                     NULL, &written));
    put_metadata(resource_entry, written);
    put_supply(resource_entry,
               resource_snapshot_of(written)); /* its data may have changed just before */
    return NULL;
}

static struct error *own_in_turn(struct resource_snapshots *pool,
                                 struct resource_entry *resource_entry, enum resource_kind kind,
                                 struct key key, struct owner_reference owner)
{
    struct error *err = NULL;
    for (size_t i = 0; i < OWN_ATTEMPTS; i++) {
        error_free(TAKE(err));
        if (i || !is_current(pool, resource_entry, kind, key))
            fetch(pool, resource_entry, kind, key);
        if (resource_entry->snapshot->fault == FAULT_UNREADABLE)
            return error_new(ERROR_UNKNOWN, "%s", resource_entry->snapshot->text);
        if (!resource_entry->version ||
            has_owner(resource_entry->owners ? json_doc_root(resource_entry->owners) : NULL, owner))
            return NULL;
        err = add_owner(pool, resource_entry, kind, key, owner);
        if (!error_is(err, ERROR_CONFLICT))
            return error_ignore(err, ERROR_NOT_FOUND);
    }
    return err;
}

struct error *resource_snapshots_add_owner(struct resource_snapshots *pool, enum resource_kind kind,
                                           struct key key, struct owner_reference owner)
{
    struct resource_entry *resource_entry = find_entry(pool, kind, key);
    if (is_current(pool, resource_entry, kind, key) &&
        has_owner(resource_entry->owners ? json_doc_root(resource_entry->owners) : NULL, owner))
        return NULL;
    resource_entry->users++;
    struct error *err = semaphore_take(&resource_entry->turn);
    if (!err) {
        err = own_in_turn(pool, resource_entry, kind, key, owner);
        semaphore_give(&resource_entry->turn);
    }
    resource_entry->users--;
    return err;
}

void resource_snapshots_sweep(struct resource_snapshots *pool)
{
    MAP_FOREACH (entry, &pool->resource_entries) {
        struct resource_entry *resource_entry = entry->value;
        if (!resource_entry->users && !resource_entry->is_wanted)
            map_remove(&pool->resource_entries, map_key(entry));
        else
            resource_entry->is_wanted = false;
    }
}

size_t resource_snapshots_count(const struct resource_snapshots *pool)
{
    return map_count(&pool->resource_entries);
}

size_t resource_snapshots_fetches(const struct resource_snapshots *pool)
{
    return pool->fetches;
}
