/*
 * One entry for each resource that a set has asked for: the newest snapshot, and the version and
 * owner references it was found with.
 *
 * resource_snapshots_get() answers from the entry while the metadata cache shows nothing newer.
 * Otherwise it fetches the resource. One fiber fetches; the others wait for it and look again.
 *
 * Only a resource that says something else than before is read. A large one is read on a worker
 * thread, see content_size().
 *
 * resource_snapshots_add_owner() patches ownerReferences with the version in the patch, so that the
 * references of other writers are not lost. The answer is a whole resource and makes a new
 * snapshot.
 */
#include "clusterresourceset/resource_snapshots.h"

#include "apimachinery/object_edit.h"
#include "apimachinery/object_text.h"
#include "apimachinery/wellknown.h"
#include "async/compute.h"
#include "async/event.h"
#include "async/semaphore.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/resource_snapshots_internal.h"
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
    struct values_use values;
    bool has_values; /* they have been looked for */
};

struct named_resource {
    enum resource_kind kind;
    char *namespace, *name;
    struct resource_snapshot *snapshot; /* NULL: not read yet */
    uint8_t digest[SHA256_LEN]; /* of what the snapshot was read from, see content_digest() */
    bool has_digest;
    char *version;           /* of the snapshot, or newer with the same data; NULL: no resource */
    struct json_doc *owners; /* ownerReferences at that version; NULL: none */
    struct semaphore turn;   /* held by the fiber that fetches or writes */
    size_t users;            /* fibers that hold the turn or wait for it: the entry must stay */
    bool is_wanted;          /* since the last sweep */
};

static void release_resource(void *value)
{
    struct named_resource *resource = value;
    resource_snapshot_free(resource->snapshot);
    json_doc_free(resource->owners);
    mem_free(resource->version);
    mem_free(resource->namespace);
    mem_free(resource->name);
    mem_free(resource);
}

struct resource_snapshots *resource_snapshots_new(const struct resource_snapshots_options *options)
{
    struct resource_snapshots *snapshots = NEW(struct resource_snapshots);
    *snapshots = (struct resource_snapshots){.options = *options,
                                             .resources = {.release = release_resource}};
    return snapshots;
}

void resource_snapshots_free(struct resource_snapshots *snapshots)
{
    if (!snapshots)
        return;
    map_done(&snapshots->resources);
    mem_free(snapshots);
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
    values_use_done(&snapshot->values);
    content_free(snapshot->content);
    mem_free(snapshot->text);
    mem_free(snapshot);
}

