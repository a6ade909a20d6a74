#include "clusterresourceset/supply.h"

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

struct supply {
    size_t references;
    enum trouble trouble;
    char *text;
    struct content *content; /* NULL: missing or unreadable */
};

/* One resource: the newest supply, and what we know of its metadata. */
struct shelf {
    struct supply *supply;   /* NULL: not read yet */
    char *version;           /* of the supply, or newer with the same data */
    struct json_doc *owners; /* ownerReferences at that version; NULL: none */
    struct semaphore turn;   /* whoever fetches or writes; the others wait and then look again */
    size_t users;
    bool is_wanted; /* since the last sweep */
};

struct supply_pool {
    struct supply_options options;
    struct map shelves; /* "kind/namespace/name" -> struct shelf */
    size_t fetches;
};

static void release_shelf(void *value)
{
    struct shelf *shelf = value;
    supply_free(shelf->supply);
    json_doc_free(shelf->owners);
    mem_free(shelf->version);
    mem_free(shelf);
}

struct supply_pool *supply_pool_new(const struct supply_options *options)
{
    struct supply_pool *pool = NEW(struct supply_pool);
    *pool = (struct supply_pool){.options = *options, .shelves = {.release = release_shelf}};
    return pool;
}

void supply_pool_free(struct supply_pool *pool)
{
    if (!pool)
        return;
    map_done(&pool->shelves);
    mem_free(pool);
}

struct supply *supply_ref(struct supply *supply)
{
    supply->references++;
    return supply;
}

void supply_free(struct supply *supply)
{
    if (!supply || --supply->references)
        return;
    content_free(supply->content);
    mem_free(supply->text);
    mem_free(supply);
}

static struct supply *supply_new(enum trouble trouble, struct str text, struct content *content)
{
    struct supply *supply = NEW(struct supply);
    *supply = (struct supply){.references = 1,
                              .trouble = trouble,
                              .text = mem_dup(text.ptr, text.len),
                              .content = content};
    return supply;
}

enum trouble supply_trouble(const struct supply *supply)
{
    return supply->trouble;
}

struct str supply_text(const struct supply *supply)
{
    return str_from_c(supply->text);
}

const struct content *supply_content(const struct supply *supply)
{
    return supply->trouble ? NULL : supply->content;
}

struct str supply_hash(const struct supply *supply)
{
    return supply->content ? content_hash(supply->content) : (struct str){0};
}

bool supply_eq(const struct supply *a, const struct supply *b)
{
    return a == b || (a->trouble == b->trouble && str_eq(supply_hash(a), supply_hash(b)) &&
                      str_eq(supply_text(a), supply_text(b)));
}

static struct shelf *find_shelf(struct supply_pool *pool, enum resource_kind kind, struct key key)
{
    SCOPED(buf) name = {.limit = 0};
    buf_add(&name, resource_kind_name(kind));
    buf_add_char(&name, '/');
    key_write(&name, key);
    struct shelf *shelf = map_find(&pool->shelves, buf_str(&name));
    if (!shelf) {
        shelf = NEW(struct shelf);
        shelf->turn.permits = 1;
        map_put(&pool->shelves, buf_str(&name), shelf);
    }
    shelf->is_wanted = true;
    return shelf;
}

static struct cache *cache_of(const struct supply_pool *pool, enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? pool->options.secrets : pool->options.config_maps;
}

static struct gvr gvr_of(enum resource_kind kind)
{
    return kind == RESOURCE_SECRET ? GVR_SECRETS : GVR_CONFIG_MAPS;
}

/* The cache shows nothing newer than what is on the shelf. Missing ones are looked for again. */
static bool is_current(const struct supply_pool *pool, const struct shelf *shelf,
                       enum resource_kind kind, struct key key)
{
    OWNED(object_text) text = cache_get_text(cache_of(pool, kind), key);
    int order;
    if (!shelf->supply || !shelf->version || !text)
        return false;
    const struct str shown = object_text_resource_version(text);
    return str_eq(shown, str_from_c(shelf->version)) ||
           (cache_version_cmp(shown, str_from_c(shelf->version), &order) && order <= 0);
}

static void put_metadata(struct shelf *shelf, const struct object *object)
{
    const struct json_value *owners = object_owner_references(object);
    const struct str version = object_resource_version(object);
    json_doc_free(shelf->owners);
    mem_free(shelf->version);
    shelf->owners = owners ? json_doc_copy(owners) : NULL;
    shelf->version = mem_dup(version.ptr, version.len);
}

/* What means the same as before stays: it may be in use, and nobody keeps two of it. */
static void put_supply(struct shelf *shelf, struct supply *supply)
{
    if (shelf->supply && supply_eq(shelf->supply, supply)) {
        supply_free(supply);
        return;
    }
    supply_free(shelf->supply);
    shelf->supply = supply;
}

