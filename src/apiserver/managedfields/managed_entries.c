/*
 * The entries of metadata.managedFields.
 *
 * An entry is found by its id, a text of manager, operation, subresource and, for updates,
 * version: the same text that k8s.io/apimachinery/pkg/util/managedfields builds, because conflicts
 * are listed in its order. Entries that lose all their fields are marked as gone and stay in the
 * array, so that positions in the index stay valid.
 */
#include "apiserver/managedfields/managed_entries.h"

#include <stdlib.h>

#include "base/array.h"

#define ANCIENT STR("ancient-changes")

void managed_entries_clear(struct managed_entries *entries)
{
    map_clear(&entries->index);
    entries->count = 0;
}

void managed_entries_done(struct managed_entries *entries)
{
    map_done(&entries->index);
    mem_free(entries->items);
    entries->items = NULL;
    entries->count = entries->capacity = 0;
}

static void add_member(struct buf *id, const char *name, struct str value)
{
    if (!value.len)
        return;
    BUF_ADD_ALL(id, id->len > 1 ? STR(",\"") : STR("\""), str_from_c(name), STR("\":"));
    buf_add_json_string(id, value);
}

static struct str operation_name(const struct managed_entry *entry)
{
    return entry->is_apply ? STR("Apply") : STR("Update");
}

static void write_id(struct buf *id, const struct managed_entry *entry)
{
    buf_add_char(id, '{');
    add_member(id, "manager", entry->manager);
    add_member(id, "operation", operation_name(entry));
    if (!entry->is_apply)
        add_member(id, "apiVersion", entry->api_version);
    add_member(id, "subresource", entry->subresource);
    buf_add_char(id, '}');
}

/* The index holds the position plus one, since a map cannot hold NULL apart from absence. */
static struct managed_entry *find_id(const struct managed_entries *entries, struct str id)
{
    const uintptr_t found = (uintptr_t)map_find(&entries->index, id);
    struct managed_entry *entry = found ? &entries->items[found - 1] : NULL;
    return entry && !entry->gone ? entry : NULL;
}

struct managed_entry *managed_entries_find(const struct managed_entries *entries,
                                           const struct managed_entry *who)
{
    SCOPED(buf) id = {.limit = 0};
    write_id(&id, who);
    return find_id(entries, buf_str(&id));
}

struct managed_entry *managed_entries_put(struct managed_entries *entries,
                                          struct managed_entry entry)
{
    SCOPED(buf) id = {.limit = 0};
    write_id(&id, &entry);
    entry.id = arena_str(entries->arena, buf_str(&id));
    struct managed_entry *found = find_id(entries, entry.id);
    if (found) {
        *found = entry;
        return found;
    }
    ARRAY_PUSH(entries->items, entries->count, entries->capacity, entry);
    map_put(&entries->index, entry.id, (void *)(uintptr_t)entries->count);
    return &entries->items[entries->count - 1];
}

/* A member that is a string, absent or null. */
static struct error *read_text(const struct json_value *json, const char *name,
                               struct str *ret_text)
{
    const struct json_value *value = json_get(json, str_from_c(name));
    const enum json_type type = json_type(value);
    if (type != JSON_STRING && type != JSON_ABSENT && type != JSON_NULL)
        return error_new(ERROR_INVALID, "%s is no string", name);
    *ret_text = json_to_str(value);
    return NULL;
}

/*
 * One entry, as strictly as an API server reads it. Whether an unreadable list is an error is
 * decided by the caller.
 */