static struct resource_snapshot *new_snapshot(enum fault_type fault, struct str text,
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

const struct values_use *resource_snapshot_values(struct resource_snapshot *snapshot)
{
    if (snapshot->fault)
        return NULL;
    if (!snapshot->has_values)
        values_use_find(snapshot->content, &snapshot->values);
    snapshot->has_values = true;
    return &snapshot->values;
}

struct resource_snapshot *resource_snapshot_filled(struct content *content)
{
    return new_snapshot(FAULT_NONE, STR(""), content);
}

/* The hash covers the data. The text counts for faults that have no hash, such as FAULT_UNREADABLE.
 */
bool resource_snapshot_eq(const struct resource_snapshot *a, const struct resource_snapshot *b)
{
    return a == b ||
           (a->fault == b->fault && str_eq(resource_snapshot_hash(a), resource_snapshot_hash(b)) &&
            str_eq(resource_snapshot_text(a), resource_snapshot_text(b)));
}

static struct named_resource *find_resource(struct resource_snapshots *snapshots,
                                            enum resource_kind kind, struct key key)
{
    SCOPED(buf) name = {.limit = 0};
    buf_add(&name, resource_kind_name(kind));
    buf_add_char(&name, '/');
    key_write(&name, key);
    struct named_resource *resource = map_find(&snapshots->resources, buf_str(&name));
    if (!resource) {
        resource = NEW(struct named_resource);
        resource->kind = kind;
        resource->namespace = mem_dup(key.namespace.ptr, key.namespace.len);
        resource->name = mem_dup(key.name.ptr, key.name.len);
        resource->turn.permits = 1;
        map_put(&snapshots->resources, buf_str(&name), resource);
    }
    resource->is_wanted = true;
    return resource;
}

static struct key key_of(const struct named_resource *resource)
{
    return (struct key){str_from_c(resource->namespace), str_from_c(resource->name)};
}

static struct cache *cache_for(const struct resource_snapshots *snapshots, enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? snapshots->options.secrets : snapshots->options.config_maps;
}

static struct gvr gvr_for(enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? GVR_SECRETS : GVR_CONFIG_MAPS;
}

/* True if the cache shows nothing newer. A missing resource has no version and is always looked
 * for. */
static bool is_current(const struct resource_snapshots *snapshots,
                       const struct named_resource *resource)
{
    OWNED(object_text)
    text = cache_get_text(cache_for(snapshots, resource->kind), key_of(resource));
    int order;
    if (!resource->snapshot || !resource->version || !text)
        return false;
    const struct str shown = object_text_resource_version(text);
    return str_eq(shown, str_from_c(resource->version)) ||
           (cache_version_cmp(shown, str_from_c(resource->version), &order) && order <= 0);
}

/* Kept for the next patch: the owner references of others are written back as they are. */
static void put_metadata(struct named_resource *resource, const struct object *object)
{
    const struct json_value *owners = object_owner_references(object);
    const struct str version = object_resource_version(object);
    json_doc_free(resource->owners);
    mem_free(resource->version);
    resource->owners = owners ? json_doc_copy(owners) : NULL;
    resource->version = mem_dup(version.ptr, version.len);
}

/*
 * Takes the snapshot. The old one stays if both mean the same: plans that hold it then stay equal,
 * and there is one copy of the content in memory.
 */
static void put_snapshot(struct named_resource *resource, struct resource_snapshot *snapshot)
{
    if (resource->snapshot && resource_snapshot_eq(resource->snapshot, snapshot)) {
        resource_snapshot_free(snapshot);
        return;
    }
    resource_snapshot_free(resource->snapshot);
    resource->snapshot = snapshot;
}

struct resource_snapshot *resource_snapshot_read(const struct object *resource)
{
    struct content *content = content_read(resource);
    const struct error *err = content_error(content);
    if (!err)
        return new_snapshot(FAULT_NONE, STR(""), content);
    return new_snapshot(content_has_wrong_type(content) ? FAULT_WRONG_TYPE : FAULT_NOT_APPLIED,
                        str_from_c(err->message), content);
}

struct resource_snapshot *resource_snapshot_absent(const struct error *err)
{
    return new_snapshot(err->code == ERROR_NOT_FOUND ? FAULT_MISSING : FAULT_UNREADABLE,
                        str_from_c(err->message), NULL);
}

/* Without a version the resource is fetched again by the next caller. */
static void put_absent(struct named_resource *resource, const struct error *err)
{
    mem_free(TAKE(resource->version));
    json_doc_free(TAKE(resource->owners));
    resource->has_digest = false;
    put_snapshot(resource, resource_snapshot_absent(err));
}

/* A resource on its way to a snapshot. Nobody else refers to either of them. */
struct reading {
    const struct object *object;
    struct resource_snapshot *snapshot;
    bool is_large;
};

/* May run on a worker thread. To look for values takes long where reading does. */
static struct error *read_resource(void *data)
{
    struct reading *reading = data;
    reading->snapshot = resource_snapshot_read(reading->object);
    if (reading->is_large)
        resource_snapshot_values(reading->snapshot);
    return NULL;
}

/* Takes the snapshot of a resource that says something else than before. Suspends. */
static struct error *update_snapshot(struct resource_snapshots *snapshots,
                                     struct named_resource *resource, const struct object *object)
{
    uint8_t digest[SHA256_LEN];
    content_digest(object, digest);
    if (resource->has_digest && memcmp(resource->digest, digest, sizeof(digest)) == 0)
        return NULL;
    const size_t size = content_size(object);
    struct reading reading = {.object = object, .is_large = size >= COMPUTE_FROM};
    snapshots->reads++;
    struct error *err = compute_sized(size, read_resource, &reading);
    if (err) {
        resource_snapshot_free(reading.snapshot);
        return err;
    }
    put_snapshot(resource, reading.snapshot);
    memcpy(resource->digest, digest, sizeof(digest));
    resource->has_digest = true;
    return NULL;
}

/* The version comes last: with it the entry counts as current. Suspends. */
static struct error *put_resource(struct resource_snapshots *snapshots,
                                  struct named_resource *resource, const struct object *object)
{
    struct error *err = update_snapshot(snapshots, resource, object);
    if (err)
        put_absent(resource, err);
    else
        put_metadata(resource, object);
    return err;
}

static struct error *try_fetch(struct resource_snapshots *snapshots,
                               struct named_resource *resource)
{
    OWNED(object) object = NULL;
    snapshots->fetches++;
    struct error *err = client_get(snapshots->options.client, gvr_for(resource->kind),
                                   key_of(resource), NULL, &object);
    if (!err)
        return put_resource(snapshots, resource, object);
    put_absent(resource, err);
    return err;
}

/* Suspends. What goes wrong is the fault of the snapshot. */
static void fetch_resource(struct resource_snapshots *snapshots, struct named_resource *resource)
{
    error_free(try_fetch(snapshots, resource));
}

/*
 * A caller whose wait is cut short gets a separate snapshot: the shared one is not touched by
 * that.
 */
struct resource_snapshot *resource_snapshots_get(struct resource_snapshots *snapshots,
                                                 enum resource_kind kind, struct key key)
{
    struct named_resource *resource = find_resource(snapshots, kind, key);
    if (is_current(snapshots, resource))
        return resource_snapshot_ref(resource->snapshot);
    resource->users++;
    OWNED(error) err = semaphore_take(&resource->turn);
    if (!err) {
        if (!is_current(snapshots, resource))
            fetch_resource(snapshots, resource);
        semaphore_give(&resource->turn);
    }
    resource->users--;
    return err ? new_snapshot(FAULT_UNREADABLE, str_from_c(err->message), NULL)
               : resource_snapshot_ref(resource->snapshot);
}

static const struct json_value *owners_of(const struct named_resource *resource)
{
    return resource->owners ? json_doc_root(resource->owners) : NULL;
}

static bool has_owner(const struct named_resource *resource, struct owner_reference owner)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, owners_of(resource))
        if (owner_reference_eq(owner_reference_from_value(item), owner))
            return true;
    return false;
}