static struct supply *supply_of(const struct object *object)
{
    struct content *content = content_read(object);
    const struct error *err = content_error(content);
    if (!err)
        return supply_new(TROUBLE_NONE, STR(""), content);
    return supply_new(content_has_wrong_type(content) ? TROUBLE_WRONG_TYPE : TROUBLE_NOT_APPLIED,
                      str_from_c(err->message), content);
}

/* Without a resource nothing is known of its version: it is asked for each time. */
static void put_absent(struct shelf *shelf, const struct error *err)
{
    const bool is_missing = err->code == ERROR_NOT_FOUND;
    mem_free(TAKE(shelf->version));
    json_doc_free(TAKE(shelf->owners));
    put_supply(shelf, supply_new(is_missing ? TROUBLE_MISSING : TROUBLE_UNREADABLE,
                                 str_from_c(err->message), NULL));
}

static void fetch(struct supply_pool *pool, struct shelf *shelf, enum resource_kind kind,
                  struct key key)
{
    OWNED(object) object = NULL;
    pool->fetches++;
    OWNED(error) err = client_get(pool->options.client, gvr_of(kind), key, NULL, &object);
    if (err) {
        put_absent(shelf, err);
        return;
    }
    put_metadata(shelf, object);
    put_supply(shelf, supply_of(object));
}

struct supply *supply_get(struct supply_pool *pool, enum resource_kind kind, struct key key)
{
    struct shelf *shelf = find_shelf(pool, kind, key);
    if (is_current(pool, shelf, kind, key))
        return supply_ref(shelf->supply);
    shelf->users++;
    OWNED(error) err = semaphore_take(&shelf->turn);
    if (!err) {
        if (!is_current(pool, shelf, kind, key))
            fetch(pool, shelf, kind, key);
        semaphore_give(&shelf->turn);
    }
    shelf->users--;
    return err ? supply_new(TROUBLE_UNREADABLE, str_from_c(err->message), NULL)
               : supply_ref(shelf->supply);
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

static struct error *make_patch(const struct shelf *shelf, struct owner_reference owner,
                                struct buf *text)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "resourceVersion", str_from_c(shelf->version));
    build_owners(&builder, shelf->owners ? json_doc_root(shelf->owners) : NULL, owner);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(text, json_doc_root(doc));
    return NULL;
}

/* The version in the patch keeps the references of others who write at the same time. */
static struct error *add_owner(struct supply_pool *pool, struct shelf *shelf,
                               enum resource_kind kind, struct key key,
                               struct owner_reference owner)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    TRY(make_patch(shelf, owner, &text));
    TRY(client_patch(pool->options.client, gvr_of(kind), key, CLIENT_PATCH_MERGE, buf_str(&text),
                     NULL, &written));
    put_metadata(shelf, written);
    put_supply(shelf, supply_of(written)); /* its data may have changed just before */
    return NULL;
}

static struct error *own_in_turn(struct supply_pool *pool, struct shelf *shelf,
                                 enum resource_kind kind, struct key key,
                                 struct owner_reference owner)
{
    struct error *err = NULL;
    for (size_t i = 0; i < OWN_ATTEMPTS; i++) {
        error_free(TAKE(err));
        if (i || !is_current(pool, shelf, kind, key))
            fetch(pool, shelf, kind, key);
        if (shelf->supply->trouble == TROUBLE_UNREADABLE)
            return error_new(ERROR_UNKNOWN, "%s", shelf->supply->text);
        if (!shelf->version ||
            has_owner(shelf->owners ? json_doc_root(shelf->owners) : NULL, owner))
            return NULL;
        err = add_owner(pool, shelf, kind, key, owner);
        if (!error_is(err, ERROR_CONFLICT))
            return error_ignore(err, ERROR_NOT_FOUND);
    }
    return err;
}

struct error *supply_own(struct supply_pool *pool, enum resource_kind kind, struct key key,
                         struct owner_reference owner)
{
    struct shelf *shelf = find_shelf(pool, kind, key);
    if (is_current(pool, shelf, kind, key) &&
        has_owner(shelf->owners ? json_doc_root(shelf->owners) : NULL, owner))
        return NULL;
    shelf->users++;
    struct error *err = semaphore_take(&shelf->turn);
    if (!err) {
        err = own_in_turn(pool, shelf, kind, key, owner);
        semaphore_give(&shelf->turn);
    }
    shelf->users--;
    return err;
}

void supply_pool_sweep(struct supply_pool *pool)
{
    MAP_FOREACH (entry, &pool->shelves) {
        struct shelf *shelf = entry->value;
        if (!shelf->users && !shelf->is_wanted)
            map_remove(&pool->shelves, map_key(entry));
        else
            shelf->is_wanted = false;
    }
}

size_t supply_pool_count(const struct supply_pool *pool)
{
    return map_count(&pool->shelves);
}

size_t supply_pool_fetches(const struct supply_pool *pool)
{
    return pool->fetches;
}