static struct error *read_entry(struct managed_entries *entries, const struct json_value *json,
                                struct managed_entry *ret_entry)
{
    struct managed_entry entry = {.is_apply = false};
    struct str operation = {0}, fields_type = {0}, time = {0};
    if (json_type(json) != JSON_OBJECT)
        return error_new(ERROR_INVALID, "managed fields entry %zu is no object", entries->count);
    TRY(read_text(json, "manager", &entry.manager));
    TRY(read_text(json, "operation", &operation));
    TRY(read_text(json, "apiVersion", &entry.api_version));
    TRY(read_text(json, "subresource", &entry.subresource));
    TRY(read_text(json, "fieldsType", &fields_type));
    TRY(read_text(json, "time", &time));
    entry.is_apply = str_eq(operation, STR("Apply"));
    if (!entry.is_apply && !str_eq(operation, STR("Update")))
        return error_new(ERROR_INVALID, "operation must be `Apply` or `Update`");
    if (!entry.api_version.len)
        return error_new(ERROR_INVALID, "apiVersion must not be empty");
    if (!fields_type.len)
        return error_new(ERROR_INVALID, "missing fieldsType in managed fields entry %zu",
                         entries->count);
    if (!str_eq(fields_type, STR("FieldsV1")))
        return error_new(ERROR_INVALID, "invalid fieldsType \"%.*s\" in managed fields entry %zu",
                         STR_ARG(fields_type), entries->count);
    entry.has_time = time.len > 0;
    if (entry.has_time && !timestamp_read(time, &entry.time))
        return error_new(ERROR_INVALID, "time is no time");
    const struct json_value *fields = json_get(json, STR("fieldsV1"));
    if (json_type(fields) > JSON_NULL)
        TRY(field_set_read(entries->arena, fields, &entry.set));
    *ret_entry = entry;
    return NULL;
}

struct error *managed_entries_read(struct managed_entries *entries, const struct json_value *list)
{
    managed_entries_clear(entries);
    if (json_type(list) <= JSON_NULL)
        return NULL;
    if (json_type(list) != JSON_ARRAY)
        return error_new(ERROR_INVALID, "managedFields is no list");
    const struct json_value *json;
    JSON_FOREACH (key, json, list) {
        (void)key;
        struct managed_entry entry = {.is_apply = false};
        struct error *err = read_entry(entries, json, &entry);
        if (err) {
            managed_entries_clear(entries);
            return err;
        }
        managed_entries_put(entries, entry);
    }
    return NULL;
}

/* Clients write [{}] to forget all entries. Members that are empty or null count as absent. */
bool managed_entries_is_reset(const struct json_value *list)
{
    const struct json_value *only = json_at(list, 0), *value;
    if (json_type(list) == JSON_ARRAY && json_count(list) == 0)
        return true;
    if (json_count(list) != 1 || json_type(only) != JSON_OBJECT)
        return false;
    JSON_FOREACH (key, value, only) {
        (void)key;
        const bool is_zero = json_type(value) == JSON_NULL ||
                             (json_type(value) == JSON_STRING && !json_to_str(value).len);
        if (!is_zero)
            return false;
    }
    return true;
}

bool managed_entries_is_empty(const struct managed_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        if (!entries->items[i].gone)
            return false;
    return true;
}

/*
 * Whole seconds, rounded down: the written form has no fractions, and entries are sorted as they
 * are read back.
 */
static int64_t entry_seconds(const struct managed_entry *entry)
{
    const int64_t second = 1000000000;
    if (!entry->has_time)
        return 0;
    return entry->time / second - (entry->time % second < 0);
}

static int older_first(const void *a, const void *b)
{
    const struct managed_entry *p = *(struct managed_entry *const *)a;
    const struct managed_entry *q = *(struct managed_entry *const *)b;
    if (entry_seconds(p) != entry_seconds(q))
        return entry_seconds(p) < entry_seconds(q) ? -1 : 1;
    return str_cmp(p->id, q->id);
}

/*
 * Pointers to the entries that are not gone. A put may move the array, so that the pointers are
 * valid until then.
 */
static struct managed_entry **collect_entries(const struct managed_entries *entries,
                                              bool updates_only, size_t *ret_count)
{
    struct managed_entry **all =
        arena_alloc_array(entries->arena, entries->count, sizeof(struct managed_entry *));
    *ret_count = 0;
    for (size_t i = 0; i < entries->count; i++)
        if (!entries->items[i].gone && !(updates_only && entries->items[i].is_apply))
            all[(*ret_count)++] = &entries->items[i];
    return all;
}

/* A bucket of old updates of one version. */
struct bucket {
    struct managed_entry *first;
    struct field_set *sets;
    size_t count;
    const struct managed_entry *last;
};