/* The list with the owner in the place of an older reference to the same set, or at the end. */
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

static struct error *write_owner_patch(const struct named_resource *resource,
                                       struct owner_reference owner, struct buf *text)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "resourceVersion", str_from_c(resource->version));
    build_owners(&builder, owners_of(resource), owner);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(text, json_doc_root(doc));
    return NULL;
}

/* ERROR_CONFLICT if the resource has changed since; then its owner references may have, too. */
static struct error *patch_owner(struct resource_snapshots *snapshots,
                                 struct named_resource *resource, struct owner_reference owner)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    TRY(write_owner_patch(resource, owner, &text));
    TRY(client_patch(snapshots->options.client, gvr_for(resource->kind), key_of(resource),
                     CLIENT_PATCH_MERGE, buf_str(&text), NULL, &written));
    return put_resource(snapshots, resource, written); /* the data may be newer, too */
}

/* The first attempt trusts the cache, the others fetch. A resource that goes needs no owner. */
static struct error *add_owner_in_turn(struct resource_snapshots *snapshots,
                                       struct named_resource *resource,
                                       struct owner_reference owner)
{
    struct error *err = NULL;
    for (size_t i = 0; i < OWN_ATTEMPTS; i++) {
        error_free(TAKE(err));
        if (i || !is_current(snapshots, resource))
            fetch_resource(snapshots, resource);
        if (resource->snapshot->fault == FAULT_UNREADABLE)
            return error_new(ERROR_UNKNOWN, "%s", resource->snapshot->text);
        if (!resource->version || has_owner(resource, owner))
            return NULL;
        err = patch_owner(snapshots, resource, owner);
        if (!error_is(err, ERROR_CONFLICT))
            return error_ignore(err, ERROR_NOT_FOUND);
    }
    return err;
}

struct error *resource_snapshots_add_owner(struct resource_snapshots *snapshots,
                                           enum resource_kind kind, struct key key,
                                           struct owner_reference owner)
{
    struct named_resource *resource = find_resource(snapshots, kind, key);
    if (is_current(snapshots, resource) && has_owner(resource, owner))
        return NULL;
    resource->users++;
    struct error *err = semaphore_take(&resource->turn);
    if (!err) {
        err = add_owner_in_turn(snapshots, resource, owner);
        semaphore_give(&resource->turn);
    }
    resource->users--;
    return err;
}

/* A resource in use stays, wanted or not: a fiber holds a pointer to it. */
void resource_snapshots_sweep(struct resource_snapshots *snapshots)
{
    MAP_FOREACH (entry, &snapshots->resources) {
        struct named_resource *resource = entry->value;
        if (!resource->users && !resource->is_wanted)
            map_remove(&snapshots->resources, map_key(entry));
        else
            resource->is_wanted = false;
    }
}