/* The bucket of the entry's version, begun with the entry when there is none. */
static struct bucket *bucket_of(struct managed_entries *entries, struct map *buckets,
                                struct managed_entry *entry, size_t most)
{
    struct bucket *bucket = map_find(buckets, entry->api_version);
    if (bucket)
        return bucket;
    bucket = ARENA_NEW(entries->arena, struct bucket);
    bucket->first = entry;
    bucket->sets = arena_alloc_array(entries->arena, most, sizeof(*bucket->sets));
    map_put(buckets, entry->api_version, bucket);
    return bucket;
}

/*
 * Merges the oldest updates of each version into one entry "ancient-changes". The oldest one of a
 * version becomes its bucket once a second one has to go. An older bucket of that name is the
 * first one itself, or takes part like any other.
 */
void managed_entries_cap(struct managed_entries *entries, size_t most)
{
    size_t count, left;
    struct managed_entry **updates = collect_entries(entries, true, &count);
    if (count <= most)
        return;
    qsort(updates, count, sizeof(struct managed_entry *), older_first);
    SCOPED(map) buckets = {.release = NULL};
    left = count;
    for (size_t i = 0; i < count && left > most; i++) {
        struct bucket *bucket = bucket_of(entries, &buckets, updates[i], count - most + 1);
        bucket->sets[bucket->count++] = updates[i]->set;
        bucket->last = updates[i];
        if (updates[i] != bucket->first) {
            updates[i]->gone = true;
            left--;
        }
    }
    MAP_FOREACH (entry, &buckets) {
        const struct bucket *bucket = entry->value;
        if (bucket->count < 2)
            continue;
        struct managed_entry merged = *bucket->last;
        merged.manager = ANCIENT;
        merged.subresource = STR("");
        merged.gone = false;
        merged.set = field_set_union_all(entries->arena, bucket->sets, bucket->count);
        bucket->first->gone = true;
        const struct managed_entry *older = managed_entries_find(entries, &merged);
        if (older)
            merged.set = field_set_union(entries->arena, merged.set, older->set);
        managed_entries_put(entries, merged);
    }
}

/* The order of the server: appliers first, then by time, manager, version and subresource. */
static int written_order(const void *a, const void *b)
{
    const struct managed_entry *p = *(struct managed_entry *const *)a;
    const struct managed_entry *q = *(struct managed_entry *const *)b;
    if (p->is_apply != q->is_apply)
        return p->is_apply ? -1 : 1;
    if (entry_seconds(p) != entry_seconds(q))
        return entry_seconds(p) < entry_seconds(q) ? -1 : 1;
    const int by_manager = str_cmp(p->manager, q->manager);
    const int by_version = str_cmp(p->api_version, q->api_version);
    return by_manager   ? by_manager
           : by_version ? by_version
                        : str_cmp(p->subresource, q->subresource);
}

static void write_entry(const struct managed_entry *entry, struct json_builder *builder)
{
    char text[TIMESTAMP_TEXT_MAX];
    json_builder_object(builder);
    if (entry->manager.len)
        json_builder_add_str(builder, "manager", entry->manager);
    json_builder_add_str(builder, "operation", operation_name(entry));
    json_builder_add_str(builder, "apiVersion", entry->api_version);
    if (entry->has_time)
        json_builder_add_str(builder, "time", timestamp_write(entry->time, text));
    json_builder_add_str(builder, "fieldsType", STR("FieldsV1"));
    json_builder_key(builder, STR("fieldsV1"));
    field_set_write(builder, &entry->set);
    if (entry->subresource.len)
        json_builder_add_str(builder, "subresource", entry->subresource);
    json_builder_end(builder);
}

void managed_entries_write(const struct managed_entries *entries, struct json_builder *builder)
{
    size_t count;
    struct managed_entry **all = collect_entries(entries, false, &count);
    if (count)
        qsort(all, count, sizeof(struct managed_entry *), written_order);
    json_builder_array(builder);
    for (size_t i = 0; i < count; i++)
        write_entry(all[i], builder);
    json_builder_end(builder);
}
